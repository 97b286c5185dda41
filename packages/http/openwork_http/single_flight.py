"""Callers who want the same at the same time wait for one of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    leader: object
    waiting: int = 0


class SingleFlight(Generic[T]):
    """What is under way, by key. Nothing is kept once it has ended: neither an answer nor a failure."""

    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}

    def leader(self, key: str) -> object:
        """Who made what is under way; `None` = nothing is, or nobody was named."""
        return self._flights[key].leader if self._is_under_way(key) else None

    def _is_under_way(self, key: str) -> bool:
        """One that has ended may stand there a moment longer, until the last who waited for it has heard of it."""
        return key in self._flights and not self._flights[key].task.done()

    async def run(self, key: str, make: Callable[[], Awaitable[T]], who: object = None) -> tuple[T, bool]:
        """What `make` gives, and whether somebody else's call brought it.

        A caller who goes away takes nothing from the others; the last one to go away ends the work.

        Args:
            who: the caller, for those who join it.
        """
        joined = self._is_under_way(key)
        if not joined:
            self._flights[key] = _Flight(asyncio.ensure_future(_awaited(make())), who)
        flight = self._flights[key]
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task), joined
        finally:
            flight.waiting -= 1
            if flight.waiting == 0:
                flight.task.cancel()  # does nothing to one that is done
                if self._flights.get(key) is flight:
                    del self._flights[key]


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable
