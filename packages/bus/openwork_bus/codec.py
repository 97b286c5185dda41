"""Events to bytes and back. JSON; zstd above a size; the reader tells them apart by zstd's magic number."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

import zstandard
from openwork_contracts.errors import ContractViolation, EventTooLarge
from openwork_contracts.meta import CONTRACT_VERSION, Event
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import parse_subject, spec_named
from pydantic import ValidationError

E = TypeVar("E", bound=Event)

_TIMER_HEADER = "Nats-Scheduler"
"""On what the server publishes when a timer fires; a client cannot leave it off."""
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MAX_DECOMPRESSED_BYTES = 64 * 2**20
"""A compressed message may not unfold to more: 64 times the server's usual limit, far above any event."""


def encode(event: Event, *, compress_over_bytes: int, max_payload_bytes: int) -> bytes:
    """An event as the bytes of its message.

    Raises:
        EventTooLarge: over `max_payload_bytes` even when compressed.
    """
    body = event.model_dump_json(exclude_defaults=False).encode()
    packed = zstandard.ZstdCompressor(level=3).compress(body) if len(body) > compress_over_bytes else body
    if len(packed) > max_payload_bytes:
        raise EventTooLarge(
            f"{event.event_name} of run {event.meta.run_id} has {len(body)} bytes ({len(packed)} compressed); the "
            f"server takes {max_payload_bytes}. Raise max_payload of NATS, or lower the number of records asked for."
        )
    return packed


def unpack(data: bytes) -> bytes:
    """The JSON inside a message.

    Raises:
        ContractViolation: it claims to be compressed and is not, or unfolds to over 64 MiB.
    """
    if data[:4] != _ZSTD_MAGIC:
        return data
    try:
        # Streaming: `decompress` believes the size that the frame declares, a bomb declares none.
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            body = reader.read(MAX_DECOMPRESSED_BYTES + 1)
    except zstandard.ZstdError as error:
        raise ContractViolation(f"the message cannot be decompressed: {error}") from error
    if len(body) > MAX_DECOMPRESSED_BYTES:
        raise ContractViolation(f"the message unfolds to more than {MAX_DECOMPRESSED_BYTES} bytes")
    return body


def decode(subject: str, data: bytes, *, stored_at: datetime, headers: Mapping[str, str]) -> Event:
    """The event of a message, checked against its contract.

    Args:
        subject: where it was published; says which event it must be.
        data: the message's bytes.
        stored_at: when the stream stored it; the time of a `query-submitted` that came without meta.
        headers: the message's; they tell what a timer of the server published.
    Raises:
        ContractViolation: unknown event, not JSON, wrong fields, unknown contract version, a body that belongs
            to another subject, or an event that a timer published and that is no deadline.
    """
    where = parse_subject(subject)
    model = spec_named(where.event).model
    if _TIMER_HEADER in headers and model is not DeadlineReached:
        # Whoever may set timers may name any target: permissions cannot see it, so readers must.
        raise ContractViolation(f"{subject} was published by a timer, which may only tell that time is up")
    body = unpack(data)
    if model is QuerySubmitted:
        body = _with_meta(body, subject, where.run_id, stored_at)
    try:
        event = model.model_validate_json(body)
    except ValidationError as error:
        raise ContractViolation(f"{subject} is not a {model.__name__}: {_short(error)}") from error
    except RecursionError as error:
        raise ContractViolation(f"{subject} is nested too deeply to be a {model.__name__}") from error
    if event.meta.contract_version != CONTRACT_VERSION:
        raise ContractViolation(
            f"{subject} has contract version {event.meta.contract_version}; this service knows {CONTRACT_VERSION}"
        )
    if event.meta.run_id != where.run_id:
        raise ContractViolation(f"{subject} holds an event of run {event.meta.run_id}")
    return event


def decode_as(model: type[E], subject: str, data: bytes, *, stored_at: datetime, headers: Mapping[str, str]) -> E:
    """`decode` for a reader that knows which event it asked for."""
    event = decode(subject, data, stored_at=stored_at, headers=headers)
    if not isinstance(event, model):
        raise ContractViolation(f"{subject} is a {type(event).__name__}, not a {model.__name__}")
    return event


def _with_meta(body: bytes, subject: str, run_id: str, stored_at: datetime) -> bytes:
    """A `query-submitted` of a client that left `meta` out."""
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(raw, dict) or "meta" in raw:
        return body
    raw["meta"] = {
        "event_id": subject,
        "run_id": run_id,
        "contract_version": CONTRACT_VERSION,
        "occurred_at": stored_at.isoformat(),
        "producer": "client",
    }
    return json.dumps(raw).encode()


def _short(error: ValidationError) -> str:
    """The first three findings of a validation, without the input's text."""
    found = [f"{'.'.join(map(str, e['loc'])) or 'body'}: {e['msg']}" for e in error.errors(include_input=False)[:3]]
    more = error.error_count() - len(found)
    return "; ".join(found) + (f"; and {more} more" if more > 0 else "")
