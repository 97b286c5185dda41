"""What every contract and every event has in common. Owner: contracts.

Additive only: a field renamed, removed, retyped or given a new meaning is a new class under `openwork.v2`,
run beside this one.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from openwork_contracts.text import Text, Texts

CONTRACT_VERSION = 1
"""The major version of every contract here; the `v1` of every subject."""

RunId = Annotated[str, StringConstraints(pattern=r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$")]
"""A ULID: 26 characters of Crockford's base 32, sortable by time. Its 128 bits are also the run's trace id."""

Token = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
"""One token of a subject."""

Part = Token
"""What makes an event unique inside its track and round, e.g. `doc-07`, `0`."""

Route = Token
"""Who is to take an event: a source, a joiner, or `all`."""

ALL = "all"
"""The route that everybody takes, and the track of what belongs to no single track."""

LOCAL_OWNER = "local"
"""Owner of what is asked without credentials: the account of that name."""


class Contract(BaseModel):
    """Base of everything that crosses a service boundary: frozen; ignores fields newer than itself.

    Its texts are `Text` or `Texts`, never `str`: what steers a terminal or cannot be seen ends here (`text.py`).
    """

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True, ser_json_inf_nan="null")


class EventMeta(Contract):
    """Where an event comes from. Set by the bus package, never by a handler."""

    event_id: Text
    """The subject the event was first published on: unique for ever, since publishing is create-only."""
    run_id: RunId
    pipeline: Token = "answer"
    """The kind of run, as in the subject; see `pipelines.py`."""
    track: Token = ALL
    """The track of the run, as in the subject; `all` = of no single track."""
    round: int = Field(default=0, ge=0)
    """The round of search within the track, from 1, as in the subject; 0 = of no single round."""
    owner: Text = LOCAL_OWNER
    """Whose run it is and who may read it: set where the question comes in, copied from the cause after that."""
    deadline_at: AwareDatetime | None = None
    """When the run ends in any case: set where the question comes in, copied from the cause after that. Also a header,
    so that work of an overdue run is dropped unread. `None` = not known to whoever made the event."""
    contract_version: int = Field(ge=1)
    """Major version of the contract of the body. A reader that does not know it dead-letters the message."""
    parent_ids: Texts = ()
    """The events this one was made from. The first is what it answers: an event is a repetition of another on the same
    subject when both have the same producer and the same first parent."""
    occurred_at: AwareDatetime
    """UTC."""
    producer: Text
    """The service that published it, e.g. `normaliser`, or the client's name."""
    trace_id: Text | None = None
    """32 hex digits of the W3C trace that the run belongs to; `None` when a client did not say."""


class BlobRef(Contract):
    """What is too large for an event and lies in an object store instead."""

    bucket: Text
    """One of `buckets.py`."""
    name: Text
    sha256: Text
    """Of the bytes as they are stored, in hex; a reader checks it."""
    size: int = Field(ge=0)
    """Bytes as they are stored."""
    media_type: Text = "application/json+zstd"


class Event(Contract):
    """Base of every event. `event_name` is the third token of its subject: `openwork.v1.<event_name>...`.

    On the bus, fields that have their default are left out. An event of more than 256 KB is stored as its `meta` and
    a `body`, a `BlobRef` to the whole of it (`large-event` in the schemas).
    """

    event_name: ClassVar[str] = ""
    terminal: ClassVar[bool] = False
    """True for the event that ends a run. A run has exactly one."""

    meta: EventMeta


class LargeEvent(Contract):
    """An event whose body is in an object store."""

    meta: EventMeta
    body: BlobRef
