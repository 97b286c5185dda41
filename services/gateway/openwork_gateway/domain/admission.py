"""Whether a question is let in, waits, or is refused: from the measured lag and rate of the services' consumers.

A consumer's lag in seconds is what it has not begun, by the rate at which it begins. Questions are let in only while
that is short, so that what waits, waits at the door, where the order is fair and a deadline can be told in time. Many
questions at once are no overload; a queue that stays is one (the idea of CoDel, RFC 8289: judge by how long the delay
has been above its target, not by how long the queue is).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

_SMOOTHING = 0.4
"""Weight of the newest measurement of a rate."""
_UNMEASURED = 16
"""Questions let in between two measurements of a consumer that was never seen busy."""
_FIRST_RATE = 4.0
"""Questions a second that are expected of services which nobody has seen at work: half of what two cores did."""


@dataclass(frozen=True, slots=True)
class Lag:
    """What the server says of one consumer."""

    pending: int
    """Messages that it has not begun."""
    delivered: int
    """Messages that it has begun since it was made."""


@dataclass(slots=True)
class _Lane:
    lag: Lag
    rate: float | None = None
    """Messages begun in a second while some waited; `None` = never seen so."""
    per_run: float = 1.0


class Verdict(Enum):
    """What becomes of a question."""

    ADMIT = auto()
    WAIT = auto()
    REFUSE = auto()


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict, and when another try makes sense."""

    verdict: Verdict
    expected_s: float = 0.0
    """Seconds until it would be let in."""

    @property
    def retry_after_s(self) -> float:
        """For one that is refused: whole seconds, at least one."""
        return max(1.0, float(round(self.expected_s)))


@dataclass
class Load:
    """How busy the services are."""

    target_s: float
    limit_s: float
    burst_s: float
    first: str = "query"
    """The consumer that every run passes first: others are counted by it."""
    _lanes: dict[str, _Lane] = field(default_factory=dict)
    _measured_at: float | None = None
    _fresh: int = 0
    """Let in since the last measurement."""
    _admission_rate: float = _FIRST_RATE
    _over_since: dict[str, float] = field(default_factory=dict)

    def measure(self, lags: Mapping[str, Lag], now: float, *, waiting: int) -> None:
        """Take in what the server says.

        Args:
            lags: by durable.
            now: seconds of a clock that never goes back.
            waiting: questions at the door.
        """
        passed_s = None if self._measured_at is None else now - self._measured_at
        begun = lags[self.first].delivered if self.first in lags else 0
        for durable, lag in lags.items():
            lane = self._lanes.setdefault(durable, _Lane(lag))
            n = lag.delivered - lane.lag.delivered
            if passed_s and n > 0 and lane.lag.pending > 0:
                lane.rate = _smoothed(lane.rate, n / passed_s)
            lane.per_run = lag.delivered / begun if begun else 1.0
            lane.lag = lag
        if passed_s and waiting and self._fresh:
            self._admission_rate = _smoothed(self._admission_rate, self._fresh / passed_s)
        self._measured_at, self._fresh = now, 0

    def admitted(self) -> None:
        """One more was let in."""
        self._fresh += 1

    @property
    def has_room(self) -> bool:
        """Whether one more would be begun at once, or nearly."""
        return self.wait_s < self.target_s

    @property
    def wait_s(self) -> float:
        """Seconds that a question let in now waits in front of the busiest consumer."""
        return max((self._wait_of(lane) for lane in self._lanes.values()), default=0.0)

    def _wait_of(self, lane: _Lane) -> float:
        coming = lane.lag.pending + self._fresh * lane.per_run
        if lane.rate is None:
            return 0.0 if coming < _UNMEASURED else self.target_s
        return coming / lane.rate

    def expected_s(self, ahead: int) -> float:
        """Seconds until a question is let in that has so many before it at the door."""
        return self.wait_s + ahead / self._admission_rate

    def judge(self, account: str, *, ahead: int, left_s: float, now: float) -> Judgement:
        """What becomes of a question.

        Args:
            account: whose it is.
            ahead: questions at the door whose turn comes before, as the order is fair.
            left_s: seconds until its deadline.
            now: as in `measure`.
        """
        if not ahead and self.has_room:
            self._over_since.pop(account, None)
            return Judgement(Verdict.ADMIT)
        expected_s = self.expected_s(ahead)
        if expected_s > left_s / 2:
            return Judgement(Verdict.REFUSE, expected_s)
        if expected_s <= self.limit_s:
            self._over_since.pop(account, None)
        elif now - self._over_since.setdefault(account, now) > self.burst_s:
            return Judgement(Verdict.REFUSE, expected_s)
        return Judgement(Verdict.WAIT, expected_s)


def _smoothed(before: float | None, new: float) -> float:
    return new if before is None else before + _SMOOTHING * (new - before)
