"""How much of what one may have: requests in a minute, wrong keys, streams at once. Counted in this process.

Each replica counts by itself, so that with n of them one may have up to n times as much. It is enough: these limits
keep one asker from taking a replica's time from the others, which is a matter of that replica. What costs, runs in a
day, is counted for all replicas together (`quota.py`), and the gateway admits no more than can be answered.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from math import ceil

from openwork_api.problems import ProblemError

MOST = 10_000
"""Askers that are counted at the same time; who was longest not there is forgotten first, and begins anew."""
_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Left:
    """What is left to somebody, for the headers of a response."""

    limit: int
    remaining: int
    wait_s: float
    """Seconds until there is one more, where none remains; else until all are there again."""

    @property
    def headers(self) -> dict[str, str]:
        """After draft-ietf-httpapi-ratelimit-headers-10."""
        return {
            "RateLimit-Policy": f'"requests";q={self.limit};w={_MINUTE_S:.0f}',
            "RateLimit": f'"requests";r={self.remaining};t={ceil(self.wait_s)}',
        }


class RateLimit:
    """A token bucket for everybody: so many at once, and as many in a minute after that."""

    def __init__(self, per_minute: int, *, most: int = MOST, clock: Callable[[], float] = time.monotonic) -> None:
        """
        Args:
            per_minute: 0 = no limit.
        """
        self._per_minute = per_minute
        self._most = most
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def left(self, who: str) -> Left | None:
        """What they have at the moment; `None` = there is no limit."""
        if not self._per_minute:
            return None
        tokens, per_s = self._tokens(who), self._per_minute / _MINUTE_S
        wait_s = (1 - tokens) / per_s if tokens < 1 else (self._per_minute - tokens) / per_s
        return Left(self._per_minute, int(tokens), wait_s)

    def check(self, who: str) -> None:
        """Raises: ProblemError: 429, there is none left."""
        left = self.left(who)
        if left is not None and left.remaining < 1:
            raise too_many("requests", f"{left.limit} in a minute", left.wait_s)

    def take(self, who: str) -> Left | None:
        """Count one; what is left.

        Raises:
            ProblemError: 429, there is none left; it is not counted.
        """
        self.check(who)
        if not self._per_minute:
            return None
        self._buckets[who] = (self._tokens(who) - 1, self._clock())
        self._buckets.move_to_end(who)
        while len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return self.left(who)

    def _tokens(self, who: str) -> float:
        tokens, at = self._buckets.get(who, (float(self._per_minute), self._clock()))
        return min(self._per_minute, tokens + (self._clock() - at) * self._per_minute / _MINUTE_S)


class OpenStreams:
    """How many runs one follows at the same moment."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._open)

    def take(self, who: str) -> None:
        """One more. Raises: ProblemError: 429, they follow as many as they may."""
        n_open = self._open.get(who, 0)
        if n_open >= self._most:
            raise too_many("streams", f"{self._most} at once; close one, or get a run with `wait_s`", 5.0)
        self._open[who] = n_open + 1

    def give_back(self, who: str) -> None:
        """One less."""
        left = self._open.get(who, 0) - 1
        if left > 0:
            self._open[who] = left
        else:
            self._open.pop(who, None)


def too_many(what: str, limit: str, wait_s: float) -> ProblemError:
    """429, with when to come again."""
    return ProblemError(429, "TooManyRequests", f"too many {what}: {limit}", retry_after_s=ceil(wait_s))


def network_of(address: str | None) -> str:
    """Who comes from an address: of IPv6 the /64, of which one subscriber has all addresses."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return "unknown"
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(IPv6Address(int(parsed) >> 64 << 64))
    return str(parsed)
