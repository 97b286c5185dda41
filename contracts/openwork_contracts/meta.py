"""What every contract and every event has in common. Owner: contracts.

Additive only: a field renamed, removed, retyped or given a new meaning is a new class under `openwork.v2`,
run beside this one.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

CONTRACT_VERSION = 1
"""The major version of every contract here; the `v1` of every subject."""

RunId = Annotated[str, StringConstraints(pattern=r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$")]
"""A ULID: 26 characters of Crockford's base 32, sortable by time. Its 128 bits are also the run's trace id."""

Part = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
"""What makes an event unique inside its run, e.g. `affirmative-1`, `doc-07`, `0`. One subject token."""

Route = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
"""Who is to take an event: a source, a mode, or `all`. One subject token."""


class Contract(BaseModel):
    """Base of everything that crosses a service boundary: frozen; ignores fields newer than itself."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True, ser_json_inf_nan="null")


class EventMeta(Contract):
    """Where an event comes from. Set by the chassis, never by a handler."""

    event_id: str
    """The subject the event was first published on: unique for ever, since publishing is create-only."""
    run_id: RunId
    contract_version: int = Field(default=CONTRACT_VERSION, ge=1)
    """Major version of the contract of the body. A reader that does not know it dead-letters the message."""
    parent_ids: tuple[str, ...] = ()
    """The events this one was made from."""
    occurred_at: AwareDatetime
    """UTC."""
    producer: str
    """The service that published it, e.g. `normaliser`, or the client's name."""
    trace_id: str | None = None
    """32 hex digits of the W3C trace that the run belongs to; `None` when a client did not say."""


class Event(Contract):
    """Base of every event. `event_name` is the second token of the subject's meaning: `openwork.v1.<event_name>...`."""

    event_name: ClassVar[str] = ""
    terminal: ClassVar[bool] = False
    """True for the events that end a run. A run has exactly one of them."""

    meta: EventMeta
