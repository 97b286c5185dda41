"""One work in; its full text, or why there is none, out. A text that cannot be had never fails a run."""

from __future__ import annotations

from datetime import UTC, datetime
from time import monotonic
from typing import Annotated

from openwork_bus.figures import Figures
from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.service import end_in_failure, public_message
from openwork_bus.span_attributes import INPUT_VALUE
from openwork_bus.telemetry import Attribute, ShownDocument, document_attributes
from openwork_contracts.errors import FailureReason, OpenWorkError
from openwork_contracts.meta import BlobRef, Event
from openwork_contracts.ranking import FullText, FulltextCompleted, FulltextRequested
from openwork_contracts.subjects import parse_subject
from openwork_http.client import HttpClient
from openwork_http.guard import GuardedClient

from openwork_fulltext.adapters.batch import ONCE, PmcBatches
from openwork_fulltext.adapters.chain import fetch_fulltext
from openwork_fulltext.adapters.outside import FulltextPort
from openwork_fulltext.adapters.store import TextStore
from openwork_fulltext.domain.plan import Attempt
from openwork_fulltext.metrics import count_text
from openwork_fulltext.settings import Settings


class Library:
    """What the handler works with; opened when the bus is there."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.client: HttpClient | None = None
        self.guard: GuardedClient | None = None
        self.store = TextStore(None)
        self.batches = PmcBatches()

    def port(self, within_s: float, run_id: str) -> FulltextPort:
        """The way out for one work of a run."""
        if self.client is None or self.guard is None:
            raise RuntimeError("the service is not started")
        return FulltextPort(self.client, self.guard, self.settings, within_s=within_s, run_id=run_id)


async def on_fulltext_requested(
    event: FulltextRequested,
    run: Annotated[Run, Provided()],
    library: Annotated[Library, Provided()],
    figures: Annotated[Figures, Provided()],
) -> None:
    """From the store, else along the chain PMC, Europe PMC, Unpaywall; else the abstract serves."""
    await run.progress("read full texts", note=event.title[:200])
    with run.telemetry.span("full text", "RETRIEVER", {"openwork.candidate_id": event.candidate_id}) as span:
        completed = await _completion(event, run, library)
        span.set_attributes(_found_attributes(event, completed))
    count_text(figures, completed)
    await run.publish(completed)


async def _completion(event: FulltextRequested, run: Run, library: Library) -> FulltextCompleted:
    started = monotonic()
    left_s = (event.deadline_at - datetime.now(UTC)).total_seconds()
    limit_s = min(left_s, library.settings.fulltext_limit_s)
    if event.pmc_batch and left_s > 0:
        port = library.port(limit_s / 2, run.id)
        await library.batches.ask(_round(run), event.pmc_batch, port, library.settings.places, library.store)
    found: tuple[FullText, BlobRef | None] | Attempt | None = library.batches.take(_round(run), event.identifiers.pmcid)
    if found is None and (kept := await library.store.get(event.identifiers)) is not None:
        return _completed(event, run, *kept, elapsed_s=monotonic() - started, from_cache=True)
    if left_s <= 0:
        return _without(event, run, FailureReason.DEADLINE, ("its deadline had passed",), 0.0)
    found = found or await _from_pmc(event, run, library, limit_s / 2)
    if isinstance(found, Attempt):
        port = library.port(max(0.0, limit_s - (monotonic() - started)), run.id)
        outcome = await fetch_fulltext(event.identifiers, port, library.settings.places, pmc_said=found)
        if outcome.document is None:
            return _without(event, run, outcome.reason, outcome.tried, monotonic() - started)
        text = FullText(
            identifiers=outcome.identifiers,
            sections=outcome.document.readable_sections,
            source=outcome.source or "unknown",
            url=outcome.url,
            license=outcome.document.license,
            tried=(*outcome.tried, *outcome.document.warnings),
        )
        found = text, await library.store.put(text)
    return _completed(event, run, *found, elapsed_s=monotonic() - started, from_cache=False)


def _round(run: Run) -> str:
    """A round of a track of a run, by name."""
    return f"{run.id} {run.track} {run.round}"


async def _from_pmc(
    event: FulltextRequested, run: Run, library: Library, within_s: float
) -> tuple[FullText, BlobRef | None] | Attempt:
    """The text that PMC gave for this work among those of its round, or what PMC said."""
    pmcid, part = event.identifiers.pmcid, event.pmc_part
    if pmcid is None or part is None:
        return ONCE

    async def led() -> bool:
        return bool(await run.stored(run.subject(FulltextCompleted, part)))

    return await library.batches.text_of(_round(run), pmcid, library.store, led=led, within_s=within_s)


async def on_exhausted(event: Event | None, run: Run, error: Exception) -> None:
    """A request that no retry helped: the abstract serves."""
    if not isinstance(event, FulltextRequested):
        await end_in_failure(event, run, error)
        return
    reason = error.reason if isinstance(error, OpenWorkError) else FailureReason.INTERNAL
    await run.publish(_without(event, run, reason, (public_message("full text", error),), 0.0))


def _found_attributes(event: FulltextRequested, completed: FulltextCompleted) -> dict[str, Attribute]:
    """What the trace says of one text: where it was found, and the beginning where the event holds it."""
    found: dict[str, Attribute] = {
        INPUT_VALUE: event.title,
        "openwork.fulltext.source": completed.fulltext_source or "",
        "openwork.fulltext.reason": completed.reason.value if completed.reason else "",
        "openwork.fulltext.from_cache": completed.from_cache,
    }
    if completed.fulltext_source is None:
        return found
    begins = "\n".join((event.title, *(section.text for section in completed.sections[:1])))
    shown = ShownDocument(event.candidate_id, begins, None, {"url": completed.url, "license": completed.license})
    return found | document_attributes("retrieval.documents", [shown])


def _completed(
    event: FulltextRequested, run: Run, text: FullText, where: BlobRef | None, *, elapsed_s: float, from_cache: bool
) -> FulltextCompleted:
    return FulltextCompleted(
        meta=run.meta(FulltextCompleted, parse_subject(event.meta.event_id).part),
        candidate_id=event.candidate_id,
        text=where,
        sections=() if where else text.sections,
        fulltext_source=text.source,
        url=text.url,
        license=text.license,
        tried=text.tried,
        elapsed_s=round(elapsed_s, 4),
        from_cache=from_cache,
    )


def _without(
    event: FulltextRequested, run: Run, reason: FailureReason | None, tried: tuple[str, ...], elapsed_s: float
) -> FulltextCompleted:
    return FulltextCompleted(
        meta=run.meta(FulltextCompleted, parse_subject(event.meta.event_id).part),
        candidate_id=event.candidate_id,
        tried=tried,
        reason=reason,
        elapsed_s=round(elapsed_s, 4),
    )
