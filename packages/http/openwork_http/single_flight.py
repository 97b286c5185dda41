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
    waiting: int = 0


class SingleFlight(Generic[T]):
    """What is under way, by key. Nothing is kept once it has ended: neither an answer nor a failure."""

    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}

    async def run(self, key: str, make: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """What `make` gives, and whether somebody else's call brought it.

        A caller who goes away takes nothing from the others; the last one to go away ends the work.
        """
        joined = key in self._flights
        if not joined:
            self._flights[key] = _Flight(asyncio.ensure_future(_awaited(make())))
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
