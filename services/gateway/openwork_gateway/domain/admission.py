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

RUNS_GO_ON_WITHOUT = ("retriever-", "fulltext")
"""Consumers, by the beginning of their name, whose share a run goes on without at a deadline of its own."""

_WINDOW = 32.0
"""Messages over which a rate is taken: of 32, its standard error is 18 %. Older ones count half, then a quarter, ..."""
_WINDOW_S = 20.0
"""And at most so many seconds: what stands still is to be seen as such."""
_UNMEASURED = 16
"""Questions let in between two measurements of a consumer that was never seen busy; also the runs of which it is known
how many messages a run has."""
_REMEASURED = 1024
"""After so many runs the messages of a run are counted anew."""
_FIRST_RATE = 4.0
"""Questions a second that are expected of services which nobody has seen at work: half of what two cores did."""
_STUCK_S = 20.0
"""A consumer that begins nothing for so long has nobody who serves it: as long as a run waits for its sources."""
_FORGIVEN = 0.1
"""Seconds over the limit that a quiet second makes good."""


@dataclass(frozen=True, slots=True)
class Lag:
    """What the server says of one consumer."""

    pending: int
    """Messages that it has not begun."""
    delivered: int
    """Messages that it has begun since it was made."""
    dispensable: bool = False
    """Whether runs go on without it: where nobody serves it, that keeps no question out."""


@dataclass(slots=True)
class _Meter:
    """How many in a second, over the last few: what is slow is judged over a longer time than what is fast."""

    n: float = 0.0
    seconds: float = 0.0

    def add(self, n: float, seconds: float) -> None:
        self.n += n
        self.seconds += seconds
        while self.n > _WINDOW or self.seconds > _WINDOW_S:
            self.n /= 2
            self.seconds /= 2

    @property
    def rate(self) -> float | None:
        """`None` = none was seen yet."""
        return self.n / self.seconds if self.n and self.seconds else None


@dataclass(slots=True)
class _Lane:
    """One consumer, as far as it was watched."""

    lag: Lag
    since: tuple[int, int]
    """Messages and runs that had begun when their ratio was first taken."""
    begins: _Meter = field(default_factory=_Meter)
    """While some waited."""
    per_run: float = 1.0
    stuck_s: float = 0.0
    """For how long some have waited and none was begun."""

    def measure(self, lag: Lag, passed_s: float) -> None:
        n = lag.delivered - self.lag.delivered
        busy = self.lag.pending > 0 and lag.pending > 0
        if n < 0:
            pass  # made anew: what it counts began at zero again
        elif busy:
            self.begins.add(n, passed_s)
        elif self.begins.rate is not None and n > self.begins.rate * passed_s:
            # It ran out of work and was faster than was known. Without this, what was once slow would stay so: too
            # little is let in for it to be seen busy.
            self.begins.add(n, passed_s)
        self.stuck_s = self.stuck_s + passed_s if busy and n == 0 else 0.0
        self.lag = lag

    def count_runs(self, begun: int) -> None:
        """How many of its messages a run has, by the runs that began since it was first seen."""
        runs = begun - self.since[1]
        if runs >= _UNMEASURED:
            self.per_run = (self.lag.delivered - self.since[0]) / runs
        if runs >= _REMEASURED:
            self.since = (self.lag.delivered, begun)


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


@dataclass(slots=True)
class _Burst:
    """How long an account has asked for more than can be served."""

    at: float
    is_over: bool = False
    over_s: float = 0.0

    def judged(self, is_over: bool, now: float, most_s: float) -> bool:
        """Whether it is too long by now."""
        passed_s = now - self.at
        self.over_s += passed_s if self.is_over else -passed_s * _FORGIVEN
        self.over_s = min(max(0.0, self.over_s), most_s)
        self.at, self.is_over = now, is_over
        return is_over and self.over_s >= most_s


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
    _admissions: _Meter = field(default_factory=lambda: _Meter(2 * _FIRST_RATE, 2.0))
    """While somebody waited."""
    _somebody_waited: bool = False
    _bursts: dict[str, _Burst] = field(default_factory=dict)

    def measure(self, lags: Mapping[str, Lag], now: float, *, waiting: int) -> None:
        """Take in what the server says. A consumer that it does not name any more is forgotten.

        Args:
            lags: by durable.
            now: seconds of a clock that never goes back.
            waiting: questions at the door.
        """
        passed_s = 0.0 if self._measured_at is None else now - self._measured_at
        first = lags.get(self.first)
        begun = first.delivered if first else 0
        before = self._lanes.get(self.first)
        anew = before is not None and begun < before.lag.delivered
        for durable, lag in lags.items():
            lane = self._lanes.setdefault(durable, _Lane(lag, (lag.delivered, begun)))
            if anew or lag.delivered < lane.lag.delivered:
                lane.since = (lag.delivered, begun)
            lane.measure(lag, passed_s)
            lane.count_runs(begun)
        self._lanes = {durable: lane for durable, lane in self._lanes.items() if durable in lags}
        if waiting and self._somebody_waited:
            self._admissions.add(self._fresh, passed_s)
        self._measured_at, self._fresh, self._somebody_waited = now, 0, waiting > 0

    def admitted(self) -> None:
        """One more is let in."""
        self._fresh += 1

    def not_admitted(self) -> None:
        """One that was counted brings no work: it was let in before, or it could not be stored."""
        self._fresh = max(0, self._fresh - 1)

    @property
    def has_room(self) -> bool:
        """Whether one more would be begun at once, or nearly."""
        return self.wait_s < self.target_s

    @property
    def wait_s(self) -> float:
        """Seconds that a question let in now waits in front of the busiest consumer."""
        return max((self._wait_of(lane) for lane in self._lanes.values()), default=0.0)

    def _wait_of(self, lane: _Lane) -> float:
        if lane.lag.dispensable and lane.stuck_s >= _STUCK_S:
            return 0.0
        coming = lane.lag.pending + self._fresh * lane.per_run
        rate = lane.begins.rate
        if rate is None:
            return 0.0 if coming < _UNMEASURED else self.target_s
        return coming / rate

    def expected_s(self, ahead: int) -> float:
        """Seconds until a question is let in that has so many before it at the door."""
        return self.wait_s + ahead / (self._admissions.rate or _FIRST_RATE)

    def judge(self, account: str, *, ahead: int, left_s: float, now: float) -> Judgement:
        """What becomes of a question.

        Args:
            account: whose it is.
            ahead: questions at the door whose turn comes before, as the order is fair.
            left_s: seconds until its deadline.
            now: as in `measure`.
        """
        if not ahead and self.has_room:
            self._bursts.pop(account, None)
            return Judgement(Verdict.ADMIT)
        expected_s = self.expected_s(ahead)
        burst = self._bursts.setdefault(account, _Burst(now))
        too_long = burst.judged(expected_s > self.limit_s, now, self.burst_s)
        if too_long or expected_s > left_s / 2:
            return Judgement(Verdict.REFUSE, expected_s)
        return Judgement(Verdict.WAIT, expected_s)
