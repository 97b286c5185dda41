"""Answers of each API, written after its documented format: small, and with nothing taken from a real record."""

from __future__ import annotations

import json

DOCTYPE = (
    '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
)
SET_ID = "11111111-2222-3333-4444-555555555555"


def article(
    pmid: str = "101",
    *,
    title: str = "A trial of one thing.",
    abstract: str = "",
    extra: str = "",
    types: tuple[str, ...] = ("Journal Article",),
    date: str = "<Year>2020</Year>",
    authors: str = "",
    corrections: str = "",
    data: str = "",
    references: str = "",
) -> str:
    """One PubmedArticle with the elements in the order of NLM's DTD."""
    kinds = "".join(f"<PublicationType>{kind}</PublicationType>" for kind in types)
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">{pmid}</PMID><Article>'
        f"<Journal><JournalIssue><PubDate>{date}</PubDate></JournalIssue><Title>Journal of Examples</Title>"
        f"<ISOAbbreviation>J Ex</ISOAbbreviation></Journal><ArticleTitle>{title}</ArticleTitle>{abstract}{authors}"
        f"<Language>eng</Language>{extra}<PublicationTypeList>{kinds}</PublicationTypeList></Article>{corrections}"
        f'</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId>{data}'
        f"</ArticleIdList>{references}</PubmedData></PubmedArticle>"
    )


def article_set(*articles: str) -> str:
    return f"{DOCTYPE}<PubmedArticleSet>{''.join(articles)}</PubmedArticleSet>"


def esearch(
    *ids: str,
    count: int | None = None,
    translation: str = "apixaban AND atrial fibrillation",
    errors: dict[str, list[str]] | None = None,
    warnings: dict[str, list[str]] | None = None,
) -> str:
    result: dict[str, object] = {
        "count": str(len(ids) if count is None else count),
        "retmax": str(len(ids)),
        "retstart": "0",
        "idlist": list(ids),
        "translationset": [],
        "querytranslation": translation,
    }
    if errors:
        result["errorlist"] = {"phrasesnotfound": [], "fieldsnotfound": []} | errors
    if warnings:
        result["warninglist"] = {"phrasesignored": [], "quotedphrasesnotfound": [], "outputmessages": []} | warnings
    return json.dumps({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result})


EPOST = "<?xml version='1.0'?><ePostResult><QueryKey>1</QueryKey><WebEnv>MCID_example</WebEnv></ePostResult>"


def europepmc(*ids: str, cursor: str = "*", next_cursor: str | None = None, hits: int | None = None) -> str:
    results = [
        {
            "id": i,
            "source": "MED",
            "pmid": i,
            "doi": f"10.1000/{i}",
            "title": f"Work {i}.",
            "authorString": "Doe J, Roe R.",
            "pubYear": "2021",
            "journalTitle": "J Ex",
            "isOpenAccess": "Y",
            "citedByCount": 3,
            "pubTypeList": {"pubType": ["Journal Article"]},
        }
        for i in ids
    ]
    answer: dict[str, object] = {
        "version": "6.9",
        "hitCount": len(ids) if hits is None else hits,
        "request": {"queryString": "x", "resultType": "core", "cursorMark": cursor, "pageSize": 2},
        "resultList": {"result": results},
    }
    if next_cursor:
        answer["nextCursorMark"] = next_cursor
    return json.dumps(answer)


def openalex(*ids: str, next_cursor: str | None = None, hits: int | None = None) -> str:
    works = [
        {
            "id": f"https://openalex.org/W{i}",
            "doi": f"https://doi.org/10.1000/{i}",
            "title": f"Work {i}",
            "publication_year": 2021,
            "ids": {"pmid": f"https://pubmed.ncbi.nlm.nih.gov/{i}"},
            "type": "article",
            "authorships": [{"author": {"display_name": "Jane van der Berg"}}],
            "is_retracted": False,
            "abstract_inverted_index": {"Bleeding": [0, 2], "was": [1]},
        }
        for i in ids
    ]
    return json.dumps(
        {"meta": {"count": len(ids) if hits is None else hits, "next_cursor": next_cursor}, "results": works}
    )


def semanticscholar(*ids: str, next_offset: int | None = None, total: int | None = None) -> str:
    papers = [
        {
            "paperId": f"p{i}",
            "title": f"Work {i}",
            "externalIds": {"PubMed": i, "DOI": f"10.1000/{i}"},
            "year": 2021,
            "authors": [{"authorId": "1", "name": "Jane Doe"}],
        }
        for i in ids
    ]
    answer: dict[str, object] = {"total": len(ids) if total is None else total, "offset": 0}
    if ids:
        answer["data"] = papers
    if next_offset is not None:
        answer["next"] = next_offset
    return json.dumps(answer)


def study(number: str = "NCT00000001", **sections: object) -> dict[str, object]:
    """One study with the least a registration has; `sections` are merged into protocolSection or beside it."""
    protocol: dict[str, object] = {
        "identificationModule": {"nctId": number, "briefTitle": f"Study {number}"},
        "statusModule": {"overallStatus": "COMPLETED", "studyFirstPostDateStruct": {"date": "2012-05-01"}},
        "designModule": {
            "studyType": "INTERVENTIONAL",
            "phases": ["PHASE3"],
            "designInfo": {"allocation": "RANDOMIZED"},
            "enrollmentInfo": {"count": 200, "type": "ACTUAL"},
        },
    }
    whole: dict[str, object] = {"protocolSection": protocol, "hasResults": False}
    for name, section in sections.items():
        (whole if name in ("resultsSection", "derivedSection") else protocol)[name] = section
    return whole


def studies(*numbers: str, token: str | None = None) -> str:
    answer: dict[str, object] = {"studies": [study(number) for number in numbers], "totalCount": len(numbers)}
    if token:
        answer["nextPageToken"] = token
    return json.dumps(answer)


def spls(*rows: tuple[str, str]) -> str:
    data = [
        {"setid": set_id, "title": title, "spl_version": 3, "published_date": "May 25, 2026"} for set_id, title in rows
    ]
    return json.dumps({"data": data, "metadata": {"total_elements": len(data), "current_page": 1}})


def section(code: str, *, title: str = "", text: str = "", inside: str = "", excerpt: str = "") -> str:
    """An SPL section inside its component."""
    parts = f"<title>{title}</title>" if title else ""
    parts += f"<text><paragraph>{text}</paragraph></text>" if text else ""
    parts += f"<excerpt><highlight><text>{excerpt}</text></highlight></excerpt>" if excerpt else ""
    heading = f'<code code="{code}" codeSystem="2.16.840.1.113883.6.1"/>'
    return f"<component><section>{heading}{parts}{inside}</section></component>"


def label(
    *sections: str,
    set_id: str = SET_ID,
    title: str = "Examplol tablets",
    brand: str = "EXAMPLOL",
    kind: str = "HUMAN PRESCRIPTION DRUG LABEL",
) -> str:
    product = (
        '<component><section><code code="48780-1"/><subject><manufacturedProduct><manufacturedProduct>'
        f"<name>{brand}</name><asEntityWithGeneric><genericMedicine><name>examplum</name></genericMedicine>"
        "</asEntityWithGeneric></manufacturedProduct></manufacturedProduct></subject></section></component>"
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet href="http://www.accessdata.fda.gov/spl.xsl" '
        'type="text/xsl"?>'
        f'<document xmlns="urn:hl7-org:v3"><code code="34391-3" displayName="{kind}"/><title>{title}</title>'
        f'<effectiveTime value="20240131"/><setId root="{set_id}"/><author><assignedEntity><representedOrganization>'
        "<name>Maker Inc</name></representedOrganization></assignedEntity></author><component><structuredBody>"
        f"{product}"
        f"{''.join(sections)}</structuredBody></component></document>"
    )


def openfda_label(set_id: str = SET_ID) -> str:
    entry = {
        "set_id": set_id,
        "effective_time": "20240131",
        "indications_and_usage": ["INDICATIONS to treat examples"],
        "adverse_reactions_table": ["<table><tr><td>1</td></tr></table>"],
        "openfda": {"brand_name": ["EXAMPLOL"]},
    }
    return json.dumps({"meta": {"results": {"skip": 0, "limit": 1, "total": 1}}, "results": [entry]})


def web_results(*urls: str) -> str:
    results = [
        {
            "url": url,
            "title": f"Page {url[-1]}",
            "content": "# Heading\n**Bold** text · Cited by 12",
            "score": 0.8,
            "raw_content": None,
        }
        for url in urls
    ]
    return json.dumps({"query": "q", "answer": None, "images": [], "results": results, "request_id": "r"})


def crossref(*ids: str, total: int | None = None) -> str:
    items = [
        {
            "DOI": f"10.1000/{i}",
            "title": [f"Work {i}"],
            "type": "journal-article",
            "container-title": ["J Ex"],
            "author": [{"given": "Jane A.", "family": "Doe"}],
            "issued": {"date-parts": [[2021, 3]]},
        }
        for i in ids
    ]
    message = {"total-results": len(ids) if total is None else total, "items": items}
    return json.dumps({"status": "ok", "message-type": "work-list", "message": message})
