"""How people are named in an answer: with the polarity of the question, and a part of them in the source's words."""

from __future__ import annotations

import pytest
from openwork_answers.conclude import conclude
from openwork_answers.forms import lines_of
from openwork_answers.naming_people import in_people
from openwork_contracts.evidence import EvidenceCandidate

from tests.unit.answers.made import asked, of, passages, question, ratio, record, result


def first_sentence(text: str, document: EvidenceCandidate) -> str:
    analysis, strategy = asked(text)
    lines = lines_of(conclude(analysis, strategy, passages([document]), [document]))
    return lines[0].text if lines else ""


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Cirrhosis, no hepatic encephalopathy: does rifaximin lower mortality?", "without hepatic encephalopathy"),
        ("Does propranolol lower mortality in patients without asthma or COPD?", "without COPD"),
        ("Does apixaban prevent stroke in people who cannot take warfarin?", "who cannot take warfarin"),
        ("Does metformin lower mortality in nondiabetic patients?", "nondiabetic"),
        ("Does allopurinol lower mortality in gout?", "gout"),
        ("Does metformin lower mortality in diabetic patients?", "diabetic people"),
        ("Does metformin lower mortality in type 1 diabetics?", "type 1 diabetics"),
        ("Healthy. Does aspirin prevent colorectal cancer?", "healthy people"),
        ("Septic shock. Does vasopressin lower mortality?", "septic shock"),
        ("Does raloxifene prevent fracture in Japanese women?", "Japanese"),
        ("Does dapagliflozin reduce death when the eGFR is below 30?", "eGFR below 30"),
        ("An 80-year-old woman. Does dapagliflozin reduce death?", "women"),
        ("Covid patient admitted but breathing room air. Does dexamethasone help?", "Covid patients admitted"),
        (
            "COPD without any cardiac reason for a beta blocker: does metoprolol lower deaths?",
            "without any cardiac reason",
        ),
    ],
)
def test_people_are_named_with_the_polarity_of_the_question_and_without_the_capital_of_its_first_word(
    text: str, named: str
) -> None:
    assert named in question(text).people_texts


@pytest.mark.parametrize(
    ("told", "named"),
    [
        (("atrial fibrillation",), " in atrial fibrillation"),
        (("after stroke",), " after stroke"),
        (("hospitalised",), " in hospitalised people"),
        (("free of cardiovascular disease",), " in people free of cardiovascular disease"),
        (("listed for surgery",), " in people listed for surgery"),
        (("normal free T4",), " with normal free T4"),
        (("high cardiovascular risk",), " with high cardiovascular risk"),
        (("high-risk patients",), " in high-risk patients"),
        (("high risk surgery",), " in high risk surgery"),
        (("low birth weight infants",), " in low birth weight infants"),
        (("low-income people",), " in low-income people"),
        (("aged 80", "on dialysis"), " in these people (aged 80; on dialysis)"),
        ((), ""),
    ],
)
def test_people_stand_in_a_sentence_as_one_says_them(told: tuple[str, ...], named: str) -> None:
    assert in_people(told) == named


def test_several_kinds_in_a_title_are_none_of_them_alone() -> None:
    text = "Does examplumab lower mortality in venous thromboembolism?"
    both = of(
        "Examplumab in deep-vein thrombosis or pulmonary embolism", "We assigned adults to examplumab or placebo."
    )
    assert 'some of those asked about ("venous thromboembolism")' in first_sentence(text, both)
    one = both.model_copy(update={"title": "Examplumab in pulmonary embolism"})
    assert "in pulmonary embolism (asked: venous thromboembolism)" in first_sentence(text, one)


WIDE = "Does ceftriaxone lower mortality in {asked}?"


@pytest.mark.parametrize(
    ("people", "title", "where"),
    [
        (
            "meningitis",
            "Ceftriaxone in pneumococcal meningitis",
            "in pneumococcal meningitis (asked: meningitis)",
        ),
        ("endocarditis", "Ceftriaxone in bacterial endocarditis", "in bacterial endocarditis (asked: endocarditis)"),
        (
            "people over 60 with endocarditis",
            "Ceftriaxone in endocarditis in people aged 75 to 90 years",
            "aged 75 to 90 years (asked: over 60)",
        ),
        ("meningitis", "Ceftriaxone in meningitis", "in meningitis:"),
    ],
)
def test_of_a_part_of_those_asked_about_the_source_is_named_and_not_the_word_that_was_asked(
    people: str, title: str, where: str
) -> None:
    """The asker's word would say of everybody what was found in some."""
    found = record(title, f"{title}, or placebo.", results=(
        result("death from any cause", ratio(0.6, 0.5, 0.8, "RR"), (("ceftriaxone", 60, 400), ("placebo", 100, 400))),
    ))  # fmt: skip
    assert where in first_sentence(WIDE.format(asked=people), found)
