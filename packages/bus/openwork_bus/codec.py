"""Events to bytes and back. JSON without what has its default; zstd above a size; large bodies by reference.

The reader tells compressed from plain by zstd's magic number, and a reference by its header.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import datetime

import zstandard
from openwork_contracts.errors import ContractViolation, EventTooLarge
from openwork_contracts.meta import CONTRACT_VERSION, BlobRef, Contract, Event, LargeEvent
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import DUE_PREFIX, Subject, parse_subject, spec_named
from pydantic import ValidationError

LARGE_HEADER = "Openwork-Large"
"""On a message that is a `LargeEvent`: its body is in an object store."""
DEADLINE_HEADER = "Openwork-Deadline"
"""When the run ends in any case, as milliseconds since 1970 UTC: work of an overdue run is dropped unread."""
LARGE_OVER_BYTES = 256 * 1024
"""JSON bodies of more bytes are stored apart and referred to."""
JSON_ZSTD = "application/json+zstd"
MAX_DECOMPRESSED_BYTES = 64 * 2**20
"""A compressed message may not unfold to more: 64 times the server's usual limit, far above any event."""
_TIMER_HEADER = "Nats-Scheduler"
"""On what the server publishes when a timer fires; a client cannot leave it off."""
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class _Zstd(threading.local):
    """One of each per thread: to make them costs more than a small body, and they may not be shared."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=3)
        self.decompressor = zstandard.ZstdDecompressor()


_zstd = _Zstd()


def to_json(contract: Contract) -> bytes:
    """The JSON of an event or a document of the bus: fields that have their default are left out."""
    return contract.model_dump_json(exclude_defaults=True).encode()


def event_named_in(subject: str) -> str:
    """The name of the event that a subject is of; empty where it is of none. Of a subject that is not taken apart."""
    if subject.startswith(f"{DUE_PREFIX}."):
        return DeadlineReached.event_name
    tokens = subject.split(".", 3)
    return tokens[2] if len(tokens) > 2 else ""


def deadline_header(event: Event) -> dict[str, str]:
    """The run's deadline as a header; empty when it is not known."""
    due = event.meta.deadline_at
    return {} if due is None else {DEADLINE_HEADER: str(round(due.timestamp() * 1000))}


def is_overdue(headers: Mapping[str, str], now: datetime) -> bool:
    """Whether the deadline of a message's run has passed. False when it has none, or one that cannot be read."""
    due = headers.get(DEADLINE_HEADER, "")
    return due.isdecimal() and int(due) < now.timestamp() * 1000


def pack(body: bytes, *, over_bytes: int = 0) -> bytes:
    """Compressed with zstd when it has more than `over_bytes`."""
    return _zstd.compressor.compress(body) if len(body) > over_bytes else body


def check_size(event: Event, packed: bytes, *, n_bytes: int, max_payload_bytes: int) -> bytes:
    """The bytes of a message that the server takes.

    Raises:
        EventTooLarge: over `max_payload_bytes` even when compressed.
    """
    if len(packed) > max_payload_bytes:
        raise EventTooLarge(
            f"{event.event_name} of run {event.meta.run_id} has {n_bytes} bytes ({len(packed)} compressed); the "
            f"server takes {max_payload_bytes}. Raise max_payload of NATS, or lower the number of records asked for."
        )
    return packed


def large(event: Event, body: BlobRef) -> bytes:
    """The message of an event whose body is stored apart."""
    return to_json(LargeEvent(meta=event.meta, body=body))


def unpack(data: bytes, *, most_bytes: int = MAX_DECOMPRESSED_BYTES) -> bytes:
    """The JSON inside a message.

    Raises:
        ContractViolation: it claims to be compressed and is not, or unfolds to more than `most_bytes`.
    """
    if data[:4] != _ZSTD_MAGIC:
        return data
    try:
        size = zstandard.frame_content_size(data)
        if 0 <= size <= most_bytes:
            return _zstd.decompressor.decompress(data)
        # Streaming: `decompress` believes the size that the frame declares, a bomb declares none.
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            body = reader.read(most_bytes + 1)
    except zstandard.ZstdError as error:
        raise ContractViolation(f"the message cannot be decompressed: {error}") from error
    if len(body) > most_bytes:
        raise ContractViolation(f"the message unfolds to more than {most_bytes} bytes")
    return body


def reference_in(subject: str, data: bytes, headers: Mapping[str, str]) -> BlobRef | None:
    """Where the body of a message is; `None` when the message holds it itself.

    Raises:
        ContractViolation: it says that it is a reference and is none.
    """
    if LARGE_HEADER not in headers:
        return None
    try:
        return LargeEvent.model_validate_json(unpack(data)).body
    except ValidationError as error:
        raise ContractViolation(f"{subject} is not a reference to a large event: {_short(error)}") from error


def decode(subject: str, data: bytes, *, headers: Mapping[str, str]) -> Event:
    """The event of a message, checked against its contract.

    Args:
        subject: where it was published; says which event it must be.
        data: the message's bytes, or those that it refers to.
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
    try:
        event = model.model_validate_json(body)
    except ValidationError as error:
        raise ContractViolation(f"{subject} is not a {model.__name__}: {_short(error)}") from error
    except RecursionError as error:
        raise ContractViolation(f"{subject} is nested too deeply to be a {model.__name__}") from error
    return _in_its_place(event, where)


def _in_its_place(event: Event, where: Subject) -> Event:
    meta = event.meta
    if meta.contract_version != CONTRACT_VERSION:
        raise ContractViolation(
            f"{where} has contract version {meta.contract_version}; this service knows {CONTRACT_VERSION}"
        )
    if (meta.run_id, meta.pipeline, meta.track, meta.round) != (where.run_id, where.pipeline, where.track, where.round):
        raise ContractViolation(
            f"{where} holds an event of run {meta.run_id}, pipeline {meta.pipeline}, track {meta.track}, "
            f"round {meta.round}"
        )
    return event


def _short(error: ValidationError) -> str:
    """The first three findings of a validation, without the input's text."""
    found = [f"{'.'.join(map(str, e['loc'])) or 'body'}: {e['msg']}" for e in error.errors(include_input=False)[:3]]
    more = error.error_count() - len(found)
    return "; ".join(found) + (f"; and {more} more" if more > 0 else "")
