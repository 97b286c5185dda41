"""Fetching links that came from outside: a record's full-text link, a search hit, a DOI's redirects.

Such a link may be made to lead inside our own network. So: http and https only; no user in it; usual ports; the address
that is connected to is judged, after the name was resolved and at every redirect; limits on size, time and type.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
from collections.abc import Collection
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx
from openwork_contracts.errors import FailureReason, SourceChanged, SourceRefused, SourceUnavailable

from openwork_http.addresses import disguised, forbidden
from openwork_http.exchange import hide_queries_in_logs, lower_headers, open_exchange
from openwork_http.messages import HttpRequest, matches_type, media_type, shown_url
from openwork_http.settings import HttpSettings
from openwork_http.transport import AddressForbiddenError, Dialer, OwnsClient, Resolve, Transport, resolve

PORTS = frozenset({80, 443, 8080, 8443})
"""Ports that article servers use; a link to another one is more likely meant for something that is no web server."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_URL_CHARS = 4096
_LOCAL_NAME = re.compile(r"(^|\.)(localhost|local|internal|home\.arpa)\.?$", re.IGNORECASE)
"""RFC 6761, 6762, 8375, and `.internal`: names that never mean a public host, wherever a resolver leads them."""


class LinkForbidden(SourceRefused):
    """A link that is not followed, whatever it would have given. Never worth another try."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a foreign link led to."""

    url: str
    """The address that answered, after the redirects."""
    media_type: str
    headers: dict[str, str]
    body: bytes
    n_redirects: int


class GuardedClient(OwnsClient):
    """The one way to a link from outside. Sends no cookies, no keys, and keeps nothing between two fetches."""

    def __init__(self, settings: HttpSettings, *, resolver: Resolve = resolve) -> None:
        hide_queries_in_logs()
        self._settings = settings
        self._allowed = settings.guard_allowed
        dialer = Dialer(resolver=resolver, judge=self._judge)
        self._client = httpx.AsyncClient(
            # No proxy: behind one, the address that is connected to is not ours to judge.
            transport=Transport(dialer, max_connections=settings.http_max_connections, use_proxy=False),
            headers={"User-Agent": settings.user_agent},
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
            timeout=httpx.Timeout(settings.http_read_timeout_s, connect=settings.http_connect_timeout_s * 2),
        )

    async def fetch(
        self, url: str, *, accept: Collection[str], max_bytes: int | None = None, timeout_s: float | None = None
    ) -> Fetched:
        """The body behind a link.

        Args:
            accept: media types that are read, as in `messages.matches_type`, e.g. `{"application/pdf"}`.
            max_bytes: of the decoded body; `guard_max_bytes` when left out.
            timeout_s: for everything; `guard_timeout_s` when left out.
        Raises:
            LinkForbidden: the link or a redirect of it leads where no link from outside may lead.
            SourceUnavailable: no answer in time, no connection, or 429 and 5xx. Not tried again here.
            SourceRefused: any other status that is not 200, or too many redirects.
            SourceChanged: another type than accepted; ResponseTooLarge: more than `max_bytes`.
        """
        limit_s = timeout_s or self._settings.guard_timeout_s
        try:
            async with asyncio.timeout(limit_s):
                return await self._follow(url, accept, max_bytes or self._settings.guard_max_bytes)
        except TimeoutError as error:
            raise SourceUnavailable(
                f"{shown_url(url)} was not fetched within {limit_s:.1f} s", reason=FailureReason.TIMEOUT
            ) from error

    async def _follow(self, url: str, accept: Collection[str], max_bytes: int) -> Fetched:
        for n_redirects in range(self._settings.guard_redirects + 1):
            self._check_link(url)
            request = HttpRequest("GET", url, headers=(("Accept", _accept_header(accept)),))
            name = httpx.URL(url).host
            try:
                async with open_exchange(self._client, request, name=name, max_bytes=max_bytes) as (response, body):
                    if response.status_code not in _REDIRECTS:
                        _check_answer(response, url, accept)
                        headers = dict(lower_headers(response))
                        pieces = [piece async for piece in body]
                        return Fetched(url, media_type(headers), headers, b"".join(pieces), n_redirects)
                    url = _redirected(response, url)
            except SourceUnavailable as error:
                raise _forbidden_cause(error, url) or error from error
        raise SourceRefused(
            f"{shown_url(url)} was reached after {n_redirects} redirects and leads on; it is not followed"
        )

    def _check_link(self, url: str) -> None:
        """What can be told from the link itself. Parsed by httpx, as the request will be: no second reading of it."""
        if len(url) > _MAX_URL_CHARS or not url.isprintable() or "\\" in url or " " in url:
            raise LinkForbidden(f"the link {shown_url(url)!r} is malformed; it is not followed")
        try:
            parsed = httpx.URL(url)
            port = parsed.port or {"http": 80, "https": 443}.get(parsed.scheme)
        except (httpx.InvalidURL, ValueError) as error:
            raise LinkForbidden(f"the link {shown_url(url)!r} is malformed ({error}); it is not followed") from error
        where = f"the link {shown_url(url)!r}"
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise LinkForbidden(f"{where} is neither http nor https; it is not followed")
        if parsed.userinfo:
            raise LinkForbidden(f"{where} carries a user name; it is not followed")
        if self._allows(parsed.host, port or 0):
            return
        if port not in PORTS:
            raise LinkForbidden(f"{where} names port {port}; only {', '.join(map(str, sorted(PORTS)))} are used")
        if _LOCAL_NAME.search(parsed.host):
            raise LinkForbidden(f"{where} names a host of the local network; it is not followed")
        if disguised(parsed.host) or "%" in parsed.host:
            raise LinkForbidden(f"{where} hides an address in an unusual form; it is not followed")
        if _is_address(parsed.host) and (reason := forbidden(parsed.host)):
            raise LinkForbidden(f"{where} is not followed: {reason}")

    def _allows(self, host: str, port: int) -> bool:
        return f"{host.lower().strip('[]')}:{port}" in self._allowed

    def _judge(self, host: str, port: int, address: str) -> str | None:
        """Called with the very address that is about to be connected to."""
        return None if self._allows(host, port) else forbidden(address)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _accept_header(accept: Collection[str]) -> str:
    named = [kind for kind in accept if not kind.startswith("+")]
    return ", ".join([*named, "*/*;q=0.1"])


def _redirected(response: httpx.Response, url: str) -> str:
    location = response.headers.get("location")
    if not location:
        raise SourceChanged(f"{shown_url(url)} answered {response.status_code} without saying where to go")
    try:
        return str(httpx.URL(url).join(location))
    except (httpx.InvalidURL, ValueError) as error:
        raise LinkForbidden(
            f"{shown_url(url)} redirects to something that is no address; it is not followed"
        ) from error


def _check_answer(response: httpx.Response, url: str, accept: Collection[str]) -> None:
    status = response.status_code
    if status == 429 or status >= 500:
        reason = FailureReason.RATE_LIMITED if status == 429 else FailureReason.UNREACHABLE
        raise SourceUnavailable(f"{shown_url(url)} answered {status}; try later", reason=reason)
    if status != 200:
        raise SourceRefused(f"{shown_url(url)} answered {status}; the text is not to be had there")
    found = media_type({"content-type": response.headers.get("content-type", "")})
    if not matches_type(found, accept):
        raise SourceChanged(
            f"{shown_url(url)} gave {found or 'no content type'!r} where {', '.join(sorted(accept))} was expected; "
            "it was not read"
        )


def _forbidden_cause(error: BaseException, url: str) -> LinkForbidden | None:
    """The policy's refusal, when it is what a failed connection comes from."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, AddressForbiddenError):
            return LinkForbidden(f"the link {shown_url(url)!r} is not followed: {cause}")
        cause = cause.__cause__
    return None
