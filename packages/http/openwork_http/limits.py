"""One rate budget per outside service and key, shared by all replicas.

The next free slot and the line of those that wait for one live in one key of a JetStream KV bucket. The first in line
books the slot by compare-and-set shortly before its time, then waits for it on its own: GCRA without burst (ITU-T
I.371, the virtual scheduling form). Who is first, and who is told at once that there is none in time, `turns` says.
There is no leader, and nothing to give back when a process dies: the others pass over who does not take its slot.

Why no one-second window holds more than the budget of N: slots are T = (1 + J)/N apart and a request starts between
its slot and J after it (later than that, the slot is dropped and another one booked). So of N + 1 requests in a row
the last starts at least N*T - J = 1 second after the first. It needs clocks that agree within a few milliseconds (NTP);
a clock that runs ahead wastes slots, one that lags waits. The price is 1/(1 + J) of the budget: 95 % at J = 50 ms. What
leaves in time may still arrive closer together: where the service's own count is to hold, the budget's `travel_s` is
added to J.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Protocol, TypeVar
from uuid import uuid4

from nats.errors import Error as NatsError
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue
from openwork_bus.backoff import backoff_s
from openwork_contracts.errors import BusUnavailable, FailureReason, SourceUnavailable

from openwork_http.terms import RateBudget
from openwork_http.turns import ORDINARY, Caller, Later, Line, Outcome, Refused, Turn, advance

Clock = Callable[[], float]
T = TypeVar("T")

_MOST_HOLD_S = 300.0
"""Seconds: a longer Retry-After stops one run, not every replica for hours; it may be about one request only."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.002, 0.1
"""Bounds of the random pause after a failed compare-and-set; a booking takes about 3 ms on one node."""


class BudgetUsedUp(SourceUnavailable):
    """Our own budget, or the month's quota, has nothing left in time. Nothing was sent."""

    reason = FailureReason.OWN_LIMIT


class RateLimiter(Protocol):
    """Lets requests start within a budget. Acquire immediately before the first byte goes out."""

    async def acquire(self, budget: RateBudget, *, within_s: float, turn: Turn = ORDINARY) -> None:
        """Return when the request may start.

        Args:
            turn: how urgent it is, and which calls follow from it: they have to be had within `within_s` as well.
        Raises:
            BudgetUsedUp: no slot is free within `within_s` seconds, told as soon as it is known. Nothing was booked.
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

    async def acquire(self, budget: RateBudget, *, within_s: float, turn: Turn = ORDINARY) -> None:
        """See `RateLimiter.acquire`."""
        spacing, now = spacing_s(budget.per_second, self._jitter_s + budget.travel_s), self._clock()
        caller = Caller(uuid4().hex[:12], turn, since=now, give_up=now + within_s)
        while True:
            async with self._locks[budget.name]:  # one booking in flight per process: fewer conflicts
                outcome = await self._look(budget, caller, spacing)
            if isinstance(outcome, Refused):
                raise _used_up(budget, outcome, caller.give_up - self._clock())
            if isinstance(outcome, Later):
                await self._sleep_until(outcome.at)
                continue
            await self._sleep_until(outcome.slot)
            # A fifth of the allowance is for what comes between this line and the first byte on the wire.
            if self._clock() - outcome.slot <= 0.8 * self._jitter_s:
                return

    async def _sleep_until(self, moment: float) -> None:
        wait_s = moment - self._clock()
        while wait_s > 0:  # the loop's clock may wake us a little too early
            await asyncio.sleep(wait_s)
            wait_s = moment - self._clock()

    async def _look(self, budget: RateBudget, caller: Caller, spacing: float) -> Outcome:
        raise NotImplementedError


def _used_up(budget: RateBudget, refused: Refused, left_s: float) -> BudgetUsedUp:
    service = budget.name.partition(".")[0]
    pace = f"our own budget of {budget.per_second:g} requests a second for {service}, shared by all questions,"
    first = f" ({refused.before} calls of other questions go first)" if refused.before else ""
    free = refused.in_s <= 0 and not refused.before  # a slot is there, the calls that follow from it come too late
    why = f"{pace} is too slow for the time left" if free else f"{pace} is used up{first}"
    return BudgetUsedUp(
        f"{why}: what is wanted would be there in {refused.done_in_s:.1f} s, and {max(0.0, left_s):.1f} s are left; "
        f"{service} itself did not fail",
        retry_after_s=refused.in_s,
    )


class LocalRateLimiter(_Paced):
    """The same pacing within one process, for where there is no bus."""

    def __init__(self, *, jitter_s: float = 0.05, clock: Clock = time.time) -> None:
        super().__init__(jitter_s=jitter_s, clock=clock)
        self._lines: defaultdict[str, Line] = defaultdict(Line)

    async def _look(self, budget: RateBudget, caller: Caller, spacing: float) -> Outcome:
        line, outcome = advance(self._lines[budget.name], caller, now=self._clock(), spacing=spacing)
        self._lines[budget.name] = line
        return outcome

    async def hold(self, budget: RateBudget, for_s: float) -> None:
        """See `RateLimiter.hold`."""
        self._lines[budget.name] = _held(self._lines[budget.name], self._clock() + min(for_s, _MOST_HOLD_S))


class SharedRateLimiter(_Paced):
    """The pacing of all processes that use the same bucket (`openwork_contracts.buckets`)."""

    def __init__(self, kv: KeyValue, *, jitter_s: float = 0.05, clock: Clock = time.time) -> None:
        super().__init__(jitter_s=jitter_s, clock=clock)
        self._kv = kv

    async def _look(self, budget: RateBudget, caller: Caller, spacing: float) -> Outcome:
        def change(value: bytes) -> tuple[bytes, Outcome]:
            line, outcome = advance(Line.load(value), caller, now=self._clock(), spacing=spacing)
            return line.dump(), outcome

        return await _update(self._kv, f"rate.{budget.name}", change)

    async def hold(self, budget: RateBudget, for_s: float) -> None:
        """See `RateLimiter.hold`."""
        until = self._clock() + min(for_s, _MOST_HOLD_S)
        await _update(self._kv, f"rate.{budget.name}", lambda value: (_held(Line.load(value), until).dump(), None))


def _held(line: Line, until: float) -> Line:
    return replace(line, free_from=max(until, line.free_from))


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

        def counted(value: bytes) -> tuple[bytes, float]:
            used = float(value or b"0")
            if used + n > self._limit:
                wait = _next_month(now) - now
                raise BudgetUsedUp(
                    f"the monthly quota {self._name!r} is used up: {used:.0f} of {self._limit} calls; it starts anew "
                    f"on {_next_month(now):%Y-%m-%d} (UTC)",
                    retry_after_s=wait.total_seconds(),
                )
            return repr(used + n).encode(), used + n

        return self._limit - int(await _update(self._kv, self._key(now), counted))

    async def used(self, now: datetime) -> int:
        """Calls counted in this month."""
        return int(float((await _read(self._kv, self._key(now)))[0] or b"0"))

    def _key(self, now: datetime) -> str:
        return f"quota.{self._name}.{now.astimezone(UTC):%Y-%m}"


def _next_month(now: datetime) -> datetime:
    first = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + timedelta(days=32)).replace(day=1)


async def _read(kv: KeyValue, key: str) -> tuple[bytes, int]:
    """A value and its revision; nothing and 0 when the key is not there. From the leader: the bucket is not direct."""
    try:
        entry = await kv.get(key)
    except KeyNotFoundError as error:
        # A key that was deleted counts on from its marker: compared with 0, no update of it would ever succeed again.
        return b"", (error.entry.revision or 0) if error.entry else 0
    except (NatsError, OSError) as error:
        raise BusUnavailable(f"the shared limit {key!r} could not be read: {error!r}") from error
    return entry.value or b"", entry.revision or 0


async def _update(kv: KeyValue, key: str, change: Callable[[bytes], tuple[bytes, T]]) -> T:
    """Replace a value by compare-and-set, as often as another process was faster; what `change` said of it last.

    Nothing is written where nothing changes.
    """
    for conflicts in count(1):
        value, revision = await _read(kv, key)
        new, said = change(value)
        if new == value:
            return said
        try:
            await kv.update(key, new, last=revision)
        except KeyWrongLastSequenceError:
            await asyncio.sleep(backoff_s(conflicts, base_s=_FIRST_PAUSE_S, max_s=_LONGEST_PAUSE_S))
        except (NatsError, OSError) as error:
            raise BusUnavailable(f"the shared limit {key!r} could not be written: {error!r}") from error
        else:
            return said
    raise AssertionError("the loop ends by returning or raising")
