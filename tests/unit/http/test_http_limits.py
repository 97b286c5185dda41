"""The pacing of requests: why no second ever holds more than the budget."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.errors import FailureReason, SourceUnavailable
from openwork_http.limits import LocalRateLimiter, spacing_s
from openwork_http.terms import NCBI, RateBudget


def worst_window(starts: list[float], window_s: float = 1.0) -> int:
    """Most starts in any half-open window."""
    ordered = sorted(starts)
    return max(last - bisect_left(ordered, start - window_s + 1e-9) + 1 for last, start in enumerate(ordered))


@given(
    st.integers(1, 100), st.floats(0.005, 0.5), st.lists(st.floats(0, 1), min_size=2, max_size=300), st.floats(0, 1e9)
)
def test_however_late_each_request_starts_no_second_holds_more_than_the_budget(
    budget: int, jitter_s: float, lateness: list[float], begin: float
) -> None:
    """Each starts up to 4/5 of the allowance after its slot: later ones are dropped."""
    spacing = spacing_s(budget, jitter_s)
    starts = [begin + i * spacing + late * 0.8 * jitter_s for i, late in enumerate(lateness)]
    # Floats at 1e9 seconds are 1e-7 apart; a fifth of the allowance is 1e-3 at least.
    assert worst_window(starts) <= budget


@given(st.integers(1, 20), st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=100))
def test_at_the_door_no_second_holds_more_whatever_the_way_there_takes(
    budget: int, delays: list[tuple[float, float]]
) -> None:
    """Up to the budget's `travel_s` more than another, besides a late start."""
    jitter_s, travel_s = 0.05, NCBI.travel_s
    spacing = spacing_s(budget, jitter_s + travel_s)
    arrivals = [i * spacing + late * 0.8 * jitter_s + way * travel_s for i, (late, way) in enumerate(delays)]
    assert travel_s >= 0.1
    assert worst_window(arrivals) <= budget


@given(st.integers(1, 1000))
def test_the_default_allowance_leaves_95_percent_of_the_budget(budget: int) -> None:
    assert 1 / spacing_s(budget, 0.05) / budget > 0.95


@given(st.floats(0.01, 0.99))
def test_a_budget_below_one_a_second_is_one_request_each_so_many_seconds(per_second: float) -> None:
    assert spacing_s(per_second, 0.05) >= 1 / per_second


async def test_many_callers_of_one_process_stay_within_the_budget() -> None:
    limiter, budget, starts = LocalRateLimiter(), RateBudget("a", 20), []

    async def caller() -> None:
        for _ in range(6):
            await limiter.acquire(budget, within_s=60)
            starts.append(time.time())

    await asyncio.gather(*(caller() for _ in range(5)))
    assert len(starts) == 30
    assert worst_window(starts) <= 20


async def test_budgets_do_not_wait_for_each_other() -> None:
    limiter = LocalRateLimiter()
    for name in "abcdefgh":
        await limiter.acquire(RateBudget(name, 0.01), within_s=0)


async def test_no_slot_within_the_time_is_told_and_nothing_is_booked() -> None:
    limiter, budget = LocalRateLimiter(), RateBudget("a", 0.5)
    await limiter.acquire(budget, within_s=0)
    told = []
    for _ in range(3):
        with pytest.raises(SourceUnavailable, match="used up") as error:
            await limiter.acquire(budget, within_s=0.1)
        told.append(error.value)
    assert all(error.reason is FailureReason.OWN_LIMIT for error in told)
    waits = [error.retry_after_s for error in told]
    assert all(wait is not None and wait <= 2.05 for wait in waits)


async def test_a_hold_is_obeyed_but_not_for_hours() -> None:
    limiter, budget = LocalRateLimiter(clock=lambda: 1000.0), RateBudget("a", 10)
    await limiter.hold(budget, 86_400)
    with pytest.raises(SourceUnavailable) as told:
        await limiter.acquire(budget, within_s=1)
    assert told.value.retry_after_s == 300
