"""Results of the asked outcome that are not what was asked of it are refused, with the reason."""

from __future__ import annotations

from openwork_extraction.extract import extract
from openwork_extraction.study import Asked, StudyText

from tests.unit.extraction.papers import paper, table

_CHANGES = paper(
    table(
        "| Drug (n = 30) | Placebo (n = 31)",
        "| Mean change (SD) | Mean change (SD)",
        "Ferritin (µg/l) | 12.1 (4.0) | 3.2 (4.4)",
        header=2,
    )
)


def test_a_change_does_not_answer_what_asks_for_the_value() -> None:
    """A fall of 12 that is printed without its sign would be read as the lower of two values."""
    found = extract(_CHANGES, Asked("drug", "placebo", "ferritin"))
    assert found.first is None
    assert any("is a change" in why for why in found.refused)


def test_a_change_answers_what_asks_for_it() -> None:
    """The same table, asked for the change."""
    first = extract(_CHANGES, Asked("drug", "placebo", "change in ferritin")).first
    assert first is not None
    assert first.is_complete


def test_people_who_reach_a_level_are_not_the_level() -> None:
    """How many have enough of something says nothing of its mean."""
    study = paper(
        results="Zinc levels were enough in 12/30 (40%) of the drug group and in 20/31 (64.5%) of the placebo group."
    )
    assert extract(study, Asked("drug", "placebo", "enough zinc")).first is not None
    found = extract(study, Asked("drug", "placebo", "zinc levels"))
    assert found.first is None
    assert any("a level was asked" in why for why in found.refused)


def test_a_mean_is_not_how_many_people() -> None:
    """A mean of doses does not say how many took one."""
    study = paper(
        table("| Drug (n = 30) | Placebo (n = 31)", "Rescue doses, mean (SD) | 1.2 (0.8) | 2.2 (1.1)"),
    )
    assert extract(study, Asked("drug", "placebo", "rescue doses")).first is not None
    assert extract(study, Asked("drug", "placebo", "proportion of patients with rescue doses")).first is None


def test_another_time_than_the_asked_one_is_no_answer() -> None:
    """Of an outcome that is asked at three months, day 7 is no result."""
    study = paper(
        table(
            "| Drug (n = 30) | Placebo (n = 31)",
            "Relapse at follow-up, n (%) | |",
            "Day 7 | 3 (10.0) | 5 (16.1)",
            "Day 28 | 6 (20.0) | 9 (29.0)",
        )
    )
    first = extract(study, Asked("drug", "placebo", "relapse", time="28 days")).first
    assert first is not None
    assert first.time == "Day 28"
    found = extract(study, Asked("drug", "placebo", "relapse at 3 months"))
    assert found.first is None
    assert any("another time was asked" in why for why in found.refused)


def test_one_outcome_of_a_list_does_not_answer_for_all() -> None:
    """Three outcomes are asked together, and the row is of one."""
    study = paper(
        table("| Drug (n = 30) | Placebo (n = 31)", "Cough count, mean (SD) | 12.1 (4.0) | 13.2 (4.4)"),
    )
    assert extract(study, Asked("drug", "placebo", "cough count")).first is not None
    assert extract(study, Asked("drug", "placebo", "cough count, sputum and wheeze")).first is None


def test_an_area_under_a_curve_is_not_the_value() -> None:
    """The area is given where it is asked."""
    study = paper(
        table("| Drug (n = 30) | Placebo (n = 31)", "AUC of cramp score, mean (SD) | 66.5 (27.1) | 33.4 (19.4)"),
    )
    assert extract(study, Asked("drug", "placebo", "AUC of cramp score")).first is not None
    assert extract(study, Asked("drug", "placebo", "cramp score")).first is None


def test_a_word_that_also_means_a_level_does_not_make_an_event_one() -> None:
    """Pressure ulcers and weight gain are counted, and pain in patients with diabetes is measured."""
    study = paper(
        table(
            "| Drug (n = 30) | Placebo (n = 31)",
            "Pressure ulcers, n (%) | 3 (10.0) | 5 (16.1)",
            "Weight gain, n (%) | 6 (20.0) | 9 (29.0)",
            "Pain, mean (SD) | 3.1 (1.2) | 4.0 (1.1)",
        )
    )
    for outcome in ("pressure ulcers", "weight gain", "pain in patients with diabetes"):
        title = StudyText(study.study, "A trial in patients with diabetes", study.sections)
        assert extract(title, Asked("drug", "placebo", outcome)).first is not None, outcome


def test_a_row_that_names_the_asked_time_is_of_it_whatever_its_caption_tells() -> None:
    """The caption tells how long people were treated, and the row when pain was asked for."""
    study = paper(
        table(
            "| Drug (n = 30) | Placebo (n = 31)",
            "Pain at 24 hours, mean (SD) | 3.1 (1.2) | 4.0 (1.1)",
            caption="Outcomes after 6 months of treatment",
        )
    )
    assert extract(study, Asked("drug", "placebo", "pain at 24 hours")).first is not None
    assert extract(study, Asked("drug", "placebo", "pain at 48 hours")).first is None
