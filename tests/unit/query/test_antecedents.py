"""A question that lives on the one before it is asked back; one that names what it means is not."""

from __future__ import annotations

import pytest
from openwork_contracts.question import RejectionReason
from openwork_query.domain.analysis import Rejection, analyse, entities_of
from openwork_query.domain.antecedents import what_is_missing

from tests.eval.door.__main__ import labelled


@pytest.mark.parametrize("part", ["development", "held out", "second", "third"])
def test_what_names_its_subject_is_never_asked_back(part: str) -> None:
    complete = [question for wanted, _, question in labelled(part) if wanted == "search"]
    assert [question for question in complete if what_is_missing(question, entities_of(question))] == []


@pytest.mark.parametrize(
    ("part", "least"), [("development", 1.0), ("held out", 0.95), ("second", 0.95), ("third", 0.85)]
)
def test_what_names_nothing_is_asked_back(part: str, least: float) -> None:
    open_ = [question for wanted, _, question in labelled(part) if wanted == "incomplete"]
    asked = [question for question in open_ if what_is_missing(question, entities_of(question))]
    assert len(asked) / len(open_) >= least


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("and its side effects?", "Whose side effects?"),
        ("what is the dose?", "The dose of what?"),
        ("which one is better?", "Which treatments are to be compared?"),
        ("what did the trial show?", "Which study or guideline is meant?"),
        ("what about in children?", "Which drug, treatment or test is meant?"),
    ],
)
def test_the_reply_says_what_is_missing(question: str, asked: str) -> None:
    result = analyse(question, available_sources=("library",), current_year=2026)
    assert isinstance(result, Rejection)
    assert result.reason is RejectionReason.INCOMPLETE
    assert result.message.startswith(asked)


def test_an_antecedent_inside_the_question_is_enough() -> None:
    for question in (
        "Does metformin lower mortality, and what are its side effects?",
        "What is sepsis and how is it treated?",
    ):
        assert what_is_missing(question, entities_of(question)) is None, question
