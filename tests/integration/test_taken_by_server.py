"""What a connection has said is taken by the server before anybody is told so."""

from __future__ import annotations

import pytest
from nats.aio.msg import Msg
from openwork_bus.connection import connect, taken_by_server
from openwork_bus.settings import ServiceSettings

from tests.cut_proxy import cut_proxy
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats


async def _nothing(message: Msg) -> None:
    """Take no notice."""


async def test_a_ping_stands_behind_what_was_subscribed(nats_server: OpenServer, settings: ServiceSettings) -> None:
    """A server reads one connection in order: what it answers tells that it has taken all that stands before."""
    async with cut_proxy(nats_server.url) as proxy:
        login = nats_server.url.rpartition("@")[0]
        through = settings.model_copy(update={"nats_url": f"{login}@{proxy.url.removeprefix('http://')}"})
        connection = await connect(through, name="test")
        try:
            for n in range(20):
                await connection.subscribe(f"subject.{n}", cb=_nothing)
            await taken_by_server(connection)
            sent = proxy.sent
        finally:
            await connection.close()
    assert sent.count(b"SUB subject.") == 20
    assert b"PING" in sent[sent.rindex(b"SUB subject.") :]
