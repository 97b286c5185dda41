"""Ending tasks that go on for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

_AGAIN_S = 0.5
_MOST_TRIES = 10


async def end_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait for them.

    Again and again: `asyncio.wait_for` of Python 3.11 swallows a cancellation that comes at the moment in which what it
    waits for is there (cpython issue 86296), and a task that goes on for ever would then be waited for for ever.
    """
    left = [task for task in tasks if not task.done()]
    for _ in range(_MOST_TRIES):
        if not left:
            return
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=_AGAIN_S)
        left = [task for task in left if not task.done()]
