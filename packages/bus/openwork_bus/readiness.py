"""Whether a durable is as the contracts say: one that was changed takes other messages, or none, and tells nobody."""

from __future__ import annotations

from dataclasses import dataclass

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig
from nats.js.errors import NotFoundError
from openwork_contracts.errors import BusUnavailable

MEND = "run `python -m openwork_bus.topology`"

_CHANGEABLE = (
    "ack_wait",
    "backoff",
    "max_deliver",
    "max_ack_pending",
    "headers_only",
    "rate_limit_bps",
    "inactive_threshold",  # unused for so long, it is removed
)
_FIXED = (
    "deliver_policy",
    "ack_policy",
    "deliver_subject",
    "replay_policy",
    "max_waiting",
    "opt_start_seq",
    "opt_start_time",
)
"""What the server lets nobody change in a consumer that is there; tried on nats-server 2.15.1."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of a consumer that is not as it should be."""

    field: str
    there: object
    wanted: object

    @property
    def is_fixed(self) -> bool:
        """Whether only a consumer that is made anew has another value."""
        return self.field in _FIXED

    def __str__(self) -> str:
        return f"{self.field} is {self.there!r}, and the contracts say {self.wanted!r}"


def differences(wanted: ConsumerConfig, there: ConsumerConfig) -> tuple[Difference, ...]:
    """In what a consumer of the server differs from what it should be, as far as it decides what is delivered.

    Not compared: copies, a pause, and what the server adds by itself.
    """
    compared = [Difference("filters", _filters(there), _filters(wanted))]
    compared += [
        Difference(field, _plain(getattr(there, field)), _plain(getattr(wanted, field)))
        for field in (*_CHANGEABLE, *_FIXED)
    ]
    return tuple(one for one in compared if one.there != one.wanted)


async def check_consumer(js: JetStreamContext, stream: str, wanted: ConsumerConfig) -> None:
    """Whether a consumer is there, as it should be.

    Raises:
        BusUnavailable: it is missing, or another, or NATS does not answer.
    """
    durable = wanted.durable_name or ""
    try:
        info = await js.consumer_info(stream, durable)
    except NotFoundError as error:
        raise BusUnavailable(
            f"consumer {durable!r} of stream {stream} does not exist; {MEND} before the services"
        ) from error
    except (NatsError, OSError) as error:
        raise BusUnavailable(f"NATS does not answer for consumer {durable!r}: {error!r}") from error
    if wrong := differences(wanted, info.config):
        raise BusUnavailable(
            f"consumer {durable!r} of stream {stream} was changed: {'; '.join(map(str, wrong))}; {MEND}"
        )


def _filters(config: ConsumerConfig) -> tuple[str, ...]:
    one = [config.filter_subject] if config.filter_subject else []
    return tuple(sorted(config.filter_subjects or one))


def _plain(value: object) -> object:
    """An enum as its word; what is empty, or says nothing, as `None`."""
    word = getattr(value, "value", value)
    return tuple(word) if isinstance(word, list) and word else word or None
