"""What figures cost: a message with and without its counting, a reading of all services, the import; one table.

.venv/bin/python -m tests.bench_metrics
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

from openwork_bus.figures import Figures
from openwork_bus.middleware import Counted, Settle

from tests.api_stack import api_stack

MESSAGES = 20_000
ROUNDS = 7
READINGS = 50
SUBJECT = "openwork.v1.answer-drafted.answer.all.01JABCDEFGHJKMNPQRSTVWXYZ0.affirmative.0.0"


async def main() -> None:
    """Measure and print."""
    plain_us, counted_us = await _per_message()
    print(f"processor time of a message whose handler does nothing  {plain_us:8.1f} us")
    print(f"the same, counted                                       {counted_us:8.1f} us")
    print(f"of which the counting                                   {counted_us - plain_us:8.1f} us")
    first_ms, again_ms, size = await _reading()
    print(f"a reading of all services that asks the server          {first_ms:8.1f} ms, {size} bytes")
    print(f"a reading within five seconds of another                {again_ms:8.1f} ms")
    print(f"import of the figures after that of a service           {_import_ms():8.1f} ms")


async def _per_message() -> tuple[float, float]:
    """Processor time per message, without counting and with it, in microseconds; the median of several rounds."""

    async def nothing(*given: object) -> None: ...

    metadata = SimpleNamespace(num_delivered=1)
    message = SimpleNamespace(raw_message=SimpleNamespace(subject=SUBJECT, headers={}, metadata=metadata))
    settle = Settle(None, context=None, durable="verifier", delays_s=(1.0,), exhausted=nothing, dead_letter=nothing)
    figures, events = Figures("verifier"), frozenset({"answer-drafted"})

    async def plain() -> None:
        await settle.consume_scope(nothing, message)

    async def counted() -> None:
        middleware = Counted(None, context=None, figures=figures, durable="verifier", events=events)
        await middleware.consume_scope(lambda msg: settle.consume_scope(nothing, msg), message)

    rounds = [(await _spent_us(plain), await _spent_us(counted)) for _ in range(ROUNDS)]
    return median(one for one, _ in rounds), median(two for _, two in rounds)


async def _spent_us(work: Callable[[], Awaitable[Any]]) -> float:
    begun = time.process_time()
    for _ in range(MESSAGES):
        await work()
    return (time.process_time() - begun) / MESSAGES * 1e6


async def _reading() -> tuple[float, float, int]:
    """Milliseconds of the first reading and of later ones, and how much there is to read."""
    with tempfile.TemporaryDirectory() as folder:
        async with api_stack(Path(folder)) as stack:
            first_ms, text = await _read_ms(stack.services.metrics)
            again = [(await _read_ms(stack.services.metrics))[0] for _ in range(READINGS)]
            return first_ms, median(again), len(text)


async def _read_ms(read: Callable[[], Awaitable[bytes]]) -> tuple[float, bytes]:
    begun = time.perf_counter()
    text = await read()
    return (time.perf_counter() - begun) * 1e3, text


def _import_ms() -> float:
    """What `prometheus_client` adds where everything else of a service is imported, in milliseconds."""
    code = (
        "import sys, time\n"
        "import faststream.nats, nats, uvicorn, pydantic_settings, opentelemetry.trace, openwork_contracts.subjects\n"
        "begun = time.perf_counter()\n"
        "import prometheus_client\n"
        "print((time.perf_counter() - begun) * 1e3)\n"
    )
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(ROUNDS)
    ]
    return median(runs)


if __name__ == "__main__":
    asyncio.run(main())
