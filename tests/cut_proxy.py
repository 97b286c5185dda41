"""A connection that is lost: TCP through here can be cut in the middle, refused, or deprived of its answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit


class CutProxy:
    """Forwards to one server on loopback."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._open: set[asyncio.StreamWriter] = set()
        self.url = ""
        self.came = 0
        """Connections that were made."""
        self.refuse = 0
        """So many more are closed at once."""
        self.lose_answers = 0
        """Of so many more the request goes through, and the answer is lost."""
        self.sent = b""
        """What clients sent through here, in the order in which it came."""

    def cut(self) -> None:
        """Lose every connection that is open."""
        for writer in list(self._open):
            writer.transport.abort()

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.came += 1
        if self.refuse:
            self.refuse -= 1
            writer.transport.abort()
            return
        lost = self.lose_answers > 0
        self.lose_answers -= lost
        there, to = await asyncio.open_connection("127.0.0.1", self._to)
        self._open |= {writer, to}
        try:
            await asyncio.gather(_pump(reader, to, seen=self._see), _pump(there, writer, lost=lost))
        finally:
            self._open -= {writer, to}
            to.close()
            writer.close()

    def _see(self, piece: bytes) -> None:
        self.sent += piece


async def _pump(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    *,
    lost: bool = False,
    seen: Callable[[bytes], None] | None = None,
) -> None:
    with contextlib.suppress(ConnectionError):
        while piece := await reader.read(65536):
            if seen is not None:
                seen(piece)
            if lost:
                writer.transport.abort()
                return
            writer.write(piece)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        writer.write_eof()


@asynccontextmanager
async def cut_proxy(url: str) -> AsyncIterator[CutProxy]:
    """A proxy before the server at this URL."""
    proxy = CutProxy(urlsplit(url).port or 80)
    server = await asyncio.start_server(proxy.take, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        server.close()
        proxy.cut()
        await asyncio.sleep(0.05)
