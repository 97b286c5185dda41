"""JATS front matter (EFetch `db=pmc`, open-access files): the record of an article; its full text is read elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceRecord,
    EvidenceStatus,
    Identifiers,
    NoticeLink,
    TextOrigin,
)
from openwork_evidence.identifiers import clean_doi, clean_nct, clean_pmcid, clean_pmid
from openwork_evidence.origins import publication_origin
from openwork_http.jsonbody import error_of, flag_at, load_object, text_at
from openwork_knowledge.statuses import status_names
from openwork_language.dates import parse_year

from openwork_retrievers.adapters.xml import Element, ElementStream, flat_text, parse

ARTICLE = "article"
_ROOTS = frozenset({ARTICLE, "pmc-articleset", "OAI-PMH", "records"})
_XLINK = "{http://www.w3.org/1999/xlink}"
ARTICLE_TYPES = {
    "correction": "Published Erratum",
    "retraction": "Retraction of Publication",
    "partial-retraction": "Published Erratum",
    "expression-of-concern": "Expression of Concern",
    "research-article": "Journal Article",
    "review-article": "Review",
    "systematic-review": "Systematic Review",
    "case-report": "Case Reports",
    "letter": "Letter",
    "editorial": "Editorial",
    "article-commentary": "Comment",
}
"""JATS' `article-type` in PubMed's words; any other stays as printed."""
_LINK_KINDS = {
    "corrected-article": "correction_of",
    "retracted-article": "retraction_of",
    "partial-retraction": "correction_of",
    "object-of-concern": "concern_about",
    "correction-forward": "corrected_by",
    "retraction-forward": "retracted_by",
    "concern-forward": "concern_in",
    "preprint": "published_version_of",
}
_STATUS = {link: EvidenceStatus(status) for link, status in status_names("notice link").items()}
# Other abstracts are for the public, in pictures, or by the editor.
_MAIN_ABSTRACT = frozenset({None, "", "structured", "section", "abstract"})


def parse_jats(source: str, pieces: Iterable[bytes], retrieved_at: datetime) -> Iterator[EvidenceRecord]:
    """A record per article; an article inside another (a decision letter, a reply) is none.

    Raises:
        SourceChanged: not JATS, malformed or cut off.
        SourceUnavailable, SourceRefused: an error inside the answer (PMC answers `<error id=...>`).
    """
    elements = ElementStream(source, (ARTICLE, "ERROR", "error"))
    for piece in pieces:
        for element in elements.feed(piece):
            if element.tag != ARTICLE:
                raise error_of(source, flat_text(element) or str(element.attrib))
            if (record := article_record(element, source, retrieved_at)) is not None:
                yield record
    elements.close()
    if elements.root_tag is not None and elements.root_tag.rsplit(":", 1)[-1] not in _ROOTS:
        raise SourceChanged(f"{source} answered with <{elements.root_tag}>, not with JATS articles")


def article_record(article: Element, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    """One article; `None` without front matter, a title, or any identifier."""
    meta = article.find("front/article-meta")
    title = flat_text(meta.find("title-group/article-title")) if meta is not None else ""
    if meta is None or not title:
        return None
    ids = {entry.get("pub-id-type") or "": flat_text(entry) for entry in meta.iterfind("article-id")}
    pmid, doi = clean_pmid(ids.get("pmid")), clean_doi(ids.get("doi"))
    pmcid = clean_pmcid(ids.get("pmcid") or ids.get("pmc") or ids.get("pmcaid"))
    own_id = pmcid or pmid or doi or next(filter(None, ids.values()), None)
    if own_id is None:
        return None
    links = tuple(_links(meta))
    kind = article.get("article-type") or ""
    people, collective = _authors(meta)
    return EvidenceRecord(
        source=source,
        source_id=own_id,
        identifiers=Identifiers(
            pmid=pmid, pmcid=pmcid, doi=doi, nct_ids=_trials(meta),
            url=f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/" if pmcid else None,
        ),
        title=title,
        abstract=tuple(_abstract(meta)),
        authors=people,
        collective_author=collective,
        journal=_journal(article),
        year=_year(meta),
        publication_types=(ARTICLE_TYPES.get(kind, kind),) if kind else (),
        language=article.get("{http://www.w3.org/XML/1998/namespace}lang"),
        status=_status(links, title),
        links=links,
        open_access=True if meta.find("permissions/license") is not None else None,
        text_origin=publication_origin([kind], doi),
        retrieved_at=retrieved_at,
    )  # fmt: skip


def _abstract(meta: Element) -> Iterator[AbstractPart]:
    """The parts of the main abstract (else of an executive summary), labelled by their titles, nested ones too."""
    abstracts = list(meta.iterfind("abstract"))
    main = [abstract for abstract in abstracts if abstract.get("abstract-type") in _MAIN_ABSTRACT]
    main += [abstract for abstract in abstracts if abstract.get("abstract-type") == "executive-summary"]
    if main:
        yield from _sections(main[0], None)


def _sections(block: Element, label: str | None) -> Iterator[AbstractPart]:
    loose = " ".join(
        text for child in block if child.tag not in ("title", "sec", "label") and (text := flat_text(child))
    )
    if loose:
        yield AbstractPart(label=label, text=loose)
    for section in block.iterfind("sec"):
        yield from _sections(section, flat_text(section.find("title")).rstrip(":. ") or label)


def _authors(meta: Element) -> tuple[tuple[str, ...], str | None]:
    people, groups = [], []
    for contributor in meta.iterfind("contrib-group/contrib"):
        if (contributor.get("contrib-type") or "author") != "author":
            continue
        name = contributor.find("name")
        if name is None:
            name = contributor.find("name-alternatives/name")
        family = name.findtext("surname") if name is not None else None
        if name is not None and family:
            given = (name.findtext("given-names") or "").replace("-", " ").split()
            initials = "".join(part if part.isupper() and len(part) <= 3 else part[0] for part in given)
            people.append(" ".join(filter(None, (family.strip(), initials.replace(".", ""), name.findtext("suffix")))))
        elif (group := contributor.find("collab")) is not None:
            groups.append(
                " ".join((group.text or "").split()) or flat_text(group.find("institution")) or flat_text(group)
            )
    return tuple(people), "; ".join(filter(None, groups)) or None


def _journal(article: Element) -> str | None:
    paths = ("front/journal-meta/journal-title-group/journal-title", "front/journal-meta/journal-title")
    return next((title for path in paths if (title := flat_text(article.find(path)))), None)


def _year(meta: Element) -> int | None:
    """Of the issue (print, else collection), else of the electronic article: the year a reference prints."""
    years = {
        date.get("pub-type") or date.get("date-type") or "": parse_year(date.findtext("year"))
        for date in meta.iterfind("pub-date")
    }
    order = ("ppub", "collection", "epub-ppub", "epub", "pub", "pmc-release", "nihms-submitted")
    return next((years[kind] for kind in order if years.get(kind)), next(filter(None, years.values()), None))


def _links(meta: Element) -> Iterator[NoticeLink]:
    for related in meta.iterfind("related-article"):
        kind = _LINK_KINDS.get(related.get("related-article-type") or "")
        target, id_kind = related.get(f"{_XLINK}href") or "", related.get("ext-link-type") or ""
        pmid = clean_pmid(target) if id_kind == "pubmed" or target.isdigit() else None
        if kind and (pmid or clean_doi(target)):
            yield NoticeLink(kind=kind, pmid=pmid, doi=clean_doi(target))


def _status(links: tuple[NoticeLink, ...], title: str) -> EvidenceStatus:
    """What the article's own file says; that it says nothing is no check, since files are seldom updated."""
    for kind, status in _STATUS.items():
        if any(link.kind == kind for link in links):
            return status
    return EvidenceStatus.RETRACTED if title.upper().startswith("RETRACTED:") else EvidenceStatus.NOT_CHECKED


def _trials(meta: Element) -> tuple[str, ...]:
    """NCT numbers that the article itself is marked up with."""
    marked = (clean_nct(flat_text(link)) for link in meta.iter("ext-link", "related-object"))  # type: ignore[call-arg]
    return tuple(dict.fromkeys(number for number in marked if number))


def parse_oa(source: str, body: bytes) -> tuple[str, ...]:
    """Addresses of the files of an article, from PMC's open-access service.

    Raises:
        SourceRefused: the article is not open access, or is not known.
        SourceChanged: not an `<OA>` answer.
    """
    root = parse(source, body)
    if (error := root.find("error")) is not None:
        raise error_of(source, flat_text(error) or error.get("code") or "an error")
    if root.tag != "OA":
        raise SourceChanged(f"{source} answered with <{root.tag}>, not with <OA>")
    return tuple(address for link in root.iter("link") if (address := link.get("href")))


def parse_oa_metadata(source: str, body: bytes, retrieved_at: datetime) -> tuple[EvidenceRecord, ...]:
    """The record in the metadata file of PMC's open-access bucket; nothing without identifier or title."""
    answer = load_object(source, body)
    pmcid, title = clean_pmcid(text_at(answer, "pmcid")), text_at(answer, "title")
    if pmcid is None or title is None:
        return ()
    citation = text_at(answer, "citation") or ""
    record = EvidenceRecord(
        source=source,
        source_id=pmcid,
        identifiers=Identifiers(
            pmid=clean_pmid(text_at(answer, "pmid")),
            pmcid=pmcid,
            doi=clean_doi(text_at(answer, "doi")),
            url=f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/",
        ),
        title=title,
        journal=citation.split(". ")[0] or None,
        year=None if "Author manuscript" in citation else parse_year(citation),
        status=EvidenceStatus.RETRACTED if flag_at(answer, "is_retracted") else EvidenceStatus.NOT_CHECKED,
        open_access=flag_at(answer, "is_pmc_openaccess"),
        text_origin=TextOrigin.PUBLISHER,
        retrieved_at=retrieved_at,
    )
    return (record,)
