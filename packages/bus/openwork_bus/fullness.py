"""How full a stream is, and for how long it has room still: what readiness and `openwork doctor` warn of.

Levels and words are plain functions of two looks; `StorageWatch` looks again and again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic

from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, StreamInfo
from nats.js.errors import Error as JetStreamError
from openwork_contracts.subjects import STREAM

log = logging.getLogger(__name__)

_LOOK_AGAIN_S = 10.0
"""A rate over less says little: an earlier look is compared with until it is so old."""


class Level(StrEnum):
    """What is to be made of it."""

    OK = "ok"
    WARN = "warn"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Limits:
    """Shares of what a stream may hold, from which on it is told of."""

    warn_from: float
    fault_from: float

    def level(self, share: float) -> Level:
        """What is to be made of a stream that is so full."""
        if share >= self.fault_from:
            return Level.FAULT
        return Level.WARN if share >= self.warn_from else Level.OK


@dataclass(frozen=True, slots=True)
class Look:
    """A stream at one moment."""

    stream: str
    at_s: float
    """By a clock that only goes forward."""
    n_bytes: int
    max_bytes: int
    """0 = no limit."""
    n_messages: int = 0
    max_messages: int = 0
    refuses: bool = True
    """What it does when it is full: refuse, or drop its oldest message."""

    @property
    def share(self) -> float:
        """Of what it may hold, by bytes or by messages, whichever is nearer to the end."""
        by_bytes = self.n_bytes / self.max_bytes if self.max_bytes else 0.0
        by_messages = self.n_messages / self.max_messages if self.max_messages else 0.0
        return max(by_bytes, by_messages)


def look_of(info: StreamInfo, at_s: float) -> Look:
    """What the server says of a stream."""
    config, state = info.config, info.state
    return Look(
        stream=config.name or "",
        at_s=at_s,
        n_bytes=state.bytes,
        max_bytes=max(0, config.max_bytes or 0),
        n_messages=state.messages,
        max_messages=max(0, config.max_msgs or 0),
        refuses=config.discard == DiscardPolicy.NEW,
    )


def full_in_s(earlier: Look, later: Look) -> float | None:
    """Seconds until a stream is full if it goes on as between two looks; `None` = it does not grow."""
    grown = later.share - earlier.share
    if grown <= 0 or later.at_s <= earlier.at_s:
        return None
    return max(0.0, (1.0 - later.share) * (later.at_s - earlier.at_s) / grown)


def in_words(later: Look, earlier: Look | None = None) -> str:
    """How full a stream is, until when it has room, and what comes then."""
    held = f"{_mib(later.n_bytes)} of {_mib(later.max_bytes)}" if later.max_bytes else _mib(later.n_bytes)
    if later.max_messages:
        held += f", {later.n_messages} of {later.max_messages} messages"
    words = f"{later.stream} is {later.share:.0%} full ({held})"
    left_s = full_in_s(earlier, later) if earlier else None
    if left_s is not None:
        words += f", and has room for {_span(left_s)} at the present rate"
    then = "it refuses what is new" if later.refuses else "its oldest messages go"
    words += f"; when it is full, {then}"
    return f"{words}, and before that the gateway lets no question in" if later.stream == STREAM else words


class StorageWatch:
    """Looks at streams, and remembers the look before."""

    def __init__(self, streams: tuple[str, ...], limits: Limits) -> None:
        self.streams = streams
        self._limits = limits
        self._before: dict[str, Look] = {}
        self._told: dict[str, Level] = {}

    async def warnings(self, js: JetStreamContext) -> list[str]:
        """A line for each stream that fills, logged when it comes to another level. No answer is no warning."""
        found = [await self._warning(js, stream) for stream in self.streams]
        return [line for line in found if line]

    async def _warning(self, js: JetStreamContext, stream: str) -> str | None:
        try:
            look = look_of(await js.stream_info(stream), monotonic())
        except (NatsError, JetStreamError, OSError, TimeoutError) as error:
            log.debug("%s could not be looked at: %r", stream, error)
            return None
        before = self._before.setdefault(stream, look)
        if look.at_s - before.at_s >= _LOOK_AGAIN_S:
            self._before[stream] = look
        level, told = self._limits.level(look.share), self._told.get(stream, Level.OK)
        self._told[stream] = level
        line = in_words(look, before)
        if level is not told:
            log.warning("%s", line)
        return None if level is Level.OK else line


def _mib(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:.1f} MiB"


def _span(seconds: float) -> str:
    """A length of time, as exact as such a guess is."""
    for unit, length_s in (("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length_s:
            return f"{seconds / length_s:.0f} {unit}"
    return f"{seconds:.0f} s"
