"""The axis of a forest plot: logarithmic for ratios, linear for differences; no difference is always on it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FAR = 8.0
"""A ratio's interval is drawn to the point that is this many times as far as the farthest estimate; then an arrow."""
LEAST_SIDE = 0.3
"""Share of the axis on each side of no difference: there stands whom it favours."""
_RATIO_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 0.7, 0.8, 1, 1.25, 1.5, 2, 4, 5, 10, 20, 50, 100)
_MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Axis:
    """From `low` to `high` over `width` pixels that begin at `left`."""

    low: float
    high: float
    left: float
    width: float
    is_ratio: bool

    @property
    def none(self) -> float:
        """No difference, in the unit of the axis."""
        return 1.0 if self.is_ratio else 0.0

    def x(self, value: float) -> float:
        """Where a value stands; what lies beyond an end stands at it."""
        low, high = self._on(self.low), self._on(self.high)
        share = (self._on(value) - low) / (high - low)
        return self.left + self.width * min(1.0, max(0.0, share))

    def ticks(self) -> tuple[float, ...]:
        """Round values on it, no difference among them."""
        if self.is_ratio:
            return self._ratio_ticks()
        step = _round_step((self.high - self.low) / _MOST_TICKS)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return tuple(round(n * step, 10) for n in range(first, last + 1))

    def _ratio_ticks(self) -> tuple[float, ...]:
        """Those that are far enough apart, from no difference outwards."""
        apart = self.width / (_MOST_TICKS + 3)
        chosen = [1.0]
        inside = sorted((t for t in _RATIO_TICKS if self.low <= t <= self.high), key=lambda t: abs(math.log(t)))
        for tick in inside:
            if all(abs(self.x(tick) - self.x(other)) >= apart for other in chosen):
                chosen.append(float(tick))
        return tuple(sorted(chosen))

    def _on(self, value: float) -> float:
        return math.log(value) if self.is_ratio else value


def axis_for(intervals: Sequence[tuple[float, float, float]], left: float, width: float, *, is_ratio: bool) -> Axis:
    """An axis that holds every estimate and as much of the intervals as can be read.

    Args:
        intervals: low, estimate, high; of a ratio all above 0.
    """
    if is_ratio:
        logs = [tuple(map(math.log, one)) for one in intervals]
        low, high = _ends(logs, math.log(FAR))
        return Axis(math.exp(low), math.exp(high), left, width, is_ratio=True)
    farthest = max((abs(estimate) for _, estimate, _ in intervals), default=1.0)
    low, high = _ends(intervals, (FAR - 1) * farthest or math.inf)
    return Axis(low, high, left, width, is_ratio=False)


def _ends(intervals: Sequence[Sequence[float]], far: float) -> tuple[float, float]:
    """Both ends with some room, none nearer to 0, where no difference stands, than its share of the whole."""
    low = max(min(0.0, *(one[0] for one in intervals)), min(0.0, *(one[1] for one in intervals)) - far)
    high = min(max(0.0, *(one[2] for one in intervals)), max(0.0, *(one[1] for one in intervals)) + far)
    room = 0.05 * (high - low) or 0.5
    low, high = low - room, high + room
    ratio = LEAST_SIDE / (1 - LEAST_SIDE)
    return min(low, -ratio * high), max(high, -ratio * low)


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(_above(power, least))


def _above(power: float, least: float) -> Iterator[float]:
    return (factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= least * (1 - 1e-9))
