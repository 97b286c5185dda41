"""Waiting for runs: until one has ended, or for each of its events as it is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from openwork_bus.bus import Bus, StoredEvent
from openwork_contracts.errors import BusUnavailable, FailureReason
from openwork_contracts.subjects import run_filter

T = TypeVar("T")

GRACE_S = 15.0
"""How much longer than its deadline a watcher waits for a run's end, which the gateway writes."""
_LOOK_S = 2.0
"""Between two looks at the stream of one who waits, where nobody told of the end."""
_FOLLOW_S = (0.01, 0.02, 0.05, 0.1, 0.25)
"""Between looks of one who follows a run, longer while nothing comes."""


class EndWatch:
    """Wakes those who wait for a run's document. Told by what the server republishes; who is not told looks."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[asyncio.Event]] = {}
        self._closed = False

    def tell(self, run_id: str) -> None:
        """A run has its document."""
        for waiting in self._waiting.get(run_id, ()):
            waiting.set()

    def close(self) -> None:
        """Nobody is to wait any more: this gateway stops, and who waits asks another."""
        self._closed = True
        for waiting in self._waiting.values():
            for event in waiting:
                event.set()

    async def wait(self, run_id: str, look: Callable[[], Awaitable[T | None]], within_s: float) -> T | None:
        """What `look` finds, as soon as it finds something; `None` = nothing in time."""
        give_up = asyncio.get_running_loop().time() + within_s
        with self._listed(run_id) as told:
            while (found := await look()) is None and not self._closed:
                left = give_up - asyncio.get_running_loop().time()
                if left <= 0:
                    return None
                with suppress(TimeoutError):
                    await asyncio.wait_for(told.wait(), min(_LOOK_S, left))
                    told.clear()
        return found

    @contextmanager
    def _listed(self, run_id: str) -> Iterator[asyncio.Event]:
        told = asyncio.Event()
        self._waiting.setdefault(run_id, []).append(told)
        try:
            yield told
        finally:
            self._waiting[run_id].remove(told)
            if not self._waiting[run_id]:
                del self._waiting[run_id]


async def watch(bus: Bus, run_id: str, *, within_s: float | None = None) -> AsyncIterator[StoredEvent]:
    """Every event of a run in order, those stored before included; ends after the one that ends the run.

    For programs with a bus of their own (a rerun, a measurement); an asker has its gateway wait.

    Args:
        within_s: the run's deadline in seconds from now; `None` = wait for as long as it takes.
    Raises:
        BusUnavailable: the run had no end `GRACE_S` after its deadline: no service is at work on that server.
    """
    seen: set[str] = set()
    silence = 0
    try:
        async with asyncio.timeout(None if within_s is None else within_s + GRACE_S):
            while True:
                new = await bus.subjects(run_filter(run_id)) - seen
                found = [stored for stored in await asyncio.gather(*map(bus.get, new)) if stored]
                for stored in sorted(found, key=lambda stored: stored.sequence):
                    seen.add(stored.subject)
                    yield stored
                    if stored.event.terminal:
                        return
                silence = 0 if found else silence + 1
                await asyncio.sleep(_FOLLOW_S[min(silence, len(_FOLLOW_S) - 1)])
    except TimeoutError as error:
        raise BusUnavailable(
            f"run {run_id} had no end long after its deadline; are the services running on that server?",
            reason=FailureReason.DEADLINE,
        ) from error
