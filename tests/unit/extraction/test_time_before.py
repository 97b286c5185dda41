"""The time before as the control of a paper that has no other group: which numbers, of how many, marked how."""

from __future__ import annotations

import pytest
from openwork_contracts.tables import Table
from openwork_extraction.extract import extract
from openwork_extraction.results import MarkKind
from openwork_extraction.study import Asked

from tests.unit.extraction.papers import paper, table
from tests.unit.extraction.test_extracted_tables import counts, means

METHODS = "This was a before and after study of one ward. Nurses were taught for two days. Values are mean (SD)."
RECALL = Asked("a course", "control", "recall score")
SCORES = Table(
    label="Table 2",
    caption="Scores at pretest (n = 30), posttest (n = 29) and follow-up (n = 22).",
    n_header_rows=1,
    rows=(
        ("Scale", "Scale", "Mean (SD)", "Change (SD)"),
        ("Recall score",) * 4,
        ("", "Pretest", "10.1 (2.0)", "—"),
        ("", "Posttest", "14.2 (.92)", "4.1 (1.0)"),
        ("", "6-month follow-up", "13.0 (2.4)", "-1.2 (0.9)"),
    ),
)


def test_the_control_of_a_paper_without_another_group_is_the_time_before_and_says_so() -> None:
    study = paper(
        table(" | Before (n = 30) | After (n = 28)", "Recall score, mean (SD) | 10.1 (2.0) | 14.2 (2.2)"),
        methods=METHODS,
    )

    result = extract(study, RECALL).first

    assert means(result) == [("14.2", "2.2", "28"), ("10.1", "2.0", "30")]
    assert result is not None
    assert result.is_before
    assert [mark.kind for mark in result.marks] == [MarkKind.BEFORE]


@pytest.mark.parametrize("comparator", ["placebo", "usual care", "a booklet"])
def test_a_named_comparator_is_never_the_time_before(comparator: str) -> None:
    study = paper(
        table(" | Before (n = 30) | After (n = 28)", "Recall score, mean (SD) | 10.1 (2.0) | 14.2 (2.2)"),
        methods=METHODS,
    )

    assert extract(study, Asked("a course", comparator, "recall score")).first is None


def test_in_a_trial_with_a_control_group_the_time_before_is_not_the_control() -> None:
    study = paper(
        table(" | Before (n = 30) | After (n = 28)", "Recall score, mean (SD) | 10.1 (2.0) | 14.2 (2.2)"),
        methods=f"{METHODS} Another ward was the control group; its scores are in the appendix.",
    )

    assert extract(study, RECALL).first is None


def test_posttest_and_not_the_follow_up_is_what_pretest_is_compared_with() -> None:
    """The column of changes, that the start does not have, is no second number of the time after."""
    result = extract(paper(SCORES, methods=METHODS), RECALL).first

    assert means(result) == [("14.2", ".92", "29"), ("10.1", "2.0", "30")]


def test_headings_with_the_same_words_behind_before_and_after_are_times() -> None:
    study = paper(
        table(
            "Event | Before the ward course in May | After the ward course in July",
            "Falls, n/N (%) | 30/300 (10.0) | 15/310 (4.8)",
        ),
        methods=METHODS,
    )

    result = extract(study, Asked("a course", "no intervention", "falls")).first

    assert counts(result) == [("15", "310"), ("30", "300")]
    assert result is not None
    assert [arm.arm for arm in result.arms] == ["After the ward course in July", "Before the ward course in May"]


RATES = table(
    "Reason, n (%) | Before | After",
    "Falls | 30 (10.0) | 15 (5.0)",
    "Pressure sores | 12 (4.0) | 6 (2.0)",
    "Wrong drug | 9 (3.0) | 3 (1.0)",
)


def test_a_number_that_the_percentages_prove_is_the_total() -> None:
    patients = table(
        "Ward | Before | After", "Patients | 300 | 301", "Beds | 31 | 31", label="Table 1", caption="Wards"
    )

    result = extract(paper(patients, RATES, methods=METHODS), Asked("a course", "control", "falls")).first

    assert counts(result) == [("15", "301"), ("30", "300")]


def test_two_numbers_that_would_do_are_no_total() -> None:
    patients = table("Ward | Before | After", "Patients | 300 | 301", "Admissions | 302 | 303", label="Table 1")

    result = extract(paper(patients, RATES, methods=METHODS), Asked("a course", "control", "falls")).first

    assert counts(result) == []


def test_a_number_of_another_time_is_no_total() -> None:
    patients = table("Ward | Before | After", "Patients | 301 | 500", label="Table 1")

    result = extract(paper(patients, RATES, methods=METHODS), Asked("a course", "control", "falls")).first

    assert counts(result) == [("30", "301")]


def test_a_row_that_denies_an_outcome_is_not_the_outcome() -> None:
    study = paper(
        table("Outcome | Zotaprine (n = 50) | Placebo (n = 50)", "No relapse, n (%) | 40 (80) | 30 (60)"),
        methods="Patients were randomised.",
    )

    assert extract(study, Asked("zotaprine", "placebo", "relapse")).first is None
    assert counts(extract(study, Asked("zotaprine", "placebo", "no relapse")).first) == [("40", "50"), ("30", "50")]


def test_a_row_called_by_a_letter_says_what_the_head_of_its_column_says() -> None:
    study = paper(
        table(
            "Clinic | Zotaprine (n = 50) | Placebo (n = 50)",
            "A | 4 (8) | 9 (18)",
            "B | 1 (2) | 2 (4)",
            caption="Relapses, n (%).",
        ),
        methods="Patients were randomised.",
    )

    assert counts(extract(study, Asked("zotaprine", "placebo", "relapses at clinic B")).first) == [
        ("1", "50"),
        ("2", "50"),
    ]


def test_rows_that_fit_alike_are_not_one_row_since_nothing_was_seen_in_either() -> None:
    study = paper(
        table(
            "Outcome | Zotaprine (n = 50) | Placebo (n = 50)",
            "Early relapse, n (%) | 0 (0) | 0 (0)",
            "Late relapse, n (%) | 0 (0) | 0 (0)",
        ),
        methods="Patients were randomised.",
    )

    assert extract(study, Asked("zotaprine", "placebo", "relapse")).first is None


def test_a_sentence_of_a_paper_without_another_group_tells_of_no_control() -> None:
    study = paper(
        methods=METHODS,
        results="Falls were seen in 15 of 310 patients with the course and in 30 of 300 controlled falls.",
    )

    assert extract(study, Asked("a course", "control", "falls")).results == ()


def test_people_before_and_after_may_be_more_than_the_study_has() -> None:
    study = paper(
        table(" | Before (n = 30) | After (n = 28)", "Recall score, mean (SD) | 10.1 (2.0) | 14.2 (2.2)"),
        methods=f"{METHODS} A total of 40 nurses were enrolled.",
    )

    result = extract(study, RECALL).first

    assert result is not None
    assert [mark.kind for mark in result.marks] == [MarkKind.BEFORE]
