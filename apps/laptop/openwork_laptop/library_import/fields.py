"""What the formats have in common: the fields of one entry, and the record they make."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from openwork_contracts.evidence import EvidenceRecord, Identifiers, NctId, TextOrigin
from openwork_evidence.identifiers import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    nct_numbers,
    pmcid_in,
    pmid_in,
    web_address,
)
from openwork_language.dates import parse_year
from openwork_retrievers.adapters.markup import markup_text, parts_by_capitals
from openwork_retrievers.adapters.openalex import family_first

SOURCE = "library"
"""The route that imported records belong to."""

_INITIALS_LAST = re.compile(r"^(?P<family>[^,]+?),?\s+(?P<initials>(?:[A-ZÀ-Þ]\.?[\s-]?){1,4})$")
_GROUP = re.compile(
    r"\b(?:group|consortium|collaborat\w+|investigators|network|committee|organi[sz]ation|society|association|"
    r"foundation|institute|team|trialists|ministry|department|university|centers?|centre)\b",
    re.IGNORECASE,
)
_TITLE_END = re.compile(r"(?<=[^.])\.$")


@dataclass(slots=True)
class Entry:
    """One entry as its file has it; every field as text, whatever it says."""

    place: str
    """Where it stands, for a message: "entry 3"."""
    title: str = ""
    abstract: str = ""
    authors: list[str] = field(default_factory=list)
    journal: str = ""
    years: list[str] = field(default_factory=list)
    """Texts that may hold the year, the best first."""
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""
    urls: list[str] = field(default_factory=list)
    isbn: str = ""
    keywords: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    language: str = ""
    notes: list[str] = field(default_factory=list)
    """Texts in which identifiers may be hidden ("PMID: 123" in Zotero's Extra)."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing a record could be made of: a type alone, or blanks."""
        texts = (self.title, self.abstract, self.doi, self.pmid, self.pmcid, self.journal, *self.authors, *self.urls)
        return not any(text.strip() for text in texts)


def record_of(entry: Entry, retrieved_at: datetime) -> EvidenceRecord | None:
    """The record of an entry; `None` without a title, since nothing can be ranked or cited without one."""
    title = _TITLE_END.sub("", markup_text(entry.title)).strip()
    if not title:
        return None
    identifiers = _identifiers(entry)
    year = next((year for text in entry.years if (year := parse_year(text)) is not None), None)
    people, groups = _authors(entry.authors)
    return EvidenceRecord(
        source=SOURCE,
        source_id=_source_id(identifiers, title, year),
        identifiers=identifiers,
        title=title,
        abstract=parts_by_capitals(markup_text(entry.abstract)),
        authors=people,
        collective_author="; ".join(groups) or None,
        journal=markup_text(entry.journal) or None,
        year=year,
        publication_types=tuple(dict.fromkeys(kind.strip() for kind in entry.types if kind.strip())),
        mesh_terms=tuple(dict.fromkeys(word for text in entry.keywords if (word := markup_text(text).lstrip("*")))),
        language=entry.language.strip() or None,
        # Reference managers let their users write into any field: nobody has said that the abstract is the paper's.
        text_origin=TextOrigin.USER_DOCUMENT,
        retrieved_at=retrieved_at,
    )


def _identifiers(entry: Entry) -> Identifiers:
    notes = " ".join(entry.notes)
    addresses = " ".join(entry.urls)
    pmid = clean_pmid(entry.pmid) or pmid_in(addresses) or pmid_in(notes)
    pmcid = clean_pmcid(entry.pmcid) or pmcid_in(f"{addresses} {notes}")
    doi = clean_doi(entry.doi) or next((doi for url in entry.urls if "doi" in url and (doi := clean_doi(url))), None)
    url = next((address for text in entry.urls if (address := web_address(text))), None)
    trials: tuple[NctId, ...] = nct_numbers(f"{entry.abstract} {notes}")
    return Identifiers(pmid=pmid, pmcid=pmcid, doi=doi, nct_ids=trials, isbn=entry.isbn.strip() or None, url=url)


def _source_id(identifiers: Identifiers, title: str, year: int | None) -> str:
    """PMID, else DOI, else PMCID, else a hash of title and year."""
    known = identifiers.pmid or identifiers.doi or identifiers.pmcid
    if known:
        return known
    key = f"{title_key(title)}|{year or ''}"
    return "title-" + hashlib.sha256(key.encode()).hexdigest()[:16]


def title_key(title: str) -> str:
    """The letters and digits of a title, lower case: how titles are compared."""
    return "".join(character for character in title.casefold() if character.isalnum())


def _authors(names: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    people, groups = [], []
    for raw in names:
        name = " ".join(raw.strip().strip("{}").split()).rstrip(";,")
        if not name or name.lower().rstrip(".") in ("et al", "others", "anonymous", "[anonymous]"):
            continue
        if _GROUP.search(name) and "," not in name:
            groups.append(name)
        else:
            people.append(author_name(name))
    return tuple(people), groups


def author_name(name: str) -> str:
    """ "Family I" out of "Liu R.", "Labanski, A.", "Jones, Hannah", "Hannah Jones"."""
    if match := _INITIALS_LAST.match(name):
        initials = "".join(letter for letter in match["initials"] if letter.isalpha())
        return f"{match['family'].strip()} {initials}"
    return family_first(name)
