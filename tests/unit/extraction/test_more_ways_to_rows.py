"""Further ways in which tables name arms, times and outcomes, and what must not come of them."""

from __future__ import annotations

from openwork_extraction.extract import extract
from openwork_extraction.study import Asked

from tests.unit.extraction.papers import paper, table


def test_notes_of_a_table_say_what_its_groups_were_given() -> None:
    """ "Group PD: ..." stands in the note alone."""
    study = paper(
        table(
            "| Group P (n=43) | Group PD (n=44)",
            "Rescue analgesia, n (%) | 3 (7.0) | 1 (2.3)",
            notes=("Notes: Group P: palonosetron alone; Group PD: palonosetron and droperidol.",),
        )
    )
    first = extract(study, Asked("palonosetron and droperidol", "palonosetron alone", "rescue analgesia")).first
    assert first is not None
    assert [arm.events.value for arm in first.arms if arm.events] == ["1", "3"]


def test_a_time_may_be_counted() -> None:
    """ "At the 48th hour" is a time, in a row and in what is asked."""
    study = paper(
        table(
            "| Drug (n=35) | Control (n=36)",
            "Urea, mg/dl | |",
            "At the 24th hour | 19 ± 4.4 | 23 ± 6.2",
            "At the 48th hour | 20 ± 5.4 | 24 ± 6.9",
            notes=("Values are mean ± SD.",),
        )
    )
    for asked, wanted in (("urea at the 24th hour", "19"), ("urea at the 48th hour", "20")):
        first = extract(study, Asked("drug", "control", asked)).first
        assert first is not None
        assert first.intervention is not None
        assert first.intervention.mean is not None
        assert first.intervention.mean.value == wanted


def test_a_caption_of_two_outcomes_is_of_the_one_that_no_row_names() -> None:
    """Rows are times of the score; the row of the area says itself what it is."""
    study = paper(
        table(
            "| Drug (n=16) | Control (n=17)",
            "3 h | 2.1 ± 0.6 | 1.1 ± 0.2",
            "6 h | 2.5 ± 0.3 | 1.2 ± 0.3",
            "Area under the curve of cramp | 66.5 ± 27.1 | 33.4 ± 19.4",
            caption="Cramp score and area under the curve of cramp score between the groups",
            notes=("Values are mean ± SD.",),
        )
    )
    first = extract(study, Asked("drug", "control", "cramp score at 3 hours")).first
    assert first is not None
    assert first.intervention is not None
    assert first.intervention.mean is not None
    assert first.intervention.mean.value == "2.1"


def test_after_something_does_not_answer_what_asks_for_before_it() -> None:
    """ "Before closure" is asked, and only the rows after it are no start."""
    study = paper(
        table(
            "| Drug (n=32) | Control (n=33)",
            "Pulse after closure | 72.6 ± 6.3 | 73.3 ± 8.9",
            notes=("Values are mean ± SD.",),
        )
    )
    assert extract(study, Asked("drug", "control", "pulse after closure")).first is not None
    assert extract(study, Asked("drug", "control", "pulse before closure")).first is None


def test_one_dose_or_another_is_neither_of_two_arms() -> None:
    """Both doses have their column: a question for "1 or 2 mg" is of both together."""
    study = paper(
        table(
            "| Calcin 1 mg (n=32) | Calcin 2 mg (n=30) | Placebo (n=33)",
            "Fracture, n (%) | 3 (9.4) | 2 (6.7) | 5 (15.2)",
        )
    )
    assert extract(study, Asked("calcin 1 mg", "placebo", "fracture")).first is not None
    assert extract(study, Asked("calcin 1 or 2 mg", "placebo", "fracture")).first is None
