"""What is counted at the door and at the end: who was let in, who was not and why, and what runs came to."""

from __future__ import annotations

import pytest
from openwork_bus.figures import Figures
from openwork_contracts.answer import AnswerBody, AnswerDocument, RunStatus, Timings, Usage
from openwork_contracts.errors import Busy
from openwork_contracts.verdict import VerificationScores
from openwork_gateway.door import Door
from openwork_gateway.metrics import Refusal, begin_runs, count_run

from tests.at_the_door import a_door, asked_of, close_door
from tests.reading_figures import samples, value


def counted_door(**settings: object) -> tuple[Door, Figures]:
    door, figures = a_door(**settings), Figures("gateway")
    begin_runs(figures, ("library",))
    return Door(door.bus, door.results, door.settings, figures=figures), figures


def refusals(figures: Figures) -> dict[str, float]:
    shown = (one for one in samples(figures.text()) if one.name == "openwork_admission_refusals_total" and one.value)
    return {one.labels["reason"]: one.value for one in shown}


async def test_who_is_let_in_is_counted_once() -> None:
    door, figures = counted_door()
    asked = asked_of(door)
    for _ in range(2):  # its message is delivered again
        await door.take(asked)
    assert value(figures.text(), "openwork_questions_admitted_total", pipeline="answer") == 1
    assert refusals(figures) == {}


async def test_a_full_store_a_used_up_quota_and_a_crowd_are_told_apart() -> None:
    door, figures = counted_door(account_runs_per_hour=1)
    await door.take(asked_of(door))
    door.quota.began("ALICE", "01J0000000000000000000000B", door.clock())
    await door.take(asked_of(door))
    door.stopped_because = "The store is nearly full."
    await door.take(asked_of(door, account="BOB"))
    door.stopped_because = None
    close_door(door)
    await door.take(asked_of(door, account="BOB", options={"deadline_s": 1}))
    await door.take(asked_of(door, account="CAROL", ago_s=10_000))
    assert refusals(figures) == {"quota": 1, "store_full": 1, "busy": 1, "too_late": 1}


async def test_a_question_that_is_only_judged_and_refused_is_counted_too() -> None:
    """`openwork.ask` takes nothing to an inbox before the door has said whether it may wait."""
    door, figures = counted_door()
    door.stopped_because = "The store is nearly full."
    with pytest.raises(Busy):
        door.judge(asked_of(door))
    assert refusals(figures) == {Refusal.STORE_FULL.value: 1}


def document(status: RunStatus, *, total_s: float, cost_usd: float = 0.0) -> AnswerDocument:
    scores = VerificationScores(claims=0, supported=0, unsupported=0, grounding_score=1, citation_coverage=1)
    return AnswerDocument(
        run_id="01J0000000000000000000000A",
        status=status,
        question="a-question-of-somebody",
        pipeline="answer",
        track="affirmative",
        owner="local",
        answer=AnswerBody(markdown=""),
        verification=scores,
        usage=Usage(cost_usd=cost_usd),
        timings=Timings(total_s=total_s, steps={"query-submitted": 0.0, "answer-drafted": 4.0, "end": total_s}),
    )


def test_a_run_is_counted_with_its_time_its_steps_and_its_cost() -> None:
    figures = Figures("gateway")
    count_run(figures, document(RunStatus.ANSWERED, total_s=12.0, cost_usd=0.02))
    count_run(figures, document(RunStatus.REJECTED, total_s=0.1))
    text = figures.text()
    assert value(text, "openwork_runs_total", outcome="answered") == 1
    assert value(text, "openwork_run_seconds_bucket", outcome="answered", le="10.0") == 0
    assert value(text, "openwork_run_seconds_bucket", outcome="answered", le="15.0") == 1
    assert value(text, "openwork_run_cost_usd_total", pipeline="answer") == pytest.approx(0.02)
    steps = {one.labels["step"] for one in samples(text) if one.name == "openwork_run_step_seconds_count"}
    assert steps == {"answer-drafted"}
    assert b"a-question-of-somebody" not in text
    assert b"01J0000000000000000000000A" not in text


def test_dead_letters_of_every_consumer_are_known_to_be_none_before_the_first() -> None:
    figures = Figures("gateway")
    begin_runs(figures, ("library", "pubmed"))
    text = figures.text()
    for consumer in ("verifier", "gateway-results", "normaliser-deadlines", "retriever-pubmed"):
        assert value(text, "openwork_dead_letters_total", consumer=consumer) == 0
