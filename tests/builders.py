"""Small events and runs for tests, made the way services make them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TypeVar

from openwork_bus.bus import Bus
from openwork_bus.run import Run
from openwork_bus.run_ids import new_run_id
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import FailureReason
from openwork_contracts.meta import Event
from openwork_contracts.plan import RetrievalCompleted, RetrievalFailed, RetrievalRequested, SearchPlanned
from openwork_contracts.question import Intent, QuerySubmitted, QuestionAnalysis, Track

E = TypeVar("E", bound=Event)
QUESTION = "Does apixaban lower stroke in atrial fibrillation compared with warfarin?"


def analysis(sources: tuple[str, ...] = ("library",)) -> QuestionAnalysis:
    """A question's analysis with the least it may have."""
    return QuestionAnalysis(
        question=QUESTION,
        intent=Intent.COMPARATIVE_ANALYSIS,
        search_variants=("apixaban warfarin", "apixaban atrial fibrillation", "apixaban stroke"),
        complexity=0.4,
        sources=sources,
    )


def run_on(
    bus: Bus, run_id: str | None = None, *, service: str = "test", track: str = "affirmative", round_: int = 1
) -> Run:
    """A run as a handler of that track and round would see it."""
    run = Run(run_id or new_run_id(), bus=bus, service=service, cause=None)
    run.track, run.round = track, round_
    return run


def submitted(run: Run, question: str = QUESTION) -> QuerySubmitted:
    """The first event of a run."""
    return QuerySubmitted(meta=run.meta(QuerySubmitted, track="all", round_=0), question=question)


def failed(run: Run, message: str = "it could not be done") -> RunEnded:
    """The end of a run."""
    return RunEnded(
        meta=run.meta(RunEnded),
        kind=EndKind.FAILED,
        failure=FailureReason.INTERNAL,
        stage=run.service,
        message=message,
    )


def planned(
    run: Run,
    sources: tuple[str, ...],
    *,
    due_in_s: float = 30.0,
    tracks: tuple[Track, ...] = (Track.AFFIRMATIVE,),
    now: datetime | None = None,
) -> SearchPlanned:
    """A plan over these sources, of the run's track and round."""
    due = (now or datetime.now(UTC)) + timedelta(seconds=due_in_s)
    return SearchPlanned(
        meta=run.meta(SearchPlanned),
        analysis=analysis(sources),
        tracks=tracks,
        sources=sources,
        retrieval_deadline_at=due,
        run_deadline_at=due + timedelta(seconds=due_in_s),
    )


def requested(run: Run, source: str, *, due_in_s: float = 30.0, now: datetime | None = None) -> RetrievalRequested:
    """A request to one source."""
    due = (now or datetime.now(UTC)) + timedelta(seconds=due_in_s)
    meta = run.meta(RetrievalRequested, route=source)
    return RetrievalRequested(meta=meta, source=source, limit=20, deadline_at=due)


def completed(run: Run, source: str) -> RetrievalCompleted:
    """A source that found nothing."""
    return RetrievalCompleted(meta=run.meta(RetrievalCompleted, route=source), source=source, elapsed_s=0.1)


def source_failed(run: Run, source: str) -> RetrievalFailed:
    """A source that could not be searched."""
    return RetrievalFailed(
        meta=run.meta(RetrievalFailed, route=source),
        source=source,
        reason=FailureReason.TIMEOUT,
        message=f"{source} gave no answer",
        elapsed_s=0.1,
    )


async def event_of(
    bus: Bus, model: type[E], run_id: str, part: str = "0", *, route: str = "all", round_: int = 1
) -> E | None:
    """An event of the affirmative track of a run; `None` when it is not stored."""
    return await run_on(bus, run_id, round_=round_).read(model, part, route=route)
