"""Small events and runs for tests, made the way services make them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from openwork_bus.bus import Bus
from openwork_bus.run import Run
from openwork_bus.run_ids import new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_contracts.answer import RunFailed
from openwork_contracts.errors import FailureReason
from openwork_contracts.plan import RetrievalCompleted, RetrievalFailed, SearchPlanned
from openwork_contracts.question import Intent, QuerySubmitted, QuestionAnalysis

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


def run_on(bus: Bus, run_id: str | None = None, *, service: str = "test") -> Run:
    """A run as a handler would see it."""
    return Run(
        run_id or new_run_id(), bus=bus, telemetry=Telemetry(service, ServiceSettings()), service=service, cause=None
    )


def submitted(run: Run, question: str = QUESTION) -> QuerySubmitted:
    """The first event of a run."""
    return QuerySubmitted(meta=run.meta(QuerySubmitted, route="answer"), question=question)


def failed(run: Run, message: str = "it could not be done") -> RunFailed:
    """A terminal event."""
    return RunFailed(meta=run.meta(RunFailed), reason=FailureReason.INTERNAL, stage=run.service, message=message)


def planned(run: Run, sources: tuple[str, ...], *, due_in_s: float = 30.0) -> SearchPlanned:
    """A plan over these sources."""
    due = datetime.now(UTC) + timedelta(seconds=due_in_s)
    return SearchPlanned(
        meta=run.meta(SearchPlanned, "affirmative-1"),
        analysis=analysis(sources),
        sources=sources,
        retrieval_deadline_at=due,
        run_deadline_at=due,
    )


def completed(run: Run, source: str) -> RetrievalCompleted:
    """A source that found nothing."""
    meta = run.meta(RetrievalCompleted, "affirmative-1", route=source)
    return RetrievalCompleted(meta=meta, source=source, elapsed_s=0.1)


def source_failed(run: Run, source: str) -> RetrievalFailed:
    """A source that could not be searched."""
    meta = run.meta(RetrievalFailed, "affirmative-1", route=source)
    return RetrievalFailed(
        meta=meta, source=source, reason=FailureReason.TIMEOUT, message=f"{source} gave no answer", elapsed_s=0.1
    )
