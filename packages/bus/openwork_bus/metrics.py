"""What every service on the bus counts and is asked for: messages, its consumers, the streams it looks at, traces.

The server is asked when somebody reads the figures, about the service's own consumers only, and not again within five
seconds. What it does not tell within a second is left out: a reading neither waits nor fails.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from time import monotonic
from typing import TypeVar

from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, ConsumerInfo

from openwork_bus.figures import Counter, Figures, Gauge, Histogram
from openwork_bus.fullness import Look, full_in_s, look_of
from openwork_bus.readiness import differences

log = logging.getLogger(__name__)

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MESSAGES = Counter(
    "openwork_messages_total",
    ("consumer", "event", "outcome"),
    "Deliveries of messages to handlers, by what became of them.",
)
REDELIVERIES = Counter(
    "openwork_message_redeliveries_total",
    ("consumer",),
    "Deliveries of messages that had been delivered before: a handler failed, or its process died.",
)
DEAD_LETTERS = Counter(
    "openwork_dead_letters_total",
    ("consumer",),
    "Messages put into the dead-letter stream. Those that a process died of are told by the gateway.",
)
HANDLER_SECONDS = Histogram(
    "openwork_handler_seconds",
    ("consumer", "event"),
    "From the delivery of a message until it is settled; what is dropped unread is not among them.",
)
IN_FLIGHT = Gauge("openwork_messages_in_flight", ("consumer",), "Messages in work in this process.")
PENDING = Gauge(
    "openwork_consumer_pending_messages",
    ("consumer",),
    "Messages that wait for a consumer, by the server; every replica tells the same.",
)
UNACKNOWLEDGED = Gauge(
    "openwork_consumer_unacknowledged_messages",
    ("consumer",),
    "Messages delivered and not acknowledged yet, by the server; every replica tells the same.",
)
STREAM_USED = Gauge(
    "openwork_stream_used_ratio",
    ("stream",),
    "Share of what a stream may hold that is used, 0 to 1, by bytes or by messages, whichever is nearer to the end.",
)
STREAM_FULL = Gauge(
    "openwork_stream_time_to_full_seconds",
    ("stream",),
    "Seconds until a stream is full if it goes on as in the last minutes; absent while it does not grow.",
)
READY = Gauge(
    "openwork_ready",
    (),
    "1 = the service could work now, as /readyz says; 0 = NATS does not answer, or a consumer is missing or changed.",
)
BUILD = Gauge("openwork_build_info", ("version", "revision"), "Always 1; the labels say what runs.")
SPANS = Counter("openwork_spans_total", ("outcome",), "Spans handed to the exporter of traces, by what became of them.")
CACHE = Counter(
    "openwork_cache_requests_total", ("cache", "outcome"), "Questions to a cache, by whether it held the answer."
)
METRICS = (
    MESSAGES,
    REDELIVERIES,
    DEAD_LETTERS,
    HANDLER_SECONDS,
    IN_FLIGHT,
    PENDING,
    UNACKNOWLEDGED,
    STREAM_USED,
    STREAM_FULL,
    READY,
    BUILD,
    SPANS,
    CACHE,
)

EXPORTED, LOST = "exported", "lost"
"""What becomes of a span."""
_PATIENCE_S = 1.0
"""Below Prometheus' usual 10 s, and long for a server that takes a millisecond."""
_LOOK_AGAIN_S = 5.0
_RATE_OVER_S = 300.0
"""How far back the look is that tells how fast a stream grows."""


def begin(figures: Figures, revision: str) -> None:
    """What every service shows from its first reading on."""
    figures.set(BUILD, _version(), revision, value=1.0)
    figures.set(READY, value=0.0)
    for outcome in (EXPORTED, LOST):
        figures.begin(SPANS, outcome)


def begin_consumer(figures: Figures, durable: str, events: Iterable[str] = ()) -> None:
    """Series of a consumer whose first growth is to be seen, and whose standing still."""
    for event in events:
        figures.begin(MESSAGES, durable, event, "handled")
    for metric in (REDELIVERIES, DEAD_LETTERS, IN_FLIGHT):
        figures.begin(metric, durable)


@cache
def _version() -> str:
    return version("openwork-bus")


class ServerLooks:
    """What a service is told of its consumers and streams."""

    def __init__(
        self, figures: Figures, *, patience_s: float = _PATIENCE_S, look_again_s: float = _LOOK_AGAIN_S
    ) -> None:
        """
        Args:
            patience_s: within so many seconds an answer is taken.
            look_again_s: for so many nobody is asked again.
        """
        self._figures = figures
        self._patience_s = patience_s
        self._look_again_s = look_again_s
        self._looked_at: float | None = None
        self._looking = asyncio.Lock()
        self._earlier: dict[str, deque[Look]] = {}

    async def look(
        self, js: JetStreamContext, consumers: Mapping[str, tuple[str, ConsumerConfig]], streams: Sequence[str]
    ) -> None:
        """Ask, unless that was done just now. Raises nothing, and takes no longer than its patience.

        Args:
            consumers: durable -> its stream, and as it should be.
        """
        async with self._looking:  # two who read at once ask once
            if self._looked_at is not None and monotonic() - self._looked_at < self._look_again_s:
                return
            infos, looks = await asyncio.gather(
                self._told({durable: js.consumer_info(stream, durable) for durable, (stream, _) in consumers.items()}),
                self._told({stream: js.stream_info(stream) for stream in streams}),
            )
            self._looked_at = monotonic()
            self._show_consumers(infos)
            self._show_streams([look_of(info, self._looked_at) for info in looks.values()])
            right = [name for name, info in infos.items() if not differences(consumers[name][1], info.config)]
            is_told = bool(infos or looks)
            self._figures.set(READY, value=float(is_told and len(right) == len(consumers)))

    def _show_consumers(self, infos: Mapping[str, ConsumerInfo]) -> None:
        self._figures.show(PENDING, {(name,): info.num_pending or 0 for name, info in infos.items()})
        self._figures.show(UNACKNOWLEDGED, {(name,): info.num_ack_pending or 0 for name, info in infos.items()})

    def _show_streams(self, looks: Sequence[Look]) -> None:
        self._figures.show(STREAM_USED, {(look.stream,): look.share for look in looks})
        left_s = {(look.stream,): self._full_in_s(look) for look in looks}
        self._figures.show(STREAM_FULL, {stream: s for stream, s in left_s.items() if s is not None})

    def _full_in_s(self, look: Look) -> float | None:
        earlier = self._earlier.setdefault(look.stream, deque())
        earlier.append(look)
        while look.at_s - earlier[0].at_s > _RATE_OVER_S:
            earlier.popleft()
        return full_in_s(earlier[0], look)

    async def _told(self, asked: Mapping[K, Awaitable[V]]) -> dict[K, V]:
        """What was answered in time and without an error."""
        tasks = {key: asyncio.ensure_future(question) for key, question in asked.items()}
        if not tasks:
            return {}
        _, late = await asyncio.wait(tasks.values(), timeout=self._patience_s)
        for task in late:
            task.cancel()
        answers = await asyncio.gather(*tasks.values(), return_exceptions=True)
        told: dict[K, V] = {}
        for key, answer in zip(tasks, answers, strict=True):
            if isinstance(answer, BaseException):
                log.debug("the server did not tell of %s: %r", key, answer)
            else:
                told[key] = answer
        return told
