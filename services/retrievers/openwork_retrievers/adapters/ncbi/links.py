"""ELink, EPost and ESummary answers. ELink's eight shapes come out as one: which id leads to which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import EvidenceRecord, EvidenceStatus, Identifiers, TextOrigin
from openwork_evidence.identifiers import clean_doi, clean_pmcid, clean_pmid
from openwork_http.jsonbody import at, error_of, load_object, objects_at, text_at, texts_at
from openwork_language.dates import parse_year

from openwork_retrievers.adapters.xml import Element, flat_text, parse


@dataclass(frozen=True, slots=True)
class LinkSet:
    """The links of one or several ids.

    Several ids in `from_ids` were linked as a group (the request joined them by commas): it is then not known which of
    them leads where, and `targets` must not be handed to the first.
    """

    from_ids: tuple[str, ...]
    link_name: str
    targets: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    has_links: bool | None = None
    """Only of `ncheck`/`lcheck`: whether there is a link at all."""


def parse_elink(source: str, body: bytes) -> tuple[LinkSet, ...]:
    """Every link of an ELink answer in XML.

    Raises:
        SourceChanged: not an eLinkResult.
        SourceUnavailable, SourceRefused: an error inside the answer.
    """
    root = parse(source, body)
    _raise_errors(source, root)
    if root.tag != "eLinkResult":
        raise SourceChanged(f"{source} answered a link request with <{root.tag}>, not <eLinkResult>")
    return tuple(link for link_set in root.iterfind("LinkSet") for link in _links(link_set))


def _links(link_set: Element) -> Iterator[LinkSet]:
    from_ids = tuple((entry.text or "").strip() for entry in link_set.iterfind("IdList/Id"))
    for block in link_set.iterfind("LinkSetDb"):
        targets = tuple((entry.text or "").strip() for entry in block.iterfind("Link/Id"))
        yield LinkSet(from_ids, block.findtext("LinkName") or block.findtext("DbTo") or "", targets)
    for entry in link_set.iterfind("IdUrlList/IdUrlSet"):
        urls = tuple(flat_text(url) for url in entry.iterfind("ObjUrl/Url"))
        yield LinkSet(((entry.findtext("Id") or "").strip(),), "url", urls=urls)
    for entry in link_set.iterfind("IdCheckList/Id"):
        flag = entry.get("HasNeighbor") or entry.get("HasLinkOut")
        yield LinkSet(((entry.text or "").strip(),), "check", has_links=flag == "Y")
    for entry in link_set.iterfind("IdCheckList/IdLinkSet"):
        names = tuple(info.findtext("LinkName") or info.findtext("DbTo") or "" for info in entry.iterfind("LinkInfo"))
        yield LinkSet(((entry.findtext("Id") or "").strip(),), "available", names, has_links=bool(names))


@dataclass(frozen=True, slots=True)
class PostedSet:
    """A set on the History server."""

    web_env: str
    query_key: str
    invalid_ids: tuple[str, ...] = ()


def parse_epost(source: str, body: bytes) -> PostedSet:
    """An EPost answer in XML. Ids it does not know are named, not an error.

    Raises:
        SourceChanged: no set came back.
        SourceUnavailable, SourceRefused: errors inside the answer and no set.
    """
    root = parse(source, body)
    web_env, query_key = root.findtext("WebEnv"), root.findtext("QueryKey")
    if not web_env or not query_key:
        _raise_errors(source, root)
        raise SourceChanged(f"{source} answered a post with <{root.tag}> and no WebEnv")
    invalid = tuple((entry.text or "").strip() for entry in root.iterfind("InvalidIdList/Id"))
    return PostedSet(web_env.strip(), query_key.strip(), invalid)


def _raise_errors(source: str, root: Element) -> None:
    errors = [flat_text(entry) for entry in root.iter("ERROR")]
    if errors := [reason for reason in errors if reason]:
        raise error_of(source, "; ".join(errors))


def parse_esummary(source: str, body: bytes, retrieved_at: datetime) -> tuple[EvidenceRecord, ...]:
    """Records without abstract out of an ESummary answer (JSON 2.0 or XML 1.0), in its order.

    Raises:
        SourceChanged: neither format.
        SourceUnavailable, SourceRefused: an error inside the answer. An error about a single id leaves that id out.
    """
    if body.lstrip()[:1] == b"<":
        root = parse(source, body)
        if root.tag != "eSummaryResult":
            raise SourceChanged(f"{source} answered a summary request with <{root.tag}>, not <eSummaryResult>")
        if root.find("DocSum") is None:
            _raise_errors(source, root)
        found = [_from_docsum(entry, source, retrieved_at) for entry in root.iterfind("DocSum")]
        return tuple(record for record in found if record)
    result = at(load_object(source, body), "result")
    if result is None:
        raise SourceChanged(f"{source} answered a summary request without 'result'")
    found = [_from_summary(uid, at(result, uid), source, retrieved_at) for uid in texts_at(result, "uids")]
    return tuple(record for record in found if record)


def _from_summary(uid: str, entry: object, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    title = text_at(entry, "title")
    if title is None or text_at(entry, "error"):
        return None
    ids = {text_at(i, "idtype") or "": text_at(i, "value") for i in objects_at(entry, "articleids")}
    pmcid = clean_pmcid(ids.get("pmcid") or ids.get("pmc"))
    pmid = clean_pmid(ids.get("pmid") or ids.get("pubmed"))
    if pmid is None and "PMC" not in (pmcid or ""):
        pmid = clean_pmid(uid)
    people = [text_at(a, "name") for a in objects_at(entry, "authors") if text_at(a, "authtype") != "CollectiveName"]
    return EvidenceRecord(
        source=source,
        source_id=pmid or pmcid or uid,
        identifiers=Identifiers(pmid=pmid, pmcid=pmcid, doi=clean_doi(ids.get("doi")), url=_address(pmid, pmcid)),
        title=title,
        authors=tuple(name for name in people if name),
        journal=text_at(entry, "fulljournalname") or text_at(entry, "source"),
        year=parse_year(text_at(entry, "pubdate")) or parse_year(text_at(entry, "epubdate")),
        publication_types=texts_at(entry, "pubtype"),
        status=EvidenceStatus.NOT_CHECKED,
        text_origin=TextOrigin.PUBLISHER,
        retrieved_at=retrieved_at,
    )


def _from_docsum(entry: Element, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    items = {i.get("Name") or "": i for i in entry.iterfind("Item")}
    title = flat_text(items.get("Title"))
    if not title:
        return None
    lists = {
        name: [flat_text(child) for child in items[name]] for name in ("AuthorList", "PubTypeList") if name in items
    }
    ids = {i.get("Name") or "": i.text for i in items["ArticleIds"]} if "ArticleIds" in items else {}
    pmcid = clean_pmcid(ids.get("pmc") or ids.get("pmcid"))
    uid = (entry.findtext("Id") or "").strip()
    pmid = clean_pmid(ids.get("pubmed") or ids.get("pmid") or (uid if "pubmed" in ids or not pmcid else None))
    return EvidenceRecord(
        source=source,
        source_id=pmid or pmcid or uid,
        identifiers=Identifiers(
            pmid=pmid,
            pmcid=pmcid,
            doi=clean_doi(flat_text(items.get("DOI")) or ids.get("doi")),
            url=_address(pmid, pmcid),
        ),
        title=title,
        authors=tuple(filter(None, lists.get("AuthorList", ()))),
        journal=flat_text(items.get("FullJournalName")) or flat_text(items.get("Source")) or None,
        year=parse_year(flat_text(items.get("PubDate"))) or parse_year(flat_text(items.get("EPubDate"))),
        publication_types=tuple(filter(None, lists.get("PubTypeList", ()))),
        status=EvidenceStatus.NOT_CHECKED,
        text_origin=TextOrigin.PUBLISHER,
        retrieved_at=retrieved_at,
    )


def _address(pmid: str | None, pmcid: str | None) -> str | None:
    if pmid:
        return f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/"
    return f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/" if pmcid else None
