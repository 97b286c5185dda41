"""The answer as a fold over a run's stored events: the same events give the same document, byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from openwork_bus.bus import StoredEvent
from openwork_contracts.answer import (
    AnswerBody,
    AnswerCompleted,
    AnswerDocument,
    AnswerDrafted,
    AnswerStatus,
    Method,
    MethodSource,
    RunFailed,
    RunStatus,
    Timings,
    Usage,
)
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.meta import Event
from openwork_contracts.plan import SearchPlanned
from openwork_contracts.question import DrugNames, Mode, QueryRejected, QuerySubmitted
from openwork_contracts.ranking import DocumentsRanked, EvidenceRanked
from openwork_contracts.verdict import VerificationScores

from openwork_gateway.domain.markdown import escaped
from openwork_gateway.domain.render import render_answer

E = TypeVar("E", bound=Event)

_NOTHING_CLAIMED = VerificationScores(claims=0, supported=0, unsupported=0, grounding_score=1.0, citation_coverage=1.0)


def fold(history: Sequence[StoredEvent]) -> AnswerDocument:
    """A run as its reader gets it.

    Args:
        history: the run's events in the order in which they were stored, at least `query-submitted`. What was stored
            after the terminal event (a late source, a timer) does not count.
    Raises:
        ValueError: there is no `query-submitted` among them.
    """
    events = _until_end(history)
    submitted = _last(events, QuerySubmitted)
    if submitted is None and not (events and events[-1].event.terminal):
        raise ValueError("the history has no query-submitted event")
    status, markdown = _outcome(events)
    completed = _last(events, AnswerCompleted)
    return AnswerDocument(
        run_id=events[-1].event.meta.run_id,
        status=status,
        # A malformed question is a dead letter; its run has failed and can still be shown.
        question=submitted.question if submitted else "(the question could not be read)",
        mode=submitted.mode if submitted else Mode.ANSWER,
        answer=AnswerBody(
            markdown=markdown,
            claims=tuple(c for s in completed.sections for c in s.claims) if completed else (),
        ),
        references=completed.references if completed else (),
        method=_method(events),
        verification=completed.verification if completed else _NOTHING_CLAIMED,
        withheld=completed.withheld if completed else (),
        gap=completed.gap if completed else None,
        usage=completed.usage if completed else Usage(),
        timings=_timings(events),
        trace_id=next((e.event.meta.trace_id for e in reversed(events) if e.event.meta.trace_id), None),
    )


def _until_end(history: Sequence[StoredEvent]) -> list[StoredEvent]:
    events: list[StoredEvent] = []
    for stored in history:
        events.append(stored)
        if stored.event.terminal:
            break
    return events


def _last(events: Sequence[StoredEvent], model: type[E]) -> E | None:
    for stored in reversed(events):
        if isinstance(stored.event, model):
            return stored.event
    return None


def _outcome(events: Sequence[StoredEvent]) -> tuple[RunStatus, str]:
    last = events[-1].event
    match last:
        case AnswerCompleted(status=AnswerStatus.ANSWERED):
            return RunStatus.ANSWERED, render_answer(last.sections)
        case AnswerCompleted():
            return RunStatus.TOO_LITTLE_EVIDENCE, escaped(last.message or "")  # it names what the asker asked for
        case QueryRejected():
            return RunStatus.REJECTED, last.message
        case RunFailed():
            return RunStatus.FAILED, last.message
        case _:
            return RunStatus.RUNNING, ""


def _method(events: Sequence[StoredEvent]) -> Method:
    planned = _last(events, SearchPlanned)
    normalised = _last(events, EvidenceNormalised)
    ranked = _last(events, EvidenceRanked)
    drafted = _last(events, AnswerDrafted)
    completed = _last(events, AnswerCompleted)
    shortlisted = _last(events, DocumentsRanked)
    degradations: list[str] = []
    for stored in events:
        match stored.event:
            case SearchPlanned() | EvidenceNormalised() | EvidenceRanked() | AnswerDrafted() | AnswerCompleted():
                degradations.extend(stored.event.degradations)
            case _:
                pass
    reports = ranked.reports if ranked else ((shortlisted.report,) if shortlisted else ())
    degradations.extend(report.degradation for report in reports if report.degradation)
    return Method(
        sources=tuple(
            MethodSource(
                name=s.name,
                status=s.status.value,
                found=s.found,
                kept=s.kept,
                elapsed_s=s.elapsed_s,
                reason=s.reason.value if s.reason else None,
                detail=s.message,
            )
            for s in (normalised.sources if normalised else ())
        ),
        degradations=tuple(dict.fromkeys(degradations)),
        counts=_counts(normalised, shortlisted, ranked, completed),
        search_variants=planned.analysis.search_variants if planned else (),
        drug_names=tuple(_read_as(names) for names in planned.analysis.drug_names) if planned else (),
        intent=planned.analysis.intent.value if planned else None,
        scorer=", ".join(dict.fromkeys(_scorer_name(r.scorer, r.model) for r in reports)) or None,
        synthesis=drafted.method if drafted else None,
    )


def _read_as(names: DrugNames) -> str:
    classes = f" ({', '.join(names.classes)})" if names.classes else ""
    return f"{names.asked} was read as {names.generic}{classes}: RxNorm {names.rxcui}"


def _scorer_name(scorer: str, model: str | None) -> str:
    return f"{scorer} ({model})" if model else scorer


def _counts(
    normalised: EvidenceNormalised | None,
    shortlisted: DocumentsRanked | None,
    ranked: EvidenceRanked | None,
    completed: AnswerCompleted | None,
) -> dict[str, int]:
    counts: dict[str, int] = normalised.counts.model_dump() if normalised else {}
    if shortlisted:
        counts["shortlisted"] = len(shortlisted.shortlist)
    if ranked:
        counts |= {"fulltext": ranked.n_fulltext, "passages": len(ranked.passages)}
    if completed:
        counts["cited"] = len(completed.references)
    return counts


def _timings(events: Sequence[StoredEvent]) -> Timings:
    start = events[0].stored_at
    steps: dict[str, float] = {}
    for stored in events:
        steps[stored.event.event_name] = round((stored.stored_at - start).total_seconds(), 4)
    return Timings(total_s=round((events[-1].stored_at - start).total_seconds(), 4), steps=steps)
