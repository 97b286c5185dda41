"""What tells a result once more, and what is told besides."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.retold import tells_again, tells_nothing_else
from openwork_contracts.conclusion import ArmFigures, StudyResult
from openwork_contracts.evidence import AbstractPart

from tests.unit.answers.made import concluded, ratio, record, result

HYPO = StudyResult(
    n=1,
    study="Example 2020",
    comparison=("intensive control", "usual control"),
    outcome="severe hypoglycaemia",
    arms=(ArmFigures(name="intensive control", percent="2.7%"), ArmFigures(name="usual control", percent="1.5%")),
    effect=ratio(1.86, 1.42, 2.40),
)


@pytest.mark.parametrize(
    ("text", "again", "nothing_else"),
    [
        ("Severe hypoglycaemia was more frequent (2.7% versus 1.5%; HR 1.86).", True, True),
        ("Severe hypoglycaemia: HR 1.86, 95% CI 1.42 to 2.40; P=0.001.", True, True),
        ("Severe hypoglycaemia in 2.7% and 1.5%, and fractures in 4% and 2%.", True, False),
        ("Severe hypoglycaemia (HR 1.86, 95% CI 1.42 to 2.40) and death (HR 1.10) were more frequent.", True, False),
        ("Intensive control caused more hypoglycaemia.", False, True),
        ("Intensive control caused more hypoglycaemia and more fractures.", False, False),
        ("Intensive control caused more fractures.", False, False),
        ("Death was as frequent with both.", False, False),
        ("Bleeding was increased with 2.7 mg in 1.5 years.", False, False),  # no shares
        ("Severe hypoglycaemia (HR 1.86, 95% CI 1.42 to 2.40), death (hazard ratio, 1.50).", True, False),
    ],
)
def test_a_result_is_told_again_by_its_effect_or_its_arms_or_its_name(
    text: str, again: bool, nothing_else: bool
) -> None:
    assert tells_again(text, HYPO) is again
    assert tells_nothing_else(text, HYPO) is nothing_else


def test_a_harm_that_leads_is_not_told_behind_itself() -> None:
    arms = (("examplumab", 27, 1000), ("placebo", 15, 1000))
    again = "Examplumab increased severe hypoglycemia more than placebo (2.7% versus 1.5%; HR 1.86)."
    other = "Examplumab increased fractures more than placebo (4.1% versus 2.2%)."
    parts = tuple(AbstractPart(label="Harms", text=text) for text in (again, other))
    trial = record(
        "Examplumab in type 2 diabetes",
        "We assigned adults with type 2 diabetes to examplumab or placebo.",
        abstract=parts,
        results=(result("severe hypoglycemia", ratio(1.86, 1.42, 2.40), arms),),
    )
    told = [line.text for line in lines_of(concluded("Examplumab in type 2 diabetes: severe hypoglycemia?", trial))]
    assert "severe hypoglycemia" in told[0]
    assert [text for text in told[1:] if "hypoglycemia" in text] == []
    assert any(text.startswith("Harm: examplumab increased fractures") for text in told)


def test_where_more_of_what_was_asked_about_is_told_harms_are_not_said_to_be_unreported() -> None:
    trial = record(
        "Examplumab in heart failure",
        "We assigned adults with heart failure to examplumab or placebo.",
        results=(result("gynecomastia", None, (("examplumab", 100, 1000), ("placebo", 10, 1000))),),
    )
    told = " ".join(line.text for line in lines_of(concluded("How often is gynecomastia on examplumab?", trial)))
    assert "gynecomastia" in told
    assert "not reported" not in told
