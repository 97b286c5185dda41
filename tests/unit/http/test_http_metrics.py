"""What the client counts of providers: outcomes, kinds of failure, circuits, budgets, the cache; and no address."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from openwork_bus.figures import Figures
from openwork_contracts.errors import BusUnavailable, FailureReason, OpenWorkError, SourceUnavailable
from openwork_http.client import HttpClient
from openwork_http.limits import BudgetUsedUp
from openwork_http.messages import HttpRequest
from openwork_http.metrics import provider_of
from openwork_http.settings import HttpSettings
from openwork_http.terms import OutsideService, RateBudget
from openwork_http.turns import ORDINARY, Turn

from tests.fakes.upstream.messages import Reply, Request
from tests.fakes.upstream.server import Server
from tests.reading_figures import samples, value

BUDGET = RateBudget.of("ncbi", 10)
QUERY = "a-question-of-somebody"


def app(request: Request) -> Reply:
    if request.path.startswith("/status/"):
        return Reply(b"words", status=int(request.path.rpartition("/")[2]))
    return Reply(b'{"found": 1}')


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server(app) as running:
        yield running


@dataclass
class Limiter:
    """Lets everything begin, or raises this."""

    error: OpenWorkError | None = None
    taken: list[str] = field(default_factory=list)

    async def acquire(self, budget: RateBudget, *, within_s: float, turn: Turn = ORDINARY) -> None:
        if self.error:
            raise self.error
        self.taken.append(budget.name)

    async def hold(self, budget: RateBudget, for_s: float) -> None: ...


def client(figures: Figures, limiter: Limiter | None = None, **changed: object) -> HttpClient:
    chosen: dict[str, object] = {"http_backoff_s": 0.001, "reachability_file": None, "http_tries": 2, **changed}
    return HttpClient(HttpSettings.model_validate(chosen), limiter=limiter or Limiter(), figures=figures)


def outcomes(figures: Figures) -> dict[str, float]:
    shown = (one for one in samples(figures.text()) if one.name == "openwork_source_requests_total" and one.value)
    return {one.labels["outcome"]: one.value for one in shown}


@pytest.mark.parametrize(
    ("path", "outcome", "kind", "tries"),
    [
        ("/", "answered", None, 1),
        ("/status/404", "refused", None, 1),
        ("/status/500", "failed", "unreachable", 1),
        ("/status/503", "failed", "unreachable", 2),
        ("/status/429", "failed", "rate_limited", 2),
    ],
)
async def test_a_request_is_counted_once_whatever_it_took_and_by_what_came_of_it(
    server: Server, path: str, outcome: str, kind: str | None, tries: int
) -> None:
    figures = Figures("retrievers")
    async with client(figures) as http:
        try:
            await http.port(OutsideService("ncbi")).send(HttpRequest("GET", f"{server.url}{path}?q={QUERY}"))
        except SourceUnavailable:
            assert kind is not None
    text = figures.text()
    assert outcomes(figures) == {outcome: 1}
    assert value(text, "openwork_source_tries_total", provider="ncbi") == tries
    if kind is not None:
        assert value(text, "openwork_source_errors_total", provider="ncbi", kind=kind) == 1
    else:
        assert value(text, "openwork_source_request_seconds_count", provider="ncbi") == 1
    assert QUERY.encode() not in text


@pytest.mark.parametrize(
    ("error", "kind"),
    [(BudgetUsedUp("used up"), "own_limit"), (BusUnavailable("the limits cannot be read"), "bus")],
)
async def test_what_is_our_own_doing_is_no_failure_of_the_provider(
    server: Server, error: OpenWorkError, kind: str
) -> None:
    """An alert that PubMed is down must not come from our own line being long."""
    figures = Figures("retrievers")
    async with client(figures, Limiter(error)) as http:
        with pytest.raises(OpenWorkError):
            await http.port(OutsideService("ncbi", BUDGET)).send(HttpRequest("GET", server.url))
    assert outcomes(figures) == {"not_asked": 1}
    assert value(figures.text(), "openwork_source_errors_total", provider="ncbi", kind=kind) == 1


async def test_the_budget_is_told_without_its_key(server: Server) -> None:
    figures, limiter = Figures("retrievers"), Limiter()
    async with client(figures, limiter) as http:
        for _ in range(3):
            await http.port(OutsideService("ncbi", BUDGET)).send(HttpRequest("GET", server.url))
    text = figures.text()
    assert value(text, "openwork_source_budget_slots_total", budget="ncbi") == len(limiter.taken) == 3
    assert value(text, "openwork_source_budget_requests_per_second", budget="ncbi") == 10
    assert BUDGET.name.encode() not in text


async def test_the_state_of_a_circuit_is_told_when_somebody_reads(server: Server) -> None:
    figures = Figures("retrievers")
    async with client(figures, circuit_failures=2, http_tries=1) as http:
        port = http.port(OutsideService("ncbi"))
        await port.send(HttpRequest("GET", server.url))
        assert value(figures.text(), "openwork_source_circuit_state", provider="ncbi", state="closed") == 1
        for _ in range(2):
            with pytest.raises(SourceUnavailable):
                await port.send(HttpRequest("GET", f"{server.url}/status/503"))
        assert value(figures.text(), "openwork_source_circuit_state", provider="ncbi", state="open") == 1
        assert value(figures.text(), "openwork_source_circuit_state", provider="ncbi", state="closed") == 0
        with pytest.raises(SourceUnavailable) as refused:
            await port.send(HttpRequest("GET", server.url))
    assert refused.value.reason is FailureReason.CIRCUIT_OPEN
    assert value(figures.text(), "openwork_source_errors_total", kind="circuit_open") == 1


async def test_what_the_cache_holds_is_no_request(server: Server) -> None:
    figures = Figures("retrievers")
    async with client(figures) as http:
        for _ in range(3):
            await http.port(OutsideService("ncbi", cache_ttl_s=60)).send(HttpRequest("GET", server.url))
    assert outcomes(figures) == {"answered": 1}
    looks = {o: value(figures.text(), "openwork_cache_requests_total", outcome=o) for o in ("hit", "miss")}
    assert looks == {"hit": 2, "miss": 1}


async def test_a_host_that_a_stranger_chose_is_no_label(server: Server) -> None:
    figures = Figures("retrievers")
    async with client(figures) as http:
        await http.get(server.url)
    assert value(figures.text(), "openwork_source_requests_total", provider="other", outcome="answered") == 1
    assert b"127.0.0.1" not in figures.text()
    assert [provider_of(name) for name in ("RxNorm", "evil.example.org", "[::1]")] == ["rxnorm", "other", "other"]
