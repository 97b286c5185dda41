"""What waits where, each second: to see why a requirement was missed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import monotonic

from nats.errors import Error as NatsError
from nats.js.errors import Error as JetStreamError
from openwork_contracts.subjects import STREAM

from tests.chaos.system import System
from tests.processor import processor_s


@asynccontextmanager
async def printed(system: System) -> AsyncIterator[None]:
    """As long as this lasts, a line a second on stderr."""
    task = asyncio.create_task(_print_always(system))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _print_always(system: System) -> None:
    js, begun = system.bus.connection.jetstream(timeout=2), monotonic()
    begun_before: dict[str, int] = {}
    spent_before: dict[str, float] = {}
    while True:
        with suppress(NatsError, JetStreamError, OSError):
            waits, busy = [], []
            for info in await js.consumers_info(STREAM):
                n = info.delivered.consumer_seq if info.delivered else 0
                rate = n - begun_before.get(info.name, n)
                begun_before[info.name] = n
                if info.num_pending or rate:
                    waits.append(f"{info.name} {info.num_pending}+{info.num_ack_pending} {rate}/s")
            inboxes = [(await js.stream_info(f"OPENWORK_INBOX_{name}")).state.messages for name in system.askers]
            for key, pid in [*system.services.pids.items(), ("nats", system.server.pid)]:
                spent = _spent_s(pid)
                busy.append(f"{key.removesuffix('-0')} {spent - spent_before.get(key, spent):.0%}")
                spent_before[key] = spent
            line = f"{monotonic() - begun:6.1f} s  inboxes {inboxes}  {', '.join(waits)}\n          {', '.join(busy)}\n"
            sys.stderr.write(line)
        await asyncio.sleep(1.0)


def _spent_s(pid: int) -> float:
    return processor_s(pid) if Path(f"/proc/{pid}").exists() else 0.0
