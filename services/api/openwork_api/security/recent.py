"""What was read a moment ago, for as long as it may be believed."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")

MOST = 10_000
"""Entries; the one that was longest not asked for goes first."""


class Recent(Generic[T]):
    """Values by key, each believed for some seconds. Nothing found is believed as long."""

    def __init__(self, for_s: float, *, most: int = MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self._for_s = for_s
        self._most = most
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, T]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def has(self, key: str) -> bool:
        """Whether its value is believed at the moment."""
        return key in self._known and self._known[key][0] > self._clock()

    async def get(self, key: str, read: Callable[[str], Awaitable[T]]) -> T:
        """The value that is believed, else the one that is read now. Raises what reading raises."""
        if self.has(key):
            self._known.move_to_end(key)
            return self._known[key][1]
        self.forget(key)
        until = self._clock() + self._for_s  # from before the reading: what is read may be that old
        value = await read(key)
        self._known[key] = (until, value)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return value

    def forget(self, key: str) -> None:
        """Read it anew the next time."""
        self._known.pop(key, None)
