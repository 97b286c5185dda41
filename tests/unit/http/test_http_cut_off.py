"""A good answer that ends too early is asked for once more, and no more often than that."""

from __future__ import annotations

import gzip
import random
from collections.abc import AsyncIterator

import pytest
from openwork_contracts.errors import FailureReason, SourceUnavailable
from openwork_http.client import HttpClient
from openwork_http.limits import LocalRateLimiter
from openwork_http.messages import HttpRequest
from openwork_http.settings import HttpSettings
from openwork_http.terms import OutsideService, RateBudget
from openwork_http.turns import ORDINARY, Turn

from tests.fakes.upstream.messages import Reply, Request
from tests.fakes.upstream.server import Server

BODY = b'{"found": ["' + b"evidence " * 2000 + b'"]}'
SERVICE = OutsideService("PubMed", RateBudget("ncbi", 100))


class Slots(LocalRateLimiter):
    """Counts what is taken of the budget."""

    def __init__(self) -> None:
        super().__init__()
        self.taken = 0

    async def acquire(self, budget: RateBudget, *, within_s: float, turn: Turn = ORDINARY) -> None:
        self.taken += 1


@pytest.fixture
async def client() -> AsyncIterator[HttpClient]:
    settings = HttpSettings(http_backoff_s=0.01, http_tries=5, reachability_file=None)
    async with HttpClient(settings, limiter=Slots(), rng=random.Random(1)) as made:
        yield made


def half(request: Request) -> Reply:
    """A good answer that ends too early, each kind in its own way."""
    if request.path == "/gzip":
        return Reply(gzip.compress(BODY)[:-20], headers={"content-encoding": "gzip"})
    if request.path == "/chunked":
        return Reply(stream=_that_breaks())
    if request.path == "/xml":
        return Reply(b'<?xml version="1.0"?><Set><Record><Title>x</Title></Record>', content_type="text/xml")
    return Reply(BODY[:-300])


async def _that_breaks() -> AsyncIterator[bytes]:
    yield BODY[:300]
    raise ConnectionResetError


async def ask(client: HttpClient, server: Server, way: str) -> bytes:
    return await (await client.port(SERVICE).send(HttpRequest("GET", f"{server.url}{way}"))).read()


BY_THE_NETWORK = ["/length", "/chunked", "/gzip"]
BY_THE_SENDER = ["/json", "/xml"]


@pytest.mark.parametrize("way", [*BY_THE_NETWORK, *BY_THE_SENDER])
async def test_an_answer_that_was_cut_off_once_is_asked_for_once_more(client: HttpClient, way: str) -> None:
    whole = b"<Set><Record/></Set>" if way == "/xml" else BODY
    asked: list[str] = []

    def app(request: Request) -> Reply:
        asked.append(request.path)
        return half(request) if len(asked) == 1 else Reply(whole)

    async with Server(app) as server:
        if way == "/length":
            server.fault("cut", times=1)
        assert await ask(client, server, way) == whole
    assert len(asked) == 2


@pytest.mark.parametrize("way", BY_THE_NETWORK)
async def test_what_the_network_always_cuts_is_an_error_after_two_requests_within_the_budget(
    client: HttpClient, way: str
) -> None:
    """Though other faults are tried five times."""
    async with Server(half) as server:
        if way == "/length":
            server.fault("cut")
        with pytest.raises(SourceUnavailable) as told:
            await ask(client, server, way)
        assert told.value.reason is FailureReason.UNREACHABLE
        assert server.count() == client._limiter.taken == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("way", BY_THE_SENDER)
async def test_what_the_sender_always_cuts_is_passed_on_to_its_parser_after_two_requests(
    client: HttpClient, way: str
) -> None:
    async with Server(half) as server:
        assert await ask(client, server, way) == half(Request("GET", way, {}, {})).body
        assert server.count() == client._limiter.taken == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "body", [b"", b"plain text", b"%PDF-1.4 ...", b"<!DOCTYPE html><html><p>Sorry", b" <a/>\n", b"\xef\xbb\xbf[]"]
)
async def test_what_is_whole_or_has_no_end_to_look_for_is_asked_for_once(client: HttpClient, body: bytes) -> None:
    async with Server(lambda _: Reply(body)) as server:
        assert await ask(client, server, "/x") == body
        assert server.count() == 1


async def test_a_refusal_that_is_cut_off_is_still_a_refusal(client: HttpClient) -> None:
    async with Server(lambda _: Reply(b'{"error": "no', 403)) as server:
        assert (await client.get(f"{server.url}/x")).status == 403
        assert server.count() == 1
