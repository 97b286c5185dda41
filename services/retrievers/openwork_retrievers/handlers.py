"""One request in; records or the reason why there are none out. A source never fails a run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Annotated

from openwork_bus.figures import Figures
from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.service import end_in_failure, public_message
from openwork_bus.span_attributes import INPUT_VALUE
from openwork_bus.telemetry import DOCUMENTS_IN_SPAN, Attribute, ShownDocument, document_attributes
from openwork_contracts.errors import FailureReason, OpenWorkError
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.meta import Event
from openwork_contracts.plan import (
    RetrievalCompleted,
    RetrievalFailed,
    RetrievalRequested,
    SearchPlanned,
    SearchRequestLog,
)
from openwork_contracts.progress import Progress, SourceProgress, SourceState
from openwork_evidence.library.references import referred_record
from openwork_language.searching.ladder import strategy_of

from openwork_retrievers.domain.source import Found, Search, Source
from openwork_retrievers.domain.years import of_chosen_years
from openwork_retrievers.metrics import count_failed, count_found

_HELD_UP = timedelta(seconds=8)
"""For a search whose request came too late: less than the join's second wait, by default 20 s."""


async def on_retrieval_requested(
    event: RetrievalRequested,
    run: Annotated[Run, Provided()],
    sources: Annotated[Mapping[str, Source], Provided()],
    figures: Annotated[Figures, Provided()],
) -> None:
    """Search, and store what was found."""
    if run.redelivered and await run.stored(run.subject(RetrievalCompleted, route=event.source)):
        return  # searched before a crash that came before the acknowledgement
    source = sources[event.source]
    plan = await run.plan()
    await _tell(run, event.source, SourceState.SEARCHING)
    search = Search(
        source=event.source,
        analysis=plan.analysis,
        strategy=plan.strategy or strategy_of(plan.analysis),
        limit=event.limit,
        deadline_at=await _deadline(event, plan, run),
        track=event.meta.track,
        round=event.meta.round,
        pipeline=run.pipeline,
        run_id=run.id,
    )
    started = monotonic()
    try:
        with run.telemetry.span(f"search {event.source}", "RETRIEVER") as span:
            found = of_chosen_years(await source.search(search), plan.analysis)
            if run.telemetry.enabled:
                span.set_attributes({INPUT_VALUE: plan.analysis.question, **_found_attributes(event.source, found)})
    except OpenWorkError as error:
        count_failed(figures, event.source, error, seconds=monotonic() - started)
        await run.publish(_failed(event, run, error, elapsed_s=monotonic() - started))
        await _tell(run, event.source, SourceState.FAILED)
        return
    count_found(figures, event.source, records=len(found.records), seconds=monotonic() - started)
    await _tell(run, event.source, SourceState.COMPLETED, found=len(found.records))
    await run.publish(
        RetrievalCompleted(
            meta=run.meta(RetrievalCompleted, route=event.source),
            source=event.source,
            records=tuple(map(referred_record, found.records)),
            policy=source.policy,
            search_log=found.search_log,
            degradations=found.degradations,
            elapsed_s=round(monotonic() - started, 4),
        )
    )


async def _deadline(event: RetrievalRequested, plan: SearchPlanned, run: Run) -> datetime:
    """Until when to search; of a request that was held up until after its deadline, a moment while it is waited for.

    The join waits once more where it has heard of no source (`openwork_normaliser.handlers`).
    """
    now = datetime.now(UTC)
    if event.deadline_at > now or await run.stored(run.subject(EvidenceNormalised)):
        return event.deadline_at
    return now + min(_HELD_UP, (plan.run_deadline_at - now) / 4)


def _found_attributes(source: str, found: Found) -> dict[str, Attribute]:
    """What the trace says of a search. Scores are reciprocal ranks: sources give none that compare."""
    shown = [
        ShownDocument(
            f"pmid:{record.identifiers.pmid}" if record.identifiers.pmid else record.source_id,
            "\n".join((record.title, *(part.text for part in record.abstract))),
            round(1 / place, 4),
            {"place": place, "source": source, "year": record.year, "journal": record.journal},
        )
        for place, record in enumerate(found.records[:DOCUMENTS_IN_SPAN], 1)
    ]
    return {
        "openwork.source": source,
        "openwork.n_records": len(found.records),
        "openwork.n_requests": len(found.search_log),
        **document_attributes("retrieval.documents", shown),
    }


async def _tell(run: Run, source: str, state: SourceState, *, found: int | None = None) -> None:
    told = SourceProgress(name=source, state=state, found=found)
    await run.bus.progress(Progress.of(run, f"search {source}", sources=(told,)))


async def on_exhausted(event: Event | None, run: Run, error: Exception) -> None:
    """A request that no retry helped: the run goes on without the source and says so."""
    if not isinstance(event, RetrievalRequested):
        await end_in_failure(event, run, error)
        return
    await run.publish(_failed(event, run, error, elapsed_s=0.0))
    await _tell(run, event.source, SourceState.FAILED)


def _failed(event: RetrievalRequested, run: Run, error: Exception, *, elapsed_s: float) -> RetrievalFailed:
    return RetrievalFailed(
        meta=run.meta(RetrievalFailed, route=event.source),
        source=event.source,
        reason=error.reason if isinstance(error, OpenWorkError) else FailureReason.INTERNAL,
        message=public_message(event.source, error),
        search_log=(isinstance(error, OpenWorkError) and error.log)
        or tuple(
            SearchRequestLog(request=request, error=public_message(event.source, error))
            for request in getattr(error, "requests", ())
        ),
        elapsed_s=round(elapsed_s, 4),
    )
