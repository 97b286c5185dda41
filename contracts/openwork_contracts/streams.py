"""One table: every stream, what it holds, and what the server enforces of it. Owner: contracts.

`max_bytes` is reserved on the server's disk: the store is divided by fixed shares, and what is left over is for the
inboxes of accounts that are yet to come.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from openwork_contracts.accounts import OUT_PREFIX, RESULTS_PREFIX, inbox_stream, inbox_subject
from openwork_contracts.buckets import BUCKETS
from openwork_contracts.subjects import (
    ADVISORY_STREAM,
    DEAD_LETTER_STREAM,
    DEAD_PREFIX,
    DUE_PREFIX,
    RESULTS_STREAM,
    STREAM,
    TIMER_PREFIX,
    TIMERS_STREAM,
    stream_subjects,
)

_MIB = 2**20
ADVISORY_SUBJECT = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>"


class Keeps(StrEnum):
    """How long a stream keeps a message, and what it does when it is full."""

    EVENTS = "events"
    """As long as `events_hours`; one message per subject, for ever the first; full = refuses."""
    TIMERS = "timers"
    """Until it is due, and then as long as an event; full = drops the oldest without a word."""
    RESULTS = "results"
    """As long as `results_days`; full = drops the oldest."""
    NOTICES = "notices"
    """As long as an event; full = drops the oldest."""
    QUEUE = "queue"
    """Until it is acknowledged; one message per subject; full = refuses."""


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """One row of the table."""

    name: str
    subjects: tuple[str, ...]
    keeps: Keeps
    share: float = 0.0
    """Of the store, reserved; 0 where `max_bytes` says it."""
    max_bytes: int | None = None
    """Bytes reserved, where it is not a share."""
    max_messages: int | None = None
    max_messages_per_subject: int | None = None
    max_message_bytes: int = 8 * _MIB
    """Largest message with its headers."""
    max_consumers: int = 0
    """Durables that it may have: those of the contracts and a few for operators; 0 = made without a consumer."""
    republish_to: str | None = None
    """Prefix on which a stored message is told as a core message too."""


INBOX_MAX_BYTES = 16 * _MIB
INBOX_MAX_MESSAGES = 10_000
INBOX_CONSUMER = "gateway-inbox"
"""The one durable of every inbox."""

STREAMS: tuple[StreamSpec, ...] = (
    # Bodies of more than 256 KiB are stored apart; a compressed one is far below.
    StreamSpec(STREAM, stream_subjects(), Keeps.EVENTS, share=0.42, max_message_bytes=_MIB // 2, max_consumers=128),
    StreamSpec(
        TIMERS_STREAM,
        (f"{TIMER_PREFIX}.*.*.*", f"{DUE_PREFIX}.*.*.*"),
        Keeps.TIMERS,
        share=0.03,
        max_message_bytes=_MIB // 16,
        max_consumers=16,
    ),
    StreamSpec(
        RESULTS_STREAM,
        (f"{RESULTS_PREFIX}.*.*",),
        Keeps.RESULTS,
        share=0.25,
        max_messages_per_subject=256,
        max_message_bytes=5 * _MIB,
        max_consumers=8,
        republish_to=OUT_PREFIX,
    ),
    StreamSpec(
        DEAD_LETTER_STREAM, (f"{DEAD_PREFIX}.*",), Keeps.RESULTS, share=0.02, max_message_bytes=_MIB, max_consumers=4
    ),
    StreamSpec(
        ADVISORY_STREAM, (ADVISORY_SUBJECT,), Keeps.NOTICES, share=0.01, max_message_bytes=_MIB // 16, max_consumers=4
    ),
)
"""Every stream but the inboxes and those behind buckets."""

INBOXES_SHARE = 1.0 - sum(spec.share for spec in STREAMS) - sum(bucket.share for bucket in BUCKETS)
"""Of the store, left for the inboxes of accounts."""


def inbox_spec(account: str) -> StreamSpec:
    """The inbox of an account."""
    return StreamSpec(
        inbox_stream(account),
        (inbox_subject(account),),
        Keeps.QUEUE,
        max_bytes=INBOX_MAX_BYTES,
        max_messages=INBOX_MAX_MESSAGES,
        max_message_bytes=64 * 1024,
        max_consumers=1,
    )


def reserved_names() -> frozenset[str]:
    """Names of all streams that are not an account's."""
    return frozenset((*(spec.name for spec in STREAMS), *(bucket.stream for bucket in BUCKETS)))
