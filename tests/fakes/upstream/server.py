"""A small HTTP/1.1 server over asyncio and h11: full control over what goes wrong on the wire, nothing to install."""

from __future__ import annotations

import asyncio
import json
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit

import h11

from tests.fakes.upstream.faults import Cut, Fault, FaultKind, strike
from tests.fakes.upstream.messages import Reply, Request, json_reply

App = Callable[[Request], Reply]
FAULTS_PATH = "/_faults"
LOG_PATH = "/_log"


@dataclass(frozen=True)
class Logged:
    """One request that came in."""

    at: float
    """Seconds, `time.time()`, when its head had been read."""
    method: str
    path: str
    params: tuple[str, ...]
    """Names of the parameters; values may be keys."""
    user_agent: str
    db: str = ""
    """NCBI's database, where one is named."""
    asked: str = ""
    """NCBI's query or ids: whose call it is can be told from them, and they are never keys."""

    @property
    def kind(self) -> str:
        """The kind of an NCBI call, e.g. "esearch pubmed"; of any other call its path."""
        name = self.path.rsplit("/", 1)[-1]
        return f"{name.removesuffix('.fcgi')} {self.db}" if name.endswith(".fcgi") else self.path


def worst_window(times: Iterable[float], window_s: float = 1.0) -> int:
    """Most of these moments in any half-open window of that length; 0 of none."""
    ordered = sorted(times)
    return max((i - bisect_left(ordered, at - window_s + 1e-9) + 1 for i, at in enumerate(ordered)), default=0)


@dataclass
class Server:
    """Serves an app on loopback until it is closed. `async with Server(app) as server: server.url`."""

    app: App
    host: str = "127.0.0.1"
    port: int = 0
    faults: list[Fault] = field(default_factory=list)
    log: list[Logged] = field(default_factory=list)
    answers_after_s: float = 0.0
    """Seconds from a request to its answer."""
    in_threads: bool = False
    """Whether answers are made beside the event loop, so that what comes in meanwhile is noted when it comes."""
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, self.host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def fault(
        self, kind: FaultKind | str, path: str = "/", *, times: int | None = None, retry_after: str | None = None
    ) -> Fault:
        """From now on, `path` goes wrong."""
        added = Fault(FaultKind(kind), path, times, retry_after)
        self.faults.append(added)
        return added

    def count(self, path: str = "/") -> int:
        """Requests so far whose path contains this."""
        return sum(path in entry.path for entry in self.log)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._connection(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = h11.Connection(h11.SERVER)
        try:
            while connection.our_state is h11.IDLE:
                request = await _read(connection, reader)
                if request is None:
                    break
                await self._respond(connection, writer, request)
                connection.start_next_cycle()  # a LocalProtocolError where the connection is not kept
        except (ConnectionError, h11.ProtocolError, asyncio.CancelledError):
            pass  # the client went away, or the server is closing
        finally:
            writer.close()

    async def _respond(self, connection: h11.Connection, writer: asyncio.StreamWriter, request: Request) -> None:
        try:
            reply = await self._reply(request)
        except Cut as cut:
            head = h11.Response(status_code=200, headers=_headers(cut.reply))
            writer.write((connection.send(head) or b"") + cut.reply.body[: len(cut.reply.body) // 2])
            await writer.drain()
            raise ConnectionAbortedError from cut
        writer.write(connection.send(h11.Response(status_code=reply.status, headers=_headers(reply))) or b"")
        if reply.stream is None:
            writer.write(connection.send(h11.Data(data=reply.body)) or b"")
        else:
            async for piece in reply.stream:
                writer.write(connection.send(h11.Data(data=piece)) or b"")
                await writer.drain()
        writer.write(connection.send(h11.EndOfMessage()) or b"")
        await writer.drain()

    async def _reply(self, request: Request) -> Reply:
        if request.path == FAULTS_PATH:
            return self._control(request)
        if request.path == LOG_PATH:
            return json_reply([entry.__dict__ for entry in self.log])
        agent = request.headers.get("user-agent", "")
        asked = (request.get("db"), request.get("term") or request.get("id"))
        self.log.append(Logged(time.time(), request.method, request.path, tuple(request.params), agent, *asked))
        reply = await asyncio.to_thread(self.app, request) if self.in_threads else self.app(request)
        if self.answers_after_s:
            await asyncio.sleep(self.answers_after_s)
        for fault in self.faults:
            if fault.take(request.path):
                return await strike(fault, reply)
        return reply

    def _control(self, request: Request) -> Reply:
        """GET: the faults; POST: one more, as {"kind", "path", "times", "retry_after"}; DELETE: none any more."""
        if request.method == "DELETE":
            self.faults.clear()
        elif request.method == "POST":
            try:
                wanted = json.loads(request.body)
                self.fault(
                    wanted["kind"],
                    wanted.get("path", "/"),
                    times=wanted.get("times"),
                    retry_after=wanted.get("retry_after"),
                )
            except (ValueError, KeyError, TypeError) as error:
                known = ", ".join(kind.value for kind in FaultKind)
                return json_reply({"error": f"not a fault ({error!r}); kinds: {known}"}, 400)
        return json_reply([{"kind": f.kind, "path": f.path, "times": f.times} for f in self.faults])


def _headers(reply: Reply) -> list[tuple[str, str]]:
    headers = {"content-type": reply.content_type, **reply.headers}
    if reply.stream is None:
        headers.setdefault("content-length", str(len(reply.body)))
    elif "content-length" not in headers:
        headers["transfer-encoding"] = "chunked"
    return list(headers.items())


async def _read(connection: h11.Connection, reader: asyncio.StreamReader) -> Request | None:
    """The next request of a connection; `None` when the client closed it."""
    head: h11.Request | None = None
    body = b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(65536))
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            assert head is not None
            return _request(head, body)
        else:
            return None


def _request(head: h11.Request, body: bytes) -> Request:
    target = urlsplit(head.target.decode("latin-1"))
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in head.headers}
    params = dict(parse_qsl(target.query, keep_blank_values=True))
    if "form-urlencoded" in headers.get("content-type", ""):
        params |= dict(parse_qsl(body.decode(), keep_blank_values=True))
    return Request(head.method.decode(), unquote(target.path), params, headers, body)
