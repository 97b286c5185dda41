"""The client over HTTP: the requests of `openwork.client` to the HTTP API, and a run's progress by server-sent events.

What is read is asked for again when the connection fails, and so is a question, which goes with a key of its own; what
is changed otherwise (a cancellation, a deletion) is not.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from openwork import client, models, reading, sse
from openwork.errors import (
    BusUnavailable,
    Busy,
    ContractViolation,
    OpenWorkError,
    RunNotFound,
    UsageError,
    error_of,
)

if TYPE_CHECKING:
    import httpx

API = "/api/v1"
CONNECT_S = 5.0
"""Seconds for a connection."""
SILENCE_S = 45.0
"""Seconds without a byte after which a stream is taken as lost: the API sends a comment every 15 s."""
PAUSES_S = (0.2, 1.0)
"""Before each further try of what may be tried again."""
_PAUSE_S = 0.5
"""Before a stream that was lost is opened again."""
_OVER = frozenset({models.ResultKind.DOCUMENT, models.ResultKind.DELETED})
_KINDS: Mapping[int, type[OpenWorkError]] = {
    404: RunNotFound,
    408: BusUnavailable,
    429: Busy,
    502: ContractViolation,
    503: BusUnavailable,
    504: BusUnavailable,
}
"""What an answer of this status is where it names no error of ours; another 4xx is a UsageError."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request as HTTP says it."""

    method: str
    path: str
    params: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] | None = None
    key: str | None = None
    """`Idempotency-Key`: sent twice it is one question."""

    @property
    def may_be_repeated(self) -> bool:
        """Whether sending it twice does what sending it once does."""
        return self.method == "GET" or self.key is not None


@dataclass(slots=True)
class Place:
    """How far a stream was read."""

    heard: str = ""
    """The id that was heard last."""
    is_over: bool = False


@asynccontextmanager
async def connected(url: str, key: str | None = None) -> AsyncIterator[HttpClient]:
    """A client. Nothing is sent before something is asked.

    Args:
        url: `https://host`, with a port or a path where there is one.
        key: `ow_...`; `None` = OPENWORK_API_KEY, or none.
    Raises:
        UsageError: the URL or the key cannot be used.
    """
    host, key = _checked_url(url), _checked_key(key or os.environ.get("OPENWORK_API_KEY"))
    import httpx

    headers = {"Accept": "application/json", "User-Agent": "openwork-cli"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    near = _is_near(host)
    async with httpx.AsyncClient(
        base_url=url.strip().rstrip("/"),
        headers=headers,
        verify=not near or url.lower().startswith("https"),  # reading the certificates takes 80 ms
        trust_env=not near,  # a proxy does not know this machine
        follow_redirects=False,  # a key goes to nobody else
    ) as http:
        yield HttpClient(http)


def _checked_url(url: str) -> str:
    """Its host. A user or a password in it is in no message."""
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"the URL of the API cannot be used ({error}); it is e.g. https://host:8000") from None
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "the URL of the API holds a user or a password; leave them out, and pass the key as `key` or in "
            "OPENWORK_API_KEY"
        )
    if not host or parts.query or parts.fragment:
        raise UsageError("the URL of the API is a host and nothing behind it, e.g. https://host:8000")
    return host


def _checked_key(key: str | None) -> str | None:
    key = key.strip() if key else None
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise UsageError("the key of the API holds characters that no key has; a key is ow_...")
    return key or None


def _is_near(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class HttpClient(client.Client):
    """`openwork.Client` over HTTP; made by `openwork.connect`.

    A run id of one's own goes as the question's `Idempotency-Key`: asking again is the same run, under the id that the
    service has given it.
    """

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def _request(self, subject: str, request: object, *, timeout_s: float = client.REPLY_S) -> dict[str, Any]:
        response = await self._send(_call(subject, reading.as_json(request)), timeout_s)
        if not response.is_success:
            raise _error_of(response)
        if response.status_code == 204:
            return {}
        try:
            data = response.json()
        except ValueError as error:
            raise self._other_form(f"is not JSON ({error})") from error
        if not isinstance(data, dict):
            raise self._other_form("is not a JSON object")
        return _as_reply(subject, data)

    async def _send(self, call: Call, timeout_s: float) -> httpx.Response:
        import httpx

        pauses = iter(PAUSES_S if call.may_be_repeated else ())
        while True:
            try:
                return await self._http.request(
                    call.method,
                    API + call.path,
                    params=call.params,
                    json=call.body,
                    headers={"Idempotency-Key": call.key} if call.key else None,
                    timeout=httpx.Timeout(timeout_s, connect=CONNECT_S),
                )
            except httpx.TimeoutException as error:
                raise BusUnavailable(f"no reply of {self._where} within {timeout_s:.0f} s") from error
            except httpx.TransportError as error:
                pause = next(pauses, None)
                if pause is None:
                    raise self._away(error) from error
                await asyncio.sleep(pause)

    @asynccontextmanager
    async def _told(self, run_id: str, handler: client.ProgressHandler | None) -> AsyncIterator[None]:
        """Whoever waits for the end is told meanwhile: a run can be followed when it is there."""
        yield

    async def _end_of(self, run_id: str, within_s: float, handler: client.ProgressHandler | None) -> client.Answer:
        """The run's answer. A stream that is lost is opened again where it was left."""
        give_up = time.monotonic() + within_s + client.GRACE_S
        failure: Exception | None = None
        place = Place()
        while (left := give_up - time.monotonic()) > 0:
            pause_s = _PAUSE_S
            try:
                async with asyncio.timeout(left):
                    await self._follow(run_id, place, handler)
                    if place.is_over and (answer := await self.show(run_id)).ended:
                        return answer
                failure = None
            except TimeoutError:
                break
            except Busy as error:
                failure, pause_s = error, error.retry_after_s or _PAUSE_S
            except BusUnavailable as error:
                failure = error
            await asyncio.sleep(min(pause_s, max(0.0, give_up - time.monotonic())))
        if failure:
            raise failure
        raise BusUnavailable(f"run {run_id} had no end long after its deadline; are the services running?")

    async def _follow(self, run_id: str, place: Place, handler: client.ProgressHandler | None) -> None:
        """Read the run's stream until it ends; `place` says how far that was."""
        import httpx

        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": place.heard} if place.heard else {})
        timeout = httpx.Timeout(SILENCE_S, connect=CONNECT_S)
        try:
            async with self._http.stream(
                "GET", f"{API}/runs/{run_id}/events", headers=headers, timeout=timeout
            ) as response:
                if not response.is_success:
                    await response.aread()
                    raise _error_of(response)
                place.is_over = response.status_code == 204
                async with aclosing(sse.events(response.aiter_bytes())) as told:
                    async for event in told:
                        place.heard = event.id or place.heard
                        if event.kind in _OVER:
                            place.is_over = True
                            return
                        _tell(event, handler)
        except httpx.TransportError as error:
            raise self._away(error) from error

    @property
    def _where(self) -> str:
        return str(self._http.base_url).rstrip("/")

    def _away(self, error: Exception) -> BusUnavailable:
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return BusUnavailable(f"the HTTP API at {self._where} cannot be used ({why}); is it running?")

    def _other_form(self, what: str) -> ContractViolation:
        return ContractViolation(f"what answers at {self._where} {what}; is it the address of an Open Work?")


def _tell(event: sse.ServerEvent, handler: client.ProgressHandler | None) -> None:
    """A message that cannot be read is passed over: it is for eyes."""
    if handler is None or event.kind != models.ResultKind.PROGRESS:
        return
    with suppress(ValueError, ContractViolation, AttributeError, KeyError, TypeError):
        handler(models.Progress.from_dict(json.loads(event.data)["progress"]))


def _call(subject: str, asked: dict[str, Any]) -> Call:
    """The request of the bus as HTTP."""
    run = f"/runs/{asked.get('run_id')}"
    match subject.removeprefix("openwork."):
        case "ask":
            key = asked.pop("run_id")
            return Call("POST", "/runs", body=asked, key=key)
        case "show":
            flags = {name: str(asked[name]).lower() for name in ("record", "rendered")}
            return Call("GET", run, {"wait_s": asked["wait_s"], **flags})
        case "list":
            return Call("GET", "/runs", asked)
        case "events":
            return Call("GET", f"{run}/history", {"after": asked["after"]})
        case "cancel":
            return Call("POST", f"{run}/cancel", body={"reason": asked.get("reason")})
        case "delete":
            return Call("DELETE", run)
        case "lookup":
            return Call("POST", "/lookup", body=asked)
        case "verify":
            return Call("POST", "/verify", body=asked)
        case name:
            raise UsageError(f"the HTTP API has nothing that answers {name!r}; ask it over NATS")


def _as_reply(subject: str, data: dict[str, Any]) -> dict[str, Any]:
    """What HTTP replies, as the bus does."""
    match subject.removeprefix("openwork."):
        case "show":
            return {"rendered": data.pop("rendered", None), "document": data}
        case "verify":
            return {"report": data}
        case _:
            return data


def _error_of(response: httpx.Response) -> OpenWorkError:
    """The error that a problem (RFC 9457) tells of; where there is none, what the status says."""
    status, problem = response.status_code, _problem(response)
    words, code = problem.get("detail"), problem.get("code")
    told = words if isinstance(words, str) and words else f"{response.url.host} answered {status}"
    if response.is_redirect:
        where = urlsplit(response.headers.get("Location", ""))
        return UsageError(f"{response.url.host} sends elsewhere: ask {where.scheme}://{where.hostname} instead")
    if status == 401:
        return UsageError(f"{told}; a key is passed as `key`, or in OPENWORK_API_KEY")
    if status == 404 and not code:
        return ContractViolation(f"{told} to {response.url.path}; is it the address of an Open Work?")
    after = problem.get("retry_after_s", response.headers.get("Retry-After"))
    retry_after_s = float(after) if isinstance(after, int | float) or str(after).isdigit() else None
    known = error_of(told, code if isinstance(code, str) else None, retry_after_s)
    if type(known) is not OpenWorkError:
        return known
    kind = _KINDS.get(status, UsageError if status < 500 else OpenWorkError)
    return error_of(told, kind.__name__, retry_after_s)


def _problem(response: httpx.Response) -> dict[str, Any]:
    try:
        data = response.json()
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}
