"""Admission: many questions at once are taken, a queue that stays is refused, and all that is let in is in time."""

from __future__ import annotations

import pytest
from openwork_gateway.domain.admission import Judgement, Lag, Load, Verdict

from tests.overload import Simulation, Stage


def load(**changes: float) -> Load:
    return Load(**{"target_s": 0.75, "limit_s": 3.0, "burst_s": 2.0, **changes})


def judged(door: Load, *, ahead: int = 0, left_s: float = 120.0, now: float = 0.0, account: str = "A") -> Verdict:
    return door.judge(account, ahead=ahead, left_s=left_s, now=now).verdict


def work(door: Load, rate: float, seconds: float, *, pending: int = 10, of: str = "query", start: float = 0.0) -> float:
    """A consumer that is seen busy for so long; the time at the end."""
    n = round(seconds / 0.2)
    for step in range(n + 1):
        door.measure({of: Lag(pending, round(rate * step * 0.2))}, start + step * 0.2, waiting=0)
    return start + n * 0.2


def services(rate: float) -> tuple[Stage, Stage]:
    """A fast first step and what everything waits for."""
    return Stage("query", 200), Stage("work", rate)


# --- one judgement -------------------------------------------------------------------------------------------------


def test_services_that_nobody_has_seen_get_a_few_questions_and_then_a_measurement() -> None:
    door = load()
    door.measure({"query": Lag(0, 0)}, 0.0, waiting=0)
    verdicts = []
    for _ in range(20):
        verdicts.append(judged(door))
        door.admitted()
    assert verdicts == [Verdict.ADMIT] * 16 + [Verdict.WAIT] * 4


def test_before_the_first_measurement_a_question_is_let_in() -> None:
    assert judged(load()) is Verdict.ADMIT


def test_who_has_others_before_them_waits_also_where_there_is_room() -> None:
    assert judged(load(), ahead=1) is Verdict.WAIT


def test_what_cannot_be_begun_in_half_the_time_that_is_left_is_refused_at_once() -> None:
    door = load()
    work(door, 8, 10, pending=80)
    assert door.wait_s == pytest.approx(10, rel=0.15)
    assert judged(door, left_s=40) is Verdict.WAIT
    assert judged(door, left_s=15) is Verdict.REFUSE


@pytest.mark.parametrize("expected_s", [0.0, 0.2, 1.4, 7.6, 1e6])
def test_a_refusal_says_a_time_of_whole_seconds_and_at_least_one(expected_s: float) -> None:
    told = Judgement(Verdict.REFUSE, expected_s).retry_after_s
    assert told >= 1
    assert told == int(told)


# --- what is measured ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.5, 2.0, 8.0, 50.0])
def test_a_rate_is_measured_while_work_waits(rate: float) -> None:
    """At 2 a second, four of five measurements see nothing: they count as well."""
    door = load()
    work(door, rate, 60, pending=100)
    assert door.wait_s == pytest.approx(100 / rate, rel=0.3)


def test_a_consumer_without_work_is_not_taken_for_a_slow_one() -> None:
    """One message in a second since there was one: nothing is known of how many it could be."""
    door = load()
    now = work(door, 20, 5)
    for step in range(61):
        door.measure({"query": Lag(step % 2, 100 + step)}, now + 1 + step, waiting=0)
    door.measure({"query": Lag(20, 161)}, now + 62, waiting=0)
    assert door.wait_s < 2


def test_a_consumer_that_is_made_anew_counts_from_zero() -> None:
    """Its number of deliveries goes down; neither its rate nor what a run costs may be taken from that."""
    door = load()
    for step in range(50):
        door.measure({"query": Lag(5, 10 * step), "normaliser": Lag(5, 110 * step)}, step * 1.0, waiting=0)
    before = door.wait_s
    for step in range(50, 60):
        n = step - 50
        door.measure({"query": Lag(5, 10 * n), "normaliser": Lag(5, 110 * step)}, step * 1.0, waiting=0)
    door.admitted()
    assert door.wait_s < 2 * before + 2
    assert door._lanes["normaliser"].per_run == pytest.approx(11, rel=0.2)


def test_a_consumer_with_a_long_history_is_counted_from_now_on() -> None:
    door = load()
    for step in range(10):
        door.measure({"query": Lag(0, 3 + 2 * step), "work": Lag(0, 100_000 + 2 * step)}, step * 1.0, waiting=0)
    assert door._lanes["work"].per_run == 1.0


def test_a_consumer_that_is_gone_keeps_no_question_out() -> None:
    door = load()
    work(door, 8, 10, pending=500, of="retriever-old")
    assert not door.has_room
    door.measure({"query": Lag(0, 0)}, 20.0, waiting=0)
    assert door.has_room


@pytest.mark.parametrize(("dispensable", "open_again"), [(True, True), (False, False)])
def test_a_source_that_nobody_serves_keeps_no_question_out_for_long(dispensable: bool, open_again: bool) -> None:
    """Runs go on without a source; without the steps that every run needs they do not."""
    door = load()
    for step in range(40):
        lags = {"query": Lag(0, step), "x": Lag(200, 10, dispensable=dispensable)}
        door.measure(lags, step * 1.0, waiting=0)
        if step == 10:
            assert not door.has_room
    assert door.has_room is open_again


def test_what_is_let_in_between_two_measurements_is_counted_for_every_step_of_a_run() -> None:
    door = load()
    for step in range(41):
        door.measure({"query": Lag(0, 2 * step), "many": Lag(3, 22 * step)}, step * 1.0, waiting=0)
    before = door.wait_s
    door.admitted()
    assert door.wait_s - before == pytest.approx(11 / 22, rel=0.2)
    door.not_admitted()
    assert door.wait_s == before


# --- overload ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [8, 20])
def test_two_hundred_questions_at_once_are_no_overload(rate: float) -> None:
    run = Simulation(*services(rate))
    run.run(5)
    asked = [run.ask(deadline_s=120) for _ in range(200)]
    run.run(200 / rate * 1.5 + 5)
    assert [q.refused_at for q in asked] == [None] * 200
    assert all(q.in_time for q in asked)


def test_a_burst_is_accepted_again_after_a_quiet_time() -> None:
    run = Simulation(*services(8))
    for _ in range(3):
        asked = [run.ask(deadline_s=120) for _ in range(200)]
        run.run(60)
        assert all(q.in_time for q in asked)


def test_a_queue_that_stays_is_refused_after_the_time_of_a_burst() -> None:
    run = Simulation(*services(8))
    run.run(20, {"A": 40}, deadline_s=120)
    first = min(q.refused_at for q in run.asked if q.refused_at is not None)
    over = next(q.asked_at for q in run.asked if q.expected_s > 3)
    assert over + 2 <= first <= over + 3


@pytest.mark.parametrize("rate", [8, 20])
@pytest.mark.parametrize("seed", [1, 2])
def test_three_times_too_many_questions_are_answered_as_many_as_can_be(rate: float, seed: int) -> None:
    """For two minutes; without admission none was answered in time after the first seconds."""
    run = Simulation(*services(rate), seed=seed)
    run.run(120, {"A": 3 * rate}, deadline_s=30)
    assert sum(q.in_time for q in run.asked) >= 0.8 * rate * 120
    let_in = [q for q in run.asked if q.let_in_at is not None and q.done_at is not None]
    assert all(q.in_time for q in let_in)
    assert not any(q.too_late for q in run.asked)
    refused = [q for q in run.asked if q.refused_at is not None]
    assert len(refused) > rate * 120
    assert all(q.retry_after_s is not None and q.retry_after_s >= 1 for q in refused)
    # Who is not refused waits for seconds, and the door says how many.
    settled = [q for q in let_in if q.asked_at > 20]
    assert max(q.let_in_at - q.asked_at for q in settled if q.let_in_at) <= 4.0
    run.run(5)
    last = run.ask()
    assert last.let_in_at == run.now
    run.run(1)
    assert last.in_time


@pytest.mark.parametrize("rate", [8, 20])
def test_a_hundred_questions_a_second_change_nothing_of_it(rate: float) -> None:
    run = Simulation(*services(rate))
    run.run(60, {"A": 100}, deadline_s=30)
    assert sum(q.in_time for q in run.asked) >= 0.8 * rate * 60
    waits = [q.let_in_at - q.asked_at for q in run.asked if q.let_in_at and q.asked_at > 20]
    assert max(waits) <= 4.0
    run.run(5)
    assert run.ask().let_in_at == run.now


@pytest.mark.parametrize("rate", [8, 20])
def test_who_asks_now_and_then_waits_a_moment_beside_one_who_asks_without_end(rate: float) -> None:
    run = Simulation(*services(rate))
    run.run(60, {"greedy": 100, "polite": 0.5}, deadline_s=30)
    polite = [q for q in run.asked if q.account == "polite"]
    assert len(polite) > 10
    assert all(q.refused_at is None for q in polite)
    assert max(q.let_in_at - q.asked_at for q in polite if q.let_in_at) < 3.0


def test_services_that_stop_for_a_while_are_used_again() -> None:
    run = Simulation(*services(8))
    run.run(20, {"A": 6})
    work = run.stages[1]
    work.free_at = run.now + 30
    run.run(30, {"A": 6})
    assert len(work.waiting) < 40
    run.run(60, {"A": 6})
    late = [q for q in run.asked if q.asked_at > run.now - 20]
    assert sum(q.refused_at is None for q in late) > 0.9 * len(late)


def test_an_overload_that_ends_is_forgotten() -> None:
    run = Simulation(*services(8))
    run.run(60, {"A": 40})
    run.run(10)
    n = len(run.asked)
    run.run(30, {"A": 4})
    assert all(q.refused_at is None for q in run.asked[n:])
