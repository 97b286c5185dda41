"""A run's document as a fold over its stored events: the same events give the same document, byte for byte.

One fold per kind of document; the pipeline in the run's subjects chooses it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from openwork_bus.bus import StoredEvent
from openwork_contracts.answer import (
    AnswerBody,
    AnswerConcluded,
    AnswerDocument,
    AnswerDrafted,
    AnswerStatus,
    Method,
    MethodSource,
    RunStatus,
    Timings,
    Usage,
)
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.meta import ALL, Event
from openwork_contracts.pipelines import ANSWER, REVIEW, pipeline_named
from openwork_contracts.plan import SearchPlanned
from openwork_contracts.question import AskOptions, DrugNames, QuerySubmitted
from openwork_contracts.ranking import DocumentsRanked, EvidenceRanked
from openwork_contracts.screening import RecordsScreened
from openwork_contracts.subjects import parse_subject
from openwork_contracts.verdict import VerificationScores
from openwork_report.render import render_answer, render_nothing_found
from openwork_report.review.summary import render_review

from openwork_gateway.domain.durations import service_seconds, waited_for
from openwork_gateway.domain.record import run_record
from openwork_gateway.domain.review import review_of

E = TypeVar("E", bound=Event)

NOTHING_CLAIMED = VerificationScores(claims=0, supported=0, unsupported=0, grounding_score=1.0, citation_coverage=1.0)
_STATUS = {
    EndKind.REJECTED: RunStatus.REJECTED,
    EndKind.REFUSED: RunStatus.REFUSED,
    EndKind.FAILED: RunStatus.FAILED,
    EndKind.CANCELLED: RunStatus.CANCELLED,
}
_GONE = "The run was completed, but what it came to is not stored any more."


def fold(history: Sequence[StoredEvent]) -> AnswerDocument:
    """A run as its reader gets it.

    Args:
        history: the run's events in the order in which they were stored, at least `query-submitted` or the run's end.
            What was stored after the end (a late source, a timer) does not count.
    Raises:
        ValueError: there is neither among them.
    """
    events = _until_end(history)
    if _last(events, QuerySubmitted) is None and not (events and events[-1].event.terminal):
        raise ValueError("the history has no query-submitted event")
    return FOLDS.get(parse_subject(events[-1].subject).pipeline, fold_outcome)(events)


def fold_outcome(events: Sequence[StoredEvent]) -> AnswerDocument:
    """A run of which nothing is known but its question and its end: of a pipeline that is not installed here."""
    submitted = _last(events, QuerySubmitted)
    where = parse_subject(events[-1].subject)
    status, markdown = run_status(_last(events, RunEnded), None)
    metas = [stored.event.meta for stored in events]
    return AnswerDocument(
        run_id=where.run_id,
        status=status,
        # A malformed question is a dead letter; its run has failed and can still be shown.
        question=submitted.question if submitted else "(the question could not be read)",
        options=submitted.options if submitted else AskOptions(),
        context=submitted.context if submitted else None,
        pipeline=where.pipeline,
        track=_first_track(events, where.pipeline),
        owner=submitted.meta.owner if submitted else metas[-1].owner,
        submitted_at=submitted.meta.occurred_at if submitted else events[0].stored_at,
        answer=AnswerBody(markdown=markdown),
        verification=NOTHING_CLAIMED,
        timings=_timings(events),
        trace_id=next((meta.trace_id for meta in reversed(metas) if meta.trace_id), None),
    )


def fold_answer(events: Sequence[StoredEvent]) -> AnswerDocument:
    """An answer. Of several tracks it shows the one whose outcome the run's end names first."""
    document = fold_outcome(events)
    ended = _last(events, RunEnded)
    concluded = _outcome_of(ended, events)
    track = parse_subject(concluded.subject).track if concluded else document.track
    own = [stored for stored in events if parse_subject(stored.subject).track in (track, ALL)]
    outcome = concluded.event if concluded and isinstance(concluded.event, AnswerConcluded) else None
    method = _method(own, outcome)
    status, markdown = run_status(ended, outcome, method)
    changes: dict[str, object] = {"status": status, "track": track, "method": method}
    changes["record"] = run_record(events, track, outcome)
    claims = tuple(c for section in outcome.sections for c in section.claims) if outcome else ()
    changes["answer"] = AnswerBody(markdown=markdown, claims=claims)
    if outcome:
        names = ("references", "verification", "withheld", "gap", "conclusion", "usage")
        changes |= {name: getattr(outcome, name) for name in names}
    else:
        changes["usage"] = _spent(ended, events)
    return document.model_copy(update=changes)


def fold_review(events: Sequence[StoredEvent]) -> AnswerDocument:
    """A deep review: its table, its studies and records, and every search of its tracks."""
    document = fold_outcome(events)
    ended = _last(events, RunEnded)
    review = review_of([stored.event for stored in events])
    status, markdown = run_status(ended, None)
    if ended is not None and ended.kind == EndKind.COMPLETED and review is not None:
        found = any(one.rows for one in review.outcomes)
        status = RunStatus.ANSWERED if found else RunStatus.TOO_LITTLE_EVIDENCE
        markdown = render_review(review)
    return document.model_copy(
        update={
            "status": status,
            "answer": AnswerBody(markdown=markdown),
            "method": _method(events, None),
            "record": run_record(events, document.track, None),
            "review": review,
            "usage": _screening_usage(events) or _spent(ended, events),
        }
    )


def _screening_usage(events: Sequence[StoredEvent]) -> Usage | None:
    """What models had consumed when the last track was screened: nobody else asks one in a review."""
    used = [stored.event.usage for stored in events if isinstance(stored.event, RecordsScreened)]
    return max(used, key=lambda one: one.model_calls, default=None)


FOLDS: dict[str, Callable[[Sequence[StoredEvent]], AnswerDocument]] = {ANSWER: fold_answer, REVIEW: fold_review}
"""Pipeline -> what makes its document, of events up to the run's end; others are folded by `fold_outcome`."""


def run_status(
    ended: RunEnded | None, outcome: AnswerConcluded | None, method: Method | None = None
) -> tuple[RunStatus, str]:
    """How a run stands, and what its reader is told.

    Args:
        ended: its end; `None` = it goes on.
        outcome: of the track that is shown; `None` = there is none, or it is gone.
        method: what was searched, and how the question was read.
    """
    if ended is None:
        return RunStatus.RUNNING, ""
    if ended.kind != EndKind.COMPLETED:
        # A kind that is newer than this gateway keeps its name; the message is there for every kind.
        status = _STATUS.get(ended.kind) or RunStatus(ended.kind.value)
        return status, ended.message or f"The run ended: {ended.kind.value}."
    if outcome is None:
        return RunStatus.FAILED, ended.message or _GONE
    if outcome.status == AnswerStatus.ANSWERED:
        return RunStatus.ANSWERED, render_answer(outcome.sections, outcome.conclusion, method)
    # The message names what the asker asked for.
    told = render_nothing_found(outcome.message or "", outcome.sections, method, outcome.conclusion)
    return RunStatus(outcome.status.value), told


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


def _outcome_of(ended: RunEnded | None, events: Sequence[StoredEvent]) -> StoredEvent | None:
    by_id = {stored.subject: stored for stored in events}
    return next((by_id[name] for name in ended.results if name in by_id), None) if ended else None


def _spent(ended: RunEnded | None, events: Sequence[StoredEvent]) -> Usage:
    """What models had consumed at least, of a run without an outcome: as its end says it, else its last draft."""
    drafted = _last(events, AnswerDrafted)
    return (ended.usage if ended else None) or (drafted.usage if drafted else None) or Usage()


def _first_track(events: Sequence[StoredEvent], pipeline: str) -> str:
    planned = _last(events, SearchPlanned)
    try:
        tracks = planned.tracks if planned else pipeline_named(pipeline).tracks
    except KeyError:  # of a newer gateway
        return ALL
    return tracks[0].value


def _method(events: Sequence[StoredEvent], outcome: AnswerConcluded | None) -> Method:
    planned = _last(events, SearchPlanned)
    normalised = _last(events, EvidenceNormalised)
    ranked = _last(events, EvidenceRanked)
    drafted = _last(events, AnswerDrafted)
    shortlisted = _last(events, DocumentsRanked)
    reports = [shortlisted.report] if shortlisted else []
    reports += [ranked.report] if ranked and ranked.report else []
    degradations: list[str] = []
    for stored in events:
        match stored.event:
            case SearchPlanned() | EvidenceNormalised() | EvidenceRanked() | AnswerDrafted() | AnswerConcluded():
                degradations.extend(stored.event.degradations)
            case _:
                pass
    degradations.extend(report.degradation for report in reports if report.degradation)
    return Method(
        sources=_sources(normalised),
        degradations=tuple(dict.fromkeys(degradations)),
        counts=_counts(normalised, shortlisted, ranked, outcome),
        search_variants=planned.analysis.search_variants if planned else (),
        drug_names=tuple(_read_as(names) for names in planned.analysis.drug_names) if planned else (),
        respelt=tuple(f'"{one.typed}" as {one.read}' for one in planned.analysis.respelt) if planned else (),
        intent=planned.analysis.intent.value if planned else None,
        scorer=", ".join(dict.fromkeys(_scorer_name(r.scorer, r.model) for r in reports)) or None,
        synthesis=drafted.method if drafted else None,
    )


def _sources(normalised: EvidenceNormalised | None) -> tuple[MethodSource, ...]:
    return tuple(
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
    outcome: AnswerConcluded | None,
) -> dict[str, int]:
    counts: dict[str, int] = normalised.counts.model_dump() if normalised else {}
    if shortlisted:
        counts["shortlisted"] = len(shortlisted.shortlist)
    if ranked:
        counts |= {"fulltext": ranked.n_fulltext, "passages": len(ranked.passages)}
        if ranked.without_text:
            counts["not_retrieved"] = len(ranked.without_text)
    if outcome:
        counts["cited"] = len(outcome.references)
    return counts


def _timings(events: Sequence[StoredEvent]) -> Timings:
    start = events[0].stored_at
    steps: dict[str, float] = {}
    for stored in events:
        steps[stored.event.event_name] = round((stored.stored_at - start).total_seconds(), 4)
    return Timings(
        total_s=round((events[-1].stored_at - start).total_seconds(), 4),
        steps=steps,
        services=service_seconds(events),
        waited_for=waited_for(events),
    )
