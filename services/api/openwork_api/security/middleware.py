"""What every request passes before the application, from outside in. Plain ASGI: a stream passes as it is sent.

They stand around the whole application, so that its last resort, the answer to an error that nobody expected, has the
headers too.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from urllib.parse import unquote_plus

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from openwork_api.problems import ProblemError, as_problem, response_of
from openwork_api.security.headers import HEADERS, TRANSPORT_SECURITY
from openwork_api.security.keys import holds_key
from openwork_api.security.limits import Left, OpenStreams
from openwork_api.security.origins import SAFE, Asked, is_loopback_name, is_own_host, name_in, why_not
from openwork_api.settings import Settings

PROBED = frozenset({"/healthz", "/readyz"})
"""Asked by probes under the address of a pod; they say nothing of anybody."""
LEFT, STREAM = "openwork_left", "openwork_stream"
"""Where the guard leaves, in the state of a request, what is left to its asker, and whose stream it is counted as."""
_CORS_METHODS = "GET, POST, DELETE"
_CORS_HEADERS = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id"
_CORS_SHOWN = "Location, RateLimit, RateLimit-Policy, Retry-After"
_CORS_AGE_S = 600


def protected(app: ASGIApp, settings: Settings, streams: OpenStreams) -> ASGIApp:
    """An application behind everything of this module."""
    app = TimeLimit(app, settings.api_time_limit_s)
    app = BodyLimit(app, settings.api_body_bytes)
    app = CountedStreams(app, streams)
    app = Origins(app, frozenset(settings.origins))
    app = Hosts(app, settings.names)
    return ResponseHeaders(app)


class ResponseHeaders:
    """Adds the headers of every response, and what is left to its asker."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] != "http":
            return  # no lifespan is asked for, and no socket is offered
        state = scope.setdefault("state", {})
        host = _only(Headers(scope=scope), "host")
        is_https = scope["scheme"] == "https" and not is_loopback_name(name_in(host))

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                left: Left | None = state.get(LEFT)
                for name, value in {**HEADERS, **(left.headers if left else {})}.items():
                    headers.setdefault(name, value)
                if is_https:
                    headers.setdefault("Strict-Transport-Security", TRANSPORT_SECURITY)
            await send(message)

        await self._app(scope, receive, sending)


class Hosts:
    """Refuses requests for another host, and such as have a key in their address."""

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["path"] not in PROBED and not is_own_host(_only(Headers(scope=scope), "host"), self._names):
            words = "this is reached by other names; whoever runs it can add one to OPENWORK_API_NAMES"
            await _refused(ProblemError(421, "HostUnknown", words), scope, receive, send)
        elif _has_key_in_address(scope):
            words = (
                "a key in an address is seen by many: revoke this one (`openwork keys revoke`), and send the next as "
                "`Authorization: Bearer ow_...`"
            )
            await _refused(ProblemError(400, "KeyInAddress", words), scope, receive, send)
        else:
            await self._app(scope, receive, send)


class Origins:
    """Refuses what pages of other sites send without a key, and bodies that are no JSON; answers CORS."""

    def __init__(self, app: ASGIApp, listed: frozenset[str]) -> None:
        """
        Args:
            listed: origins of pages that may use the API with a key.
        """
        self._app = app
        self._listed = listed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        headers = Headers(scope=scope)
        asked = _asked(scope, headers)
        if asked.method == "OPTIONS" and asked.origin and "access-control-request-method" in headers:
            await self._preflight(asked.origin)(scope, receive, send)
            return
        if asked.has_key and asked.origin in self._listed:
            send = _readable_for(asked.origin or "", send)
        if scope["path"] not in PROBED and (words := why_not(asked)):
            await _refused(ProblemError(403, "ForeignPage", f"this request is refused: {words}"), scope, receive, send)
        elif asked.method not in SAFE and _has_body(headers) and not _is_json(headers):
            words = "send a body as JSON, with `Content-Type: application/json`"
            await _refused(ProblemError(415, "NotJson", words), scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _preflight(self, origin: str) -> Response:
        if origin not in self._listed:
            words = "pages of this origin may not use the API; whoever runs it can add it to OPENWORK_API_ORIGINS"
            return response_of(as_problem(ProblemError(403, "ForeignPage", words), None), {"Vary": "Origin"})
        headers = {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Methods": _CORS_METHODS,
            "Access-Control-Allow-Headers": _CORS_HEADERS,
            "Access-Control-Max-Age": str(_CORS_AGE_S),
            "Vary": "Origin",
        }
        return Response(status_code=204, headers=headers)


class CountedStreams:
    """Gives a stream back that the guard took, when its request is over."""

    def __init__(self, app: ASGIApp, streams: OpenStreams) -> None:
        self._app = app
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        try:
            await self._app(scope, receive, send)
        finally:
            if STREAM in scope["state"]:
                self._streams.give_back(scope["state"].pop(STREAM))


class BodyLimit:
    """Refuses a body that is too large: by what it says of itself, or as soon as so much of it has come."""

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self._app = app
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        length = Headers(scope=scope).get("content-length", "0")
        problem = ProblemError(413, "BodyTooLarge", f"send a body of at most {self._most} bytes")
        if not re.fullmatch(r"[0-9]{1,15}", length) or int(length) > self._most:
            await _refused(problem, scope, receive, send)
            return
        seen, over, started = 0, False, False

        async def receiving() -> Message:
            nonlocal seen, over
            message = await receive()
            seen += len(message.get("body", b""))
            over = over or seen > self._most
            # Whoever reads is told that nobody is there any more, and gives up.
            return {"type": "http.disconnect"} if over else message

        async def sending(message: Message) -> None:
            nonlocal started
            started = started or not over
            if started:
                await send(message)

        try:
            await self._app(scope, receiving, sending)
        except Exception:
            if not over:
                raise
        if over and not started:
            await _refused(problem, scope, receive, send)


class TimeLimit:
    """Gives a request up that has no answer in time. A stream has begun its answer, and goes on."""

    def __init__(self, app: ASGIApp, limit_s: float) -> None:
        self._app = app
        self._limit_s = limit_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        try:
            async with asyncio.timeout(self._limit_s) as limit:
                await self._app(scope, receive, _telling(send, lambda: _lifted(limit)))
        except TimeoutError:
            if not limit.expired():
                raise
            words = f"there was no answer within {self._limit_s:g} s; a run that was begun goes on, and is listed"
            await _refused(ProblemError(504, "TooSlow", words), scope, receive, send)


def _lifted(limit: asyncio.Timeout) -> None:
    if not limit.expired():
        limit.reschedule(None)


def _telling(send: Send, tell: Callable[[], None]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            tell()
        await send(message)

    return sending


def _readable_for(origin: str, send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = _CORS_SHOWN
            headers.add_vary_header("Origin")
        await send(message)

    return sending


async def _refused(error: ProblemError, scope: Scope, receive: Receive, send: Send) -> None:
    await response_of(as_problem(error, scope["path"]), error.headers)(scope, receive, send)


def _asked(scope: Scope, headers: Headers) -> Asked:
    return Asked(
        method=scope["method"],
        scheme=scope["scheme"],
        host=_only(headers, "host"),
        origin=headers.get("origin"),
        site=headers.get("sec-fetch-site"),
        mode=headers.get("sec-fetch-mode"),
        destination=headers.get("sec-fetch-dest"),
        has_key=headers.get("authorization", "").lower().startswith("bearer "),
    )


def _only(headers: Headers, name: str) -> str | None:
    values = headers.getlist(name)
    return values[0] if len(values) == 1 else None


def _has_key_in_address(scope: Scope) -> bool:
    return holds_key(unquote_plus(f"{scope['path']}?{scope['query_string'].decode('latin-1')}"))


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _is_json(headers: Headers) -> bool:
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
