"""What chaos counts: an instrument that sees no loss is worth nothing unless it would."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.chaos.asker import Question
from tests.chaos.ledger import Ending, Tally, _count_ends, _count_not_taken, _count_status
from tests.chaos.report import Row

ASKED = datetime(2026, 1, 1, tzinfo=UTC)


def question() -> Question:
    return Question("local", "Does it help?", deadline_s=30.0, sent_at=ASKED, accepted=True)


def ending(status: str = "answered", *, after_s: float = 1.0, retry_after_s: float | None = None) -> Ending:
    return Ending(status, ASKED + timedelta(seconds=after_s), ASKED, retry_after_s, "words")


@pytest.mark.parametrize(
    ("documents", "ends", "heard", "what"),
    [
        (1, 1, 1, "ended_once"),
        (2, 1, 1, "doubled"),
        (1, 2, 1, "doubled"),
        (1, 1, 2, "doubled"),
        (0, 1, 0, "lost"),
        (1, 1, 0, "lost"),
        (1, 0, 1, "lost"),
        (0, 0, 0, "lost"),
    ],
)
def test_a_question_has_ended_once_where_all_three_say_so(documents: int, ends: int, heard: int, what: str) -> None:
    counted = Tally()
    _count_ends(counted, question(), (documents, ends, heard))
    assert {name: getattr(counted, name) for name in ("ended_once", "doubled", "lost")} == {
        name: int(name == what) for name in ("ended_once", "doubled", "lost")
    }


@pytest.mark.parametrize(("after_s", "late"), [(29.0, 0), (31.0, 0), (31.1, 1)])
def test_late_is_more_than_a_second_past_the_deadline(after_s: float, late: int) -> None:
    counted = Tally()
    _count_status(counted, question(), ending(after_s=after_s))
    assert counted.late == late


@pytest.mark.parametrize(
    ("found", "what"),
    [
        (ending("too_little_evidence"), "answered"),
        (ending("refused", retry_after_s=2.0), "refused"),
        (ending("refused"), "failed"),
        (ending("failed"), "failed"),
    ],
)
def test_a_refusal_without_a_time_to_come_again_is_none(found: Ending, what: str) -> None:
    counted = Tally()
    _count_status(counted, question(), found)
    assert getattr(counted, what) == 1


def test_no_reply_at_all_is_silence_and_not_a_refusal() -> None:
    counted, asked = Tally(), question()
    _count_not_taken(counted, asked, {})
    asked.refusal = {"error": "busy", "retry_after_s": 3.0}
    _count_not_taken(counted, asked, {})
    assert (counted.silent, counted.refused) == (1, 1)


def test_a_row_names_what_it_missed() -> None:
    row = Row("x", Tally(offered=3, lost=1, late=2))
    row.require_every_end()
    assert row.missed == ["1 lost", "2 late"]
    assert row.cells()[-1] == "1 lost; 2 late"
