"""Waiting for runs: until one has ended, or for each of its events as it is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

from openwork_bus.bus import Bus, StoredEvent
from openwork_contracts.errors import BusUnavailable, ContractViolation, FailureReason
from openwork_contracts.subjects import end_filter, is_timer, parse_subject, run_filter

GRACE_S = 15.0
"""How much longer than its deadline a watcher waits for a run's end, which the gateway writes."""
_LOOK_S = 2.0
"""Between two looks at the stream of one who waits, where nobody told of the end."""
_TOLD_S = (0.01, 0.05, 0.25)
"""Between looks after the end was told of: what is published is heard before it is stored."""
_FOLLOW_S = (0.01, 0.02, 0.05, 0.1, 0.25)
"""Between looks of one who follows a run, longer while nothing comes."""


class EndWatch:
    """Wakes those who wait for a run's end. Told by a subscription; who is not told looks by itself."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[asyncio.Event]] = {}

    def tell(self, subject: str) -> None:
        """An end was published, and may have been refused: whoever waits for that run looks whether it is stored."""
        with suppress(ContractViolation):
            for waiting in self._waiting.get(parse_subject(subject).run_id, ()):
                waiting.set()

    async def wait(self, bus: Bus, run_id: str, within_s: float) -> bool:
        """Whether the run has its end, or has it within this time."""
        give_up = asyncio.get_running_loop().time() + within_s
        pauses: Iterator[float] = iter(())
        with self._listed(run_id) as told:
            while not await bus.subjects(end_filter(run_id)):
                left = give_up - asyncio.get_running_loop().time()
                if left <= 0:
                    return False
                pause = next(pauses, None)
                if pause is not None:
                    await asyncio.sleep(min(pause, left))
                    continue
                with suppress(TimeoutError):
                    await asyncio.wait_for(told.wait(), min(_LOOK_S, left))
                    told.clear()
                    pauses = iter(_TOLD_S)
        return True

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
                new = [s for s in await bus.subjects(run_filter(run_id)) - seen if not is_timer(s)]
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
