"""The tables of a document: references, the evidence study by study, the search log, what was found and not cited.

Each is a function from the document to rows, and `TABLES` names their columns: whoever prints them knows no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Generic, TypeVar
from urllib.parse import unquote_plus

from openwork_contracts.answer import AnswerDocument, Reference
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.record import CandidateRecord, Decision, RunRecord, SearchRecord
from openwork_knowledge import designs

from openwork_report.evidence import EvidenceRow, evidence_rows
from openwork_report.words import STATUS_WORDS, one_line, whose_words, why_out

R = TypeVar("R")
Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table(Generic[R]):
    """Rows of one kind and the columns they are printed in."""

    rows: Callable[[AnswerDocument], Sequence[R]]
    columns: Sequence[tuple[str, Callable[[R], Cell]]]
    needs_record: bool = True

    def cells(self, document: AnswerDocument) -> Iterator[tuple[str, ...]]:
        """The header, then a line per row; nothing known is an empty cell."""
        yield tuple(name for name, _ in self.columns)
        for row in self.rows(document):
            values = (value(row) for _, value in self.columns)
            yield tuple("" if cell is None else one_line(str(cell)) for cell in values)


@dataclass(frozen=True, slots=True)
class SearchRow:
    """One request of a search as it was sent. What is of the whole search stands in its first row alone."""

    search: SearchRecord
    date: str | None
    """The day on which the round was planned, ISO."""
    request: SearchRequestLog | None
    """`None` = the source's log holds no request."""
    found: int | None
    """Records that the search returned; `None` in all rows but its first."""
    kept: int | None
    """Works, after deduplication, that this source gave, alone or with others; in its first row of the run alone."""


def search_rows(document: AnswerDocument) -> tuple[SearchRow, ...]:
    """Every request of the run, in the order of its rounds; steps of a ladder that were not taken are among them."""
    record = document.record or RunRecord()
    dates = {(one.track, one.round): one.planned_at.date().isoformat() for one in record.rounds}
    rows, counted = [], set[str]()
    for search in record.searches:
        requests: Sequence[SearchRequestLog | None] = search.requests or (None,)
        for place, request in enumerate(requests):
            first = search.source not in counted
            counted.add(search.source)
            rows.append(
                SearchRow(
                    search=search,
                    date=dates.get((search.track, search.round)),
                    request=request,
                    found=search.found if place == 0 else None,
                    kept=_kept(record, search.source) if first else None,
                )
            )
    return tuple(rows)


def _kept(record: RunRecord, source: str) -> int:
    return sum(any(found.source == source for found in work.provenance) for work in record.candidates if work.screened)


def outcome_of(row: SearchRow) -> str:
    """What became of a request, in words."""
    request, search = row.request, row.search
    if request is not None and request.not_asked:
        return f"not asked: {request.not_asked}"
    if request is not None and request.error:
        return f"failed: {request.error}"
    if search.status == "completed":
        return "answered from cache" if request is not None and request.from_cache else "answered"
    return f"{search.status.replace('_', ' ')}: {search.message or (search.reason or '').replace('_', ' ')}".rstrip(
        ": "
    )


def readable(request: str) -> str:
    """A query without the escapes of its address; what is no address stays as it was sent."""
    return unquote_plus(request) if "://" in request else request


def excluded_works(document: AnswerDocument) -> tuple[CandidateRecord, ...]:
    """Every work that was found and is not cited, in the order of the record: the furthest come first."""
    works = document.record.candidates if document.record else ()
    return tuple(work for work in works if work.decision is not Decision.CITED)


def _asked(value: Callable[[SearchRequestLog], Cell]) -> Callable[[SearchRow], Cell]:
    return lambda row: None if row.request is None else value(row.request)


def _engine(request: SearchRequestLog) -> str:
    changed = ("the engine changed the meaning of this search",) if request.suspect else ()
    return "; ".join((*request.warnings, *changed))


def _references(document: AnswerDocument) -> Sequence[Reference]:
    return document.references


REFERENCES: Table[Reference] = Table(
    _references,
    (
        ("n", lambda r: r.n),
        ("title", lambda r: r.title),
        ("authors", lambda r: "; ".join(chain(r.authors, filter(None, (r.collective_author,))))),
        ("journal", lambda r: r.journal),
        ("year", lambda r: r.year),
        ("study design", lambda r: designs.label(r.study_design)),
        ("DOI", lambda r: r.doi),
        ("PMID", lambda r: r.pmid),
        ("PMCID", lambda r: r.pmcid),
        ("NCT", lambda r: r.nct_id),
        ("set id", lambda r: r.set_id),
        ("URL", lambda r: r.url),
        ("found in", lambda r: r.source),
        ("status", lambda r: STATUS_WORDS.get(r.status, r.status.value.replace("_", " "))),
        ("whose words", lambda r: whose_words(r.text_origin)),
        ("remark", lambda r: r.note),
    ),
    needs_record=False,
)
EVIDENCE: Table[EvidenceRow] = Table(
    evidence_rows,
    (
        ("n", lambda r: r.n),
        ("study", lambda r: r.study),
        ("design", lambda r: r.design),
        ("year", lambda r: r.year),
        ("people analysed", lambda r: r.sample_size),
        ("who", lambda r: r.who),
        ("compared", lambda r: " v ".join(r.compared)),
        ("outcome", lambda r: " | ".join(result.outcome for result in r.results)),
        ("result", lambda r: " | ".join(result.in_words for result in r.results)),
        ("whose words", lambda r: r.whose_words),
        ("the answer rests on", lambda r: " | ".join(r.passages)),
        ("status", lambda r: r.status),
        ("PMID", lambda r: r.pmid),
        ("DOI", lambda r: r.doi),
        ("NCT", lambda r: r.nct_id),
    ),
    needs_record=False,
)
SEARCHES: Table[SearchRow] = Table(
    search_rows,
    (
        ("source", lambda r: r.search.source),
        ("date", lambda r: r.date),
        ("round", lambda r: r.search.round),
        ("track", lambda r: r.search.track),
        ("step", _asked(lambda one: one.rung)),
        ("query as sent", _asked(lambda one: one.request)),
        ("query, decoded", _asked(lambda one: readable(one.request))),
        ("read by the engine as", _asked(lambda one: one.translation)),
        ("outcome", outcome_of),
        ("hits", _asked(lambda one: None if one.not_asked else one.hits)),
        ("read", _asked(lambda one: None if one.not_asked else one.fetched)),
        ("at most", _asked(lambda one: one.cap)),
        ("records of the search", lambda r: r.found),
        ("works kept of the source", lambda r: r.kept),
        ("engine's remarks", _asked(_engine)),
    ),
)
EXCLUDED: Table[CandidateRecord] = Table(
    excluded_works,
    (
        ("title", lambda w: w.title),
        ("year", lambda w: w.year),
        ("journal", lambda w: w.journal),
        ("study design", lambda w: designs.label(w.study_design)),
        ("reason", lambda w: why_out(w.decision, w.reason)),
        ("decision", lambda w: w.decision.value),
        ("screened", lambda w: "yes" if w.screened else "no"),
        ("score of the document", lambda w: None if w.document_score is None else f"{w.document_score:.3f}"),
        ("found in", lambda w: "; ".join(dict.fromkeys(found.source for found in w.provenance))),
        ("status", lambda w: STATUS_WORDS.get(w.status, w.status.value.replace("_", " "))),
        ("PMID", lambda w: w.identifiers.pmid),
        ("DOI", lambda w: w.identifiers.doi),
        ("PMCID", lambda w: w.identifiers.pmcid),
        ("NCT", lambda w: "; ".join(w.identifiers.nct_ids)),
        ("set id", lambda w: w.identifiers.set_id),
        ("URL", lambda w: w.identifiers.url),
    ),
)
