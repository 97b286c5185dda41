"""The pause before another try."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from openwork_bus.backoff import backoff_s


@given(st.integers(1, 60), st.floats(0, 60), st.floats(0, 300), st.integers())
def test_a_pause_is_never_longer_than_the_bound_of_its_try(tries: int, base_s: float, max_s: float, seed: int) -> None:
    pause = backoff_s(tries, base_s=base_s, max_s=max_s, rng=random.Random(seed))
    assert 0 <= pause <= max_s
    assert pause <= base_s * 2 ** (tries - 1)


def test_callers_that_failed_together_come_back_apart() -> None:
    """Full jitter: the pauses of many callers fill the interval and do not crowd at its end."""
    pauses = [backoff_s(4, base_s=1.0, max_s=60.0) for _ in range(2_000)]
    thirds = [sum(low <= pause < low + 8 / 3 for pause in pauses) for low in (0.0, 8 / 3, 16 / 3)]
    assert all(500 < n < 850 for n in thirds)
