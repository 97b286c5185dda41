"""Objects in pieces, on a stream in memory; tests/integration/test_object_store.py has the real one."""

from __future__ import annotations

import hashlib

import pytest
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import APIError
from openwork_bus import objects
from openwork_bus.objects import MAX_OBJECT_BYTES, PIECE_BYTES, Objects
from openwork_contracts.buckets import BLOBS, TEXTS
from openwork_contracts.errors import BusUnavailable, ContractViolation, EventTooLarge, StorageFull
from openwork_contracts.meta import BlobRef

from tests.fakes.object_stream import ObjectStream

BODY = bytes(range(256)) * 2100  # two whole pieces and a part


def blobs(stream: ObjectStream) -> Objects:
    return Objects(stream, BLOBS)  # type: ignore[arg-type]


def texts(stream: ObjectStream) -> Objects:
    return Objects(stream, TEXTS)  # type: ignore[arg-type]


async def test_an_object_is_stored_in_pieces_named_by_its_content() -> None:
    stream = ObjectStream()
    ref = await blobs(stream).put(BODY)
    digest = hashlib.sha256(BODY).hexdigest()
    assert (ref.name, ref.sha256, ref.size) == (digest, digest, len(BODY))
    assert list(stream.messages) == [f"$O.openwork-blobs.C.{digest}.{n}" for n in range(3)]
    assert max(map(len, stream.messages.values())) == PIECE_BYTES
    assert await blobs(stream).get(ref) == BODY


async def test_an_object_put_again_is_the_same_one() -> None:
    stream = ObjectStream()
    assert await blobs(stream).put(BODY) == await blobs(stream).put(BODY)
    assert await texts(stream).put(BODY) == await texts(stream).put(BODY)


async def test_an_object_of_no_bytes_needs_no_piece() -> None:
    stream = ObjectStream()
    assert await blobs(stream).get(await blobs(stream).put(b"")) == b""
    assert stream.messages == {}


async def test_whoever_read_a_name_before_it_was_replaced_reads_the_former_object_whole() -> None:
    store = texts(ObjectStream())
    await store.set_name("v1.pmid.1", await store.put(BODY))
    read_before = await store.named("v1.pmid.1")
    await store.set_name("v1.pmid.1", await store.put(BODY[::-1]))
    read_after = await store.named("v1.pmid.1")
    assert read_before is not None
    assert read_after is not None
    assert await store.get(read_before) == BODY
    assert await store.get(read_after) == BODY[::-1]


async def test_a_name_that_was_never_given_is_none_and_one_of_other_characters_an_error() -> None:
    store = texts(ObjectStream())
    assert await store.named("v1.pmid.1") is None
    for name in ("", "a b", "a..b", ".a", "a.*", ">", "ä"):
        with pytest.raises(ValueError, match="cannot be a name"):
            await store.named(name)


async def test_a_name_that_stands_for_no_reference_is_refused() -> None:
    with pytest.raises(ContractViolation, match="no reference"):
        await texts(ObjectStream({"$O.openwork-fulltext.M.a": b"{}"})).named("a")


async def test_an_object_that_lacks_a_piece_is_not_there() -> None:
    stream = ObjectStream()
    ref = await blobs(stream).put(BODY)
    del stream.messages[f"$O.openwork-blobs.C.{ref.name}.1"]
    with pytest.raises(LookupError, match=r"\.1 is not stored"):
        await blobs(stream).get(ref)


async def test_a_piece_that_only_a_lagging_replica_lacks_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "_LAG_S", (0.0, 0.0))
    stream = ObjectStream()
    ref = await blobs(stream).put(BODY)
    stream.lags_for = 2
    assert await blobs(stream).get(ref) == BODY
    stream.lags_for = 100
    with pytest.raises(BusUnavailable, match="no replica has it yet"):
        await blobs(stream).get(ref)


@pytest.mark.parametrize("forged", [b"x" * PIECE_BYTES, b"short"])
async def test_bytes_that_are_not_what_was_referred_to_are_refused(forged: bytes) -> None:
    stream = ObjectStream()
    ref = await blobs(stream).put(BODY)
    stream.messages[f"$O.openwork-blobs.C.{ref.name}.1"] = forged
    with pytest.raises(ContractViolation, match="checksum"):
        await blobs(stream).get(ref)


async def test_a_reference_is_not_followed_beyond_a_size_nor_to_a_name_that_is_no_checksum() -> None:
    store = blobs(ObjectStream())
    ref = BlobRef(bucket=BLOBS.name, name="0" * 64, sha256="0" * 64, size=MAX_OBJECT_BYTES + 1)
    with pytest.raises(ContractViolation, match="at most"):
        await store.get(ref)
    with pytest.raises(EventTooLarge, match="at most"):
        await store.put(bytes(MAX_OBJECT_BYTES + 1))
    for name in ("v1.pmid.1", "*", "A" * 64):
        with pytest.raises(LookupError, match="named by its checksum"):
            await store.get(ref.model_copy(update={"name": name, "size": 1}))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (APIError(code=503, err_code=10077, description="maximum bytes exceeded"), StorageFull),
        (APIError(code=503, err_code=10023, description="insufficient resources"), StorageFull),
        (APIError(code=503, err_code=10008, description="no leader"), BusUnavailable),
        (NatsTimeoutError(), BusUnavailable),
    ],
)
async def test_what_was_not_stored_is_said_by_its_reason(error: Exception, kind: type[Exception]) -> None:
    with pytest.raises(BusUnavailable, match="could not be stored") as caught:
        await blobs(ObjectStream(refuses=error)).put(b"x")
    assert type(caught.value) is kind
