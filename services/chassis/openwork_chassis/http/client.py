"""The HTTP client of every service: retries, deadline, shared rate budget, circuit, cache; one call, one typed outcome."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import httpx
from openwork_contracts.errors import FailureReason, OpenWorkError, SourceUnavailable

from openwork_chassis.http.cache import MemoryCache, ResponseCache, SingleFlight, cache_key, cacheable
from openwork_chassis.http.circuit import Circuit, FileReachability, InProcessReachability, ReachabilityMemory
from openwork_chassis.http.exchange import (
    NotConnected,
    hide_queries_in_logs,
    lower_headers,
    open_exchange,
    status_failure,
)
from openwork_chassis.http.limits import LocalRateLimiter, RateLimiter
from openwork_chassis.http.messages import Answer, HttpRequest, HttpResponse, Pairs, RequestLike, host_of, shown
from openwork_chassis.http.retry import RETRIED_STATUS, backoff_s
from openwork_chassis.http.settings import HttpSettings
from openwork_chassis.http.terms import OutsideService
from openwork_chassis.http.transport import Dialer, Transport
from openwork_chassis.telemetry import Telemetry

log = logging.getLogger(__name__)


class HttpClient:
    """One per process; closed with it. `port` gives what an adapter needs; `send`, `get` and `post` are for the rest."""

    def __init__(
        self,
        settings: HttpSettings,
        *,
        limiter: RateLimiter | None = None,
        cache: ResponseCache | None = None,
        reachability: ReachabilityMemory | None = None,
        telemetry: Telemetry | None = None,
        rng: random.Random | None = None,
    ) -> None:
        """
        Args:
            limiter: `limits.SharedRateLimiter` where there is a bus; left out, each process paces itself.
            cache: `cache.SharedCache` where there is a bus; left out, in memory.
            reachability: left out, the file of the settings.
        """
        hide_queries_in_logs()
        self._settings = settings
        self._limiter = limiter or LocalRateLimiter(jitter_s=settings.rate_jitter_s)
        self._cache = cache or MemoryCache(settings.http_cache_bytes)
        path = settings.reachability_file
        self._reachability = reachability or (FileReachability(path) if path else InProcessReachability())
        self._telemetry = telemetry
        self._rng = rng or random.Random()
        self._circuits: dict[str, Circuit] = {}
        self._flights = SingleFlight()
        proxy = settings.http_proxy.get_secret_value() if settings.http_proxy else None
        self._client = httpx.AsyncClient(
            transport=Transport(Dialer(), max_connections=settings.http_max_connections, proxy=proxy),
            headers={"User-Agent": settings.user_agent},
            timeout=httpx.Timeout(
                settings.http_read_timeout_s, connect=settings.http_connect_timeout_s, pool=settings.http_timeout_s
            ),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    def port(self, service: OutsideService, *, within_s: float | None = None) -> SourcePort:
        """The way out to one service; `within_s` seconds limit everything that is sent through it together."""
        return SourcePort(self, service, within_s)

    def circuit(self, service: OutsideService) -> Circuit:
        """The circuit of a service, for `openwork doctor` and the health page."""
        known = self._circuits.get(service.name)
        if known is None:
            settings = self._settings
            known = Circuit(service.name, failures=settings.circuit_failures, open_s=settings.circuit_open_s)
            self._circuits[service.name] = known
        return known

    async def send(self, request: RequestLike) -> HttpResponse:
        """A call to a service that has no registry entry: no budget, no cache, a circuit per host."""
        return await self.port(OutsideService(host_of(request.url))).send(request)

    async def get(self, url: str, *, params: Pairs = (), headers: Pairs = ()) -> HttpResponse:
        """`send` of a GET."""
        return await self.send(HttpRequest("GET", url, params, headers))

    async def post(
        self, url: str, *, params: Pairs = (), headers: Pairs = (), form: Pairs = (), json_body: bytes | None = None
    ) -> HttpResponse:
        """`send` of a POST; retried like a GET, so only for requests that read."""
        return await self.send(HttpRequest("POST", url, params, headers, form, json_body))

    # --- inside: used by `SourcePort` --------------------------------------------------------------------------------

    async def _answer(self, call: _Call) -> HttpResponse:
        key = cache_key(call.request)
        ttl_s = call.service.cache_ttl_s
        if ttl_s > 0 and (kept := await self._cache.get(key)):
            return kept.response(from_cache=True)
        while True:
            answer, shared = await self._joined(key, call)
            if answer is not None:
                break
        if ttl_s > 0 and not shared and cacheable(answer, call.service.error_marks):
            await self._cache.put(key, answer, ttl_s)
        return answer.response(from_cache=shared)

    async def _joined(self, key: str, call: _Call) -> tuple[Answer | None, bool]:
        """The answer, possibly of another caller's request; `None` when that other caller's time ran out before ours."""
        started = False

        async def start() -> Answer:
            nonlocal started
            started = True
            return await self._retried(call)

        try:
            async with asyncio.timeout_at(call.deadline):
                # The service is part of the key: its limits on size and time are those of the request.
                return await self._flights.run(f"{call.service.name} {key}", start)
        except TimeoutError as error:
            raise call.late() from error
        except SourceUnavailable as error:
            if started or error.reason is not FailureReason.TIMEOUT or call.left_s() <= 0:
                raise
            return None, True

    async def _retried(self, call: _Call) -> Answer:
        while True:
            async with self._try(call) as (response, body):
                status, headers = response.status_code, lower_headers(response)
                failure = status_failure(response, call.request, call.service.name) if status in RETRIED_STATUS else None
                pieces = () if failure else tuple([piece async for piece in body])
            if failure is None:
                return Answer(status, headers, pieces)
            await self._wait(call, failure)

    @asynccontextmanager
    async def _opened(self, call: _Call) -> AsyncIterator[tuple[httpx.Response, AsyncIterator[bytes]]]:
        raise NotImplementedError
        yield


@dataclass(slots=True)
class _Call:
    request: RequestLike
    service: OutsideService
    deadline: float
