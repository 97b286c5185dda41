"""Subjects with wildcards: what a user may publish, and which events a filter takes. Owner: contracts.

Permissions and replay are made from these functions and know nothing of a subject's tokens: where the form of subjects
changes, this module and `subjects.py` change, and nothing that is made from them.
"""

from __future__ import annotations

from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import DEAD_PREFIX, END_PART, PREFIX, TIMER_PREFIX, ConsumerSpec, EventSpec


def publish_patterns(spec: EventSpec) -> tuple[str, ...]:
    """Subjects that whoever may publish this event publishes to, in any run."""
    part = END_PART if spec.model.terminal else "*"
    return (f"{PREFIX}.{spec.name}.{'all' if spec.route == 'all' else '*'}.*.{part}",)


def timer_patterns(joiner: str) -> tuple[str, ...]:
    """Subjects of the timers of one joiner. The server publishes the event itself, when the stored timer is due."""
    return (f"{TIMER_PREFIX}.{joiner}.*.*",)


def dead_letter_subject(spec: ConsumerSpec) -> str:
    """Where the messages go that this consumer's service could not handle."""
    return f"{DEAD_PREFIX}.{spec.durable}"


def every_event() -> str:
    """Every event of every run."""
    return f"{PREFIX}.>"


def events_of(spec: ConsumerSpec) -> tuple[str, ...]:
    """Names of the events that a consumer takes, in the order of its filters; a deadline is no event of the flow."""
    names = dict.fromkeys(filter_.split(".")[2] for filter_ in spec.filters)
    return tuple(name for name in names if name != DeadlineReached.event_name)
