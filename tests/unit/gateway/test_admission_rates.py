"""What a rate is taken from: found by `make chaos`, where a door let in five questions a second of twenty for ever."""

from __future__ import annotations

import pytest
from openwork_gateway.domain.admission import Lag, Load, Verdict


def load() -> Load:
    return Load(target_s=0.75, limit_s=3.0, burst_s=2.0)


def test_a_single_question_now_and_then_does_not_make_services_slow() -> None:
    """One message in a second is no rate when there was no second one: else one a second is all that is let in."""
    door, n = load(), 0
    for second in range(30):
        door.measure({"query": Lag(second % 2, n), "verifier": Lag(1 - second % 2, n)}, float(second), waiting=0)
        n += 1
    let_in = 0
    while door.judge("A", ahead=0, left_s=120.0, now=30.0).verdict is Verdict.ADMIT:
        door.admitted()
        let_in += 1
    assert let_in >= 4


@pytest.mark.parametrize("capacity", [8.0, 20.0])
def test_a_door_that_was_too_careful_once_opens_again(capacity: float) -> None:
    """Services that were slow for half a minute and are fast again, with questions waiting all the while."""
    door, now, done, pending = load(), 0.0, 0.0, 0.0
    rates: list[float] = []
    for tick in range(600):
        rate = 1.0 if tick < 150 else capacity
        n = min(pending, rate * 0.2)
        done, pending, now = done + n, pending - n, now + 0.2
        door.measure({"query": Lag(int(pending), int(done)), "work": Lag(int(pending), int(done))}, now, waiting=50)
        let_in = 0
        while door.has_room and let_in < 100:
            door.admitted()
            let_in += 1
        pending += let_in
        rates.append(n / 0.2)
    assert sum(rates[-100:]) / 100 >= 0.9 * capacity
    assert pending / capacity < 3.0


def test_the_time_at_the_door_is_told_by_what_is_let_in_when_nothing_is_too() -> None:
    """Seven at once and then none for a second are seven a second, not thirty-five."""
    door, now, done = load(), 0.0, 0
    for tick in range(200):
        now += 0.2
        if tick % 5 == 0:
            done += 7
            for _ in range(7):
                door.admitted()
        door.measure({"query": Lag(3, done)}, now, waiting=70)
    assert door.expected_s(70) == pytest.approx(10.0, rel=0.25)
