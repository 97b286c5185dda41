"""Services over works of one's own, in an outside world on this machine that speaks as the sources do."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.question import AskOptions, AskRequest
from openwork_gateway.domain.folds import fold
from openwork_gateway.watch import watch
from openwork_laptop.processes import Processes
from openwork_laptop.stack import Stack, client, prepare

from tests.asking import submit
from tests.fakes.upstream.app import environment, upstream
from tests.fakes.upstream.corpus import Work
from tests.nats_server import OpenServer


@asynccontextmanager
async def offline(
    works: Sequence[Work], variables: Mapping[str, str], *, processes: bool = False
) -> AsyncIterator[tuple[JetStreamBus, Stack | Processes]]:
    """A bus to ask on, and the services.

    Args:
        works: that every source knows, beside the starter library's.
        variables: settings of the services.
        processes: one process for each service in place of one for all.
    """
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        outside = await stack.enter_async_context(upstream(recorded=False, works=works))
        os.environ |= environment(outside.url) | {"OPENWORK_LOG_LEVEL": "ERROR"} | variables
        server = OpenServer(folder / "nats")
        await server.start()
        stack.push_async_callback(server.stop)
        await prepare(server.url)
        services = (Processes if processes else Stack)(server.asker_url, logins=server.logins)
        stack.push_async_callback(services.stop)
        await services.start()
        yield await stack.enter_async_context(client(server.url)), services


async def asked(
    bus: JetStreamBus, question: str, pipeline: str, *, within_s: float = 600, **options: object
) -> tuple[float, AnswerDocument]:
    """Seconds until the end, and the document."""
    started = time.perf_counter()
    request = AskRequest(question=question, pipeline=pipeline, options=AskOptions(**options))  # type: ignore[arg-type]
    reply = await submit(bus, request, ServiceSettings())
    async with asyncio.timeout(within_s):
        document = fold([stored async for stored in watch(bus, reply.run_id or "")])
    return time.perf_counter() - started, document
