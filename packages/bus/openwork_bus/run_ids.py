"""Run ids and trace ids. A run id is a ULID: 128 bits, as many as a W3C trace id, so one is the other."""

from __future__ import annotations

import hashlib

from openwork_contracts.errors import UsageError
from ulid import ULID


def new_run_id() -> str:
    """A new ULID: sortable by the millisecond it was made in."""
    return str(ULID())


def check_run_id(text: str) -> str:
    """The run id in its one spelling (upper case).

    Raises:
        UsageError: it is not a ULID.
    """
    try:
        return str(ULID.from_str(text.strip().upper()))
    except ValueError:
        raise UsageError(
            f"{text!r} is not a run id; a run id is a ULID of 26 characters, see `openwork runs list`"
        ) from None


def is_run_id(text: str) -> bool:
    """Whether it is a run id in its one spelling."""
    try:
        return check_run_id(text) == text
    except UsageError:
        return False


def trace_id_of(run_id: str) -> str:
    """The trace id of a run: the 128 bits of its ULID as 32 hex digits."""
    return ULID.from_str(run_id).hex


def root_span_id_of(run_id: str) -> str:
    """The span id of a run's root span: known to every service without a word on the bus. 16 hex digits."""
    return hashlib.sha256(run_id.encode()).hexdigest()[:16]


def root_traceparent(run_id: str) -> str:
    """W3C traceparent under which a run's spans hang when the client brought no trace of its own."""
    return f"00-{trace_id_of(run_id)}-{root_span_id_of(run_id)}-01"
