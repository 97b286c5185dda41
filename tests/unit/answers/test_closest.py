"""The study that comes closest to a question nothing answers: what stands near, what answers, and what must not."""

from __future__ import annotations

import pytest
from openwork_answers.forms import lines_of
from openwork_answers.nearest import as_nearest
from openwork_answers.table import table_of
from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate

from tests.unit.answers.made import concluded, ratio, record, result
from tests.unit.answers.test_read_again import FERRITIN, FUSION, LEGS, LOFEXIDINE

V = ConclusionVerdict
TWO_DRUGS = record(
    "Clopidogrel and aspirin or aspirin alone in type 2 diabetes",
    "We assigned people with type 2 diabetes to clopidogrel and aspirin or to aspirin.",
    results=(result("stroke", ratio(0.7, 0.6, 0.8), (("clopidogrel and aspirin", 40, 450), ("aspirin", 60, 450))),),
)
WASHOUT = record(
    "Stopping or continuing lithium in chronic kidney disease",
    "We assigned adults with chronic kidney disease on lithium to discontinuation or to continuation of lithium.",
    results=(
        result(
            "kidney failure",
            ratio(1.1, 0.8, 1.5),
            (("discontinuation of lithium", 40, 400), ("continuation of lithium", 37, 400)),
        ),
    ),
)


@pytest.mark.parametrize(
    ("text", "work", "untold"),
    [
        ("Opioid withdrawal: does lofexidine help him nod off at night?", LOFEXIDINE, "nod"),
        (f"{LEGS}: iron at ferritin 30 vs 75, who thrashes about less?", FERRITIN, "thrashes"),
    ],
)
def test_a_study_that_tells_most_of_a_question_stands_near_with_the_words_that_it_does_not_tell(
    text: str, work: EvidenceCandidate, untold: str
) -> None:
    found = concluded(text, work)
    assert (found.verdict, found.lead) == (V.NOT_FOUND, None)
    assert [r.outcome for r in found.nearest] == [r.outcome for r in work.results]
    assert untold in found.nearest_without


def test_of_an_outcome_that_nobody_read_the_sentence_has_no_figure_and_the_table_has_them() -> None:
    found = concluded("Opioid withdrawal: does lofexidine help him nod off at night?", LOFEXIDINE)
    (line,) = lines_of(found)
    assert line.text == (
        'Example 2020 compared lofexidine v placebo, where "nod" is not told; the table has its results.'
    )
    (row,) = table_of(found)
    assert "20 of 100 (20.0%) v 33 of 100 (33.0%)" in row.cells[3]


@pytest.mark.parametrize(
    ("text", "work"),
    [
        ("Does clonidine reduce yawning in opioid withdrawal?", LOFEXIDINE),  # another drug
        ("Does lofexidine reduce yawning in narcolepsy?", LOFEXIDINE),  # another disease
        ("Does lofexidine reduce fractures in opioid withdrawal?", LOFEXIDINE),  # a known outcome, and another
        ("Child of 6, opioid withdrawal. Does lofexidine help him nod off?", LOFEXIDINE),
        ("Pregnant, opioid withdrawal: does lofexidine help her nod off?", LOFEXIDINE),
        ("Opioid withdrawal on haemodialysis: does lofexidine help him nod off?", LOFEXIDINE),
        ("Opioid withdrawal with an eGFR of 12: does lofexidine help him nod off?", LOFEXIDINE),
        (f"{LEGS}: iron at ferritin 50 vs 100, who thrashes about less?", FERRITIN),  # other thresholds
        ("What is lofexidine?", LOFEXIDINE),  # asks what it is
        ("Burst fracture of the spine: does methylene blue mean fewer stooped backs?", FUSION),  # nothing of the arms
        ("Does aspirin make people with type 2 diabetes livelier?", TWO_DRUGS),  # in both arms, so not compared
    ],
)
def test_of_another_treatment_outcome_or_people_nothing_stands_near(text: str, work: EvidenceCandidate) -> None:
    found = concluded(text, work)
    assert found.lead is None
    assert found.nearest == ()


def test_a_study_of_these_people_and_this_outcome_answers_though_its_arms_were_read_by_words_alone() -> None:
    found = concluded("CKD, on lithium. Stop it vs carry on: kidney failure at 3 years?", WASHOUT)
    assert found.lead is not None
    assert (found.lead.outcome, found.lead.comparison_fit) == ("kidney failure", Fit.ASKED)
    assert not found.asked.yes_or_no


def test_a_kidney_function_that_a_study_holds_among_others_is_not_answered_from_it() -> None:
    """Whom a trial of all kidney functions took, of somebody with a very low one, it does not tell."""
    found = concluded("Does lofexidine reduce insomnia in opioid withdrawal with an eGFR below 10?", LOFEXIDINE)
    assert found.lead is None


def near(n: int, outcome: str, fit: Fit = Fit.ASKED) -> StudyResult:
    return StudyResult(
        n=n, study=f"Example {n}", comparison=("zinc", "placebo"), outcome=outcome, outcome_fit=fit,
        effect=ratio(0.8, 0.7, 0.9),
    )  # fmt: skip


def test_what_is_not_told_is_said_once_of_each_study() -> None:
    told = (near(1, "colds"), near(1, "coughs"), near(2, "colds"), near(3, "fevers", Fit.OTHER))
    lines = lines_of(Conclusion(verdict=V.NOT_FOUND, nearest=told, nearest_without=("sneezing",)))
    assert [line.text.startswith('Where "sneezing" is not told: ') for line in lines] == [True, False, True, False]
    assert lines[1].text.startswith("Coughs")
    assert "HR" not in lines[3].text
    assert [line.citations for line in lines] == [(1,), (1,), (2,), (3,)]


def test_what_is_told_in_words_stands_before_what_is_near_until_it_is_too_little() -> None:
    """A description is shown without the nearest study, which stands in its place where it turns out too little."""
    described = Conclusion(verdict=V.DESCRIPTION, nearest=(near(1, "colds"),), about=(2,))
    assert lines_of(described) == ()
    assert table_of(described) == ()
    assert described.sources == {2}
    too_little = as_nearest(described)
    assert (too_little.verdict, too_little.sources) == (V.NOT_FOUND, {1})
    assert len(lines_of(too_little)) == len(table_of(too_little)) == 1


def test_results_of_the_asked_outcome_stand_in_the_table_of_a_description_from_the_same_work() -> None:
    harm = near(1, "vomiting")
    told = (near(1, "colds"), near(1, "fevers", Fit.OTHER), near(3, "colds"))
    described = Conclusion(verdict=V.DESCRIPTION, nearest=told, nearest_harms=(harm, near(3, "rash")), about=(1, 2))
    assert lines_of(described) == ()
    (row,) = table_of(described)
    assert (row.n, row.cells[3].startswith("colds: "), "fevers" in row.cells[3]) == (1, True, False)
    assert row.cells[4].startswith("vomiting: ")
    assert described.sources == {1, 2}


def test_what_stands_near_has_the_harms_that_its_study_reports() -> None:
    work = record(
        "Lofexidine in adults with opioid withdrawal",
        "LOFEX randomized 200 adults with opioid withdrawal to lofexidine or placebo.",
        results=(
            *LOFEXIDINE.results,
            result("major bleeding", ratio(3.0, 1.5, 6.0), (("lofexidine", 30, 100), ("placebo", 10, 100))),
        ),
    )
    found = concluded("Opioid withdrawal: does lofexidine help him nod off at night?", work)
    assert [r.outcome for r in found.nearest_harms] == []  # its table has every result, this one too
    assert "major bleeding: 30 of 100" in table_of(found)[0].cells[4]
    found = concluded("Does lofexidine reduce insomnia in smartwatch wearers with opioid withdrawal?", work)
    assert [r.outcome for r in found.nearest_harms] == ["major bleeding"]
    assert "major bleeding: 30 of 100" in table_of(found)[0].cells[4]


def test_a_study_of_another_outcome_stands_near_only_where_none_tells_more() -> None:
    """With the results first whose outcomes have the question's words."""
    other = record(
        "Lofexidine in adults with opioid withdrawal in prison",
        "CELL randomized 300 adults in opioid withdrawal to lofexidine or placebo.",
        results=(
            result("death from any cause", ratio(0.9, 0.5, 1.5), (("lofexidine", 10, 150), ("placebo", 11, 150))),
            result("completed detoxification", ratio(1.2, 1.0, 1.5), (("lofexidine", 90, 150), ("placebo", 75, 150))),
        ),
    )
    text = "Prison, opioid withdrawal: is lofexidine followed by fewer strokes once detoxification is completed?"
    found = concluded(text, other)
    assert [(r.outcome, r.outcome_fit) for r in found.nearest] == [
        ("completed detoxification", Fit.OTHER), ("death from any cause", Fit.OTHER),
    ]  # fmt: skip
    both = concluded(
        "Prison, opioid withdrawal: does lofexidine reduce insomnia in smartwatch wearers?", other, LOFEXIDINE
    )
    assert {r.outcome for r in both.nearest} == {"insomnia"}


def test_a_share_of_people_with_a_disease_is_of_people_without_it_too() -> None:
    """ "70% with diabetes" says that the others do not have it."""
    work = record(
        "Lofexidine in adults with opioid withdrawal",
        "LOFEX randomized 200 adults with opioid withdrawal (70% with diabetes) to lofexidine or placebo.",
        results=LOFEXIDINE.results,
    )
    found = concluded("Opioid withdrawal, no diabetes. Does lofexidine reduce insomnia?", work)
    assert found.lead is not None
    assert any("without diabetes" in text for text in found.people_wider)


@pytest.mark.parametrize(
    "text",
    [
        "Does stopping lofexidine reduce insomnia in opioid withdrawal?",  # a trial of giving it
        "Opioid withdrawal: does coming off lofexidine mean less nodding?",
        "Kidney transplant: lofexidine, less nodding in opioid withdrawal?",  # what was done to somebody
    ],
)
def test_a_trial_of_giving_a_drug_says_nothing_of_stopping_it(text: str) -> None:
    found = concluded(text, LOFEXIDINE)
    assert found.lead is None
    assert found.nearest == ()


def test_beside_two_doses_a_trial_of_one_of_them_is_near_and_no_answer() -> None:
    found = concluded("Lofexidine 2 mg rather than 4 mg in opioid withdrawal: insomnia?", LOFEXIDINE)
    assert found.lead is None
    assert found.nearest_without[0] == "2 mg rather than 4 mg"


def test_who_does_not_have_a_disease_is_never_what_is_asked_about() -> None:
    """A trial in type 2 diabetes alone is of none without it, and that is said."""
    work = record(
        "Darbepoetin in type 2 diabetes and chronic kidney disease",
        "We assigned people with type 2 diabetes and chronic kidney disease to darbepoetin or placebo.",
        results=(result("stroke", ratio(1.9, 1.4, 2.7), (("darbepoetin", 101, 2012), ("placebo", 53, 2026))),),
    )
    found = concluded("CKD without diabetes: darbepoetin, stroke?", work)
    assert found.lead is None
    assert found.nearest == () or any("diabetes" in text for text in found.nearest_without)


def test_what_is_not_told_is_told_of_the_studies_alone_of_which_it_is_true() -> None:
    other = record(
        "Lofexidine in truck drivers with opioid withdrawal",
        "We assigned truck drivers with opioid withdrawal to lofexidine or placebo.",
        results=LOFEXIDINE.results,
        identifiers=LOFEXIDINE.identifiers.model_copy(update={"pmid": "10000009"}),
    )
    found = concluded("Truck drivers in opioid withdrawal: does lofexidine help them nod off?", LOFEXIDINE, other)
    assert found.lead is None
    assert {r.n for r in found.nearest} == {2}


TARGETS = record(
    "Mean arterial pressure in vasodilatory shock",
    "We assigned 400 adults with septic shock to a high or a low target of mean arterial pressure.",
    results=(
        result(
            "new-onset atrial fibrillation",
            ratio(2.1, 1.2, 3.7),
            (
                ("mean arterial pressure target 80 to 85 mm Hg", 40, 200),
                ("mean arterial pressure target 65 to 70 mm Hg", 20, 200),
            ),
        ),
    ),
)
TAPERED = record(
    "Prednisolone in opioid withdrawal",
    "We assigned 200 adults with opioid withdrawal to prednisolone or placebo.",
    results=(
        result("insomnia", ratio(0.7, 0.5, 0.9), (("prednisolone 40 mg, then tapered", 20, 99), ("placebo", 30, 98))),
    ),
)


def test_arms_whose_figures_are_all_asked_for_are_compared_whatever_drug_is_named_besides() -> None:
    assert concluded("Septic shock on norad, MAP goal 80-85 vs 65-70: more new AF?", TARGETS).nearest
    assert not concluded("Septic shock on norad, MAP goal 75-80 vs 60-65: more new AF?", TARGETS).nearest


@pytest.mark.parametrize(
    "text",
    [
        "Opioid withdrawal: does prednisolone help him nod off at night?",  # its arm ends in a taper
        "Opioid withdrawal: does prednisolone stop him from nodding off?",
    ],
)
def test_what_is_kept_from_happening_is_no_treatment_that_is_stopped(text: str) -> None:
    assert concluded(text, TAPERED).nearest
