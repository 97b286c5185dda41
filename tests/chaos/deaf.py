"""A client of the server that speaks and does not listen."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress
from types import TracebackType

_RECEIVE_BYTES = 4096
"""Of the socket's buffer: what is more stays with the server."""
_ASKS_A_SECOND = 25


class Deaf:
    """Subscribes to all results of its account, asks for documents, and reads not one byte of what comes."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> Deaf:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BYTES)
        self._socket.setblocking(False)
        await asyncio.get_running_loop().sock_connect(self._socket, ("127.0.0.1", self._port))
        await self._say(b'CONNECT {"verbose":false}\r\nSUB openwork.results.* 1\r\nSUB _INBOX.deaf.> 2\r\n')
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    async def ask_for(self, run_id: str, *, seconds: float) -> None:
        """Ask for a whole document with its record, again and again."""
        body = json.dumps({"run_id": run_id, "record": True, "rendered": True}).encode()
        for _ in range(round(seconds * _ASKS_A_SECOND)):
            await self._say(b"PUB openwork.show _INBOX.deaf.1 %d\r\n%s\r\n" % (len(body), body))
            await asyncio.sleep(1 / _ASKS_A_SECOND)

    async def _say(self, data: bytes) -> None:
        with suppress(OSError):  # the server may have had enough of it
            await asyncio.wait_for(asyncio.get_running_loop().sock_sendall(self._socket, data), 5)
