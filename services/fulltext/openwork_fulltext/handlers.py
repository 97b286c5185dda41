"""One work in; its full text, or why there is none, out. A text that cannot be had never fails a run."""

from __future__ import annotations

from datetime import UTC, datetime
from time import monotonic
from typing import Annotated

from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.service import end_in_failure, public_message
from openwork_contracts.errors import FailureReason, OpenWorkError
from openwork_contracts.meta import BlobRef, Event
from openwork_contracts.ranking import FullText, FulltextCompleted, FulltextRequested
from openwork_contracts.subjects import parse_subject
from openwork_http.client import HttpClient
from openwork_http.guard import GuardedClient

from openwork_fulltext.adapters.chain import fetch_fulltext
from openwork_fulltext.adapters.outside import FulltextPort
from openwork_fulltext.adapters.store import TextStore
from openwork_fulltext.settings import Settings


class Library:
    """What the handler works with; opened when the bus is there."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.client: HttpClient | None = None
        self.guard: GuardedClient | None = None
        self.store = TextStore(None)

    def port(self, within_s: float) -> FulltextPort:
        """The way out for one work."""
        if self.client is None or self.guard is None:
            raise RuntimeError("the service is not started")
        return FulltextPort(self.client, self.guard, self.settings, within_s=within_s)


async def on_fulltext_requested(
    event: FulltextRequested, run: Annotated[Run, Provided()], library: Annotated[Library, Provided()]
) -> None:
    """From the store, else along the chain PMC, Europe PMC, Unpaywall; else the abstract serves."""
    await run.progress("read full texts", note=event.title[:200])
    started = monotonic()
    left_s = (event.deadline_at - datetime.now(UTC)).total_seconds()
    with run.telemetry.span("full text", "RETRIEVER", {"openwork.candidate_id": event.candidate_id}):
        kept = await library.store.get(event.identifiers)
        if kept is not None:
            known, place = kept
            took_s = monotonic() - started
            await run.publish(_completed(event, run, known, place, elapsed_s=took_s, from_cache=True))
            return
        if left_s <= 0:
            await run.publish(_without(event, run, FailureReason.DEADLINE, ("its deadline had passed",), 0.0))
            return
        port = library.port(min(left_s, library.settings.fulltext_limit_s))
        outcome = await fetch_fulltext(event.identifiers, port, library.settings.places)
    elapsed_s = monotonic() - started
    if outcome.document is None:
        await run.publish(_without(event, run, outcome.reason, outcome.tried, elapsed_s))
        return
    text = FullText(
        identifiers=outcome.identifiers,
        sections=outcome.document.readable_sections,
        source=outcome.source or "unknown",
        url=outcome.url,
        license=outcome.document.license,
        tried=(*outcome.tried, *outcome.document.warnings),
    )
    where = await library.store.put(text)
    await run.publish(_completed(event, run, text, where, elapsed_s=elapsed_s, from_cache=False))


async def on_exhausted(event: Event | None, run: Run, error: Exception) -> None:
    """A request that no retry helped: the abstract serves."""
    if not isinstance(event, FulltextRequested):
        await end_in_failure(event, run, error)
        return
    reason = error.reason if isinstance(error, OpenWorkError) else FailureReason.INTERNAL
    await run.publish(_without(event, run, reason, (public_message("full text", error),), 0.0))


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
