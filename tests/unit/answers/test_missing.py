"""What is said to be missing: other events than the one asked about, and what was asked about together with it."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.special_people import unasked_people

from tests.unit.answers.made import asked, concluded, ratio, record, result

ARMS = (("examplumab", 60, 900), ("placebo", 90, 900))


@pytest.mark.parametrize(
    ("question", "reported", "missing"),
    [
        ("Does examplumab reduce stroke in asthma?", "stroke or systemic embolism", "result for stroke alone"),
        (
            "Does examplumab reduce cardiovascular death in asthma?",
            "death from any cause",
            "cardiovascular death alone",
        ),
        ("Does examplumab reduce severe hypoglycemia in asthma?", "hypoglycemia", "severe hypoglycemia alone"),
        ("Does examplumab reduce in-hospital death in asthma?", "death from any cause", None),
        ("Does examplumab reduce one-year mortality in asthma?", "death from any cause", None),
        ("Is mortality altered by examplumab in asthma?", "death from any cause", None),
        ("Examplumab in asthma: 28-d mortality?", "death from any cause", None),
        ("Examplumab in asthma: pneumonia figures?", "pneumonia", None),
    ],
)
def test_missing_is_an_event_by_itself_not_how_or_when_it_was_counted(
    question: str, reported: str, missing: str | None
) -> None:
    trial = record(
        "Examplumab in asthma",
        "We assigned adults with asthma to examplumab or placebo.",
        results=(result(reported, ratio(0.66, 0.48, 0.91), ARMS),),
    )
    found = concluded(question, trial)
    assert found.lead is not None
    assert found.lead.outcome == reported
    told = " ".join(found.missing)
    assert (missing in told) if missing else told == ""


@pytest.mark.parametrize(
    ("question", "untold"),
    [
        ("Does examplumab reduce death and stroke in asthma?", "stroke"),
        ("Does examplumab reduce death and prevent fractures in asthma?", "fractures"),
        ("Just discharged after asthma: does examplumab reduce death?", None),
        ("Asthma, triglycerides up, HDL low. Would examplumab reduce death?", None),
        ("Does examplumab reduce death over tight glucose control in asthma?", None),
    ],
)
def test_of_what_is_asked_together_with_the_lead_it_is_said_that_nothing_was_found(
    question: str, untold: str | None
) -> None:
    trial = record(
        "Examplumab in asthma",
        "We assigned adults with asthma to examplumab or placebo.",
        results=(result("death from any cause", ratio(0.66, 0.48, 0.91), ARMS),),
    )
    told = [line.text for line in lines_of(concluded(question, trial)) if "no result was found" in line.text]
    assert told == ([f"Of {untold} no result was found beside it."] if untold else [])


@pytest.mark.parametrize(
    ("title", "people"),
    [
        ("Examplumab and prevention of cardiovascular disease and cancer", set()),
        ("Examplumab and the risk of cancer", set()),
        ("Examplumab to prevent stroke in patients with cancer", {"cancer"}),
        ("Examplumab to prevent HIV-related tuberculosis", {"HIV"}),
        ("Examplumab for cancer", {"cancer"}),
        ("Examplumab to prevent cardiovascular events on haemodialysis", {"on dialysis"}),
        ("Examplumab to prevent progression of cirrhosis", {"cirrhosis"}),
        ("Preventing recurrence of breast cancer with examplumab", {"cancer"}),
    ],
)
def test_who_is_kept_from_a_disease_does_not_have_it(title: str, people: set[str]) -> None:
    analysis, _ = asked("Does examplumab reduce death?")
    assert unasked_people(analysis, record(title)) == people
