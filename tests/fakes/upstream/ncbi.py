"""NCBI E-utilities: ESearch, EPost, EFetch, ESummary, ELink for pubmed and pmc, after NBK25499 and the PubMed DTD."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from tests.fakes.upstream.corpus import Corpus, Work
from tests.fakes.upstream.jats import article_jats
from tests.fakes.upstream.messages import Reply, Request, element, json_reply, tag, xml_reply
from tests.fakes.upstream.search import parse

_HEAD = '<?xml version="1.0" ?>\n'
_DOCTYPE = (
    '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
)
MAX_IDS = 9999
"""ESearch gives no more of PubMed."""


class Eutils:
    """The calls, and the History server's sets."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._sets: dict[str, list[str]] = {}

    def reply(self, request: Request, call: str) -> Reply:
        calls = {
            "esearch.fcgi": self._search,
            "epost.fcgi": self._post,
            "efetch.fcgi": self._fetch,
            "esummary.fcgi": self._summary,
            "elink.fcgi": self._link,
        }
        made = calls.get(call)
        return made(request) if made else json_reply({"error": "not found"}, 404)

    def _search(self, request: Request) -> Reply:
        pmc = request.get("db") == "pmc"
        query = parse(request.get("term"))
        held = [work for work in self._corpus.works if (work.pmcid if pmc else work.pmid)]
        ids = [((work.pmcid or "").removeprefix("PMC") if pmc else work.pmid or "") for work in query.find(held)]
        start, size = request.number("retstart", 0), min(request.number("retmax", 20), MAX_IDS)
        unknown = [t.text for t in query.terms if t.field == "tiab" and not any(t(work) for work in held)]
        result: dict[str, object] = {
            "count": str(len(ids)),
            "retmax": str(len(ids[start : start + size])),
            "retstart": str(start),
            "idlist": ids[start : start + size],
            "translationset": [],
            "querytranslation": request.get("term"),
        }
        if unknown:
            result["warninglist"] = {
                "phrasesignored": [],
                "quotedphrasesnotfound": [f'"{text}"[tiab]' for text in unknown],
                "outputmessages": [] if ids else ["No items found."],
            }
        if request.get("usehistory") == "y":
            result |= {"querykey": "1", "webenv": self._keep(ids)}
        if request.get("retmode") == "json":
            return json_reply({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result})
        inner = tag("Count", len(ids)) + tag("RetMax", size) + tag("RetStart", start)
        inner += "".join(
            tag(name, str(result[key]))
            for name, key in (("QueryKey", "querykey"), ("WebEnv", "webenv"))
            if key in result
        )
        inner += element("IdList", "".join(tag("Id", i) for i in ids[start : start + size]))
        return xml_reply(_HEAD + element("eSearchResult", inner + tag("QueryTranslation", request.get("term"))))

    def _keep(self, ids: list[str]) -> str:
        name = f"MCID_{secrets.token_hex(12)}"
        self._sets[name] = ids
        return name

    def _post(self, request: Request) -> Reply:
        ids = [each.strip() for each in request.get("id").split(",") if each.strip()]
        return xml_reply(_HEAD + element("ePostResult", tag("QueryKey", 1) + tag("WebEnv", self._keep(ids))))

    def _ids(self, request: Request) -> list[str] | None:
        if "WebEnv" not in request.params:
            return [each.strip() for each in request.get("id").split(",") if each.strip()]
        held = self._sets.get(request.get("WebEnv"))
        if held is None:
            return None
        start = request.number("retstart", 0)
        return held[start : start + request.number("retmax", len(held))]

    def _fetch(self, request: Request) -> Reply:
        ids = self._ids(request)
        if ids is None:
            return xml_reply(_HEAD + element("eFetchResult", tag("ERROR", "Unable to obtain query #1")))
        if request.get("db") == "pmc":
            found = [self._article(f"PMC{each.removeprefix('PMC')}") for each in ids]
            return xml_reply(_HEAD.encode() + b"<pmc-articleset>" + b"".join(found) + b"</pmc-articleset>")
        works = (self._corpus.by_pmid.get(each) for each in ids)
        body = "".join(pubmed_article(work) for work in works if work)
        return xml_reply(_HEAD + _DOCTYPE + element("PubmedArticleSet", body))

    def _article(self, pmcid: str) -> bytes:
        recorded = self._corpus.articles.get(pmcid)
        if recorded is not None:
            return recorded[recorded.index(b"<article") :]
        work = self._corpus.by_pmcid.get(pmcid)
        return article_jats(work).encode() if work else b""

    def _summary(self, request: Request) -> Reply:
        ids = self._ids(request) or []
        pmc = request.get("db") == "pmc"
        result: dict[str, object] = {"uids": ids}
        for each in ids:
            work = self._corpus.by_pmcid.get(f"PMC{each}") if pmc else self._corpus.by_pmid.get(each)
            result[each] = _summary_of(each, work) if work else {"uid": each, "error": "cannot get document summary"}
        return json_reply({"header": {"type": "esummary", "version": "0.3"}, "result": result})

    def _link(self, request: Request) -> Reply:
        target = request.get("db", "pmc")
        sets = []
        for each in self._ids(request) or []:
            work = self._corpus.by_pmid.get(each)
            link = ""
            if work and work.pmcid and target == "pmc":
                inner = tag("Id", work.pmcid.removeprefix("PMC"))
                link = element("LinkSetDb", tag("DbTo", "pmc") + tag("LinkName", "pubmed_pmc") + element("Link", inner))
            sets.append(element("LinkSet", tag("DbFrom", "pubmed") + element("IdList", tag("Id", each)) + link))
        return xml_reply(_HEAD + element("eLinkResult", "".join(sets)))


def _summary_of(uid: str, work: Work) -> dict[str, object]:
    ids = (("pmid", work.pmid), ("pmcid", work.pmcid), ("doi", work.doi))
    return {
        "uid": uid,
        "pubdate": str(work.year or ""),
        "source": work.journal or "",
        "fulljournalname": work.journal or "",
        "title": work.title,
        "authors": [{"name": name, "authtype": "Author"} for name in work.authors],
        "pubtype": list(work.types),
        "articleids": [{"idtype": kind, "value": value} for kind, value in ids if value],
    }


def pubmed_article(work: Work) -> str:
    """One PubmedArticle; the recorded one where there is one."""
    if work.raw is not None:
        return work.raw.decode()
    date = element("PubDate", tag("Year", work.year))
    journal = element("Journal", element("JournalIssue", date, CitedMedium="Internet") + tag("Title", work.journal))
    abstract = "".join(_abstract_text(part.label, part.text) for part in work.parts)
    article = (
        journal
        + tag("ArticleTitle", work.title)
        + (element("Abstract", abstract) if abstract else "")
        + _authors(work)
        + tag("Language", "eng")
        + _databank(work)
        + element("PublicationTypeList", "".join(tag("PublicationType", kind, UI="D000000") for kind in work.types))
    )
    headings = "".join(element("MeshHeading", tag("DescriptorName", name, MajorTopicYN="N")) for name in work.mesh)
    citation = (
        tag("PMID", work.pmid, Version="1")
        + element("Article", article, PubModel="Print")
        + (element("MeshHeadingList", headings) if headings else "")
    )
    data = tag("PublicationStatus", "ppublish") + element("ArticleIdList", _article_ids(work))
    return element(
        "PubmedArticle",
        element("MedlineCitation", citation, Status="MEDLINE", Owner="NLM") + element("PubmedData", data),
    )


def _abstract_text(label: str | None, text: str) -> str:
    if label is None:
        return tag("AbstractText", text)
    return tag("AbstractText", text, Label=label.upper(), NlmCategory="UNASSIGNED")


def _authors(work: Work) -> str:
    people = [element("Author", tag("LastName", family) + tag("Initials", rest or None), ValidYN="Y")
              for family, _, rest in (_split(name) for name in work.authors)]  # fmt: skip
    if work.collective_author:
        people.append(element("Author", tag("CollectiveName", work.collective_author), ValidYN="Y"))
    return element("AuthorList", "".join(people), CompleteYN="Y") if people else ""


def _split(name: str) -> tuple[str, str, str]:
    """ "Bhatt DL" as family name and initials; a single word has none."""
    return name.rpartition(" ") if " " in name else (name, "", "")


def _databank(work: Work) -> str:
    if not work.nct_id:
        return ""
    number = element("AccessionNumberList", tag("AccessionNumber", work.nct_id))
    bank = element("DataBank", tag("DataBankName", "ClinicalTrials.gov") + number)
    return element("DataBankList", bank, CompleteYN="Y")


def _article_ids(work: Work) -> str:
    ids: Sequence[tuple[str, str | None]] = (("pubmed", work.pmid), ("pmc", work.pmcid), ("doi", work.doi))
    return "".join(tag("ArticleId", value, IdType=kind) for kind, value in ids if value)
