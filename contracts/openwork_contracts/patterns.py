"""Subjects with wildcards: what a user may publish, and which events a consumer takes. Owner: contracts.

Permissions and replay are made from these functions and know nothing of a subject's tokens: where the form of subjects
changes, this module and `subjects.py` change, and nothing that is made from them.
"""

from __future__ import annotations

from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import DEAD_PREFIX, PREFIX, PROGRESS_PREFIX, TIMER_PREFIX, ConsumerSpec, EventSpec


def publish_pattern(spec: EventSpec) -> str:
    """What whoever may publish this event publishes to, in any run of any pipeline."""
    return spec.places()


def timer_pattern(joiner: str) -> str:
    """Subjects of the timers of one joiner. The server publishes the event itself, when the stored timer is due."""
    return f"{TIMER_PREFIX}.{joiner}.*.*"


def dead_letter_subject(durable: str) -> str:
    """Where the messages go that this consumer's service could not handle."""
    return f"{DEAD_PREFIX}.{durable}"


def every_event() -> str:
    """Every event of every run."""
    return f"{PREFIX}.>"


def progress_pattern() -> str:
    """Progress of every run, over core NATS."""
    return f"{PROGRESS_PREFIX}.*"


def events_of(spec: ConsumerSpec) -> tuple[str, ...]:
    """Names of the events that a consumer takes, in the order of its row; a deadline is no event of the flow."""
    names = dict.fromkeys(taken.model.event_name for taken in spec.takes)
    return tuple(name for name in names if name != DeadlineReached.event_name)
