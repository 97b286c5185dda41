"""What idempotency keys stand for, shared by all replicas, for a day."""

from __future__ import annotations

from openwork_contracts.errors import BusUnavailable

from openwork_api.security.store import Store

_KEPT_S = 86_400


class StoredEntries:
    """`openwork_api.idempotency.Entries` in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def first(self, key: str, value: str) -> str:
        """See `Entries`."""
        for _ in range(2):
            if await self._store.put(key, value.encode(), ttl_s=_KEPT_S):
                return value
            if (entry := await self._store.get(key)) is not None:
                return entry.value.decode()
        raise BusUnavailable("what this Idempotency-Key stands for expired just now; try again")
