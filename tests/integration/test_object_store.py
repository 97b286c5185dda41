"""Objects on a real nats-server: what the server itself enforces of them, and what an older version stored."""

from __future__ import annotations

import asyncio
import os

import pytest
from nats.js import JetStreamContext
from nats.js.errors import APIError
from openwork_bus.buckets import ensure_buckets
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.objects import Objects
from openwork_bus.settings import ServiceSettings
from openwork_contracts.buckets import ANSWERS, BLOBS, LIMITS, TEXTS
from openwork_contracts.errors import ContractViolation
from openwork_contracts.meta import BlobRef

pytestmark = pytest.mark.nats


@pytest.fixture
def js(bus: JetStreamBus) -> JetStreamContext:
    return bus.connection.jetstream(timeout=5)


@pytest.mark.parametrize("size", [0, 1, 300_000, 5_000_000])
async def test_an_object_comes_back_as_it_was(js: JetStreamContext, size: int) -> None:
    body = os.urandom(size)
    for spec in (BLOBS, TEXTS):
        ref = await Objects(js, spec).put(body)
        assert await Objects(js, spec).get(ref) == body
        assert await Objects(js, spec).put(body) == ref


async def test_a_name_replaced_while_it_is_read_never_gives_a_mixture(js: JetStreamContext) -> None:
    """Four readers against a writer: each reads one of the objects, whole."""
    store = Objects(js, TEXTS)
    bodies = [bytes([n]) * 700_000 for n in range(8)]
    await store.set_name("v1.pmid.1", await store.put(bodies[0]))
    done = False

    async def write() -> None:
        nonlocal done
        for body in bodies:
            await store.set_name("v1.pmid.1", await store.put(body))
        done = True

    async def read() -> set[bytes]:
        found: set[bytes] = set()
        while not done:
            ref = await store.named("v1.pmid.1")
            assert ref is not None
            found.add(await store.get(ref))
        return found

    _, *read_by = await asyncio.gather(write(), read(), read(), read(), read())
    assert set.union(*read_by) <= set(bodies)
    assert await store.named("v1.pmid.1") == await store.put(bodies[-1])


async def test_a_stored_blob_can_be_neither_replaced_nor_rolled_up(js: JetStreamContext) -> None:
    """Whatever the headers; what a name stands for can be replaced, but one subject empties no bucket."""
    blob = await Objects(js, BLOBS).put(b"body")
    piece = f"$O.{BLOBS.name}.C.{blob.name}.0"
    for headers in (None, {"Nats-Expected-Last-Subject-Sequence": "1"}, {"Nats-Rollup": "sub"}):
        with pytest.raises(APIError):
            await js.publish(piece, b"forged", headers=headers)
    for subject in (f"$O.{TEXTS.name}.M.a", f"$KV.{ANSWERS.name}.a", f"$KV.{LIMITS.name}.rate.a"):
        with pytest.raises(APIError, match="rollup not permitted"):
            await js.publish(subject, b"", headers={"Nats-Rollup": "all"})
    assert await Objects(js, BLOBS).get(blob) == b"body"


async def test_what_was_tampered_with_is_refused_and_what_is_gone_is_not_there(js: JetStreamContext) -> None:
    store = Objects(js, TEXTS)
    ref = await store.put(os.urandom(600_000))
    await js.publish(f"$O.{TEXTS.name}.C.{ref.name}.1", os.urandom(262_144))
    with pytest.raises(ContractViolation, match="checksum"):
        await store.get(ref)
    await js.purge_stream(TEXTS.stream, subject=f"$O.{TEXTS.name}.C.{ref.name}.2")
    with pytest.raises(LookupError, match=r"\.2 is not stored"):
        await store.get(ref)


async def test_a_full_cache_loses_its_oldest_text_and_takes_new_ones(js: JetStreamContext) -> None:
    small = TEXTS.__class__(
        "small", TEXTS.kind, 1_000_000 / ServiceSettings().store_bytes, None, is_cache=False, keys=(">",)
    )
    await ensure_buckets(js, ServiceSettings(), (small,))
    store = Objects(js, small)
    refs = [await store.put(os.urandom(400_000)) for _ in range(4)]
    assert len(await store.get(refs[-1])) == 400_000
    with pytest.raises(LookupError):
        await store.get(refs[0])


async def test_a_bucket_of_an_older_version_is_changed_and_what_it_holds_counts_as_absent(
    js: JetStreamContext,
) -> None:
    """NATS' own object store: all pieces of an object on one subject, of which one message is kept from now on."""
    for spec in (TEXTS, BLOBS):
        await js.delete_stream(spec.stream)
        old = await js.create_object_store(spec.name)
        await old.put("a" * 64, os.urandom(300_000))
    await ensure_buckets(js, ServiceSettings())
    for spec in (TEXTS, BLOBS):
        with pytest.raises(LookupError):
            await Objects(js, spec).get(BlobRef(bucket=spec.name, name="a" * 64, sha256="a" * 64, size=300_000))
        assert await Objects(js, spec).get(await Objects(js, spec).put(b"new")) == b"new"
