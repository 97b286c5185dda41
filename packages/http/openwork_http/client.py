"""The HTTP client of every service: retries, deadline, shared rate budget, circuit, cache; every outcome typed."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import replace
from typing import TypeVar

import httpx
from openwork_bus.backoff import backoff_s
from openwork_bus.figures import Figures
from openwork_bus.telemetry import Attribute, Telemetry
from openwork_contracts.errors import BusUnavailable, FailureReason, OpenWorkError, SourceChanged, SourceUnavailable

from openwork_http.cache import MemoryCache, ResponseCache, cache_key, cacheable
from openwork_http.call import Call, until_deadline
from openwork_http.circuit import Circuit, Circuits, FileReachability, InProcessReachability, ReachabilityMemory
from openwork_http.exchange import (
    CutOff,
    NotConnected,
    build,
    hide_queries_in_logs,
    lower_headers,
    open_exchange,
    redirected,
    status_failure,
)
from openwork_http.limits import BudgetUsedUp, LocalRateLimiter, RateLimiter
from openwork_http.messages import Answer, HttpRequest, HttpResponse, Pairs, host_of, shown
from openwork_http.metrics import count_answer, count_cache, count_failure, count_slot, show_circuits
from openwork_http.retry import RETRIED_STATUS
from openwork_http.settings import HttpSettings
from openwork_http.silence import InProcessSilence, SilenceMemory
from openwork_http.single_flight import SingleFlight
from openwork_http.source_port import SourcePort
from openwork_http.terms import OutsideService
from openwork_http.transport import Dialer, OwnsClient, Transport
from openwork_http.wholeness import what_is_missing

log = logging.getLogger(__name__)

T = TypeVar("T")


class HttpClient(OwnsClient):
    """One per process; closed with it. `port` gives what an adapter needs; `send`, `get`, `post` are for the rest."""

    def __init__(
        self,
        settings: HttpSettings,
        *,
        limiter: RateLimiter | None = None,
        cache: ResponseCache | None = None,
        reachability: ReachabilityMemory | None = None,
        silence: SilenceMemory | None = None,
        telemetry: Telemetry | None = None,
        figures: Figures | None = None,
        rng: random.Random | None = None,
    ) -> None:
        """
        Args:
            limiter: `limits.SharedRateLimiter` where there is a bus; left out, each process paces itself.
            cache: `cache.SharedCache` where there is a bus; left out, in memory.
            reachability: left out, the file of the settings.
            silence: `silence.SharedSilence` where there is a bus; left out, known to this process only.
        """
        hide_queries_in_logs()
        self._settings = settings
        self._limiter = limiter or LocalRateLimiter(jitter_s=settings.rate_jitter_s)
        self._cache = cache or MemoryCache(settings.http_cache_bytes)
        path = settings.reachability_file
        self._reachability = reachability or (FileReachability(path) if path else InProcessReachability())
        self._silence = silence or InProcessSilence()
        self._telemetry = telemetry
        self._rng = rng or random.Random()
        self._circuits = Circuits(failures=settings.circuit_failures, open_s=settings.circuit_open_s)
        self._figures = figures or Figures("none")
        self._figures.before_reading(lambda: show_circuits(self._figures, self._circuits))
        self._flights: SingleFlight[Answer] = SingleFlight()
        proxy = settings.http_proxy.get_secret_value() if settings.http_proxy else None
        self._client = httpx.AsyncClient(
            transport=Transport(Dialer(), max_connections=settings.http_max_connections, proxy=proxy),
            headers={"User-Agent": settings.user_agent},
            timeout=httpx.Timeout(
                settings.http_read_timeout_s, connect=settings.http_connect_timeout_s, pool=settings.http_timeout_s
            ),
        )

    def port(self, service: OutsideService, *, within_s: float | None = None, run_id: str | None = None) -> SourcePort:
        """The way out to one service; `within_s` seconds limit everything that is sent through it together.

        For a run, a service that kept it waiting in vain is not waited for again.
        """
        return SourcePort(self, service, within_s, run_id)

    def circuit(self, service: OutsideService) -> Circuit:
        """The circuit of a service, for `openwork doctor` and the health page."""
        return self._circuits.of(service.name)

    async def send(self, request: HttpRequest) -> HttpResponse:
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

    @asynccontextmanager
    async def stream(
        self, request: HttpRequest, service: OutsideService | None = None, *, within_s: float | None = None
    ) -> AsyncIterator[HttpResponse]:
        """An answer whose body is read as it comes, for what is too large for memory; neither cached nor shared.

        Tried again until the headers are there; a body that breaks later raises while it is read.
        """
        call = self._call(request, service or OutsideService(host_of(request.url)), within_s)
        async with AsyncExitStack() as stack:
            response, body = await self._retried(call, lambda: self._open(call, stack))
            yield HttpResponse(response.status_code, lower_headers(response), until_deadline(call, body))

    # --- inside ----------------------------------------------------------------------------------------------------

    def _call(self, request: HttpRequest, service: OutsideService, within_s: float | None) -> Call:
        build(self._client, request)  # so that what cannot be sent is told before anything else is asked
        timeout_s = service.timeout_s or self._settings.http_timeout_s
        if within_s is not None:
            timeout_s = min(timeout_s, max(0.0, within_s))
        return Call(request, service, timeout_s, asyncio.get_running_loop().time() + timeout_s)

    async def answer(
        self,
        request: HttpRequest,
        service: OutsideService,
        within_s: float | None,
        run_id: str | None = None,
        owner: str = "",
    ) -> HttpResponse:
        """What `SourcePort.send` does."""
        call = self._call(request, service, within_s)
        call.run_id, call.owner = run_id, owner
        attributes: dict[str, Attribute] = {
            "openwork.http.service": service.name,
            "openwork.http.request": shown(request),
        }
        with (
            self._telemetry.span(f"http {service.name}", "TOOL", attributes)
            if self._telemetry
            else nullcontext() as span
        ):
            response = await self._counted(call)
            if span is not None:
                span.set_attribute("http.response.status_code", response.status)
                span.set_attribute("openwork.http.tries", call.tries)
                span.set_attribute("openwork.http.from_cache", response.from_cache)
            return response

    async def forget(self, request: HttpRequest) -> None:
        """Drop a cached answer, e.g. one that did not parse."""
        await self._cache.forget(cache_key(request))

    async def _counted(self, call: Call) -> HttpResponse:
        begun, name = asyncio.get_running_loop().time(), call.service.name
        try:
            response = await self._cached(call)
        except OpenWorkError as error:
            count_failure(self._figures, name, error, tries=call.tries)
            raise
        if not response.from_cache:
            seconds = asyncio.get_running_loop().time() - begun
            count_answer(self._figures, name, status=response.status, seconds=seconds, tries=call.tries)
        return response

    async def _cached(self, call: Call) -> HttpResponse:
        key = cache_key(call.request)
        ttl_s = call.service.cache_ttl_s
        if ttl_s > 0:
            kept = await self._cache.get(key)
            count_cache(self._figures, is_kept=kept is not None)
            if kept:
                return kept.response(from_cache=True)
        await self._refuse_silent(call)
        try:
            answer, shared = await self._flown(key, call)
        except SourceUnavailable as error:
            if call.run_id and call.in_vain(error):
                for_s = self._settings.silent_for_s
                noted = f"{error.reason.value} {error}"
                await self._silence.remember(call.run_id, call.service.name, noted, for_s)
            raise
        if ttl_s > 0 and not shared and cacheable(answer, call.service.error_marks):
            await self._cache.put(key, answer, ttl_s)
        return answer.response(from_cache=shared)

    async def _refuse_silent(self, call: Call) -> None:
        """Raise for a service that kept this run waiting in vain."""
        if call.run_id and (noted := await self._silence.known(call.run_id, call.service.name)):
            reason, _, why = noted.partition(" ")
            raise SourceUnavailable(
                f"{call.service.name} was not asked again for this question, since it failed before ({why})",
                reason=FailureReason(reason),
            )

    async def _flown(self, key: str, call: Call) -> tuple[Answer, bool]:
        """The answer to this call, or to an identical one that is under way, and whether it was that."""
        flight = f"{call.service.name} {key}"  # a service's limits on size and time are those of the request
        while True:
            leader = self._flights.leader(flight)
            call.leader = leader if isinstance(leader, Call) else None
            try:
                async with asyncio.timeout_at(call.deadline + _GRACE_S):
                    return await self._flights.run(
                        flight, lambda: self._retried(call, lambda: self._read(call)), who=call
                    )
            except TimeoutError as error:
                raise call.late() from error
            except SourceUnavailable as error:
                if not call.may_ask_itself(error):
                    raise

    async def _retried(self, call: Call, attempt: Callable[[], Awaitable[T]]) -> T:
        failed: SourceUnavailable | None = None
        while True:
            await self._admit(call)
            try:
                return await self._accounted(call, attempt)
            except BudgetUsedUp as error:
                if failed is None:
                    raise
                raise SourceUnavailable(
                    f"{failed}; it was not tried again, since {error}",
                    reason=failed.reason,
                    retry_after_s=error.retry_after_s,
                ) from error
            except SourceUnavailable as error:
                failed = error
                await self._pause(call, error)

    async def _admit(self, call: Call) -> None:
        """Let a try start, or raise what keeps it from starting."""
        call.tries += 1
        host = host_of(call.request.url)
        if known := self._reachability.known(host):
            raise SourceUnavailable(
                f"{call.service.name} was not asked: {host} could not be reached {known.ago_s:.0f} s ago "
                f"({known.why}); it is tried again in {known.left_s:.0f} s",
                retry_after_s=known.left_s,
            )
        self.circuit(call.service).enter()

    async def _take_slot(self, call: Call) -> None:
        if call.service.budget is not None:
            wait_s = min(self._settings.rate_wait_s, call.left_s())
            turn = replace(call.request.turn, owner=call.owner)
            before_s = call.waited_s
            with call.waiting():
                await self._limiter.acquire(call.service.budget, within_s=wait_s, turn=turn)
            count_slot(self._figures, call.service.budget, waited_s=call.waited_s - before_s)
        call.sent_at = asyncio.get_running_loop().time()

    async def _accounted(self, call: Call, attempt: Callable[[], Awaitable[T]]) -> T:
        """One try, and what it says about the service, told to its circuit."""
        circuit = self.circuit(call.service)
        call.status = None
        call.sent_at = None
        call.began = call.began or asyncio.get_running_loop().time()
        try:
            result = await self._timed(call, attempt)
        except BudgetUsedUp as error:
            circuit.abandon()
            if call.tries == 1 and (trouble := circuit.trouble):  # the line is long since what failed is tried again
                raise BudgetUsedUp(
                    f"{call.service.name} was not asked in time, since calls that it failed before had taken their "
                    f"turns ({trouble.why})",
                    reason=trouble.reason,
                    retry_after_s=error.retry_after_s,
                ) from error
            raise
        except BusUnavailable:
            circuit.abandon()
            raise
        except SourceUnavailable as error:
            if call.cut_short(error):  # a caller without time is no fault of the service
                circuit.abandon()
            elif error.reason is FailureReason.RATE_LIMITED:
                circuit.slowed(str(error))
            else:
                circuit.failure(str(error), error.reason)
            raise
        except OpenWorkError as error:
            if error.reason is FailureReason.TOO_LARGE:  # read up to the limit for nothing: as dear as a failure
                circuit.failure(str(error), error.reason)
            else:
                circuit.success()
            raise
        except BaseException:
            circuit.abandon()
            raise
        if call.server_failed():
            circuit.failure(f"answered {call.status}")
        else:
            circuit.success()
        return result

    async def _timed(self, call: Call, attempt: Callable[[], Awaitable[T]]) -> T:
        try:
            async with asyncio.timeout_at(call.deadline):
                return await attempt()
        except TimeoutError as error:
            raise call.late() from error

    async def _open(self, call: Call, stack: AsyncExitStack) -> tuple[httpx.Response, AsyncIterator[bytes]]:
        limit = call.service.max_response_bytes or self._settings.http_max_response_bytes
        request = call.request
        for _ in range(_MOST_REDIRECTS + 1):
            exchange = open_exchange(
                self._client,
                request,
                name=call.service.name,
                max_bytes=limit,
                before_sending=lambda: self._take_slot(call),
            )
            response, body = await stack.enter_async_context(exchange)
            following = redirected(response, request)
            if following is None:
                break
            await stack.aclose()
            request = following
        else:
            raise SourceChanged(
                f"{call.service.name} redirects {shown(call.request)} more than {_MOST_REDIRECTS} times"
            )
        call.status = response.status_code
        if call.status in RETRIED_STATUS:
            await stack.aclose()
            raise status_failure(response, call.request, call.service.name)
        return response, body

    async def _read(self, call: Call) -> Answer:
        async with AsyncExitStack() as stack:
            response, body = await self._open(call, stack)
            pieces = tuple([piece async for piece in body])
        if call.cut_offs == 0 and response.is_success and (missing := what_is_missing(pieces)):
            # The second time it is passed on: its parser says what was wrong with it.
            raise CutOff(f"{call.service.name} answered {shown(call.request)} with {missing}")
        return Answer(response.status_code, lower_headers(response), pieces)

    async def _pause(self, call: Call, error: SourceUnavailable) -> None:
        """Wait before the next try, or raise the error when there is none."""
        settings = self._settings
        pause_s = backoff_s(
            call.tries, base_s=settings.http_backoff_s, max_s=settings.http_backoff_max_s, rng=self._rng
        )
        if error.retry_after_s is not None:
            pause_s += error.retry_after_s
            if call.service.budget is not None and error.reason is FailureReason.RATE_LIMITED:
                await self._limiter.hold(call.service.budget, error.retry_after_s)
        tries = f"try {call.tries} of {settings.http_tries}"
        unreachable = error if isinstance(error, NotConnected) else None
        last = call.tries >= settings.http_tries
        if isinstance(error, CutOff):
            call.cut_offs += 1
            last = last or call.cut_offs > 1
        if unreachable is not None and not last:
            # Where nothing is to be reached, trying again must not take longer than finding that out did.
            last = unreachable.final or call.trying_s() + pause_s > settings.http_connect_timeout_s / 2
        if last or pause_s >= call.left_s():
            if unreachable is not None:
                self._reachability.remember(host_of(call.request.url), unreachable.why, settings.unreachable_for_s)
            then = "try later" if last else "no time is left for another"
            raise SourceUnavailable(
                f"{error} ({tries}); {then}", reason=error.reason, retry_after_s=error.retry_after_s
            ) from error
        log.info("%s (%s); next try in %.1f s", error, tries, pause_s)
        call.sent_at = None  # the pause is no time in which the service was waited for
        await asyncio.sleep(pause_s)


_MOST_REDIRECTS = 3
"""Redirects followed within the service that was asked."""
_GRACE_S = 0.1
"""Seconds after its deadline by which a call that does not end by itself is ended from outside."""
