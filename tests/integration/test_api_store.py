"""What the API keeps on a real server: compare and set, times to live, full buckets, and the rights of its user."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import nats
import pytest
from nats.aio.client import Client as NatsClient
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import APIError
from openwork_api.security.keys import Keys
from openwork_api.security.store import KvStore, MemoryStore, Store
from openwork_api.settings import Settings
from openwork_bus.accounts import API_BUCKETS, API_KEYS, API_STATE, AskerBucket
from openwork_bus.run_ids import new_run_id
from openwork_contracts.accounts import API_ACCOUNT, LOCAL_ACCOUNT
from openwork_contracts.errors import BusUnavailable, StorageFull

from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats

LIMIT_S = 30.0


@asynccontextmanager
async def connected(server: OpenServer, account: str = API_ACCOUNT) -> AsyncIterator[NatsClient]:
    async def ignore(_: Exception) -> None:
        """What is denied shows in what is answered."""

    login = {} if account == LOCAL_ACCOUNT else {"user": account, "password": server.logins.passwords[account]}
    connection = await nats.connect(server.asker_url, error_cb=ignore, **login)
    try:
        yield connection
    finally:
        await connection.close()


@pytest.fixture(params=["memory", "nats"])
async def store(request: pytest.FixtureRequest, server: OpenServer) -> AsyncIterator[Store]:
    """The store of one process, and that of all."""
    if request.param == "memory":
        yield MemoryStore()
        return
    async with connected(server) as connection:
        found = KvStore(connection, API_STATE)
        await found.ensure(Settings())
        await found.ensure(Settings())  # twice is once
        yield found


async def test_an_entry_is_changed_by_whoever_knows_what_it_is(store: Store) -> None:
    assert await store.get("a.x") is None
    assert await store.put("a.x", b"1")
    assert not await store.put("a.x", b"2")
    first = await store.get("a.x")
    assert first is not None
    assert first.value == b"1"
    assert await store.put("a.x", b"3", revision=first.revision)
    assert not await store.put("a.x", b"4", revision=first.revision)
    assert await store.put("b.y", b"")
    assert await store.keys() == ["a.x", "b.y"]
    await store.remove("a.x")
    assert await store.get("a.x") is None
    assert not await store.put("a.x", b"5", revision=first.revision)
    await store.remove("a.x")


async def test_an_entry_is_gone_after_its_time(store: Store) -> None:
    assert await store.put("a.x", b"1", ttl_s=1)
    assert await store.put("a.y", b"1", ttl_s=600)
    async with asyncio.timeout(LIMIT_S):
        while await store.get("a.x") is not None:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    assert await store.put("a.x", b"2")
    assert await store.get("a.y")


async def test_a_full_bucket_refuses_and_a_key_can_be_revoked_all_the_same(server: OpenServer) -> None:
    async with connected(server) as connection:
        store = KvStore(connection, API_KEYS)
        await store.ensure(Settings())
        found = Keys(store)
        stored, _ = await found.add("dr-weiss")
        for size in (8000, 1):
            await _fill(store, size)
        await found.revoke(stored.id)
        assert await store.get(stored.id) is None


async def _fill(store: Store, size: int) -> None:
    """Until it takes nothing of that size any more."""
    with contextlib.suppress(StorageFull):
        for _ in range(100_000):
            await store.put(f"filling{new_run_id()}", b"x" * size)
        raise AssertionError("the bucket is never full")


async def test_the_api_keeps_its_buckets_and_can_do_nothing_else_on_the_server(server: OpenServer) -> None:
    """No other stream, no consumer, no purge, no deletion, no limit left out or raised."""
    async with connected(server) as connection:
        for bucket in API_BUCKETS:
            await KvStore(connection, bucket).ensure(Settings())
        js = connection.jetstream(timeout=2)
        name = API_KEYS.stream
        denied = [f"$JS.API.STREAM.{verb}.{name}" for verb in ("DELETE", "PURGE", "MSG.DELETE", "SNAPSHOT")]
        denied += [
            f"$JS.API.CONSUMER.CREATE.{name}.x",
            f"$JS.API.CONSUMER.CREATE.{name}",
            "$JS.API.STREAM.CREATE.OTHER",
        ]
        denied += ["$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST", f"$JS.API.DIRECT.GET.{name}"]
        denied += [
            "$KV.openwork-limits.rate.x",
            "$JS.API.STREAM.INFO.KV_openwork-limits",
            "$JS.API.STREAM.INFO.OPENWORK",
        ]
        for subject in denied:
            with pytest.raises(NatsTimeoutError):
                await connection.request(subject, b"{}", timeout=0.2)
        config = (await js.stream_info(name)).config
        for wider in ({"max_bytes": 2**30}, {"max_bytes": None}, {"storage": "memory"}):
            with pytest.raises(APIError):
                await js.update_stream(config.evolve(**wider))
    log = (server.folder / "nats-server.log").read_text()
    assert all(subject in log for subject in denied)


async def test_other_askers_keep_nothing_on_the_server(server: OpenServer) -> None:
    async with connected(server, LOCAL_ACCOUNT) as connection:
        for bucket in (API_KEYS, AskerBucket("mine", "*", 1024)):
            with pytest.raises(BusUnavailable, match=r"accounts\.conf"):
                await KvStore(connection, bucket, timeout_s=0.3).ensure(Settings())
