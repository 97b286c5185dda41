"""Forms of tables: where people stand, what a lone number is, which row and which time a name means."""

from __future__ import annotations

import pytest
from openwork_extraction.extract import extract
from openwork_extraction.outcomes import spellings, without_times
from openwork_extraction.study import Asked

from tests.unit.extraction.papers import paper, table
from tests.unit.extraction.test_extracted_tables import counts, means

ITCH = Asked("lotaphene", "placebo", "itch")


def test_a_row_of_people_is_said_of_the_rows_below_it() -> None:
    study = paper(
        table("Outcome | Lotaphene | Placebo", "N | 41 | 39", "Itch, n (%) | 12 (29.3) | 20 (51.3)", "Rash | 1 | 2")
    )

    assert counts(extract(study, ITCH).first) == [("12", "41"), ("20", "39")]


def test_a_row_of_people_of_one_table_is_taken_for_the_same_heading_of_another() -> None:
    people = table("Item | Group A | Group B", "Number of patients | 30 | 32", caption="Groups.", label="Table 1")
    later = table("Item | Group A | Group B", "Itch score, mean (SD) | 2.1 (0.4) | 3.0 (0.5)")
    told = "Group A received lotaphene ointment. Group B received placebo tablets."

    found = extract(paper(people, later, methods=told), Asked("lotaphene ointment", "placebo tablets", "itch score"))

    assert means(found.first) == [("2.1", "0.4", "30"), ("3.0", "0.5", "32")]


def test_plain_numbers_behind_several_headings_are_people() -> None:
    study = paper(
        table(
            "Adverse event | Lotaphene (18) | Placebo (22)",
            "Itch | 5 | 4",
            "Cough | 2 | 3",
            "Thirst | 0 | 3",
            "Overall | 28 | 26",
        )
    )

    assert counts(extract(study, ITCH).first) == [("5", "18"), ("4", "22")]


def test_lone_whole_numbers_of_a_table_that_also_measures_are_no_counts() -> None:
    study = paper(
        table(
            "Outcome | Lotaphene (n = 18) | Placebo (n = 22)", "Itch | 5 | 4", "Sleep | 7.5 | 6.1", "Weight | 71 | 70"
        )
    )

    first = extract(study, ITCH).first

    assert first is None or not first.is_counted


def test_a_column_of_n_that_repeats_the_people_is_no_count_of_events() -> None:
    study = paper(
        table(
            "Outcome | Lotaphene | Lotaphene | Placebo | Placebo",
            " | N | Score | N | Score",
            "Itch | 104 | 1.2 | 52 | 1.4",
            header=2,
        )
    )

    first = extract(study, ITCH).first

    assert first is None or not first.is_counted


def test_words_that_fit_both_ways_leave_it_to_arithmetic_which_number_is_the_count() -> None:
    study = paper(
        table("Event | Lotaphene (N = 77) | Placebo (N = 76)", "Itch | 18 (23) | 7 (9)", notes=("Data are n (%).",))
    )

    assert counts(extract(study, ITCH).first) == [("18", "77"), ("7", "76")]


def test_a_count_and_its_percentage_may_be_parted_by_a_stroke() -> None:
    study = paper(table("Event | Lotaphene (n = 73) | Placebo (n = 72)", "Itch (n/%) | 14/19.2 | 25/34.7"))

    assert counts(extract(study, ITCH).first) == [("14", "73"), ("25", "72")]


def test_a_heading_may_hold_a_time_and_a_kind_of_number() -> None:
    study = paper(
        table(
            " | Lotaphene (40) | Lotaphene (40) | Placebo (42) | Placebo (42)",
            " | Pre: Mean (SD) | Post: Mean (SD) | Pre: Mean (SD) | Post: Mean (SD)",
            "Itch | 6.0 (1.0) | 3.1 (1.1) | 6.1 (1.2) | 5.0 (1.3)",
            header=2,
        )
    )

    assert means(extract(study, ITCH).first) == [("3.1", "1.1", "40"), ("5.0", "1.3", "42")]


def test_tables_that_differ_in_their_time_only_are_one_outcome_at_several_times() -> None:
    def at(months: int, values: str) -> str:
        return f"Itch score, mean (SD) | {values}"

    head = "Outcome | Lotaphene (n = 23) | Placebo (n = 20)"
    early = table(head, at(3, "2.0 (0.4) | 2.6 (0.5)"), caption="Change after 3 months.", label="Table 2")
    late = table(head, at(6, "1.5 (0.4) | 2.5 (0.6)"), caption="Change after 6 months.", label="Table 3")
    study = paper(early, late)

    assert means(extract(study, Asked("lotaphene", "placebo", "itch score")).first)[0] == ("1.5", "0.4", "23")
    assert means(extract(study, Asked("lotaphene", "placebo", "itch score at 3 months")).first)[0] == (
        "2.0",
        "0.4",
        "23",
    )


def test_a_table_of_age_and_sex_is_of_the_start() -> None:
    study = paper(
        table(
            "Item | Lotaphene (n = 40) | Placebo (n = 42)",
            "Age, mean (SD) | 50 (9) | 51 (8)",
            "Male, n (%) | 20 (50.0) | 21 (50.0)",
            "Itch score, mean (SD) | 6.0 (1.0) | 6.1 (1.1)",
            caption="The two groups.",
        )
    )

    assert extract(study, Asked("lotaphene", "placebo", "itch score")).first is None


def test_a_row_whose_numbers_can_be_read_goes_before_one_without() -> None:
    read = table("Outcome | Lotaphene (n = 40) | Placebo (n = 42)", "Itch, mean (SD) | 2.1 (0.4) | 3.0 (0.5)")
    delta = table("Change | Lotaphene (n = 40) | Placebo (n = 42)", "Itch | -3.7 | 5.6", label="Table 3")

    assert means(extract(paper(delta, read), ITCH).first) == [("2.1", "0.4", "40"), ("3.0", "0.5", "42")]


@pytest.mark.parametrize(
    ("outcome", "called"),
    [
        ("peak itch flow (PIF)", ("peak itch flow (PIF)", "peak itch flow", "PIF")),
        ("itch (severe)", ("itch (severe)",)),
        ("itch (IS) and thirst", ("itch (IS) and thirst", "itch  and thirst")),
    ],
)
def test_an_outcome_may_be_called_by_the_short_form_it_gives(outcome: str, called: tuple[str, ...]) -> None:
    assert spellings(outcome) == called


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("itch at 3 hours", "itch"),
        ("itch after 6-month follow-up", "itch"),
        ("day 28 itch", "itch"),
        ("at 6 months", "at 6 months"),
    ],
)
def test_times_are_no_part_of_a_name(text: str, rest: str) -> None:
    assert without_times(text) == rest


def test_a_size_of_a_row_of_people_stands_in_that_row() -> None:
    people = table("Variable | Zotaprine | Placebo", "N | 30 | 32", "Men | 12 | 13", label="Table 1", caption="People")
    deaths = table("Score | Zotaprine | Placebo", "Pain, mean (SD) | 3.1 (1.2) | 4.0 (1.1)")

    result = extract(paper(people, deaths), Asked("zotaprine", "placebo", "pain")).first

    assert result is not None
    places = [arm.n.place for arm in result.arms if arm.n]
    assert [(p.table, p.row, p.table_row, p.table_column) for p in places if p] == [
        ("Table 1", "N", 1, 1),
        ("Table 1", "N", 1, 2),
    ]
