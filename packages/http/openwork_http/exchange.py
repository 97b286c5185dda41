"""One try of one request: bytes out, a bounded answer in, every failure one of our errors."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from urllib.parse import urlsplit

import httpcore
import httpx
from openwork_contracts.errors import FailureReason, SourceChanged, SourceUnavailable, UsageError

from openwork_http.decoding import ACCEPT_ENCODING, EncodingRefusedError, decoder_for
from openwork_http.messages import HttpRequest, shown
from openwork_http.retry import retry_after_s
from openwork_http.transport import NameNotResolvedError

CONNECT_ERRORS = (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)
"""Nothing was sent: the host, its name or the way to it is not there."""


_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class ResponseTooLarge(SourceChanged):
    """An answer of more bytes than the service's answers ever have; the rest was not read."""

    reason = FailureReason.TOO_LARGE


class CutOff(SourceUnavailable):
    """A good answer that ended before it was whole. Worth one more request, since most are whole, and not a third."""


class NotConnected(SourceUnavailable):
    """No connection: no such name, no route, refused, or no answer within the connect timeout."""

    why: str = "no connection"
    """The reason in few words."""
    final: bool = False
    """Whether another try at once is hopeless: no such name, or silence for the whole connect timeout."""


class _NoQuery(logging.Filter):
    """httpx logs every address with its query, where some services want their key."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(_bare(arg) if isinstance(arg, httpx.URL) else arg for arg in record.args)
        return True


def _bare(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}{url.path}"


def hide_queries_in_logs() -> None:
    """Keep httpx's own log lines free of keys, at whatever level they are shown."""
    logger = logging.getLogger("httpx")
    if not any(isinstance(f, _NoQuery) for f in logger.filters):
        logger.addFilter(_NoQuery())


def build(client: httpx.AsyncClient, request: HttpRequest) -> httpx.Request:
    """The request as httpx sends it, with what every request of ours says.

    Raises:
        UsageError: the address or a header cannot be sent at all.
    """
    headers = {name.lower(): value for name, value in request.headers} | {"accept-encoding": ACCEPT_ENCODING}
    content = request.json_body
    if content is not None:
        headers.setdefault("content-type", "application/json")
    elif request.form:
        content = str(httpx.QueryParams(list(request.form))).encode()
        headers["content-type"] = "application/x-www-form-urlencoded"
    try:
        url = httpx.URL(request.url)
        if request.params:  # only then: empty params would drop a query that the address has already
            url = url.copy_merge_params(list(request.params))
        if url.port is not None and url.port > 65535:
            raise ValueError(f"port {url.port}")
        return client.build_request(request.method, url, headers=headers, content=content)
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise UsageError(f"{shown(request)} cannot be sent ({error}); check the base URL of the source") from error


@asynccontextmanager
async def open_exchange(
    client: httpx.AsyncClient,
    request: HttpRequest,
    *,
    name: str,
    max_bytes: int,
    before_sending: Callable[[], Awaitable[None]] | None = None,
) -> AsyncIterator[tuple[httpx.Response, AsyncIterator[bytes]]]:
    """Send, and give the answer's headers and its decoded body as it comes; closes the connection's part afterwards.

    Args:
        before_sending: awaited when the connection stands and the first byte of the request is next. A rate slot taken
            any earlier would be spoilt by the time that names, TCP and TLS take, which differs from request to request.
    Raises:
        NotConnected: before anything was sent.
        CutOff: a good answer whose connection broke, or that ended, in the middle of the body.
        SourceUnavailable: the connection broke or fell silent.
        ResponseTooLarge: more than `max_bytes`, declared or received, decoded or not.
        SourceChanged: an encoding that was not offered.
        UsageError: the request is not one.
    """
    raw = build(client, request)
    if before_sending is not None:
        raw.extensions["trace"] = _before_headers(before_sending)
    try:
        response = await client.send(raw, stream=True, follow_redirects=False)
    except (httpx.LocalProtocolError, httpx.UnsupportedProtocol):
        # Not chained: h11's message quotes the header it refuses, and that may be the one with the key.
        raise UsageError(
            f"{shown(request)} cannot be sent: not http or https, or a header (a key with a line break?) is not valid"
        ) from None
    except httpx.TransportError as error:
        raise _translated(error, request, name) from error
    try:
        yield response, _bounded(response, request, name, max_bytes)
    finally:
        await response.aclose()


def _before_headers(act: Callable[[], Awaitable[None]]) -> Callable[[str, Mapping[str, object]], Awaitable[None]]:
    """httpcore's `trace` extension, for one event: the headers of the request are about to be written."""

    async def trace(event: str, info: Mapping[str, object]) -> None:
        if event == "http11.send_request_headers.started":
            sent = info.get("request")
            # A proxy is sent a CONNECT first, which is no request to the service.
            if not (isinstance(sent, httpcore.Request) and sent.method == b"CONNECT"):
                await act()

    return trace


async def _bounded(response: httpx.Response, request: HttpRequest, name: str, max_bytes: int) -> AsyncIterator[bytes]:
    declared = response.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > max_bytes and request.method != "HEAD":
        raise _too_large(request, name, max_bytes, f"{int(declared):,} bytes were announced")
    n_bytes = n_raw = 0
    try:
        decoder = decoder_for(response.headers.get("content-encoding", ""))
        async for raw in response.aiter_raw():
            n_raw += len(raw)
            for piece in decoder.feed(raw):
                n_bytes += len(piece)
                if max(n_bytes, n_raw) > max_bytes:
                    raise _too_large(request, name, max_bytes, f"{n_raw:,} bytes had come, {n_bytes:,} unpacked")
                yield piece
    except httpx.TransportError as error:
        failure = _translated(error, request, name, n_raw)
        cut_off = response.is_success and not isinstance(error, httpx.TimeoutException)
        raise (CutOff(str(failure)) if cut_off else failure) from error
    except EncodingRefusedError as error:
        raise SourceChanged(f"{name} answered {shown(request)} unreadably: {error}") from error
    if not decoder.complete:
        raise CutOff(f"{name} ended its compressed answer to {shown(request)} too early, after {n_raw:,} bytes")


def _too_large(request: HttpRequest, name: str, max_bytes: int, what: str) -> ResponseTooLarge:
    return ResponseTooLarge(
        f"{name} answered {shown(request)} with more than the {max_bytes:,} bytes allowed ({what}); the rest was not "
        "read. Ask for fewer records at once, or raise the limit"
    )


def _translated(error: httpx.TransportError, request: HttpRequest, name: str, n_raw: int = 0) -> SourceUnavailable:
    """An error of the network as ours. Its own text may name hosts, never a query."""
    kind = type(error).__name__
    words = f"{kind}: {error}" if str(error) else kind
    if isinstance(error, CONNECT_ERRORS):
        host = urlsplit(request.url).hostname
        why = "no connection within the time limit" if isinstance(error, httpx.ConnectTimeout) else words
        unreachable = NotConnected(
            f"{name} at {host} cannot be reached ({why}); is there a network, and may it be used?"
        )
        unreachable.why = why
        unreachable.final = isinstance(error, httpx.ConnectTimeout) or isinstance(error.__cause__, NameNotResolvedError)
        return unreachable
    if isinstance(error, httpx.TimeoutException):
        return SourceUnavailable(
            f"{name} fell silent on {shown(request)} after {n_raw:,} bytes ({kind})", reason=FailureReason.TIMEOUT
        )
    return SourceUnavailable(f"the connection to {name} broke on {shown(request)} after {n_raw:,} bytes ({words})")


def redirected(response: httpx.Response, request: HttpRequest) -> HttpRequest | None:
    """The request to follow a redirect with, when it stays with the service that was asked; else `None`.

    OpenAlex and Crossref send a merged work or an aliased DOI on this way. No redirect is followed elsewhere: headers
    hold keys, and a service that leads to another host is not the one that was configured.
    """
    if response.status_code not in _REDIRECTS or request.method != "GET":
        return None
    try:
        asked = httpx.URL(request.url)
        target = asked.join(response.headers.get("location", ""))
    except (httpx.InvalidURL, ValueError):
        return None
    same = (target.scheme, target.host, target.port) == (asked.scheme, asked.host, asked.port)
    upgraded = (asked.scheme, target.scheme, target.host, target.port) == ("http", "https", asked.host, None)
    if not (same or upgraded) or target.userinfo:
        return None
    return HttpRequest("GET", str(target), headers=request.headers)


def lower_headers(response: httpx.Response) -> Mapping[str, str]:
    """Headers with lower-case names; repeated ones joined by commas."""
    return {name.lower(): value for name, value in response.headers.items()}


def status_failure(response: httpx.Response, request: HttpRequest, name: str) -> SourceUnavailable:
    """The error for 429, 502, 503 and 504, with what the service says about when to come back."""
    status = response.status_code
    wait_s = retry_after_s(response.headers.get("retry-after"), datetime.now(UTC))
    asked = f"; it asks to wait {wait_s:.0f} s" if wait_s is not None else ""
    reason = FailureReason.RATE_LIMITED if status == 429 else FailureReason.UNREACHABLE
    return SourceUnavailable(
        f"{name} answered {status} to {shown(request)}{asked}", reason=reason, retry_after_s=wait_s
    )
