"""The join of a round: waits for every planned source or for the deadline, then publishes each work once.

It keeps no state: on each arrival it asks the stream which outcomes are in. Any replica may do that; one wins.
"""

from __future__ import annotations

from collections.abc import Sequence

from openwork_bus.run import Run
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import EvidenceNormalised, SourceReport, SourceStatus
from openwork_contracts.meta import Event
from openwork_contracts.plan import DeadlineReached, RetrievalCompleted, RetrievalFailed, SearchPlanned, part_of
from openwork_contracts.subjects import parse_subject, spec_of

from openwork_normaliser.domain.entries import Policies
from openwork_normaliser.domain.normalise import NormalisedEvidence, SourceBatch, normalise


async def on_arrival(event: RetrievalCompleted | RetrievalFailed | DeadlineReached, run: Run) -> None:
    """One source is in, or the time is up."""
    part = parse_subject(event.meta.event_id).part
    stored = await run.stored(part)
    if spec_of(EvidenceNormalised).subject(run.id, part) in stored:
        return
    plan = await run.require(SearchPlanned, part)
    # A redelivered request may have left both outcomes: in this order "completed" comes last and wins.
    outcomes = {
        where.route: subject
        for subject in sorted(stored, reverse=True)
        if (where := parse_subject(subject)).event in _OUTCOMES and where.route in plan.sources
    }
    if len(outcomes) < len(plan.sources) and not isinstance(event, DeadlineReached):
        return
    arrived = await run.bus.read_subjects([outcomes[source] for source in plan.sources if source in outcomes])
    previous = await _previous(run, plan)
    batches = [SourceBatch(e.source, e.records) for e in arrived if isinstance(e, RetrievalCompleted)]
    policies = {**(previous.policies if previous else {}), **_policies(arrived)}
    with run.telemetry.span("normalise", "CHAIN") as span:
        result = await run.in_thread(
            normalise,
            batches,
            previous.candidates if previous else (),
            previous.counts if previous else None,
            policies,
        )
        span.set_attributes({f"openwork.counts.{k}": v for k, v in result.counts.model_dump().items()})
    await run.publish(_event(run, plan, part, result, arrived, previous, policies))


def _policies(arrived: Sequence[Event]) -> Policies:
    return {event.source: event.policy for event in arrived if isinstance(event, RetrievalCompleted)}


_OUTCOMES = frozenset({RetrievalCompleted.event_name, RetrievalFailed.event_name})


async def _previous(run: Run, plan: SearchPlanned) -> EvidenceNormalised | None:
    """What the round before had found: a further round adds to it."""
    if plan.round == 1:
        return None
    return await run.require(EvidenceNormalised, part_of(plan.track, plan.round - 1))


def _event(
    run: Run,
    plan: SearchPlanned,
    part: str,
    result: NormalisedEvidence,
    arrived: Sequence[Event],
    previous: EvidenceNormalised | None,
    policies: Policies,
) -> EvidenceNormalised:
    return EvidenceNormalised(
        meta=run.meta(EvidenceNormalised, part),
        analysis=plan.analysis,
        track=plan.track,
        round=plan.round,
        candidates=result.candidates,
        sources=(*(previous.sources if previous else ()), *_reports(plan, arrived, result)),
        counts=result.counts,
        policies=policies,
        degradations=(*result.degradations, *_degradations(plan, arrived)),
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
    late = SourceReport(
        name="late",
        status=SourceStatus.MISSED_DEADLINE,
        reason=FailureReason.DEADLINE,
        message="gave no answer before the search deadline",
    )
    return [reports.get(source) or late.model_copy(update={"name": source}) for source in plan.sources]


def _degradations(plan: SearchPlanned, arrived: Sequence[Event]) -> list[str]:
    """What the reader must know of the sources, in plain words; what failed in the same way stands in one line."""
    in_time = {event.source for event in arrived if isinstance(event, RetrievalCompleted | RetrievalFailed)}
    failed: dict[str, list[str]] = {}
    lines: list[str] = []
    if plan.round > 1:  # no fault, but the reader is owed it: the sources of a further round are chosen for a gap
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
        elif isinstance(event, RetrievalFailed):
            failed.setdefault(event.reason.in_words, []).append(event.source)
    if late := [source for source in plan.sources if source not in in_time]:
        failed.setdefault(FailureReason.DEADLINE.in_words, []).extend(late)
    return [*(f"{', '.join(names)} {why}" for why, names in failed.items()), *lines]
