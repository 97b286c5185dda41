"""Waiting for what another task or process does: for the condition, not for a time, since a machine may be busy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

LONG_S = 60.0
"""More than anything takes that works, on a machine with ten times too much to do."""


async def until(holds: Callable[[], object], *, within_s: float = LONG_S) -> None:
    """Return when it holds.

    Raises:
        TimeoutError: it did not come to hold within so many seconds; its own assertion then says more than this one.
    """
    async with asyncio.timeout(within_s):
        while not holds():  # noqa: ASYNC110 - what is waited for is no event
            await asyncio.sleep(0.01)
