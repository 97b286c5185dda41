"""One rate budget per outside service and key, shared by all replicas.

The next free slot lives in one key of a JetStream KV bucket. A caller books a slot by compare-and-set, then waits for
it on its own: GCRA without burst (ITU-T I.371, the virtual scheduling form). There is no leader, and nothing to give
back when a process dies.

Why no one-second window holds more than the budget of N: slots are T = (1 + J)/N apart and a request starts between
its slot and J after it (later than that, the slot is dropped and another one booked). So of N + 1 requests in a row
the last starts at least N*T - J = 1 second after the first. It needs clocks that agree within a few milliseconds (NTP);
a clock that runs ahead wastes slots, one that lags waits. The price is 1/(1 + J) of the budget: 95 % at J = 50 ms.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Protocol

from nats.errors import Error as NatsError
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue
from openwork_bus.backoff import backoff_s
from openwork_contracts.errors import BusUnavailable, FailureReason, SourceUnavailable

from openwork_http.terms import RateBudget

Clock = Callable[[], float]

_MOST_HOLD_S = 300.0
"""Seconds: a longer Retry-After stops one run, not every replica for hours; it may be about one request only."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.002, 0.1
"""Bounds of the random pause after a failed compare-and-set; a booking takes about 3 ms on one node."""


class BudgetUsedUp(SourceUnavailable):
    """Our own budget, or the month's quota, has nothing left in time. Nothing was sent."""

    reason = FailureReason.RATE_LIMITED


class RateLimiter(Protocol):
    """Lets requests start within a budget. Acquire immediately before the first byte goes out."""

    async def acquire(self, budget: RateBudget, *, within_s: float) -> None:
        """Return when the request may start.

        Raises:
            BudgetUsedUp: no slot is free within `within_s` seconds. Nothing was booked.
            BusUnavailable: the shared state cannot be reached.
        """
        ...

    async def hold(self, budget: RateBudget, for_s: float) -> None:
        """Nobody starts a request within the next seconds: the service said so (429 with Retry-After)."""
        ...


def spacing_s(per_second: float, jitter_s: float) -> float:
    """Seconds between slots, so that requests that start up to `jitter_s` late stay within the budget (see above)."""
    return (1.0 + jitter_s) / per_second if per_second >= 1.0 else 1.0 / per_second + jitter_s


class _Paced:
    """What both limiters share: take a slot, sleep until it, take another one when woken too late for it."""

    def __init__(self, *, jitter_s: float = 0.05, clock: Clock = time.time) -> None:
        self._jitter_s = jitter_s
        self._clock = clock
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def acquire(self, budget: RateBudget, *, within_s: float) -> None:
        """See `RateLimiter.acquire`."""
        give_up = self._clock() + within_s
        spacing = spacing_s(budget.per_second, self._jitter_s)
        while True:
            async with self._locks[budget.name]:  # one booking in flight per process: fewer conflicts
                slot = await self._book(budget, spacing, give_up)
            await self._sleep_until(slot)
            # A fifth of the allowance is for what comes between this line and the first byte on the wire.
            if self._clock() - slot <= 0.8 * self._jitter_s:
                return

    async def _sleep_until(self, slot: float) -> None:
        wait_s = slot - self._clock()
        while wait_s > 0:  # the loop's clock may wake us a little too early
            await asyncio.sleep(wait_s)
            wait_s = slot - self._clock()

    async def _book(self, budget: RateBudget, spacing: float, give_up: float) -> float:
        raise NotImplementedError

    def _first(self, budget: RateBudget, free_from: float, give_up: float) -> float:
        """The slot to book, when the key says that slots are free from `free_from` on."""
        now = self._clock()
        slot = max(now, free_from)
        if slot > max(now, give_up):
            raise BudgetUsedUp(
                f"the rate budget {budget.name!r} ({budget.per_second:g} requests/s, shared by all replicas) is used "
                f"up for {slot - now:.1f} s, {max(0.0, give_up - now):.1f} s may be waited; ask less at once or later",
                retry_after_s=slot - now,
            )
        return slot


class LocalRateLimiter(_Paced):
    """The same pacing within one process, for where there is no bus."""

    def __init__(self, *, jitter_s: float = 0.05, clock: Clock = time.time) -> None:
        super().__init__(jitter_s=jitter_s, clock=clock)
        self._free_from: dict[str, float] = {}

    async def _book(self, budget: RateBudget, spacing: float, give_up: float) -> float:
        slot = self._first(budget, self._free_from.get(budget.name, 0.0), give_up)
        self._free_from[budget.name] = slot + spacing
        return slot

    async def hold(self, budget: RateBudget, for_s: float) -> None:
        """See `RateLimiter.hold`."""
        until = self._clock() + min(for_s, _MOST_HOLD_S)
        self._free_from[budget.name] = max(until, self._free_from.get(budget.name, 0.0))


class SharedRateLimiter(_Paced):
    """The pacing of all processes that use the same bucket (`openwork_contracts.buckets`)."""

    def __init__(self, kv: KeyValue, *, jitter_s: float = 0.05, clock: Clock = time.time) -> None:
        super().__init__(jitter_s=jitter_s, clock=clock)
        self._kv = kv

    async def _book(self, budget: RateBudget, spacing: float, give_up: float) -> float:
        slot = 0.0

        def advance(free_from: float) -> float:
            nonlocal slot
            slot = self._first(budget, free_from, give_up)
            return slot + spacing

        await _update(self._kv, f"rate.{budget.name}", advance)
        return slot

    async def hold(self, budget: RateBudget, for_s: float) -> None:
        """See `RateLimiter.hold`."""
        until = self._clock() + min(for_s, _MOST_HOLD_S)
        await _update(self._kv, f"rate.{budget.name}", lambda free_from: max(until, free_from))


class MonthlyQuota:
    """Calls per calendar month (UTC) of a service that sells them by the month, counted for all replicas together."""

    def __init__(self, kv: KeyValue, name: str, limit: int) -> None:
        """
        Args:
            kv: the bucket of the limits.
            name: service and key, as in `RateBudget.name`.
            limit: calls in one month.
        """
        self._kv = kv
        self._name = name
        self._limit = limit

    async def take(self, now: datetime, n: int = 1) -> int:
        """Count `n` calls that are about to be made; how many are left afterwards.

        A call that fails is counted all the same: the service may have counted it too.

        Raises:
            BudgetUsedUp: the month's calls are used up. Nothing was counted.
        """

        def counted(used: float) -> float:
            if used + n > self._limit:
                wait = _next_month(now) - now
                raise BudgetUsedUp(
                    f"the monthly quota {self._name!r} is used up: {used:.0f} of {self._limit} calls; it starts anew "
                    f"on {_next_month(now):%Y-%m-%d} (UTC)",
                    retry_after_s=wait.total_seconds(),
                )
            return used + n

        return self._limit - int(await _update(self._kv, self._key(now), counted))

    async def used(self, now: datetime) -> int:
        """Calls counted in this month."""
        return int((await _read(self._kv, self._key(now)))[0])

    def _key(self, now: datetime) -> str:
        return f"quota.{self._name}.{now.astimezone(UTC):%Y-%m}"


def _next_month(now: datetime) -> datetime:
    first = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + timedelta(days=32)).replace(day=1)


async def _read(kv: KeyValue, key: str) -> tuple[float, int]:
    """A number and its revision; (0, 0) when the key is not there. Read from the leader: the bucket is not direct."""
    try:
        entry = await kv.get(key)
    except KeyNotFoundError as error:
        # A key that was deleted counts on from its marker: compared with 0, no update of it would ever succeed again.
        return 0.0, (error.entry.revision or 0) if error.entry else 0
    except (NatsError, OSError) as error:
        raise BusUnavailable(f"the shared limit {key!r} could not be read: {error!r}") from error
    return float(entry.value or b"0"), entry.revision or 0


async def _update(kv: KeyValue, key: str, change: Callable[[float], float]) -> float:
    """Replace a number by compare-and-set, as often as another process was faster; the new number."""
    for conflicts in count(1):
        number, revision = await _read(kv, key)
        new = change(number)
        try:
            await kv.update(key, repr(new).encode(), last=revision)
        except KeyWrongLastSequenceError:
            await asyncio.sleep(backoff_s(conflicts, base_s=_FIRST_PAUSE_S, max_s=_LONGEST_PAUSE_S))
        except (NatsError, OSError) as error:
            raise BusUnavailable(f"the shared limit {key!r} could not be written: {error!r}") from error
        else:
            return new
    raise AssertionError("the loop ends by returning or raising")
