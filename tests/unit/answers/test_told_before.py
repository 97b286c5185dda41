"""What is told of somebody before the question is who is meant; a form of a disease that is counted is the outcome."""

from __future__ import annotations

import pytest

from tests.unit.answers.made import question


@pytest.mark.parametrize(
    ("text", "people", "outcomes"),
    [
        ("He had gout last year. Does allopurinol prevent another attack?", ["gout"], ["another attack"]),
        (
            "Her pulmonary embolism was last month. Does rivaroxaban prevent recurrent pulmonary embolism?",
            ["pulmonary embolism"],
            ["recurrent pulmonary embolism"],
        ),
        ("Such patients are at risk of stroke. Does apixaban lower mortality?", [], ["mortality"]),
        (
            "One of my gout patients gets diarrhoea since we changed colchicine. Does colchicine cause diarrhoea?",
            ["gout"],
            ["diarrhoea"],
        ),
        ("We worry about pancreatitis. Does semaglutide cause pancreatitis?", [], ["pancreatitis"]),
    ],
)
def test_a_disease_that_an_earlier_sentence_tells_as_past_is_had_and_one_that_is_feared_is_not(
    text: str, people: list[str], outcomes: list[str]
) -> None:
    read = question(text)
    assert [term.text for term in read.people] == people
    assert [outcome for outcome in read.outcome_texts if outcome in outcomes] == outcomes


@pytest.mark.parametrize(
    ("text", "people", "outcome"),
    [
        ("Does dapsone prevent severe malaria?", [], "severe malaria"),
        ("Efficacy of nirsevimab against hospitalised bronchiolitis?", [], "hospitalised bronchiolitis"),
        ("Does oseltamivir lower mortality in hospitalised influenza?", ["hospitalised", "influenza"], "mortality"),
        ("Does artesunate lower mortality in severe malaria?", ["severe malaria"], "mortality"),
    ],
)
def test_a_form_of_a_disease_behind_what_counts_it_is_the_outcome(text: str, people: list[str], outcome: str) -> None:
    read = question(text)
    assert [term.text for term in read.people] == people
    assert outcome in read.outcome_texts
