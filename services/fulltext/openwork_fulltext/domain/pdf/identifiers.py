"""A work's own identifiers, as its pages print them: looked for before running heads and feet are left out.

A journal prints the work's DOI in the head or foot of its pages, or by the title. Others stand in the text and in the
list of references, which names the works of others: nothing is taken from there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from openwork_contracts.evidence import Identifiers
from openwork_evidence.identifiers import clean_doi, nct_numbers, pmcid_in, pmid_in, registrations_in

from openwork_fulltext.domain.pdf.area import Area
from openwork_fulltext.domain.pdf.clean import at_edge
from openwork_fulltext.domain.pdf.headings import REFERENCES, key_of
from openwork_fulltext.domain.pdf.layout import Line, read_lines, rows_of
from openwork_fulltext.domain.pdf.page import Page, PdfFile

FIRST_PAGES = 2
"""Where a work says what it is; some have a cover sheet before the title."""
UPPER_PART = 0.5
"""Of the first page, in which the title and the journal's line stand."""
MAX_FOOT_CHARS = 90
"""A foot that is a DOI, or a short citation with one; a reference has more."""
_OF_ANOTHER = re.compile(
    r"\b(?:suppl\w*|additional file|appendi\w+|data\w*|repository|code|protocol|preprint|version of record|"
    r"comment\w*|repl(?:y|ies)|correct\w*|errat\w*|corrigend\w*|retract\w*|cites?|cited|published (?:in|as))\b",
    re.IGNORECASE,
)
"""Before a DOI: it is that of a data set, a supplement, or the work that this one is about."""
_CUT_DOI = re.compile(r"10\.\d{4,9}/\S*[./-]$")
_REST_OF_DOI = re.compile(r"(?=\S*\d)[\w./()-]{2,40}")
"""A DOI that goes on in the next line, which holds nothing else."""
_ENTRY = re.compile(r"^\s*\[?\d{1,3}[\].]\s+\w")


@dataclass(frozen=True, slots=True)
class _Printed:
    """A line that may hold identifiers."""

    text: str
    page: int
    is_edge: bool
    is_upper: bool
    in_references: bool


@dataclass(frozen=True, slots=True)
class PrintedIdentifiers:
    """What the pages say of the work itself."""

    identifiers: Identifiers
    registrations: tuple[str, ...] = ()
    """Numbers in other registers than ClinicalTrials.gov."""


def identifiers_on(file: PdfFile, tables: Mapping[int, Sequence[Area]], furniture: Set[int]) -> PrintedIdentifiers:
    """The DOI that the file states, else the likeliest that is printed; the other identifiers of the first pages."""
    lines = list(_lines(file.pages, tables, furniture))
    stated = clean_doi(file.doi) or clean_doi(file.subject) or clean_doi(file.title)
    own = [
        line for line in lines if line.page <= FIRST_PAGES and not line.in_references and not _ENTRY.match(line.text)
    ]
    text = "\n".join(line.text for line in own)
    return PrintedIdentifiers(
        Identifiers(doi=stated or _own_doi(lines), pmid=pmid_in(text), pmcid=pmcid_in(text), nct_ids=nct_numbers(text)),
        registrations_in(text),
    )


def _lines(pages: Sequence[Page], tables: Mapping[int, Sequence[Area]], furniture: Set[int]) -> Iterator[_Printed]:
    """All lines of the first pages in reading order, and those at the edges of the others."""
    inside = False
    for page in pages:
        first = page.number <= FIRST_PAGES
        edge = [run for run in page.runs if at_edge(run, page)]
        lines: Sequence[Line] = read_lines(page, tables[page.number]) if first else rows_of(edge, page.number)
        for place, line in enumerate(lines):
            if first and key_of(line.text) in REFERENCES:
                inside = True
            is_edge = all(at_edge(cell, page) for cell in line.cells)
            repeats = all(id(cell) in furniture for cell in line.cells)
            is_upper = line.y > UPPER_PART * page.height
            text = line.text
            if place + 1 < len(lines) and _CUT_DOI.search(text) and _REST_OF_DOI.fullmatch(lines[place + 1].text):
                text += lines[place + 1].text
            yield _Printed(text, page.number, is_edge, is_upper, (inside or not first) and not repeats)


def _own_doi(lines: Sequence[_Printed]) -> str | None:
    """In this order: one at the edge of several pages; by the title; at an edge of the first pages; in their text."""
    found = [(line, doi) for line in lines if (doi := clean_doi(line.text)) and not _is_of_another(line.text, doi)]
    edges = Counter(doi for doi, _ in {(doi, line.page) for line, doi in found if line.is_edge})
    if edges and (most := edges.most_common(1)[0])[1] > 1:
        return most[0]
    on_first = [(line, doi) for line, doi in found if line.page <= FIRST_PAGES]
    own = [(line, doi) for line, doi in on_first if not line.in_references and not _ENTRY.match(line.text)]
    for wanted in (
        [doi for line, doi in own if line.page == 1 and line.is_upper],
        [doi for line, doi in own if line.is_edge],
        # Below a short list of references, the foot of a letter of one page.
        [doi for line, doi in on_first if line.is_edge and len(line.text) <= MAX_FOOT_CHARS],
        [doi for line, doi in own],
    ):
        if wanted:
            return wanted[0]
    return None


def _is_of_another(text: str, doi: str) -> bool:
    before = text[: max(0, text.lower().find(doi[:8]))]
    return bool(_OF_ANOTHER.search(before[-80:]))
