"""The event loop: uvloop where it runs, which makes a message cost a third less (docs/benchmarks.md)."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`; an interrupt before the first step of `main` leaves no coroutine that "was never awaited"."""
    try:
        try:
            import uvloop
        except ImportError:  # Windows
            return asyncio.run(main)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(main)
    finally:
        if inspect.getcoroutinestate(main) == inspect.CORO_CREATED:
            main.close()
