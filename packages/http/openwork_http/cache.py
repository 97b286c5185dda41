"""Answers given again as long as their service's terms let us.

Not an RFC 9111 cache (hishel is a good one): what decides here is the time to live that the registry states for a
service, POSTs that only read are kept too, replicas share one bucket of the bus, and an error is never kept.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

import zstandard
from nats.errors import Error as NatsError
from nats.js.errors import KeyNotFoundError
from nats.js.kv import KeyValue

from openwork_http.messages import Answer, HttpRequest, without_private

log = logging.getLogger(__name__)

Clock = Callable[[], float]

PRIVATE_HEADERS = frozenset({"authorization", "x-api-key", "user-agent", "from"})
_KEPT_HEADERS = ("content-type", "etag", "last-modified", "date")
_KV_MAX_BYTES = 900 * 1024
"""Most bytes of one compressed answer in the bucket: below NATS's usual max_payload of 1 MiB."""
_MAX_UNPACKED_BYTES = 2**30
_PATIENCE_S = 1.0
"""Seconds after which the bucket is as good as none: waiting longer for it costs more than asking the service."""


class ResponseCache(Protocol):
    """Keeps complete answers. It may lose any of them at any time; it never raises."""

    async def get(self, key: str) -> Answer | None: ...

    async def put(self, key: str, answer: Answer, ttl_s: float) -> None: ...

    async def forget(self, key: str) -> None: ...


def cache_key(request: HttpRequest) -> str:
    """What a request asks, as 40 hexadecimal digits: method, address, query, body and the headers that matter.

    Keys and contact addresses do not enter, so the same question of two replicas with two keys is the same.
    """
    asked = (
        request.method,
        request.url,
        without_private(request.params),
        sorted((name.lower(), value) for name, value in request.headers if name.lower() not in PRIVATE_HEADERS),
        without_private(request.form),
    )
    digest = hashlib.blake2b(json.dumps(asked).encode(), digest_size=20)
    digest.update(request.json_body or b"")
    return digest.hexdigest()


def cacheable(answer: Answer, error_marks: tuple[bytes, ...]) -> bool:
    """Whether an answer may be kept: a 200 with a body that does not begin like one of its service's errors."""
    if answer.status != 200 or not answer.pieces:
        return False
    head = b"".join(answer.pieces[:64])[:4096]
    return not any(mark in head for mark in error_marks)


class MemoryCache:
    """The answers of one process, the least recently used dropped first."""

    def __init__(self, max_bytes: int, clock: Clock = time.monotonic) -> None:
        self._max_bytes = max_bytes
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, Answer]] = OrderedDict()
        self._n_bytes = 0

    async def get(self, key: str) -> Answer | None:
        """An answer that is still good."""
        entry = self._kept.get(key)
        if entry is None:
            return None
        if entry[0] <= self._clock():
            await self.forget(key)
            return None
        self._kept.move_to_end(key)
        return entry[1]

    async def put(self, key: str, answer: Answer, ttl_s: float) -> None:
        """Keep an answer, unless it alone would take a quarter of the room."""
        await self.forget(key)
        if ttl_s <= 0 or answer.n_bytes > self._max_bytes // 4:
            return
        self._kept[key] = (self._clock() + ttl_s, answer)
        self._n_bytes += answer.n_bytes
        while self._n_bytes > self._max_bytes:
            await self.forget(next(iter(self._kept)))

    async def forget(self, key: str) -> None:
        """Drop an answer, e.g. one that did not parse."""
        entry = self._kept.pop(key, None)
        if entry is not None:
            self._n_bytes -= entry[1].n_bytes


class SharedCache:
    """The answers of all replicas, in a KV bucket (`openwork_contracts.buckets`), compressed."""

    def __init__(self, kv: KeyValue, clock: Clock = time.time) -> None:
        self._kv = kv
        self._clock = clock

    async def get(self, key: str) -> Answer | None:
        """An answer that is still good; a bucket that does not answer has none."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                entry = await self._kv.get(key)
        except KeyNotFoundError:
            return None
        except (NatsError, OSError) as error:
            log.warning("the shared cache was not read: %r", error)
            return None
        return _unpack(entry.value or b"", self._clock())

    async def put(self, key: str, answer: Answer, ttl_s: float) -> None:
        """Keep an answer, unless it is too large for one message or the bucket is full."""
        if ttl_s <= 0:
            return
        packed = await asyncio.to_thread(_pack, answer, self._clock() + ttl_s)
        if len(packed) > _KV_MAX_BYTES:
            return
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await self._kv.put(key, packed)
        except (NatsError, OSError) as error:
            log.warning("an answer of %d bytes was not cached: %r", len(packed), error)

    async def forget(self, key: str) -> None:
        """Drop an answer for all replicas."""
        try:
            await self._kv.delete(key)
        except (NatsError, OSError) as error:
            log.warning("a cached answer was not dropped: %r", error)


def _pack(answer: Answer, good_until: float) -> bytes:
    """Good until, status and headers as one line of JSON; then the body, zstd."""
    headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
    head = json.dumps({"until": good_until, "status": answer.status, "headers": headers}).encode()
    return head + b"\n" + zstandard.ZstdCompressor(level=3).compress(b"".join(answer.pieces))


def _unpack(packed: bytes, now: float) -> Answer | None:
    head, _, body = packed.partition(b"\n")
    try:
        fields = json.loads(head)
        if fields["until"] <= now:
            return None
        decoded = zstandard.ZstdDecompressor().decompress(body, max_output_size=_MAX_UNPACKED_BYTES)
        return Answer(int(fields["status"]), dict(fields["headers"]), (decoded,))
    except (ValueError, KeyError, TypeError, zstandard.ZstdError) as error:
        log.warning("a cached answer is not readable: %r", error)
        return None
