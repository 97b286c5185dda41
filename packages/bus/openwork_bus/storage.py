"""What the server means when it does not store a message: that one is there already, or that there is no room.

Error 10077 says both, and comes with code 503, as "no leader" does: only its description tells them apart. An answer
that is not known here counts as not stored. Tried on nats-server 2.15.1: one case each in
tests/integration/test_storage_answers.py.
"""

from __future__ import annotations

from enum import Enum, auto

from nats.js.errors import APIError

WRONG_LAST_SEQUENCE = 10071
WRONG_LAST_SEQUENCE_CONSTANT = 10164
"""The same, of a create-only publish that raced another."""
STORE_FAILED = 10077
INSUFFICIENT_RESOURCES = 10023
STORAGE_EXCEEDED = 10047
"""The account's or the server's reserved storage."""
BATCH_GONE = frozenset({10176, 10210, 10211})
"""The server knows the batch no more (it was restarted in the middle of it), or too many are open: send it anew."""

_THERE = "maximum messages per subject exceeded"
_FULL = frozenset({"maximum bytes exceeded", "maximum messages exceeded"})


class Refusal(Enum):
    """Why a message was not stored."""

    THERE_ALREADY = auto()
    """The subject holds a message: for a create-only publish a normal answer."""
    FULL = auto()
    """The stream, or the store, takes nothing more."""
    TRY_AGAIN = auto()
    """No leader, or the batch was forgotten: the same may be stored the next moment."""
    FINAL = auto()
    """It will never be stored as it is."""


def refusal_of(error: APIError) -> Refusal:
    """What an answer of the server to a publish means."""
    if error.err_code in (WRONG_LAST_SEQUENCE, WRONG_LAST_SEQUENCE_CONSTANT):
        return Refusal.THERE_ALREADY
    if error.err_code == STORE_FAILED:
        description = (error.description or "").strip().lower()
        if description == _THERE:
            return Refusal.THERE_ALREADY
        return Refusal.FULL if description in _FULL else Refusal.TRY_AGAIN
    if error.err_code in (INSUFFICIENT_RESOURCES, STORAGE_EXCEEDED):
        return Refusal.FULL
    if error.code == 503 or error.err_code in BATCH_GONE:
        return Refusal.TRY_AGAIN
    return Refusal.FINAL


def is_full(error: Exception) -> bool:
    """Whether the server had no room."""
    return isinstance(error, APIError) and refusal_of(error) is Refusal.FULL
