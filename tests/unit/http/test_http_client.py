"""The client against a real server on loopback that misbehaves in every way it is told to."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import random
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from openwork_contracts.errors import FailureReason, OpenWorkError, SourceChanged, SourceUnavailable, UsageError
from openwork_http.circuit import CircuitState, InProcessReachability
from openwork_http.client import HttpClient
from openwork_http.exchange import NotConnected, ResponseTooLarge
from openwork_http.limits import LocalRateLimiter
from openwork_http.messages import HttpRequest
from openwork_http.settings import HttpSettings
from openwork_http.terms import OutsideService, RateBudget
from openwork_http.turns import Turn

from tests.fakes.upstream.faults import FaultKind
from tests.fakes.upstream.messages import Reply, Request, json_reply
from tests.fakes.upstream.server import Server

BODY = b'{"found": ["' + b"evidence " * 2000 + b'"]}'
SECRET = "do-not-show-me"


def app(request: Request) -> Reply:
    if request.path == "/gzip":
        return Reply(gzip.compress(BODY), headers={"content-encoding": "gzip"})
    if request.path == "/moved":
        return Reply(status=301, headers={"location": "/echo?to=here"})
    if request.path == "/circle":
        return Reply(status=301, headers={"location": "/circle"})
    if request.path == "/away":
        return Reply(status=302, headers={"location": request.get("to")})
    if request.path == "/brotli":
        return Reply(b"???", headers={"content-encoding": "br"})
    if request.path == "/echo":
        return json_reply(
            {"params": dict(request.params), "headers": dict(request.headers), "body": request.body.decode()}
        )
    if request.path == "/ncbi-error":
        return Reply(b"<eFetchResult><ERROR>Unable to obtain query</ERROR></eFetchResult>")
    if request.path == "/missing":
        return json_reply({"error": "not here"}, 404)
    return Reply(BODY)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server(app) as running:
        yield running


def settings(**changed: object) -> HttpSettings:
    chosen: dict[str, object] = {
        "http_backoff_s": 0.01,
        "http_timeout_s": 20.0,
        "http_read_timeout_s": 5.0,
        "reachability_file": None,
        "circuit_failures": 50,
        "contact_email": "tests@example.org",
    }
    return HttpSettings.model_validate(chosen | changed)


Client = Callable[..., Awaitable[HttpClient]]


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    made: list[HttpClient] = []

    async def make(**changed: object) -> HttpClient:
        limiter = changed.pop("limiter", None)
        reachability = changed.pop("reachability", None)
        new = HttpClient(settings(**changed), limiter=limiter, reachability=reachability, rng=random.Random(1))  # type: ignore[arg-type]
        made.append(new)
        return new

    yield make
    for each in made:
        await each.aclose()


async def test_an_answer_comes_whole_with_its_headers(server: Server, client: Client) -> None:
    response = await (await client()).get(f"{server.url}/x")
    assert (response.status, response.headers["content-type"], response.from_cache) == (200, "application/json", False)
    assert await response.read() == BODY


async def test_a_compressed_answer_is_undone(server: Server, client: Client) -> None:
    response = await (await client()).get(f"{server.url}/gzip")
    assert await response.read() == BODY


async def test_an_encoding_that_was_not_offered_is_a_changed_source(server: Server, client: Client) -> None:
    with pytest.raises(SourceChanged, match="'br', which was not offered"):
        await (await client()).get(f"{server.url}/brotli")


async def test_every_request_names_tool_version_and_contact(server: Server, client: Client) -> None:
    await (await client()).get(f"{server.url}/x")
    agent = server.log[0].user_agent
    assert agent.startswith("open-work/")
    assert "mailto:tests@example.org" in agent


async def test_query_form_and_json_arrive_as_they_were_given(server: Server, client: Client) -> None:
    http = await client()
    got = json.loads(await (await http.get(f"{server.url}/echo?a=1", params=(("b", "x y&z"),))).read())
    assert got["params"] == {"a": "1", "b": "x y&z"}
    got = json.loads(await (await http.post(f"{server.url}/echo", form=(("id", "1,2"),))).read())
    assert got["params"] == {"id": "1,2"}
    got = json.loads(await (await http.post(f"{server.url}/echo", json_body=b'{"q": 1}')).read())
    assert (got["body"], got["headers"]["content-type"]) == ('{"q": 1}', "application/json")


@pytest.mark.parametrize("kind", ["429", "502", "503", "504"])
async def test_a_passing_fault_is_tried_again(server: Server, client: Client, kind: str) -> None:
    server.fault(kind, times=2)
    response = await (await client()).get(f"{server.url}/x")
    assert await response.read() == BODY
    assert server.count() == 3


@pytest.mark.parametrize("kind", ["400", "401", "403", "500"])
async def test_a_refusal_is_returned_at_once(server: Server, client: Client, kind: str) -> None:
    server.fault(kind)
    response = await (await client()).get(f"{server.url}/x")
    assert response.status == int(kind)
    assert server.count() == 1


async def test_nothing_there_is_an_answer_and_not_a_failure(server: Server, client: Client) -> None:
    assert (await (await client()).get(f"{server.url}/missing")).status == 404
    assert server.count() == 1


async def test_a_lasting_429_is_rate_limited_and_says_how_often_it_was_tried(server: Server, client: Client) -> None:
    server.fault("429", retry_after="0")
    with pytest.raises(SourceUnavailable, match=r"answered 429 to GET http://.*/x; .* wait 0 s \(try 3 of 3\)") as told:
        await (await client()).get(f"{server.url}/x")
    assert told.value.reason is FailureReason.RATE_LIMITED


async def test_a_retry_after_beyond_the_deadline_ends_the_call_at_once(server: Server, client: Client) -> None:
    server.fault("429", retry_after="3600")
    with pytest.raises(SourceUnavailable, match="no time is left for another") as told:
        await (await client()).get(f"{server.url}/x")
    assert told.value.retry_after_s == 3600
    assert server.count() == 1


async def test_a_date_in_retry_after_is_understood(server: Server, client: Client) -> None:
    server.fault("503", retry_after="Thu, 01 Jan 2099 00:00:00 GMT")
    with pytest.raises(SourceUnavailable) as told:
        await (await client()).get(f"{server.url}/x")
    assert told.value.retry_after_s is not None
    assert told.value.retry_after_s > 10**8


@pytest.mark.parametrize("kind", ["hang", "drip"])
async def test_hanging_and_dripping_end_at_the_deadline(server: Server, client: Client, kind: str) -> None:
    """A byte every tenth of a second resets every read timeout; the deadline is for the whole answer."""
    server.fault(kind)
    http = await client(http_timeout_s=0.5)
    with pytest.raises(SourceUnavailable, match=r"within 0\.5 s") as told:
        await http.get(f"{server.url}/x")
    assert told.value.reason is FailureReason.TIMEOUT


async def test_silence_is_given_up_and_tried_again_within_the_deadline(server: Server, client: Client) -> None:
    server.fault("hang", times=1)
    response = await (await client(http_read_timeout_s=0.3)).get(f"{server.url}/x")
    assert await response.read() == BODY


@pytest.mark.parametrize(
    ("kind", "said"),
    [("huge", "had come"), ("huge-declared", "200,000,000 bytes were announced"), ("gzip-bomb", "unpacked")],
)
async def test_an_endless_answer_is_cut_off_in_little_memory(
    server: Server, client: Client, kind: str, said: str
) -> None:
    """200 MB, announced or not, and 10 GB out of 10 MB: at most the limit and some pieces are ever held."""
    server.fault(kind)
    http = await client(http_max_response_bytes=1_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(ResponseTooLarge, match=said) as told:
            await http.get(f"{server.url}/x")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert told.value.reason is FailureReason.TOO_LARGE
    assert peak < 12_000_000
    assert server.count() == 1


@pytest.mark.parametrize("kind", [FaultKind.HTML, FaultKind.SCHEMA, FaultKind.TRUNCATED, FaultKind.XML_BOMB])
async def test_what_only_a_parser_can_tell_is_passed_on(server: Server, client: Client, kind: FaultKind) -> None:
    server.fault(kind)
    assert (await (await client()).get(f"{server.url}/x")).status == 200


async def test_a_redirect_within_the_service_is_followed_with_its_headers(server: Server, client: Client) -> None:
    response = await (await client()).get(f"{server.url}/moved", params=(("q", "1"),), headers=(("x-api-key", "k"),))
    got = json.loads(await response.read())
    assert (got["params"], got["headers"]["x-api-key"]) == ({"to": "here"}, "k")


async def test_a_redirect_in_a_circle_ends(server: Server, client: Client) -> None:
    with pytest.raises(SourceChanged, match="more than 3 times"):
        await (await client()).get(f"{server.url}/circle")
    assert server.count() == 4


@pytest.mark.parametrize("host", ["localhost", "u:p@127.0.0.1"])
async def test_a_redirect_to_another_host_or_user_is_not_followed(server: Server, client: Client, host: str) -> None:
    """Even one that leads to the same machine."""
    url = f"{server.url}/away?to=http://{host}:{server.port}/x"
    assert (await (await client()).get(url)).status == 302
    assert server.count() == 1


async def test_a_redirect_to_the_metadata_service_is_not_followed(server: Server, client: Client) -> None:
    server.fault("redirect")
    response = await (await client()).get(f"{server.url}/x")
    assert (response.status, server.count()) == (302, 1)


async def test_a_name_that_does_not_exist_is_told_apart_and_not_tried_again(client: Client) -> None:
    memory = InProcessReachability()
    http = await client(reachability=memory)
    with pytest.raises(SourceUnavailable, match=r"cannot be reached .* \(try 1 of 3\)") as told:
        await http.get("http://no-such-host.invalid/x")
    assert told.value.reason is FailureReason.UNREACHABLE
    assert isinstance(told.value.__cause__, NotConnected)
    assert memory.known("no-such-host.invalid:80")
    with pytest.raises(
        SourceUnavailable, match=r"was not asked: no-such-host\.invalid:80 could not be reached 0 s ago"
    ):
        await http.get("http://no-such-host.invalid/y")


async def test_a_refused_connection_is_tried_again_and_then_remembered(client: Client) -> None:
    async with Server(app) as server:
        url = server.url
    memory = InProcessReachability()
    http = await client(reachability=memory)
    with pytest.raises(SourceUnavailable, match=r"\(try 3 of 3\)"):
        await http.get(f"{url}/x")
    assert memory.known(url.removeprefix("http://"))


async def test_another_process_spares_itself_the_wait(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "unreachable.json"
    with pytest.raises(SourceUnavailable, match="cannot be reached"):
        await (await client(reachability_file=file)).get("http://no-such-host.invalid/x")
    with pytest.raises(SourceUnavailable, match="was not asked"):
        await (await client(reachability_file=file)).get("http://no-such-host.invalid/x")


async def test_an_address_that_cannot_be_sent_is_our_fault(client: Client) -> None:
    http = await client()
    for url in ("http://exa mple.org:port/", "http://example.org:99999999/", "ftp://127.0.0.1/x", "no address"):
        with pytest.raises(UsageError, match="cannot be sent"):
            await http.get(url)


async def test_a_key_with_a_line_break_is_refused_and_not_shown(server: Server, client: Client) -> None:
    with pytest.raises(UsageError, match="line break") as told:
        await (await client()).get(f"{server.url}/x", headers=(("Authorization", f"Bearer {SECRET}\n"),))
    assert SECRET not in str(told.value)
    assert told.value.__cause__ is None


async def test_failures_in_a_row_open_the_circuit_and_nothing_is_sent_any_more(server: Server, client: Client) -> None:
    server.fault("503")
    http = await client(circuit_failures=3)
    service = OutsideService("PubMed")
    with pytest.raises(SourceUnavailable, match="answered 503"):
        await http.port(service).send(HttpRequest("GET", f"{server.url}/x"))
    assert http.circuit(service).state is CircuitState.OPEN
    with pytest.raises(SourceUnavailable, match="PubMed is not asked: 3 tries in a row failed") as told:
        await http.port(service).send(HttpRequest("GET", f"{server.url}/x"))
    assert told.value.reason is FailureReason.CIRCUIT_OPEN
    assert server.count() == 3


async def test_too_many_requests_are_no_reason_to_open_the_circuit(server: Server, client: Client) -> None:
    server.fault("429", times=3)
    http = await client(circuit_failures=1)
    service = OutsideService("PubMed")
    with pytest.raises(SourceUnavailable):
        await http.port(service).send(HttpRequest("GET", f"{server.url}/x"))
    assert http.circuit(service).state is CircuitState.CLOSED


async def test_a_caller_without_time_does_not_open_the_circuit_for_the_others(server: Server, client: Client) -> None:
    server.fault("hang")
    http = await client(circuit_failures=1)
    service = OutsideService("PubMed")
    with pytest.raises(SourceUnavailable, match="did not finish"):
        await http.port(service, within_s=0.2).send(HttpRequest("GET", f"{server.url}/x"))
    assert http.circuit(service).state is CircuitState.CLOSED


async def test_internal_errors_open_it_though_they_are_answers(server: Server, client: Client) -> None:
    server.fault("500")
    http = await client(circuit_failures=2)
    service = OutsideService("PubMed")
    for _ in range(2):
        await http.port(service).send(HttpRequest("GET", f"{server.url}/x"))
    assert http.circuit(service).state is CircuitState.OPEN


async def test_identical_requests_are_made_once_and_then_come_from_the_cache(server: Server, client: Client) -> None:
    port = (await client()).port(OutsideService("PubMed", cache_ttl_s=60))
    request = HttpRequest("GET", f"{server.url}/x", (("q", "aspirin"),))
    together = await asyncio.gather(*(port.send(request) for _ in range(5)))
    later = await port.send(request)
    assert server.count() == 1
    assert [await response.read() for response in (*together, later)] == [BODY] * 6
    assert later.from_cache
    await port.forget()
    assert not (await port.send(request)).from_cache


@pytest.mark.parametrize("path", ["/ncbi-error", "/missing"])
async def test_errors_are_never_given_again(server: Server, client: Client, path: str) -> None:
    port = (await client()).port(OutsideService("NCBI", cache_ttl_s=60, error_marks=(b"<ERROR>",)))
    for _ in range(2):
        assert not (await port.send(HttpRequest("GET", f"{server.url}{path}"))).from_cache
    assert server.count() == 2


async def test_a_service_whose_terms_forbid_it_is_not_cached(server: Server, client: Client) -> None:
    port = (await client()).port(OutsideService("PubMed"))
    for _ in range(2):
        await port.send(HttpRequest("GET", f"{server.url}/x"))
    assert server.count() == 2


async def test_a_used_up_budget_is_an_error_when_there_is_no_time_to_wait(server: Server, client: Client) -> None:
    http = await client(http_timeout_s=1.0)
    port = http.port(OutsideService("PubMed", RateBudget("pubmed", 0.1)))
    await port.send(HttpRequest("GET", f"{server.url}/x"))
    with pytest.raises(
        SourceUnavailable, match=r"our own budget of 0\.1 requests a second for pubmed, .* used up"
    ) as told:
        await port.send(HttpRequest("GET", f"{server.url}/y"))
    assert told.value.reason is FailureReason.OWN_LIMIT
    assert server.count() == 1


async def test_a_try_that_has_no_turn_for_a_second_one_is_told_as_what_the_service_did(
    server: Server, client: Client
) -> None:
    server.fault("cut", "/x")
    port = (await client(http_timeout_s=1.0)).port(OutsideService("PubMed", RateBudget("pubmed", 0.1)))
    with pytest.raises(SourceUnavailable, match=r"not tried again, since our own budget") as told:
        await port.send(HttpRequest("GET", f"{server.url}/x"))
    assert told.value.reason is FailureReason.UNREACHABLE
    assert server.count() == 1


async def test_a_free_slot_whose_following_calls_come_too_late_is_not_called_a_used_up_budget() -> None:
    turn = Turn(then=2, answer_s=1.0)
    with pytest.raises(SourceUnavailable, match=r"too slow for the time left: .* 3\.\d s, and 1\.\d s are left"):
        await LocalRateLimiter().acquire(RateBudget("ncbi", 3), within_s=1.5, turn=turn)


async def test_a_retry_after_holds_every_request_of_the_budget(server: Server, client: Client) -> None:
    limiter = LocalRateLimiter()
    http = await client(limiter=limiter)
    budget = RateBudget("pubmed", 100)
    server.fault("429", "/x", retry_after="3600")
    with pytest.raises(SourceUnavailable):
        await http.port(OutsideService("PubMed", budget)).send(HttpRequest("GET", f"{server.url}/x"))
    with pytest.raises(SourceUnavailable, match="used up"):
        await limiter.acquire(budget, within_s=5)


async def test_the_time_of_one_port_is_for_all_its_requests(server: Server, client: Client) -> None:
    server.fault("hang")
    port = (await client()).port(OutsideService("PubMed"), within_s=0.3)
    for _ in range(2):
        with pytest.raises(SourceUnavailable, match="did not finish"):
            await port.send(HttpRequest("GET", f"{server.url}/x"))


async def test_a_stream_gives_the_body_as_it_comes_and_ends_at_the_limit(server: Server, client: Client) -> None:
    http = await client(http_max_response_bytes=1_000_000)
    async with http.stream(HttpRequest("GET", f"{server.url}/x")) as response:
        assert await response.read() == BODY
    server.fault("503", times=1)
    async with http.stream(HttpRequest("GET", f"{server.url}/x")) as response:
        assert response.status == 200
    server.fault("huge")
    async with http.stream(HttpRequest("GET", f"{server.url}/x")) as response:
        with pytest.raises(ResponseTooLarge):
            await response.read()


async def test_a_stream_that_is_left_early_keeps_nothing_open(server: Server, client: Client) -> None:
    http = await client(http_max_connections=1)
    for _ in range(3):
        async with http.stream(HttpRequest("GET", f"{server.url}/x")):
            pass
    assert (await http.get(f"{server.url}/x")).status == 200


@pytest.mark.parametrize("kind", ["429", "cut", "hang", "huge", "400", "gzip-bomb"])
async def test_no_key_is_ever_shown(
    server: Server, client: Client, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    """Not in an error, not in its causes, not in a log line at any level."""
    for logger in (None, "httpx", "httpcore"):  # services quieten the last two for the whole process
        caplog.set_level(logging.DEBUG, logger)
    server.fault(kind)
    http = await client(http_timeout_s=1.0, http_read_timeout_s=0.2, http_max_response_bytes=100_000)
    request = HttpRequest("GET", f"{server.url}/x", (("api_key", SECRET),), (("Authorization", f"Bearer {SECRET}"),))
    shown: list[str] = []
    try:
        await http.send(request)
    except OpenWorkError as error:
        cause: BaseException | None = error
        while cause is not None:
            shown += [str(cause), repr(cause)]
            cause = cause.__cause__ or cause.__context__
    shown += [f"{record.getMessage()} {record.args}" for record in caplog.records]
    assert shown
    assert not [line for line in shown if SECRET in line]


async def test_a_proxy_is_used_where_one_is_set(server: Server, client: Client) -> None:
    """The name resolves nowhere: only by way of the proxy, which is our server, does the request arrive."""
    response = await (await client(http_proxy=server.url)).get("http://no-such-host.invalid/x")
    assert await response.read() == BODY
    assert server.count("/x") == 1
