"""Headings that are nearly what was asked: another group's name, people who were counted, the start of a study."""

from __future__ import annotations

from openwork_extraction.extract import extract
from openwork_extraction.study import Asked

from tests.unit.extraction.papers import paper, table


def test_a_group_that_is_asked_by_its_name_is_no_other_group() -> None:
    """Group N is asked, and what Group NS is called by the text shares its words."""
    study = paper(
        table(
            "| Group N (n=27) | Group E (n=29) | Group NS (n=28)",
            "Onset time, mean (SD) | 11.0 (1.5) | 8.3 (1.0) | 6.4 (1.1)",
        ),
        methods="Group N had a block with a plain needle. Group NS had a block with a plain needle and a stimulator.",
    )
    first = extract(study, Asked("Group N: block with a plain needle", "Group E: echogenic needle", "onset time")).first
    assert first is not None
    assert [arm.mean.value for arm in first.arms if arm.mean] == ["11.0", "8.3"]


def test_rows_of_people_among_whom_was_counted_are_not_what_was_counted() -> None:
    """Under "New infections among:" a row names those who were looked at."""
    study = paper(
        table(
            "| Drug (n = 60) | Placebo (n = 61)",
            "New infections among: | |",
            "Received a test, n (%) | 6 (10.0) | 9 (14.8)",
            "Contacts, n (%) | 3 (5.0) | 4 (6.6)",
        )
    )
    assert extract(study, Asked("drug", "placebo", "received a test")).first is None


def test_a_caption_of_a_pretest_is_of_the_start() -> None:
    """What was measured before anything was given is no result."""
    study = paper(
        table(
            "| Drug (n = 60) | Placebo (n = 61)",
            "Knowledge, mean (SD) | 6.7 (2.4) | 8.6 (2.6)",
            caption="Pre-test comparisons of knowledge and attitude",
        )
    )
    assert extract(study, Asked("drug", "placebo", "knowledge")).first is None


def test_a_note_that_names_no_kind_of_number_leaves_the_heading_to_say_it() -> None:
    """ "% (SD)" is the arm's heading, and a mark points to who was left out."""
    study = paper(
        table(
            "| Control* (N = 37) % (SD) | Text messages* (N = 40) % (SD)",
            "Completed treatment | 69.8 (20.9) | 68.3 (23.4)",
            notes=("* Three people of each arm did not answer.",),
        )
    )
    first = extract(study, Asked("text messages", "control", "completed treatment")).first
    assert first is not None
    assert [(arm.mean.value, arm.deviation.value) for arm in first.arms if arm.mean and arm.deviation] == [
        ("68.3", "23.4"),
        ("69.8", "20.9"),
    ]


def test_names_in_brackets_with_bars_are_no_unit() -> None:
    """ "Control arm (bevacizumab/carboplatin)" tells what the control is given."""
    study = paper(
        table(
            "| Betaglucan/Bevacizumab/Carboplatin (N = 48) | Bevacizumab/Carboplatin (N = 23)",
            "Objective response, n (%) | 29 (60.4) | 10 (43.5)",
        )
    )
    asked = Asked(
        "Betaglucan arm (betaglucan, bevacizumab, carboplatin)",
        "Control arm (bevacizumab/carboplatin as above)",
        "objective response",
    )
    first = extract(study, asked).first
    assert first is not None
    assert [arm.events.value for arm in first.arms if arm.events] == ["29", "10"]


def test_counts_that_are_everybody_of_both_arms_are_no_result() -> None:
    """A column of people read as counts."""
    study = paper(
        table("| Drug (n = 40) | Placebo (n = 37)", "Weight gain, n | 40 | 37", "Fever, n | 3 | 5", "Rash, n | 2 | 1")
    )
    assert extract(study, Asked("drug", "placebo", "weight gain")).first is None
    assert extract(study, Asked("drug", "placebo", "fever")).first is not None
