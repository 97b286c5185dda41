"""Services that are started together are stopped together."""

from __future__ import annotations

import asyncio

import pytest
from openwork_laptop.stack import Stack


class Slow:
    """A service that is not yet started when another one fails, and that a cancellation does not stop at once."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def start(self) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            self.told.append("started")
            raise

    async def stop(self) -> None:
        self.told.append("stopped")


class Failing(Slow):
    async def start(self) -> None:
        raise RuntimeError("no consumer")


async def test_a_service_that_still_starts_is_waited_for_before_it_is_stopped() -> None:
    """One that went on after its stop would ask a closed connection for messages for ever."""
    stack = Stack("nats://127.0.0.1:1", ())
    slow = Slow()
    stack.services = [slow, Failing()]  # type: ignore[list-item]
    with pytest.raises(RuntimeError, match="no consumer"):
        await stack.start()
    assert slow.told == ["started", "stopped"]
