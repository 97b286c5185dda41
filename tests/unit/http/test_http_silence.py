"""A service that kept a run waiting in vain is not asked again in that run; other runs ask it as ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from openwork_contracts.errors import FailureReason, OpenWorkError, SourceUnavailable
from openwork_http import call as call_module
from openwork_http.call import Call
from openwork_http.client import HttpClient
from openwork_http.messages import HttpRequest
from openwork_http.settings import HttpSettings
from openwork_http.silence import InProcessSilence
from openwork_http.terms import OutsideService, RateBudget

from tests.fakes.upstream.messages import Reply
from tests.fakes.upstream.server import Server

SERVICE = OutsideService("europepmc")
BODY = b'{"found": "' + b"x" * 400 + b'"}'


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server(lambda _: Reply(BODY)) as running:
        yield running


@pytest.fixture
def silence() -> InProcessSilence:
    return InProcessSilence()


def client(silence: InProcessSilence) -> HttpClient:
    """As in another process, but for what is remembered."""
    return HttpClient(HttpSettings(http_backoff_s=0.01, reachability_file=None), silence=silence)


@pytest.fixture(autouse=True)
def fair_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_module, "_FAIR_TRY_S", 0.1)


async def ask(http: HttpClient, server: Server, run_id: str | None, within_s: float = 0.3, path: str = "/x") -> bytes:
    port = http.port(SERVICE, within_s=within_s, run_id=run_id)
    return await (await port.send(HttpRequest("GET", f"{server.url}{path}"))).read()


@pytest.mark.parametrize("fault", ["hang", "drip"])
async def test_what_hung_or_dripped_is_asked_once_in_a_run_by_whichever_process(
    server: Server, silence: InProcessSilence, fault: str
) -> None:
    server.fault(fault)
    async with client(silence) as retriever, client(silence) as fulltext:
        with pytest.raises(SourceUnavailable, match="did not finish answering"):
            await ask(retriever, server, "run-1")
        for path in ("/x", "/another"):
            with pytest.raises(SourceUnavailable, match="was not asked again for this question") as told:
                await ask(fulltext, server, "run-1", path=path)
        assert told.value.reason is FailureReason.TIMEOUT
        assert server.count() == 1
        server.faults.clear()
        assert await ask(fulltext, server, "run-2") == BODY
        assert await ask(fulltext, server, None) == BODY


async def test_a_caller_without_time_says_nothing_about_the_service(server: Server, silence: InProcessSilence) -> None:
    server.fault("hang")
    async with client(silence) as http:
        with pytest.raises(SourceUnavailable):
            await ask(http, server, "run-1", within_s=0.02)
        server.faults.clear()  # whether the call came so far as to meet it or not
        assert await ask(http, server, "run-1", within_s=5) == BODY


@pytest.mark.parametrize(
    ("waited_s", "in_line_s", "asked_s", "reason"),
    [
        (5.0, None, 0.05, FailureReason.OWN_LIMIT),
        (0.0, 5.0, None, FailureReason.OWN_LIMIT),
        (5.0, None, 1.0, FailureReason.TIMEOUT),
        (0.0, None, 0.05, FailureReason.TIMEOUT),
    ],
    ids=["sent at the last moment", "never sent", "sent in time", "never in line"],
)
async def test_time_that_went_by_in_our_own_line_is_not_laid_at_the_services_door(
    waited_s: float, in_line_s: float | None, asked_s: float | None, reason: FailureReason
) -> None:
    now = asyncio.get_running_loop().time()
    service = OutsideService("europepmc", budget=RateBudget("europepmc", 2))
    call = Call(HttpRequest("GET", "https://example.org/x"), service, timeout_s=6.0, deadline=now, waited_s=waited_s)
    call.sent_at = None if asked_s is None else now - asked_s
    call.in_line_since = None if in_line_s is None else now - in_line_s
    error = call.late()
    assert error.reason is reason
    assert ("europepmc itself did not fail" in str(error)) is (reason is FailureReason.OWN_LIMIT)
    assert reason is FailureReason.TIMEOUT or not call.in_vain(error)


async def test_a_line_that_is_long_since_the_service_fails_is_not_called_our_own_limit(
    server: Server, silence: InProcessSilence
) -> None:
    server.fault("429", retry_after="5")
    shared = OutsideService("europepmc", budget=RateBudget("europepmc", 2))
    async with client(silence) as http:
        for within_s in (2, 1):
            port = http.port(shared, within_s=within_s)
            with pytest.raises(SourceUnavailable) as told:
                await port.send(HttpRequest("GET", f"{server.url}/x"))
            assert told.value.reason is FailureReason.RATE_LIMITED
            assert "did not fail" not in str(told.value)
        server.faults.clear()
        assert server.count() == 1


async def test_what_was_not_asked_after_failures_is_not_said_to_have_been_slow(
    server: Server, silence: InProcessSilence
) -> None:
    server.fault("503")
    async with client(silence) as http:
        for _ in range(3):
            with pytest.raises(SourceUnavailable) as told:
                await ask(http, server, "run-1", within_s=5)
        assert "was not asked again for this question" in str(told.value)
        assert told.value.reason is FailureReason.CIRCUIT_OPEN


@pytest.mark.parametrize("fault", ["huge", "gzip-bomb"])
async def test_what_answers_with_too_much_again_and_again_is_left_alone_for_a_while(
    server: Server, silence: InProcessSilence, fault: str
) -> None:
    """Each such answer is read up to the limit: 30 works with a text would be 30 times the limit."""
    server.fault(fault)
    small = OutsideService("europepmc", max_response_bytes=100_000)
    reasons = []
    async with client(silence) as http:
        for n in range(7):
            with pytest.raises(OpenWorkError) as told:
                await http.port(small, within_s=5).send(HttpRequest("GET", f"{server.url}/{n}"))
            reasons.append(told.value.reason)
    assert reasons == [FailureReason.TOO_LARGE] * 5 + [FailureReason.CIRCUIT_OPEN] * 2
    assert server.count() == 5


async def test_an_answer_that_failed_otherwise_is_asked_for_again(server: Server, silence: InProcessSilence) -> None:
    server.fault("503", times=3)
    async with client(silence) as http:
        with pytest.raises(SourceUnavailable, match="503"):
            await ask(http, server, "run-1", within_s=5)
        assert await ask(http, server, "run-1", within_s=5) == BODY


@pytest.mark.parametrize("later_s", [0.0, 0.02])
async def test_two_runs_that_wait_for_the_same_answer_both_know(
    server: Server, silence: InProcessSilence, later_s: float
) -> None:
    """Also where the second has a moment left when the first gives up."""
    server.fault("hang")
    async with client(silence) as http:
        both = [ask(http, server, run, within_s=s) for run, s in (("run-1", 1.0), ("run-2", 1.0 + later_s))]
        assert all(isinstance(e, SourceUnavailable) for e in await asyncio.gather(*both, return_exceptions=True))
    assert await silence.known("run-1", "europepmc")
    assert await silence.known("run-2", "europepmc")
    assert server.count() == 1


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


async def test_it_is_forgotten_after_its_time_and_the_oldest_first() -> None:
    clock = Clock()
    memory = InProcessSilence(clock)
    for n in range(250):
        clock.now += 1
        await memory.remember(f"run-{n}", "ncbi", "in vain", 120)
    assert await memory.known("run-249", "ncbi") == "in vain"
    assert await memory.known("run-100", "ncbi") is None
    assert await memory.known("run-249", "europepmc") is None
    assert len(memory._services["ncbi"]) <= 200
    clock.now += 121
    assert await memory.known("run-249", "ncbi") is None
