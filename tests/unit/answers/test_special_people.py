"""Sources of pregnant women, children or newborns are no answer for everybody, and their harms are nobody else's."""

from __future__ import annotations

import pytest
from openwork_answers.people import people_fit
from openwork_answers.special_people import special_people, unasked_people
from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, Fit
from openwork_contracts.evidence import EvidenceCandidate, Recommendation, StudyDesign

from tests.unit.answers.made import asked, concluded, question, ratio, record, result


def trial(title: str, outcome: str, *, harm: str | None = None) -> EvidenceCandidate:
    """Of levetiracetam and placebo; with a harm that is more frequent."""
    harms = (
        (result(harm, ratio(2.0, 1.5, 2.6, "RR"), (("levetiracetam", 80, 400), ("placebo", 40, 400))),) if harm else ()
    )
    return record(title, f"{title}, against placebo.", results=(
        result(outcome, ratio(0.6, 0.5, 0.8, "RR"), (("levetiracetam", 60, 400), ("placebo", 100, 400))), *harms,
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("title", "groups"),
    [
        ("Levetiracetam for neonatal seizures", {"newborns"}),
        ("Levetiracetam for epilepsy during pregnancy", {"pregnancy"}),
        ("Levetiracetam in children with epilepsy", {"children"}),
        ("Levetiracetam in adults and children with epilepsy", set()),
        ("Levetiracetam in epilepsy", set()),
    ],
)
def test_a_source_is_of_special_people_where_its_title_names_them_and_no_adults(title: str, groups: set[str]) -> None:
    assert special_people(record(title)) == groups


def test_who_is_a_reason_for_exclusion_was_not_studied() -> None:
    text = "Example randomized 4,000 people with epilepsy; pregnancy and porphyria were reasons for exclusion."
    assert special_people(record("Levetiracetam in epilepsy", text)) == frozenset()
    assert (
        people_fit(question("Does levetiracetam lower mortality in porphyria?").people, record("X", text)) is Fit.OTHER
    )


@pytest.mark.parametrize(
    ("text", "title", "unasked"),
    [
        ("Does metformin reduce stillbirth?", "Metformin during pregnancy", False),
        ("Does metformin reduce gestational diabetes?", "Metformin during pregnancy", False),
        ("Does metformin lower mortality in diabetes?", "Metformin during pregnancy", True),
        ("Does zinc shorten diarrhoea in a child of 3 years?", "Zinc in infants with diarrhoea", False),
        ("Does zinc shorten diarrhoea?", "Zinc in infants with diarrhoea", True),
    ],
)
def test_special_people_are_asked_about_by_any_word_that_only_they_have(text: str, title: str, unasked: bool) -> None:
    assert bool(unasked_people(asked(text)[0], record(title))) is unasked


@pytest.mark.parametrize(
    ("people", "fit"),
    [("men with epilepsy", Fit.OTHER), ("people over 65 with epilepsy", Fit.OTHER), ("epilepsy", Fit.ASKED)],
)
def test_an_age_or_sex_that_rules_pregnancy_out_makes_a_source_of_pregnant_women_one_of_others(
    people: str, fit: Fit
) -> None:
    read = question(f"Does levetiracetam lower mortality in {people}?")
    assert people_fit(read.people, record("Levetiracetam in pregnancy in epilepsy")) is fit


def test_a_result_of_children_alone_says_so_and_gives_no_yes_to_who_named_nobody() -> None:
    found = concluded(
        "Does levetiracetam lower mortality in epilepsy?", trial("Levetiracetam in children with epilepsy", "death")
    )
    assert found.lead is not None
    assert found.lead.people_fit is Fit.PART
    assert "children" in found.people_told


def _harms(*documents: EvidenceCandidate) -> Conclusion:
    return concluded("Does levetiracetam lower mortality in adults with epilepsy?", *documents)


def test_the_harm_beside_a_result_is_not_one_of_pregnant_women_or_newborns() -> None:
    own = trial("Levetiracetam in epilepsy", "death from any cause")
    others = trial("Levetiracetam in epilepsy during pregnancy", "death from any cause", harm="low birth weight")
    assert _harms(own, others).harms == ()
    alike = trial("Levetiracetam in generalised epilepsy", "death from any cause", harm="major bleeding")
    assert [harm.outcome for harm in _harms(own, alike).harms] == ["major bleeding"]


def test_a_target_for_all_adults_is_no_advice_for_a_pregnant_woman() -> None:
    def guideline(text: str) -> EvidenceCandidate:
        return record("Guideline on asthma with advice on pregnancy", text, study_design=StudyDesign.GUIDELINE,
                      recommendations=(Recommendation(text=text, strength="strong"),))  # fmt: skip

    all_adults = guideline("Inhaled budesonide is recommended for all adults with asthma.")
    pregnant = guideline("Inhaled budesonide is recommended for pregnant women with asthma.")
    text = "Is budesonide recommended for a woman 22 weeks pregnant with asthma?"
    assert concluded(text, all_adults).verdict is not ConclusionVerdict.RECOMMENDATION
    assert concluded(text, pregnant).verdict is ConclusionVerdict.RECOMMENDATION


def test_what_is_given_to_people_who_have_a_disease_besides_is_no_treatment_of_it() -> None:
    text = "Does treating hypertension lower stroke?"
    besides = trial("Levetiracetam in hypertension", "stroke")
    treats = trial("Treatment of hypertension with levetiracetam", "stroke")
    assert concluded(text, besides).lead is None
    assert concluded(text, treats).lead is not None
