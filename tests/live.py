"""The whole stack with the local upstream in place of the network, for tests of live runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.question import AskOptions, AskRequest
from openwork_gateway.domain.folds import fold
from openwork_gateway.watch import watch
from openwork_laptop.stack import Stack, client, prepare

from tests.asking import submit
from tests.fakes.upstream.app import environment, upstream
from tests.fakes.upstream.corpus import Work
from tests.fakes.upstream.server import Server
from tests.nats_server import OpenServer

QUESTION = "What is the dose of apixaban in atrial fibrillation compared with warfarin, and its safety?"

HASTY = {
    "OPENWORK_HTTP_READ_TIMEOUT_S": "0.5",
    "OPENWORK_DRUG_NAMES_S": "0.6",
    "OPENWORK_RETRIEVAL_DEADLINE_S": "3",
    "OPENWORK_FULLTEXT_DEADLINE_S": "4",
}
"""For tests in which a source hangs: they wait until it is given up."""


class Live:
    """The stack with its upstream."""

    def __init__(self, bus: JetStreamBus, server: Server, stack: Stack) -> None:
        self.bus = bus
        self.server = server
        self.services = {service.name: service for service in stack.services}

    async def ask(self, question: str = QUESTION, *, sources: tuple[str, ...] | None = None) -> AnswerDocument:
        request = AskRequest(question=question, options=AskOptions(sources=sources))
        reply = await submit(self.bus, request, ServiceSettings())
        assert reply.run_id is not None
        async with asyncio.timeout(180):
            return fold([stored async for stored in watch(self.bus, reply.run_id)])


@asynccontextmanager
async def running(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sources: Sequence[str],
    *,
    works: Sequence[Work] = (),
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Live]:
    """The stack on these sources, with limits that a busy machine does not reach.

    Args:
        works: what the upstream knows besides its own.
        environ: settings that differ; `HASTY` where something is to take too long.
    """
    async with upstream(recorded=False, works=works) as server:
        for name, value in environment(server.url).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("OPENWORK_SOURCES", ",".join(sources))
        monkeypatch.setenv("OPENWORK_REACHABILITY_FILE", "")
        monkeypatch.setenv("OPENWORK_HTTP_BACKOFF_S", "0.01")
        monkeypatch.setenv("OPENWORK_HTTP_READ_TIMEOUT_S", "10")
        monkeypatch.setenv("OPENWORK_HTTP_TRIES", "2")
        monkeypatch.setenv("OPENWORK_DRUG_NAMES_S", "10")
        monkeypatch.setenv("OPENWORK_NCBI_API_KEY", "any")  # 10 requests per second instead of 3
        monkeypatch.setenv("OPENWORK_RETRIEVAL_DEADLINE_S", "30")
        monkeypatch.setenv("OPENWORK_FULLTEXT_DEADLINE_S", "30")
        monkeypatch.setenv("OPENWORK_HOME", str(tmp_path / "home"))
        for name, value in (environ or {}).items():
            monkeypatch.setenv(name, value)
        nats = OpenServer(tmp_path / "nats")
        await nats.start()
        await prepare(nats.url)
        stack = Stack(nats.asker_url, logins=nats.logins)
        await stack.start()
        async with client(nats.url) as bus:
            yield Live(bus, server, stack)
        await stack.stop()
        await nats.stop()
