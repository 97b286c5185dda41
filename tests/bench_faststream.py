"""What FastStream costs per message: a handler that does nothing, called by FastStream and by a bare pull loop.

python -m tests.bench_faststream [N]: CPU milliseconds per message of both, on a nats-server of its own; for
docs/adr/0007-what-faststream-does.md.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

from faststream import Context
from openwork_bus.connection import connect
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.run import Run
from openwork_bus.service import Service
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import ensure_topology
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import STREAM, consumer_named

from tests.builders import run_on, submitted
from tests.nats_server import OpenServer


async def by_faststream(settings: ServiceSettings, n: int) -> float:
    """CPU seconds of a service whose handler counts to n."""
    done, seen = asyncio.Event(), [0]

    async def handler(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        seen[0] += 1
        if seen[0] == n:
            done.set()

    service = Service("query", settings)
    service.subscribe(consumer_named("query"), handler)
    started = time.process_time()
    await service.start()
    await asyncio.wait_for(done.wait(), 120)
    used = time.process_time() - started
    await service.stop()
    return used


async def by_hand(bus: JetStreamBus, n: int) -> float:
    """CPU seconds of four loops that fetch, decode and acknowledge."""
    js, seen = bus.connection.jetstream(timeout=5), [0]
    started = time.process_time()

    async def loop() -> None:
        subscription = await js.pull_subscribe_bind("query", STREAM)
        while seen[0] < n:
            try:
                (message,) = await subscription.fetch(1, timeout=1)
            except TimeoutError:
                continue
            event = await bus.decode(message.subject, message.data, headers=message.headers or {})
            Run(event.meta.run_id, bus=bus, service="query", cause=event)
            seen[0] += 1
            await message.ack()

    await asyncio.gather(*(loop() for _ in range(4)))
    return time.process_time() - started


async def main(n: int) -> None:
    """Print the line."""
    with tempfile.TemporaryDirectory() as folder:
        server = OpenServer(Path(folder))
        await server.start()
        settings = ServiceSettings(nats_url=server.url)
        connection = await connect(settings, name="bench")
        bus = JetStreamBus(connection, settings)
        figures: dict[str, float] = {}
        for name in ("hand", "faststream"):
            await ensure_topology(connection.jetstream(timeout=10), settings, ())
            for _ in range(n):
                run = run_on(bus)
                await bus.publish(submitted(run))
            used = await (by_hand(bus, n) if name == "hand" else by_faststream(settings, n))
            figures[name] = used / n * 1000
        bare, framed = figures["hand"], figures["faststream"]
        print(f"CPU per message: bare loop {bare:.2f} ms, FastStream {framed:.2f} ms ({n} each)")
        await connection.close()
        await server.stop()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
