"""The join of a round: waits for every planned source or for the deadline, then publishes each work once.

It keeps no state: on each arrival it asks the stream which outcomes are in. Any replica may do that; one wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Protocol

from openwork_bus.join import join, without_work
from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import (
    EvidenceCandidate,
    EvidenceNormalised,
    ExcludedKind,
    ExcludedWork,
    SourceReport,
    SourceStatus,
)
from openwork_contracts.meta import Event
from openwork_contracts.plan import DeadlineReached, RetrievalCompleted, RetrievalFailed, SearchPlanned
from openwork_contracts.progress import Progress, SourceProgress, SourceState
from openwork_evidence.library.references import referred_candidate, resolved_candidate, resolved_record

from openwork_normaliser.domain.entries import Policies
from openwork_normaliser.domain.normalise import Excluded, ExclusionKind, NormalisedEvidence, SourceBatch, normalise
from openwork_normaliser.domain.statuses import StatusAnswers, with_reports
from openwork_normaliser.settings import Settings

_LEAST_LONGER = timedelta(seconds=2)
"""Less is not worth waiting for."""

_MOST_NAMED = 200
"""Excluded works of a round that are named: a source that gives nothing but bare titles must not fill the event."""


class Statuses(Protocol):
    """Who knows what has become of works."""

    async def ask(self, works: Sequence[EvidenceCandidate], run_id: str | None = None) -> StatusAnswers:
        """What is said of them, within a time of its own; no error leaves here."""
        ...


async def on_arrival(
    event: RetrievalCompleted | RetrievalFailed | DeadlineReached,
    run: Annotated[Run, Provided()],
    settings: Annotated[Settings, Provided()],
    statuses: Annotated[Statuses, Provided()],
) -> None:
    """One source is in, or the time is up."""
    if await without_work(run, SearchPlanned):
        return
    plan = await run.plan()
    arrived = await join(
        run,
        expected={source: _outcomes_of(run, source) for source in plan.sources},
        outcomes=(RetrievalCompleted, RetrievalFailed),
        into=EvidenceNormalised,
        deadline_at=plan.retrieval_deadline_at,
    )
    if arrived is None or (not arrived.outcomes and await _waits_on(run, plan)):
        return
    previous = await _previous(run)
    completed = [e for e in arrived.outcomes if isinstance(e, RetrievalCompleted)]
    batches = [SourceBatch(e.source, tuple(map(resolved_record, e.records))) for e in completed]
    policies = {**(previous.policies if previous else {}), **{e.source: e.policy for e in completed}}
    with run.telemetry.span("normalise", "CHAIN") as span:
        result = await run.in_thread(
            normalise,
            batches,
            tuple(map(resolved_candidate, previous.candidates)) if previous else (),
            previous.counts if previous else None,
            policies,
            settings.title_only_records,
            previous.excluded if previous else (),
        )
        span.set_attributes({f"openwork.counts.{k}": v for k, v in result.counts.model_dump().items()})
    result = await _checked(result, statuses, run)
    joined = _event(run, plan, result, arrived.outcomes, previous, policies)
    # All sources, also those that told it themselves: a line may be lost. Their states have the names of the reports'.
    told = [SourceProgress(name=s.name, state=SourceState(s.status.value), found=s.found) for s in joined.sources]
    counts = joined.counts.model_dump()
    await run.bus.progress(Progress.of(run, "join what was found", counts=counts, sources=told))
    await run.publish(joined)


async def _waits_on(run: Run, plan: SearchPlanned) -> bool:
    """Whether the first deadline passes without going on: not one source has so much as failed.

    Then it was not the sources that were slow but what carries their requests (NATS was restarted, no retriever was
    there yet): going on would tell of too little evidence where nobody has looked. Once, in the first round, as long as
    at first and for at most half of the run's time that is left.
    """
    first = plan.retrieval_deadline_at
    if run.round > 1 or not isinstance(run.cause, DeadlineReached) or run.cause.due_at > first:
        return False
    begins = max(datetime.now(UTC), first)
    longer = min(first - plan.meta.occurred_at, (plan.run_deadline_at - begins) / 2)
    if longer < _LEAST_LONGER:
        return False
    return await run.set_deadline("normaliser", begins + longer) > first


async def _checked(result: NormalisedEvidence, statuses: Statuses, run: Run) -> NormalisedEvidence:
    """The candidates with what others say of their status, as far as that was heard in time."""
    with run.telemetry.span("check status", "TOOL") as span:
        answers = await statuses.ask(result.candidates, run.id)
        span.set_attribute("openwork.n_records", len(answers.reports))
    candidates = tuple(with_reports(work, answers.reports.get(work.candidate_id, ())) for work in result.candidates)
    return replace(result, candidates=candidates, degradations=(*result.degradations, *answers.degradations))


def _outcomes_of(run: Run, source: str) -> tuple[str, str]:
    """Where a source's outcome may be. A redelivered request may have left both: what was found counts."""
    return run.subject(RetrievalCompleted, route=source), run.subject(RetrievalFailed, route=source)


async def _previous(run: Run) -> EvidenceNormalised | None:
    """What the round before had found: a further round adds to it."""
    return None if run.round <= 1 else await run.require(EvidenceNormalised, round_=run.round - 1)


def _event(
    run: Run,
    plan: SearchPlanned,
    result: NormalisedEvidence,
    arrived: Sequence[Event],
    previous: EvidenceNormalised | None,
    policies: Policies,
) -> EvidenceNormalised:
    parents = (plan.meta.event_id, *(event.meta.event_id for event in arrived))
    return EvidenceNormalised(
        meta=run.meta(EvidenceNormalised, parents=parents),
        candidates=tuple(map(referred_candidate, result.candidates)),
        sources=_joined(previous.sources if previous else (), _reports(plan, arrived, result)),
        counts=result.counts,
        policies=policies,
        excluded=_excluded(result),
        degradations=(*result.degradations, *_degradations(run.round, plan, arrived)),
    )


def _joined(before: Sequence[SourceReport], now: Sequence[SourceReport]) -> tuple[SourceReport, ...]:
    """One report of each source, also of one that a further round asked again: what it found in all."""
    joined = {report.name: report for report in before}
    for report in now:
        first = joined.get(report.name)
        if first is None:
            joined[report.name] = report
            continue
        told = (
            first if report.status is not SourceStatus.COMPLETED and first.status is SourceStatus.COMPLETED else report
        )
        joined[report.name] = told.model_copy(
            update={
                "found": first.found + report.found,
                "kept": max(first.kept, report.kept),
                "elapsed_s": (first.elapsed_s or 0.0) + (report.elapsed_s or 0.0),
                "degradations": tuple(dict.fromkeys((*first.degradations, *report.degradations))),
            }
        )
    return tuple(joined.values())


def _excluded(result: NormalisedEvidence) -> tuple[ExcludedWork, ...]:
    """By name, once each, as they are counted."""
    without_text = [one for one in result.excluded if one.kind is ExclusionKind.NO_TEXT]
    old = [one for one in result.excluded if one.kind is ExclusionKind.SUPERSEDED]
    return (*result.still_excluded, *map(_named, old), *map(_named, without_text[:_MOST_NAMED]))


def _named(excluded: Excluded) -> ExcludedWork:
    work = excluded.work
    return ExcludedWork(
        candidate_id=work.candidate_id,
        title=work.title,
        identifiers=work.identifiers,
        year=work.year,
        provenance=work.provenance,
        reason=excluded.reason,
        kind=ExcludedKind(excluded.kind.value),
    )


def _reports(plan: SearchPlanned, arrived: Sequence[Event], result: NormalisedEvidence) -> list[SourceReport]:
    """One report for every planned source, arrived or not."""
    reports: dict[str, SourceReport] = {}
    for event in arrived:
        if isinstance(event, RetrievalCompleted):
            reports[event.source] = SourceReport(
                name=event.source,
                status=SourceStatus.COMPLETED,
                found=len(event.records),
                kept=result.kept.get(event.source, 0),
                elapsed_s=event.elapsed_s,
                degradations=event.degradations,
            )
        elif isinstance(event, RetrievalFailed):
            reports[event.source] = SourceReport(
                name=event.source,
                status=SourceStatus.FAILED,
                elapsed_s=event.elapsed_s,
                reason=event.reason,
                message=event.message,
            )
    return [reports.get(source) or _late(source) for source in plan.sources]


def _late(source: str) -> SourceReport:
    return SourceReport(
        name=source,
        status=SourceStatus.MISSED_DEADLINE,
        reason=FailureReason.DEADLINE,
        message="gave no answer before the search deadline",
    )


def _degradations(round_: int, plan: SearchPlanned, arrived: Sequence[Event]) -> list[str]:
    """What the reader must know of the sources, in plain words; what failed in the same way stands in one line."""
    lines: list[str] = []
    if round_ > 1:  # no fault, but the reader is owed it: the sources of a further round are chosen for a gap
        lines.append(f"a further search, of {', '.join(plan.sources)}, was made because {plan.reason or 'of a gap'}")
    for event in arrived:
        if isinstance(event, RetrievalCompleted):
            lines.extend(
                text if text.startswith(event.source) else f"{event.source}: {text}" for text in event.degradations
            )
            lines.extend(
                f"{event.source}: the engine changed the meaning of the search {log.request!r}"
                for log in event.search_log
                if log.suspect
            )
    return [*(f"{', '.join(names)} {why}" for why, names in _failures(plan, arrived).items()), *lines]


def _failures(plan: SearchPlanned, arrived: Sequence[Event]) -> Mapping[str, list[str]]:
    """How sources failed, in words -> which did."""
    failed: dict[str, list[str]] = {}
    for event in arrived:
        if isinstance(event, RetrievalFailed):
            failed.setdefault(event.reason.in_words, []).append(event.source)
    in_time = {event.source for event in arrived if isinstance(event, RetrievalCompleted | RetrievalFailed)}
    if late := [source for source in plan.sources if source not in in_time]:
        failed.setdefault(FailureReason.DEADLINE.in_words, []).extend(late)
    return failed
