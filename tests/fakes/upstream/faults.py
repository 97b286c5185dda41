"""Faults on demand: what a route would have answered becomes what a bad day makes of it."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum

from tests.fakes.upstream.messages import Reply

HUGE_BYTES = 200_000_000
METADATA_URL = "http://169.254.169.254/latest/meta-data/"
_BOMB = """<?xml version="1.0"?>
<!DOCTYPE bomb [<!ENTITY a "aaaaaaaaaa">{entities}]>
<{root}>&z;</{root}>"""


class FaultKind(StrEnum):
    """What goes wrong."""

    RATE_LIMITED = "429"
    SERVER_ERROR = "500"
    BAD_GATEWAY = "502"
    UNAVAILABLE = "503"
    GATEWAY_TIMEOUT = "504"
    BAD_REQUEST = "400"
    UNAUTHORIZED = "401"
    FORBIDDEN = "403"
    HANG = "hang"
    DRIP = "drip"
    CUT = "cut"
    TRUNCATED = "truncated"
    HTML = "html"
    SCHEMA = "schema"
    HUGE = "huge"
    HUGE_DECLARED = "huge-declared"
    GZIP_BOMB = "gzip-bomb"
    XML_BOMB = "xml-bomb"
    REDIRECT = "redirect"


@dataclass
class Fault:
    """A fault for the paths that contain `path`, the next `times` times (`None` = always)."""

    kind: FaultKind
    path: str = "/"
    times: int | None = None
    retry_after: str | None = None
    """Value of the Retry-After header of a 429 or 503."""
    location: str = METADATA_URL
    """Where `redirect` leads."""

    def take(self, path: str) -> bool:
        """Whether the fault strikes now; counts it."""
        if self.path not in path or self.times == 0:
            return False
        if self.times is not None:
            self.times -= 1
        return True


class Cut(Exception):  # noqa: N818 - not an error of ours: what the server is told to do
    """Send the reply's head and half of its body, then break the connection."""

    def __init__(self, reply: Reply) -> None:
        super().__init__("the connection is to be cut")
        self.reply = reply


async def strike(fault: Fault, reply: Reply) -> Reply:
    """The reply after the fault.

    Raises:
        Cut: the server has to break the connection.
    """
    kind = fault.kind
    if kind.value.isdigit():
        headers = {"retry-after": fault.retry_after} if fault.retry_after is not None else {}
        return Reply(
            b'{"error":"API rate limit exceeded","status":%s}' % kind.value.encode(), int(kind), headers=headers
        )
    if kind is FaultKind.HANG:
        await asyncio.sleep(3600)
    if kind is FaultKind.CUT:
        raise Cut(reply)
    if kind is FaultKind.TRUNCATED:
        return Reply(reply.body[: len(reply.body) * 2 // 3], reply.status, reply.content_type)
    if kind is FaultKind.HTML:
        page = b"<!DOCTYPE html><html><head><title>Maintenance</title></head><body><p>Back soon</p></body></html>"
        return Reply(page, content_type="text/html")
    if kind is FaultKind.REDIRECT:
        return Reply(b"", 302, "text/plain", {"location": fault.location})
    return _other_body(kind, reply)


def _other_body(kind: FaultKind, reply: Reply) -> Reply:
    xml = "xml" in reply.content_type
    if kind is FaultKind.SCHEMA:
        body = (
            b'<?xml version="1.0"?><NewSchema version="9"><Entry/></NewSchema>' if xml else b'{"v9": {"entries": []}}'
        )
        return Reply(body, content_type=reply.content_type)
    if kind is FaultKind.XML_BOMB:
        return Reply(xml_bomb(), content_type="text/xml")
    if kind is FaultKind.DRIP:
        length = {"content-length": str(len(reply.body))}
        return Reply(status=reply.status, content_type=reply.content_type, headers=length, stream=_drip(reply.body))
    if kind is FaultKind.GZIP_BOMB:
        return Reply(content_type=reply.content_type, headers={"content-encoding": "gzip"}, stream=_gzip_bomb())
    headers = {"content-length": str(HUGE_BYTES)} if kind is FaultKind.HUGE_DECLARED else {}
    return Reply(content_type=reply.content_type, headers=headers, stream=_huge(reply.body))


def xml_bomb(root: str = "PubmedArticleSet") -> bytes:
    """The billion laughs: 10^26 letters out of a kilobyte."""
    names = "abcdefghijklmnopqrstuvwxyz"
    entities = "".join(f'<!ENTITY {n} "{f"&{names[i]};" * 10}">' for i, n in enumerate(names[1:]))
    return _BOMB.format(entities=entities, root=root).encode()


async def _drip(body: bytes) -> AsyncIterator[bytes]:
    for byte in body:
        yield bytes([byte])
        await asyncio.sleep(0.1)


async def _huge(start: bytes) -> AsyncIterator[bytes]:
    """The real body's start, then blanks up to 200 MB."""
    sent = start[: len(start) // 2]
    yield sent
    left = HUGE_BYTES - len(sent)
    blanks = b" " * 65536
    while left > 0:
        yield blanks[:left]
        left -= len(blanks)


async def _gzip_bomb() -> AsyncIterator[bytes]:
    """10 GB of zeros in about 10 MB, without an end. Packed once: what packs anew keeps other answers waiting."""
    packer = zlib.compressobj(9, wbits=31)
    block = bytes(2**20)
    yield packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)  # stands for itself, at any place
    for _ in range(10_000):
        yield piece
        await asyncio.sleep(0)


def gzipped(body: bytes) -> Reply:
    """A compressed reply, for tests of decoding."""
    return Reply(gzip.compress(body), headers={"content-encoding": "gzip"})
