"""What all replicas share, in a bucket of the account `api`: entries with compare and set, and a time to live each."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from nats.aio.client import Client as NatsClient
from nats.errors import Error as NatsError
from nats.js.api import DiscardPolicy, RawStreamMsg, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError
from openwork_bus.accounts import AskerBucket
from openwork_bus.ensure import ensure_stream
from openwork_bus.publishing import EXPECTED, words_of
from openwork_bus.settings import ServiceSettings
from openwork_bus.storage import Refusal, refusal_of
from openwork_contracts.errors import BusUnavailable, StorageFull, UsageError

TIMEOUT_S = 5.0
"""Seconds for one answer of the server."""
_GONE_S = 60
"""Seconds until the mark that an entry was removed is gone itself."""
_OPERATION = "KV-Operation"
_REMOVED = frozenset({"DEL", "PURGE"})
_MAX_ENTRY_BYTES = 8192
_AWAY = (NatsError, OSError, TimeoutError)


@dataclass(frozen=True, slots=True)
class Entry:
    """A value, and by what a change of it says which value it means."""

    value: bytes
    revision: int


class Store(Protocol):
    """Entries by key. Every method raises BusUnavailable where the store does not answer, StorageFull where it is
    full."""

    async def get(self, key: str) -> Entry | None:
        """The entry as it is now, never an older one."""
        ...

    async def put(self, key: str, value: bytes, *, revision: int = 0, ttl_s: int | None = None) -> bool:
        """Store a value, unless somebody else did meanwhile; whether it was stored.

        Args:
            revision: of the entry that is replaced; 0 = there is none.
            ttl_s: seconds until it is gone; `None` = it stays.
        """
        ...

    async def remove(self, key: str) -> None:
        """Have it gone, whatever it is now."""
        ...

    async def keys(self) -> list[str]:
        """Keys of all entries; of one that was removed just now, perhaps, too."""
        ...


class MemoryStore:
    """`Store` of one process."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._entries: dict[str, tuple[Entry, float | None]] = {}
        self._revision = 0

    async def get(self, key: str) -> Entry | None:
        """See `Store`."""
        return self._found(key)

    async def put(self, key: str, value: bytes, *, revision: int = 0, ttl_s: int | None = None) -> bool:
        """See `Store`."""
        known = self._found(key)
        if (known.revision if known else 0) != revision:
            return False
        self._revision += 1
        self._entries[key] = (Entry(value, self._revision), None if ttl_s is None else self._clock() + ttl_s)
        return True

    async def remove(self, key: str) -> None:
        """See `Store`."""
        self._entries.pop(key, None)

    async def keys(self) -> list[str]:
        """See `Store`."""
        return [key for key in self._entries if self._found(key) is not None]

    def _found(self, key: str) -> Entry | None:
        entry, until = self._entries.get(key, (None, None))
        return entry if until is None or self._clock() < until else None


class KvStore:
    """`Store` on JetStream, without a consumer: the rights of the user `api` name these subjects and no others."""

    def __init__(self, connection: NatsClient, bucket: AskerBucket, *, timeout_s: float = TIMEOUT_S) -> None:
        self._js = connection.jetstream(timeout=timeout_s)
        self._bucket = bucket

    @property
    def _prefix(self) -> str:
        return f"$KV.{self._bucket.name}."

    async def ensure(self, settings: ServiceSettings) -> None:
        """Make the bucket if it is not there.

        Raises:
            BusUnavailable: the server does not answer, or lets the account keep nothing.
        """
        try:
            await ensure_stream(self._js, _config(self._bucket, settings), 0, settings)
        except (UsageError, StorageFull, *_AWAY) as error:
            raise BusUnavailable(
                f"api: the bucket {self._bucket.name} cannot be made as the user `api` ({_said(error)}); if the "
                "server's accounts.conf is older than this version, give it the new one, or start `openwork up` anew"
            ) from error

    async def get(self, key: str) -> Entry | None:
        """See `Store`. Asked of the leader."""
        try:
            message = await self._js.get_last_msg(self._bucket.stream, self._prefix + key)
        except NotFoundError:
            return None
        except _AWAY as error:
            raise self._unavailable("read", error) from error
        return None if _is_mark(message) else Entry(message.data or b"", message.seq or 0)

    async def put(self, key: str, value: bytes, *, revision: int = 0, ttl_s: int | None = None) -> bool:
        """See `Store`."""
        headers = {EXPECTED: str(revision)}
        try:
            await self._js.publish(self._prefix + key, value, headers=headers, msg_ttl=ttl_s)
        except APIError as error:
            match refusal_of(error):
                case Refusal.THERE_ALREADY:
                    return False
                case Refusal.FULL:
                    raise StorageFull(
                        f"the bucket {self._bucket.name} is full; entries go by their age, so try again later"
                    ) from error
                case _:
                    raise self._unavailable("written", error) from error
        except _AWAY as error:
            raise self._unavailable("written", error) from error
        return True

    async def remove(self, key: str) -> None:
        """See `Store`. The mark takes the place of the value, which is gone at once."""
        try:
            await self._js.publish(self._prefix + key, b"", headers={_OPERATION: "DEL"}, msg_ttl=_GONE_S)
        except _AWAY as error:
            raise self._unavailable("written", error) from error

    async def keys(self) -> list[str]:
        """See `Store`."""
        try:
            info = await self._js.stream_info(self._bucket.stream, subjects_filter=f"{self._prefix}>")
        except _AWAY as error:
            raise self._unavailable("listed", error) from error
        return sorted(subject.removeprefix(self._prefix) for subject in info.state.subjects or {})

    def _unavailable(self, what: str, error: Exception) -> BusUnavailable:
        return BusUnavailable(f"the bucket {self._bucket.name} cannot be {what} at the moment ({_said(error)})")


def _config(bucket: AskerBucket, settings: ServiceSettings) -> StreamConfig:
    """Every limit written out."""
    return StreamConfig(
        name=bucket.stream,
        subjects=[f"$KV.{bucket.name}.>"],
        retention=RetentionPolicy.LIMITS,
        storage=StorageType.FILE,
        num_replicas=settings.replicas,
        max_bytes=bucket.max_bytes,
        max_msg_size=_MAX_ENTRY_BYTES,
        max_msgs_per_subject=1,
        discard=DiscardPolicy.OLD if bucket.drops_oldest else DiscardPolicy.NEW,
        duplicate_window=120,
        max_consumers=1,
        allow_direct=False,  # a lagging replica would let a revoked key in
        allow_rollup_hdrs=False,
        allow_msg_ttl=True,
        deny_delete=True,
        deny_purge=True,
    )


def _is_mark(message: RawStreamMsg) -> bool:
    return (message.headers or {}).get(_OPERATION) in _REMOVED


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, UsageError | StorageFull) else words_of(error)
