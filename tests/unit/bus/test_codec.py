"""Events to bytes and back: what is compressed, what is refused, and with which words."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from openwork_bus.codec import MAX_DECOMPRESSED_BYTES, check_size, decode, pack, to_json, unpack
from openwork_contracts.errors import ContractViolation, EventTooLarge
from openwork_contracts.meta import CONTRACT_VERSION, EventMeta
from openwork_contracts.plan import RetrievalFailed
from openwork_contracts.question import AskOptions, QuerySubmitted
from openwork_contracts.subjects import spec_of

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RUN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
OTHER_RUN = "01BX5ZZKBKACTAV9WEVGEMMVRZ"
SUBJECT = spec_of(QuerySubmitted).subject(RUN)
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ANY_TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=3000)


def submitted(question: str, *, run_id: str = RUN, version: int = CONTRACT_VERSION) -> QuerySubmitted:
    meta = EventMeta(event_id=SUBJECT, run_id=run_id, contract_version=version, occurred_at=AT, producer="test")
    return QuerySubmitted(meta=meta, question=question, options=AskOptions(deadline_s=2.5))


def packed(event: QuerySubmitted, *, compress_over_bytes: int = 10_000, max_payload_bytes: int = 2**20) -> bytes:
    body = to_json(event)
    return check_size(
        event,
        pack(body, over_bytes=compress_over_bytes),
        n_bytes=len(body),
        max_payload_bytes=max_payload_bytes,
    )


@given(ANY_TEXT, st.integers(min_value=0, max_value=4000))
def test_an_event_comes_back_as_it_was_compressed_or_not(question: str, compress_over_bytes: int) -> None:
    event = submitted(question)
    data = packed(event, compress_over_bytes=compress_over_bytes)
    assert decode(SUBJECT, data, headers={}) == event


def test_only_a_body_over_the_threshold_is_compressed() -> None:
    """Small messages stay readable for `nats sub`."""
    event = submitted("x" * 100)
    size = len(to_json(event))
    assert packed(event, compress_over_bytes=size)[:1] == b"{"
    assert packed(event, compress_over_bytes=size - 1)[:4] == ZSTD_MAGIC


def test_an_event_that_compression_brings_under_the_limit_is_sent() -> None:
    assert len(packed(submitted("a" * 20_000), compress_over_bytes=1000, max_payload_bytes=2000)) < 2000


def test_an_event_over_the_limit_is_refused_with_its_sizes_and_what_to_do() -> None:
    with pytest.raises(EventTooLarge, match=r"query-submitted.*bytes.*max_payload"):
        packed(submitted("x" * 500), max_payload_bytes=300)


@pytest.mark.parametrize("declares_size", [True, False])
def test_a_decompression_bomb_is_refused(declares_size: bool) -> None:
    """With the size in its frame, and without."""
    packer = zstandard.ZstdCompressor(level=1, write_content_size=declares_size).compressobj(
        size=MAX_DECOMPRESSED_BYTES + 1 if declares_size else -1
    )
    zeros = bytes(2**20)
    parts = [packer.compress(zeros) for _ in range(MAX_DECOMPRESSED_BYTES // len(zeros))]
    bomb = b"".join([*parts, packer.compress(b"0"), packer.flush()])
    assert len(bomb) < 100_000
    with pytest.raises(ContractViolation, match="unfolds to more"):
        unpack(bomb)


def test_what_only_claims_to_be_compressed_is_a_contract_violation() -> None:
    with pytest.raises(ContractViolation, match="cannot be decompressed"):
        unpack(ZSTD_MAGIC + b"this is no frame at all")


def test_a_message_cut_in_the_middle_is_a_contract_violation() -> None:
    data = packed(submitted("apixaban " * 300), compress_over_bytes=0)
    with pytest.raises(ContractViolation):
        decode(SUBJECT, data[: len(data) // 2], headers={})


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_but_a_contract_violation(data: bytes) -> None:
    with suppress(ContractViolation):
        decode(SUBJECT, data, headers={})


@pytest.mark.parametrize(
    "subject",
    [
        "",
        "openwork.v1.query-submitted",
        f"openwork.v2.query-submitted.answer.all.{RUN}.all.0.0",
        f"openwork.v1.no-such-event.answer.all.{RUN}.all.0.0",
        f"elsewhere.v1.query-submitted.answer.all.{RUN}.all.0.0",
        f"openwork.v1.query-submitted.answer.all.{RUN}.all.first.0",
        f"{SUBJECT}.more",
    ],
)
def test_a_subject_of_no_event_is_refused(subject: str) -> None:
    with pytest.raises(ContractViolation):
        decode(subject, packed(submitted("x")), headers={})


def test_an_event_of_another_run_is_refused() -> None:
    with pytest.raises(ContractViolation, match=OTHER_RUN):
        decode(SUBJECT, packed(submitted("x", run_id=OTHER_RUN)), headers={})


def test_the_body_of_another_event_is_refused_with_the_missing_fields_named() -> None:
    subject = spec_of(RetrievalFailed).subject(RUN)
    with pytest.raises(ContractViolation, match=r"RetrievalFailed.*source"):
        decode(subject, packed(submitted("x")), headers={})


def test_an_unknown_contract_version_is_refused_and_both_versions_are_named() -> None:
    with pytest.raises(ContractViolation, match=r"version 2;.* knows 1"):
        decode(SUBJECT, packed(submitted("x", version=2)), headers={})


def test_a_newer_field_is_passed_over() -> None:
    """Additive changes of a contract do not stop an older reader."""
    body = json.loads(submitted("x").model_dump_json()) | {"a_field_of_tomorrow": 1}
    assert decode(SUBJECT, json.dumps(body).encode(), headers={}) == submitted("x")


def test_an_error_does_not_repeat_the_text_of_the_message() -> None:
    """What was asked may be personal; it stays out of logs and dead-letter headers."""
    with pytest.raises(ContractViolation) as caught:
        decode(SUBJECT, b'{"question": 7, "context": "my-private-words"}', headers={})
    assert "my-private-words" not in str(caught.value)
