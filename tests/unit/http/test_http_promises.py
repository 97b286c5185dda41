"""What a search keeps for its read while others wait for the same budget: one slot, however often it is sent."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from openwork_http.client import HttpClient
from openwork_http.limits import BudgetUsedUp
from openwork_http.messages import HttpRequest
from openwork_http.settings import HttpSettings
from openwork_http.source_port import SourcePort
from openwork_http.terms import OutsideService, RateBudget
from openwork_http.turns import Turn, Urgency

from tests.fakes.upstream.messages import Reply, Request
from tests.fakes.upstream.server import Server

SERVICE = OutsideService("ncbi", RateBudget("ncbi.anonymous", 20))
SEARCH, READ = Turn(then=1), Turn(Urgency.READ)


def app(request: Request) -> Reply:
    moved = {"location": "/search?to=here"}
    return Reply(status=301, headers=moved) if request.path == "/moved" else Reply(b'{"found": 1}')


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server(app) as running:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[HttpClient]:
    async with HttpClient(HttpSettings(http_backoff_s=0.01, reachability_file=None)) as made:
        yield made


async def send(port: SourcePort, server: Server, path: str, turn: Turn) -> None:
    await (await port.send(HttpRequest("GET", f"{server.url}{path}", turn=turn))).read()


async def kept(client: HttpClient, server: Server) -> int:
    """How many calls another question is told to wait for."""
    with pytest.raises(BudgetUsedUp) as told:
        await send(client.port(SERVICE, within_s=5), server, "/another", Turn(then=1, answer_s=100))
    before = re.search(r"(\d+) calls of other questions", str(told.value))
    return int(before[1]) if before else 0


@pytest.mark.parametrize("fails", [0, 1, 2])
async def test_one_search_keeps_one_slot_for_its_read_however_often_it_is_tried(
    server: Server, client: HttpClient, fails: int
) -> None:
    if fails:
        server.fault("503", times=fails)
    port = client.port(SERVICE)
    await send(port, server, "/search", SEARCH)
    assert server.count() == 1 + fails
    assert await kept(client, server) == 1
    await send(port, server, "/read", READ)
    assert await kept(client, server) == 0


async def test_a_search_that_is_sent_on_elsewhere_keeps_one_slot_too(server: Server, client: HttpClient) -> None:
    await send(client.port(SERVICE), server, "/moved", SEARCH)
    assert server.count() == 2
    assert await kept(client, server) == 1


async def test_a_read_whose_search_was_answered_from_the_cache_takes_no_slot_kept_for_another(
    server: Server, client: HttpClient
) -> None:
    caching = replace(SERVICE, cache_ttl_s=60)
    request = HttpRequest("GET", f"{server.url}/search", turn=SEARCH)
    first = client.port(caching)
    await first.send(request)
    await send(first, server, "/read", READ)
    await send(client.port(SERVICE), server, "/other-search", SEARCH)
    second = client.port(caching)
    assert (await second.send(request)).from_cache
    await send(second, server, "/another-read", READ)
    assert await kept(client, server) == 1


async def test_a_search_that_leads_to_several_reads_keeps_a_slot_for_each_until_they_wait_themselves(
    server: Server, client: HttpClient
) -> None:
    """An EPost comes first, and the reads of its parts at once after it."""
    port = client.port(SERVICE)
    await send(port, server, "/search", Turn(then=4))
    assert await kept(client, server) == 4
    await send(port, server, "/post", Turn(Urgency.READ, then=3))
    assert await kept(client, server) == 3
    await send(port, server, "/read", READ)
    assert await kept(client, server) == 0


async def test_a_second_search_of_the_same_work_keeps_no_second_slot(server: Server, client: HttpClient) -> None:
    port = client.port(SERVICE)
    await send(port, server, "/search", SEARCH)
    await send(port, server, "/broader", SEARCH)
    assert await kept(client, server) == 1


async def test_a_count_that_nobody_waits_for_leaves_the_slot_of_the_read(server: Server, client: HttpClient) -> None:
    port = client.port(SERVICE)
    await send(port, server, "/search", SEARCH)
    await send(port, server, "/count", Turn(Urgency.SPARE))
    assert await kept(client, server) == 1
