"""Connections: names are looked up here, once, and the address that was judged is the address that is connected to.

httpx leaves resolving to the socket layer, where a name may be asked twice and answer differently, and where a lookup
without network holds a worker thread for ten seconds and the process's exit with it. So the pool gets a network backend
of ours: it resolves in a thread that nobody waits for, lets a policy judge each address, and connects to the literal
address. TLS still verifies the name.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from time import monotonic
from types import TracebackType
from typing import Self
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Host and port to IP addresses, best first. Raises `OSError` when there is none."""
Judge = Callable[[str, int, str], str | None]
"""Host, port and an address of it to why that address may not be connected to; `None` when it may."""
SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


class NameNotResolvedError(httpcore.ConnectError):
    """A host name without address, or no name server that answers."""


class AddressForbiddenError(httpcore.ConnectError):
    """A host leads to an address that the policy forbids."""


async def resolve(host: str, port: int) -> list[str]:
    """The system's answer, asked in a daemon thread: cancelling leaves it behind, and so does the process's exit."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[list[str]] = loop.create_future()

    def deliver(found: list[str] | OSError) -> None:
        if future.done():
            return
        if isinstance(found, OSError):
            future.set_exception(found)
        else:
            future.set_result(found)

    def ask() -> None:
        found: list[str] | OSError
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found = list(dict.fromkeys(str(info[4][0]) for info in infos))
        except (ValueError, OverflowError) as error:  # a label that is empty or too long, a zero byte, a wrong port
            found = OSError(f"{host[:80]!r} is no host name ({error})")
        except OSError as error:
            found = error
        with suppress(RuntimeError):  # the loop may be closed by now
            loop.call_soon_threadsafe(deliver, found)

    threading.Thread(target=ask, name=f"resolve {host[:40]}", daemon=True).start()
    return await future


class Dialer(httpcore.AsyncNetworkBackend):
    """Opens TCP connections for a pool."""

    def __init__(self, *, resolver: Resolve = resolve, judge: Judge | None = None) -> None:
        self._resolve = resolver
        self._judge = judge
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the first address of the host that answers, all within `timeout` seconds."""
        give_up = monotonic() + (timeout if timeout is not None else 3600.0)
        addresses = await self._addresses(host, port, give_up)
        for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
            share_s = max(0.0, give_up - monotonic()) / min(
                left, 2
            )  # half for the first, so that the next has a chance
            try:
                return await self._backend.connect_tcp(address, port, share_s, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if left == 1:
                    raise
        raise NameNotResolvedError(f"{host} has no address")

    async def _addresses(self, host: str, port: int, give_up: float) -> list[str]:
        try:
            async with asyncio.timeout(max(0.0, give_up - monotonic())):
                addresses = await self._resolve(host, port)
        except TimeoutError as error:
            raise NameNotResolvedError(f"no name server answered for {host} in time") from error
        except OSError as error:
            raise NameNotResolvedError(f"the name {host} was not resolved ({error.strerror or error})") from error
        if self._judge is not None:
            # One forbidden address condemns the name: a public answer beside a private one is how rebinding looks.
            for address in addresses:
                if reason := self._judge(host, port, address):
                    raise AddressForbiddenError(reason)
        return addresses

    async def sleep(self, seconds: float) -> None:
        """The pool's pauses."""
        await asyncio.sleep(seconds)


class _DialledTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport, whose connections a `Dialer` opens, to the service or to the proxy.

    httpx 0.28 has no argument for the network backend of its pool; httpcore's pool takes it at every new connection.
    """

    def __init__(self, dialer: Dialer, *, context: ssl.SSLContext, max_connections: int, proxy: str | None = None):
        # 15 s: below the idle limit of every front end that we know of.
        limits = httpx.Limits(
            max_connections=max_connections, max_keepalive_connections=max_connections, keepalive_expiry=15.0
        )
        super().__init__(verify=context, limits=limits, proxy=proxy, trust_env=False)
        if not isinstance(getattr(self._pool, "_network_backend", None), httpcore.AsyncNetworkBackend):
            # Without this, a version of httpcore that keeps it elsewhere would let every address through, silently.
            raise RuntimeError("httpcore's pool has no _network_backend: pin httpx 0.28 and httpcore 1, or mend this")
        self._pool._network_backend = dialer


class Transport(httpx.AsyncBaseTransport):
    """Directly, or through the proxy that is set for a scheme; NO_PROXY is asked for each host."""

    def __init__(
        self, dialer: Dialer, *, max_connections: int, proxy: str | None = None, use_proxy: bool = True
    ) -> None:
        environment = getproxies() if use_proxy else {}
        proxies = {scheme: proxy or environment.get(scheme) for scheme in ("http", "https")} if use_proxy else {}
        make = partial(_DialledTransport, dialer, context=httpx.create_ssl_context(), max_connections=max_connections)
        self._direct = make()
        self._proxied = {scheme: make(proxy=_with_scheme(address)) for scheme, address in proxies.items() if address}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """One exchange up to the headers of the answer; the body is read from its stream."""
        proxied = self._proxied.get(request.url.scheme)
        way = self._direct if proxied is None or proxy_bypass(request.url.host) else proxied
        return await way.handle_async_request(request)

    async def aclose(self) -> None:
        """Close every connection."""
        for way in (self._direct, *self._proxied.values()):
            await way.aclose()


def _with_scheme(proxy: str) -> str:
    """HTTP_PROXY is often written as `proxy:3128`, which httpx refuses."""
    return proxy if "://" in proxy else f"http://{proxy}"


class OwnsClient:
    """A context manager around the `httpx.AsyncClient` that a class holds."""

    _client: httpx.AsyncClient

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._client.aclose()
