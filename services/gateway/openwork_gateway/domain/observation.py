"""What the system did in a window of time, from the numbers of the runs that ended in it. Order does not matter."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from openwork_contracts.answer import RunStatus
from openwork_contracts.errors import FailureReason
from openwork_contracts.observatory import (
    ClaimFigures,
    CostFigures,
    FailedRun,
    Observation,
    RetrievalFigures,
    ServiceFigures,
    Slice,
    SourceFigures,
    Spread,
    Window,
)

from openwork_gateway.domain.run_statistics import WITH_ANSWER, RunStatistics, SourceStatistics

MOST_FAILURES = 10
"""Failed runs that are told one by one."""


@dataclass(frozen=True, slots=True)
class Span:
    """A window as time, and into how many equal slices it is cut."""

    length: timedelta
    slices: int


SPANS: Mapping[Window, Span] = {
    Window.HOUR: Span(timedelta(hours=1), 12),
    Window.DAY: Span(timedelta(days=1), 24),
    Window.WEEK: Span(timedelta(days=7), 28),
}
"""Slices of 5 minutes, an hour, six hours."""


def observe(
    kept: Sequence[RunStatistics],
    window: Window,
    now: datetime,
    *,
    own: Collection[str] = (),
    complete_from: datetime | None = None,
) -> Observation:
    """The figures of a window that ends now.

    Args:
        kept: runs, of this window and of others.
        own: run ids that may be told to who reads it.
        complete_from: runs that ended before are not all kept; `None` = they are.
    Raises:
        KeyError: there is no such window.
    """
    span = SPANS[window]
    begins = now - span.length
    runs = in_window(kept, window, now)
    answers = [run for run in runs if run.status in WITH_ANSWER]
    return Observation(
        window=window,
        begins_at=begins,
        ends_at=now,
        complete=complete_from is None or complete_from <= begins,
        runs=len(runs),
        outcomes=Counter(run.status.value for run in runs),
        answers=len(answers),
        degraded=sum(run.degraded for run in answers),
        seconds=spread([run.total_s for run in answers]),
        claims=_claims(runs),
        retrieval=_retrieval(answers),
        cost=_cost(runs),
        services=_services(runs),
        sources=tuple(_sources(runs)),
        failures=tuple(_failure(run, own) for run in latest_failures(runs)),
        slices=tuple(_slices(runs, begins, span)),
    )


def in_window(kept: Sequence[RunStatistics], window: Window, now: datetime) -> list[RunStatistics]:
    """Runs that ended in it. A clock that is a little ahead of ours loses no run."""
    begins = now - SPANS[window].length
    return [run for run in kept if run.ended_at > begins]


def latest_failures(runs: Sequence[RunStatistics]) -> list[RunStatistics]:
    """Runs that failed, newest first, as many as are told."""
    failed = [run for run in runs if run.status is RunStatus.FAILED]
    return sorted(failed, key=lambda run: (run.ended_at, run.run_id), reverse=True)[:MOST_FAILURES]


def spread(seconds: Sequence[float]) -> Spread:
    """Percentiles by nearest rank: of n values the one at place ceil(p n), so that each was seen."""
    if not seconds:
        return Spread()
    ordered = sorted(seconds)
    p50, p95, p99 = (ordered[math.ceil(share * len(ordered)) - 1] for share in (0.5, 0.95, 0.99))
    return Spread(n=len(ordered), p50_s=p50, p95_s=p95, p99_s=p99)


def _claims(runs: Sequence[RunStatistics]) -> ClaimFigures:
    withheld, findings = Counter[str](), Counter[str]()
    for run in runs:
        withheld.update(run.claims.withheld)
        findings.update(run.claims.findings)
    return ClaimFigures(
        claims=sum(run.claims.claims for run in runs),
        supported=sum(run.claims.supported for run in runs),
        own_words=sum(run.claims.own_words for run in runs),
        shown=sum(run.claims.shown for run in runs),
        shown_unsupported=sum(run.claims.shown_unsupported for run in runs),
        withheld=withheld,
        findings=findings,
    )


def _retrieval(answers: Sequence[RunStatistics]) -> RetrievalFigures:
    return RetrievalFigures(
        works=sum(run.works for run in answers),
        shortlisted=sum(run.shortlisted for run in answers),
        cited=sum(run.cited for run in answers),
    )


def _cost(runs: Sequence[RunStatistics]) -> CostFigures:
    return CostFigures(
        cost_usd=_dollars(runs),
        input_tokens=sum(run.input_tokens for run in runs),
        output_tokens=sum(run.output_tokens for run in runs),
        model_calls=sum(run.model_calls for run in runs),
    )


def _dollars(runs: Sequence[RunStatistics]) -> float:
    return round(math.fsum(run.cost_usd for run in runs), 6)


def _services(runs: Sequence[RunStatistics]) -> tuple[ServiceFigures, ...]:
    waits: dict[str, list[float]] = {}
    for run in runs:
        for service, seconds in run.services.items():
            waits.setdefault(service, []).append(seconds)
    found = [ServiceFigures(name=name, seconds=spread(seconds)) for name, seconds in waits.items()]
    return tuple(sorted(found, key=lambda one: (-(one.seconds.p95_s or 0.0), one.name)))


def _sources(runs: Sequence[RunStatistics]) -> Iterator[SourceFigures]:
    uses: dict[str, list[tuple[datetime, SourceStatistics]]] = {}
    for run in runs:
        for source in run.sources:
            uses.setdefault(source.name, []).append((run.ended_at, source))
    for name, used in sorted(uses.items()):
        yield _source(name, used)


def _source(name: str, used: Sequence[tuple[datetime, SourceStatistics]]) -> SourceFigures:
    of_runs = [source for _, source in used]
    failed_at, failed = max(
        ((at, source) for at, source in used if source.failed), key=lambda one: one[0], default=(None, None)
    )
    answered, wrong, unasked = (
        sum(counts) for counts in zip(*((one.answered, one.failed, one.not_asked) for one in of_runs), strict=True)
    )
    return SourceFigures(
        name=name,
        searches=answered + wrong + unasked,
        answered=answered,
        failed=wrong,
        not_asked=unasked,
        works=sum(one.works for one in of_runs),
        cited=sum(one.cited for one in of_runs),
        seconds=spread([seconds for one in of_runs for seconds in one.seconds]),
        last_error=failed.error if failed else None,
        last_error_at=failed_at,
    )


def _failure(run: RunStatistics, own: Collection[str]) -> FailedRun:
    return FailedRun(
        at=run.ended_at,
        pipeline=run.pipeline,
        step=run.step,
        reason=run.failure or FailureReason.INTERNAL,
        seconds=run.total_s,
        trace_id=run.trace_id,
        run_id=run.run_id if run.run_id in own else None,
    )


def _slices(runs: Sequence[RunStatistics], begins: datetime, span: Span) -> Iterator[Slice]:
    length = span.length / span.slices
    parts: list[list[RunStatistics]] = [[] for _ in range(span.slices)]
    for run in runs:
        parts[min(int((run.ended_at - begins) / length), span.slices - 1)].append(run)
    for place, part in enumerate(parts):
        answers = [run for run in part if run.status in WITH_ANSWER]
        yield Slice(
            begins_at=begins + place * length,
            runs=len(part),
            failed=sum(run.status is RunStatus.FAILED for run in part),
            claims=sum(run.claims.claims for run in part),
            supported=sum(run.claims.supported for run in part),
            works=sum(run.works for run in answers),
            cited=sum(run.cited for run in answers),
            p95_s=spread([run.total_s for run in answers]).p95_s,
            cost_usd=_dollars(part),
        )
