"""Every record that was screened, as a list that can be narrowed: what each search decided, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.question import Track
from openwork_contracts.review import ScreenedRecord, TrackDecision
from openwork_contracts.screening import ScreeningOutcome
from openwork_knowledge import designs
from openwork_report.review.words import decision_words, name_of, track_words
from openwork_report.words import one_line

from openwork_api.pages.views.links import Link, links_of

PER_PAGE = 50
NONE = "none"
"""Chosen to see what had no decision in time."""
DECISIONS = (
    ("", "Any"),
    *((one.value, decision_words(one).capitalize()) for one in ScreeningOutcome),
    (NONE, "No decision in time"),
)
SEARCHES = (("", "Any"), *((track.value, f"{track.in_words[:1].upper()}{track.in_words[1:]}") for track in Track))


@dataclass(frozen=True, slots=True)
class Filters:
    """What a reader asked to see."""

    decision: str = ""
    track: str = ""
    criterion: str = ""
    text: str = ""
    page: int = 1

    def address(self, run_id: str, page: int) -> str:
        """The same list, another page of it."""
        told = {"decision": self.decision, "track": self.track, "criterion": self.criterion, "q": self.text}
        told |= {"page": str(page)}
        return f"/runs/{run_id}/screening?{urlencode({name: value for name, value in told.items() if value})}"


@dataclass(frozen=True, slots=True)
class DecisionView:
    """What one search decided, or several alike."""

    tracks: str
    decision: str
    criterion: str
    reason: str
    quotation: str
    is_in: bool


@dataclass(frozen=True, slots=True)
class RecordView:
    """One record."""

    title: str
    about: str
    design: str
    decisions: tuple[DecisionView, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ScreeningView:
    """A page of the list."""

    records: tuple[RecordView, ...]
    n_fit: int
    n_all: int
    criteria: tuple[str, ...]
    first: int
    before: str | None
    after: str | None


def screening_view(document: AnswerDocument, filters: Filters) -> ScreeningView:
    """Those that fit, a page of them; of a record the decisions of every search that found it."""
    every = document.review.screened if document.review else ()
    fit = [record for record in every if _fits(record, filters)]
    pages = max(1, -(-len(fit) // PER_PAGE))
    page = min(max(1, filters.page), pages)
    first = (page - 1) * PER_PAGE
    named = {one.decision.criterion for record in every for one in record.decisions if one.decision}
    return ScreeningView(
        records=tuple(map(_record, fit[first : first + PER_PAGE])),
        n_fit=len(fit),
        n_all=len(every),
        criteria=tuple(sorted(filter(None, named))),
        first=first + 1 if fit else 0,
        before=filters.address(document.run_id, page - 1) if page > 1 else None,
        after=filters.address(document.run_id, page + 1) if page < pages else None,
    )


def _fits(record: ScreenedRecord, filters: Filters) -> bool:
    """One decision has to fit in all; the words may stand in the record or in a reason."""
    if not any(_decided_so(one, filters) for one in record.decisions):
        return False
    work = record.work
    reasons = (
        text for one in record.decisions if one.decision for text in (one.decision.reason, one.decision.quotation)
    )
    told = (work.title, work.journal, *work.authors, work.identifiers.pmid, work.identifiers.doi, *reasons)
    words = " ".join(filter(None, told)).casefold()
    return all(word in words for word in filters.text.casefold().split())


def _decided_so(one: TrackDecision, filters: Filters) -> bool:
    outcome = one.decision.outcome.value if one.decision else NONE
    criterion = (one.decision.criterion or "") if one.decision else ""
    return (
        filters.decision in ("", outcome)
        and filters.track in ("", one.track.value)
        and filters.criterion in ("", criterion)
    )


def _record(record: ScreenedRecord) -> RecordView:
    work = record.work
    return RecordView(
        title=one_line(work.title)[:600] or work.candidate_id,
        about=name_of(work),
        design=designs.label(work.study_design) or "",
        decisions=tuple(_decisions(record.decisions)),
        links=links_of(work.identifiers),
    )


def _decisions(every: Sequence[TrackDecision]) -> Iterator[DecisionView]:
    """Those of several searches that say the same are told once."""
    alike: dict[tuple[str, str, str, str, bool], list[str]] = {}
    for one in every:
        decision = one.decision
        told = (
            decision_words(decision.outcome if decision else None),
            one_line(decision.criterion) if decision else "",
            one_line(decision.reason)[:600] if decision else "",
            one_line(decision.quotation)[:1_000] if decision else "",
            decision is not None and decision.outcome is ScreeningOutcome.INCLUDE,
        )
        alike.setdefault(told, []).append(track_words(one.track))
    return (DecisionView(" and ".join(tracks), *told) for told, tracks in alike.items())
