"""A name server for one name on loopback: its addresses may change while it runs."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

_A, _NO_ERROR = 1, 0x8180


@dataclass
class Names(asyncio.DatagramProtocol):
    """Answers every question for IPv4 addresses with those it has; for IPv6 there are none."""

    addresses: list[str]
    asked: int = 0
    """Questions for IPv4 addresses."""
    _transport: Any = field(default=None, repr=False)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what answers are sent by."""
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Answer one question (RFC 1035, section 4)."""
        number, _, _ = struct.unpack_from("!HHH", data)
        end = data.index(b"\0", 12) + 5  # the name, its type and its class
        (kind,) = struct.unpack_from("!H", data, end - 4)
        found = self.addresses if kind == _A else []
        self.asked += kind == _A
        header = struct.pack("!HHHHHH", number, _NO_ERROR, 1, len(found), 0, 0)
        # 0xc00c: the name that stands at byte 12, in the question.
        rows = [struct.pack("!HHHIH", 0xC00C, _A, 1, 0, 4) + socket.inet_aton(address) for address in found]
        self._transport.sendto(header + data[12:end] + b"".join(rows), addr)


@asynccontextmanager
async def naming(*addresses: str) -> AsyncIterator[tuple[Names, str]]:
    """A name server with these addresses, and its own address."""
    loop = asyncio.get_running_loop()
    transport, names = await loop.create_datagram_endpoint(lambda: Names(list(addresses)), ("127.0.0.1", 0))
    try:
        yield names, "{}:{}".format(*transport.get_extra_info("sockname"))
    finally:
        transport.close()
