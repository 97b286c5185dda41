"""EFetch `db=pubmed`: articles and book chapters, one record at a time, in constant memory."""

from __future__ import annotations

import re
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
from openwork_http.jsonbody import error_of
from openwork_language.dates import parse_year

from openwork_retrievers.adapters.ncbi.status import Reference, evidence_status, notice_links
from openwork_retrievers.adapters.xml import Element, ElementStream, flat_text

ARTICLE = "PubmedArticle"
BOOK = "PubmedBookArticle"
_CITATION = "MedlineCitation"
"""Also a root's child by itself, in the older MedlineCitationSet."""
_ERROR = "ERROR"
PUBMED_URL = "https://pubmed.ncbi.nlm.nih.gov/{}/"
_BRACKETED = re.compile(r"^\[(.*?)\]\.?$", re.DOTALL)
_MEDLINE_TAGS = (ARTICLE, BOOK, _ERROR)
_KNOWN_ROOTS = frozenset({"PubmedArticleSet", "PubmedBookArticleSet", ARTICLE, BOOK, "eFetchResult"})


class PubmedParser:
    """Reads an EFetch answer piece by piece.

    Raises (from `feed` and `close`):
        SourceChanged: not PubMed XML, malformed, cut off, or something in it that is refused.
        SourceUnavailable, SourceRefused: an `<ERROR>` inside the answer.
    """

    def __init__(self, source: str, retrieved_at: datetime) -> None:
        self._source = source
        self._retrieved_at = retrieved_at
        self._elements = ElementStream(source, _MEDLINE_TAGS)
        self.unreadable = 0
        """Records without a PMID or a title; they are left out and counted."""

    def feed(self, piece: bytes) -> Iterator[EvidenceRecord]:
        for element in self._elements.feed(piece):
            self._check_root()
            if element.tag == _ERROR:
                raise error_of(self._source, flat_text(element))
            record = (article_record if element.tag == ARTICLE else book_record)(
                element, self._source, self._retrieved_at
            )
            if record is None:
                self.unreadable += 1
            else:
                yield record
        self._check_root()

    def close(self) -> None:
        self._elements.close()

    def _check_root(self) -> None:
        root = self._elements.root_tag
        if root is not None and root not in _KNOWN_ROOTS:
            raise SourceChanged(f"{self._source} answered with <{root}>, not with a PubmedArticleSet")


def parse_articles(source: str, pieces: Iterable[bytes], retrieved_at: datetime) -> Iterator[EvidenceRecord]:
    """The records of an EFetch answer, as it is read; see `PubmedParser` for the errors."""
    parser = PubmedParser(source, retrieved_at)
    for piece in pieces:
        yield from parser.feed(piece)
    parser.close()


def article_record(element: Element, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    """One PubmedArticle; `None` without a PMID or any title."""
    citation = element.find(_CITATION)
    article = citation.find("Article") if citation is not None else None
    pmid = clean_pmid(citation.findtext("PMID")) if citation is not None else None
    if citation is None or article is None or pmid is None:
        return None
    title = _title(article)
    if not title:
        return None
    types = tuple(flat_text(kind) for kind in article.iterfind("PublicationTypeList/PublicationType"))
    references = _references(citation)
    trials = _trial_numbers(article)
    people, collective = _authors(article.find("AuthorList"))
    return EvidenceRecord(
        source=source,
        source_id=pmid,
        identifiers=_identifiers(pmid, element.find("PubmedData"), article, trials),
        title=title,
        abstract=_abstract(article.find("Abstract")),
        authors=people,
        collective_author=collective,
        journal=_journal(article, citation),
        year=_year(article, element),
        publication_types=types,
        mesh_terms=_mesh(citation),
        language=article.findtext("Language"),
        status=evidence_status(types, references, title),
        links=notice_links(references) + tuple(NoticeLink(kind="registered_as", nct_id=trial) for trial in trials),
        funding=_funding(article),
        text_origin=publication_origin(types, None),
        retrieved_at=retrieved_at,
    )


def _title(article: Element) -> str:
    """The English title; PubMed puts a translated one into brackets and the original into VernacularTitle."""
    title = flat_text(article.find("ArticleTitle"))
    if match := _BRACKETED.match(title):
        inner = match[1].strip()
        # "[Not Available]." stands for a title that was never translated.
        title = "" if inner.lower() in ("not available", "in process citation") else inner
    return title or flat_text(article.find("VernacularTitle"))


def _abstract(abstract: Element | None) -> tuple[AbstractPart, ...]:
    """The labelled parts in order. OtherAbstract (another language, plain words) is a sibling and is left out."""
    if abstract is None:
        return ()
    parts = []
    for part in abstract.iterfind("AbstractText"):
        text = flat_text(part)
        if text:
            parts.append(AbstractPart(label=_label(part), text=text))
    return tuple(parts)


def _label(part: Element) -> str | None:
    """The printed label, else NLM's category of the part, which says nothing when it is UNASSIGNED or UNLABELLED."""
    printed = " ".join((part.get("Label") or "").split())
    if printed and printed.upper() not in ("UNLABELLED", "UNASSIGNED"):
        return printed
    category = part.get("NlmCategory") or ""
    return category if category and category not in ("UNASSIGNED", "UNLABELLED") else None


def _authors(authors: Element | None) -> tuple[tuple[str, ...], str | None]:
    """People as PubMed prints them ("LoPresti PJ", "Hambrick GW Jr") and the group, if one signed."""
    if authors is None:
        return (), None
    people, groups = [], []
    for author in authors.iterfind("Author"):
        family = author.findtext("LastName")
        if family:
            initials = author.findtext("Initials") or "".join(n[0] for n in (author.findtext("ForeName") or "").split())
            people.append(" ".join(filter(None, (family.strip(), initials, author.findtext("Suffix")))))
        elif group := flat_text(author.find("CollectiveName")):
            groups.append(group)
    return tuple(people), "; ".join(groups) or None


def _identifiers(pmid: str, data: Element | None, article: Element, trials: tuple[str, ...]) -> Identifiers:
    """The record's own identifiers: from PubmedData/ArticleIdList, never from the ids of its references."""
    own = {"doi": None, "pmc": None} if data is None else _article_ids(data.find("ArticleIdList"))
    doi = clean_doi(own.get("doi"))
    if doi is None:
        locations = article.iterfind("ELocationID")
        doi = next(
            (clean_doi(e.text) for e in locations if e.get("EIdType") == "doi" and e.get("ValidYN") != "N"), None
        )
    return Identifiers(
        pmid=pmid, pmcid=clean_pmcid(own.get("pmc")), doi=doi, nct_ids=trials, url=PUBMED_URL.format(pmid)
    )


def _article_ids(ids: Element | None) -> dict[str, str | None]:
    return {} if ids is None else {entry.get("IdType") or "": entry.text for entry in ids.iterfind("ArticleId")}


def _trial_numbers(article: Element) -> tuple[str, ...]:
    """NCT numbers of the data banks, which also hold Dryad DOIs, gene accessions and other registers' numbers."""
    found = (clean_nct(number.text) for number in article.iterfind("DataBankList/DataBank/AccessionNumberList/*"))
    return tuple(dict.fromkeys(number for number in found if number))


def _journal(article: Element, citation: Element) -> str | None:
    journal = article.find("Journal")
    printed = flat_text(journal.find("Title")) if journal is not None else ""
    short = journal.findtext("ISOAbbreviation") if journal is not None else None
    return printed or short or citation.findtext("MedlineJournalInfo/MedlineTA")


def _year(article: Element, element: Element) -> int | None:
    """The year a reference to the article prints: of the issue, else of the electronic article, else of its entry."""
    issue = article.find("Journal/JournalIssue/PubDate")
    year = _date_year(issue)
    if year is None:
        year = _date_year(article.find("ArticleDate"))
    if year is None:
        history = element.iterfind("PubmedData/History/PubMedPubDate")
        year = next((_date_year(d) for d in history if d.get("PubStatus") in ("pubmed", "entrez", "medline")), None)
    return year


def _date_year(date: Element | None) -> int | None:
    if date is None:
        return None
    return parse_year(date.findtext("Year")) or parse_year(date.findtext("MedlineDate"))


def _mesh(citation: Element) -> tuple[str, ...]:
    headings = citation.iterfind("MeshHeadingList/MeshHeading/DescriptorName")
    return tuple(dict.fromkeys(heading.text for heading in headings if heading.text))


def _references(citation: Element) -> list[Reference]:
    found = []
    for entry in citation.iterfind("CommentsCorrectionsList/CommentsCorrections"):
        ref_type = entry.get("RefType") or ""
        if ref_type not in ("Cites", "CommentIn", "CommentOn"):
            found.append(Reference(ref_type, entry.findtext("PMID"), flat_text(entry.find("RefSource"))))
    return found


def _funding(article: Element) -> str | None:
    agencies = (agency.text for agency in article.iterfind("GrantList/Grant/Agency"))
    return "; ".join(dict.fromkeys(agency.strip() for agency in agencies if agency and agency.strip())) or None


def book_record(element: Element, source: str, retrieved_at: datetime) -> EvidenceRecord | None:
    """One PubmedBookArticle: a chapter (GeneReviews, StatPearls), or a book that has no chapters."""
    document = element.find("BookDocument")
    pmid = clean_pmid(document.findtext("PMID")) if document is not None else None
    if document is None or pmid is None:
        return None
    book = document.find("Book")
    book_title = flat_text(book.find("BookTitle")) if book is not None else ""
    title = flat_text(document.find("ArticleTitle")) or flat_text(document.find("VernacularTitle")) or book_title
    if not title:
        return None
    people, collective = _authors(_author_list(document))
    if not people and collective is None and book is not None:
        people, collective = _authors(_author_list(book))
    ids = _article_ids(document.find("ArticleIdList")) | _article_ids(element.find("PubmedBookData/ArticleIdList"))
    shelf = ids.get("bookaccession")
    return EvidenceRecord(
        source=source,
        source_id=pmid,
        identifiers=Identifiers(
            pmid=pmid,
            doi=clean_doi(ids.get("doi")),
            isbn=book.findtext("Isbn") if book is not None else None,
            url=f"https://www.ncbi.nlm.nih.gov/books/{shelf}/" if shelf else PUBMED_URL.format(pmid),
        ),
        title=title,
        abstract=_abstract(document.find("Abstract")),
        authors=people,
        collective_author=collective,
        journal=book_title or None,
        year=_book_year(document, book),
        publication_types=tuple(flat_text(kind) for kind in document.iterfind("PublicationType")) or ("Book Chapter",),
        language=document.findtext("Language"),
        status=EvidenceStatus.NONE,
        text_origin=TextOrigin.PUBLISHER,
        retrieved_at=retrieved_at,
    )


def _author_list(where: Element) -> Element | None:
    """The list of authors; most books also have one of editors, who did not write the chapter."""
    return next((people for people in where.iterfind("AuthorList") if people.get("Type") != "editors"), None)


def _book_year(document: Element, book: Element | None) -> int | None:
    """The year of the chapter's last revision: a chapter of 1993 may have been rewritten last month."""
    candidates = (document.find("DateRevised"), document.find("ContributionDate"))
    own = next((year for date in candidates if (year := _date_year(date)) is not None), None)
    return own or (_date_year(book.find("PubDate")) if book is not None else None)
