"""Results out of tables: the right arm, outcome and time, or none."""

from __future__ import annotations

from openwork_extraction.extract import extract
from openwork_extraction.results import MarkKind, StudyResult
from openwork_extraction.study import Asked

from tests.unit.extraction.papers import paper, table

DRUG = Asked("zotaprine 20 mg", "placebo", "death from any cause")


def counts(result: StudyResult | None) -> list[tuple[str, str]]:
    """(events, people) of both arms."""
    assert result is not None
    return [(arm.events.value, arm.n.value) for arm in result.arms if arm.events and arm.n]


def means(result: StudyResult | None) -> list[tuple[str, str, str]]:
    """(mean, deviation, people) of both arms."""
    assert result is not None
    return [
        (arm.mean.value, arm.deviation.value, arm.n.value)
        for arm in result.arms
        if arm.mean and arm.deviation and arm.n
    ]


def test_counts_are_read_with_their_cell_and_path() -> None:
    study = paper(
        table(
            "Outcome | Placebo (n = 200) | Zotaprine (n = 198)",
            "Deaths | | ",
            "Death from any cause, n (%) | 24 (12.0) | 13 (6.6)",
            "Stroke, n (%) | 9 (4.5) | 8 (4.0)",
        )
    )

    result = extract(study, DRUG).first

    assert counts(result) == [("13", "198"), ("24", "200")]
    assert result is not None
    assert result.intervention is not None
    assert result.intervention.events is not None
    place = result.intervention.events.place
    assert place is not None
    assert (place.table, place.table_row, place.table_column) == ("Table 2", 2, 2)
    assert place.row_path == ("Deaths", "Death from any cause, n (%)")
    assert place.column_path == ("Zotaprine (n = 198)",)
    assert result.intervention.events.words == "13 (6.6)"


def test_a_percentage_is_no_count() -> None:
    study = paper(
        table(
            "Outcome | Zotaprine (n = 300) | Placebo (n = 300)",
            "Death from any cause (%) | 12 | 24",
            "Age | 61 (9) | 62 (8)",
        )
    )

    result = extract(study, DRUG).first

    assert result is None or not result.is_counted


def test_events_of_a_fraction_keep_their_own_people() -> None:
    study = paper(
        table(
            "Outcome | Zotaprine (n = 200) | Placebo (n = 200)", "Death from any cause | 11/190 (5.8) | 20/195 (10.3)"
        )
    )

    assert counts(extract(study, DRUG).first) == [("11", "190"), ("20", "195")]


def test_the_last_follow_up_stands_first_and_the_start_is_never_a_result() -> None:
    study = paper(
        table(
            " | Zotaprine (n = 40) | Zotaprine (n = 40) | Zotaprine (n = 40)" + " | Placebo (n = 42)" * 3,
            " | Baseline | 4 weeks | 12 weeks | Baseline | 4 weeks | 12 weeks",
            "Pain score | 6.1 ± 1.0 | 5.0 ± 1.1 | 3.2 ± 1.2 | 6.2 ± 1.1 | 5.9 ± 1.0 | 5.5 ± 1.3",
            header=2,
            notes=("Values are mean ± SD.",),
        )
    )

    found = extract(study, Asked("zotaprine", "placebo", "pain score"))

    assert [result.time for result in found.results] == ["12 weeks", "4 weeks"]
    assert means(found.first) == [("3.2", "1.2", "40"), ("5.5", "1.3", "42")]


def test_the_asked_time_goes_before_the_last_one() -> None:
    study = paper(
        table(
            " | Zotaprine (n = 40) | Zotaprine (n = 40) | Placebo (n = 42) | Placebo (n = 42)",
            " | 4 weeks | 12 weeks | 4 weeks | 12 weeks",
            "Pain score | 5.0 ± 1.1 | 3.2 ± 1.2 | 5.9 ± 1.0 | 5.5 ± 1.3",
            header=2,
            notes=("Values are mean ± SD.",),
        )
    )

    assert means(extract(study, Asked("zotaprine", "placebo", "pain score", time="4 weeks")).first)[0][0] == "5.0"


def test_a_table_of_the_start_gives_nothing() -> None:
    study = paper(
        table(
            "Characteristic | Zotaprine (n = 40) | Placebo (n = 42)",
            "Pain score | 6.1 ± 1.0 | 6.2 ± 1.1",
            caption="Baseline characteristics of the patients (mean ± SD).",
        )
    )

    assert extract(study, Asked("zotaprine", "placebo", "pain score")).first is None


def test_two_doses_that_fit_alike_are_refused_and_the_named_one_is_taken() -> None:
    arms = table(
        "Outcome | Placebo (n = 50) | Zotaprine 10 mg (n = 51) | Zotaprine 20 mg (n = 52)",
        "Death from any cause, n (%) | 10 (20.0) | 8 (15.7) | 5 (9.6)",
    )

    assert extract(paper(arms), Asked("zotaprine", "placebo", "death from any cause")).first is None
    assert counts(extract(paper(arms), DRUG).first) == [("5", "52"), ("10", "50")]


def test_arms_in_rows_are_found_under_their_group_of_rows() -> None:
    study = paper(
        table(
            "Arm | n | Week 12",
            "Walking distance (m) | Walking distance (m) | Walking distance (m)",
            "Exercise | 30 | 412 ± 60",
            "Usual care | 31 | 380 ± 55",
            "Grip strength (kg) | Grip strength (kg) | Grip strength (kg)",
            "Exercise | 30 | 31 ± 6",
            "Usual care | 31 | 28 ± 5",
            notes=("Mean ± SD.",),
        )
    )

    found = extract(study, Asked("exercise", "usual care", "walking distance"))

    assert means(found.first) == [("412", "60", "30"), ("380", "55", "31")]


def test_a_spread_that_the_text_leaves_open_is_no_deviation() -> None:
    row = ("Outcome | Zotaprine (n = 40) | Placebo (n = 42)", "Pain score | 3.2 ± 1.2 | 5.5 ± 1.3")
    asked = Asked("zotaprine", "placebo", "pain score")

    both = extract(paper(table(*row), methods="Data are presented as mean ± SD or mean ± SEM."), asked)
    told = extract(paper(table(*row), methods="Data are presented as mean ± SEM."), asked)

    assert both.first is None or not both.first.is_measured
    assert "not told" in both.refused[0]
    assert told.first is not None
    assert told.first.is_computed
    assert told.first.intervention is not None
    assert told.first.intervention.deviation is not None
    assert told.first.intervention.deviation.value == "7.5895"  # 1.2 x sqrt(40)


def test_a_spread_of_a_text_that_names_none_is_read_as_a_deviation_and_marked() -> None:
    study = paper(table("Outcome | Zotaprine (n = 40) | Placebo (n = 42)", "Pain score | 3.2 ± 1.2 | 5.5 ± 1.3"))

    result = extract(study, Asked("zotaprine", "placebo", "pain score")).first

    assert means(result) == [("3.2", "1.2", "40"), ("5.5", "1.3", "42")]
    assert result is not None
    assert [mark.kind for mark in result.marks] == [MarkKind.SPREAD]


def test_two_rows_that_fit_alike_are_refused_with_both_names() -> None:
    study = paper(
        table(
            "Outcome | Zotaprine (n = 40) | Placebo (n = 42)",
            "Pain score at rest, mean (SD) | 3.2 (1.2) | 5.5 (1.3)",
            "Pain score on moving, mean (SD) | 4.2 (1.2) | 6.5 (1.3)",
        )
    )

    found = extract(study, Asked("zotaprine", "placebo", "pain score"))

    assert found.first is None
    assert "at rest" in found.refused[0]
    assert "on moving" in found.refused[0]


def test_the_sum_of_a_group_of_rows_stands_for_it() -> None:
    study = paper(
        table(
            "Outcome | Zotaprine (n = 100) | Placebo (n = 100)",
            "Hospital admission, n (%) | | ",
            "Day | 10 (10) | 12 (12)",
            "Night | 5 (5) | 9 (9)",
            "Overall | 15 (15) | 21 (21)",
        )
    )

    assert counts(extract(study, Asked("zotaprine", "placebo", "hospital admission")).first) == [
        ("15", "100"),
        ("21", "100"),
    ]


def test_letters_of_groups_are_known_by_what_the_text_says_of_them() -> None:
    groups = table("Outcome | Group A (n = 40) | Group B (n = 41)", "Nausea, n (%) | 4 (10.0) | 12 (29.3)")
    told = "Group A received ondansetron and dexamethasone. Group B received normal saline."
    asked = Asked("ondansetron plus dexamethasone", "normal saline", "nausea")

    assert counts(extract(paper(groups, methods=told), asked).first) == [("4", "40"), ("12", "41")]
    assert extract(paper(groups), asked).first is None


def test_a_header_that_goes_on_within_the_table_replaces_people() -> None:
    study = paper(
        table(
            "Marker | Zotaprine | Placebo",
            "Cord blood | n = 19 | n = 22",
            "Ferritin, mean (SD) | 80 (20) | 75 (25)",
            "Maternal blood | n = 28 | n = 29",
            "Zinc, mean (SD) | 12 (3) | 11 (2)",
        )
    )

    assert means(extract(study, Asked("zotaprine", "placebo", "zinc")).first) == [("12", "3", "28"), ("11", "2", "29")]


def test_the_start_may_be_what_is_compared_with() -> None:
    study = paper(
        table(
            "Weeks | Zotaprine, n = 30 | Placebo, n = 31",
            "Ferritin | Ferritin | Ferritin",
            "0 | 80 ± 20 | 82 ± 21",
            "12 | 99 ± 18 | 83 ± 20",
            notes=("Mean ± SD.",),
        )
    )

    assert means(extract(study, Asked("zotaprine", "baseline", "ferritin")).first) == [
        ("99", "18", "30"),
        ("80", "20", "30"),
    ]


def test_an_effect_stands_beside_its_counts_with_its_p_value() -> None:
    study = paper(
        table(
            "Outcome | Zotaprine (n = 100) | Placebo (n = 100) | Risk ratio (95% CI) | P value"
            " | Adjusted risk ratio (95% CI) | P value",
            "Nausea, n (%) | 10 (10.0) | 20 (20.0) | 0.50 (0.25–1.01) | 0.05 | 0.48 (0.23–0.99) | 0.047",
        )
    )

    result = extract(study, Asked("zotaprine", "placebo", "nausea")).first

    assert result is not None
    assert result.effect is not None
    assert result.effect.interval is not None
    assert (result.effect.measure, result.effect.value, result.effect.p_value) == ("RR", "0.50", "0.05")
    assert (result.effect.interval.low, result.effect.interval.high) == ("0.25", "1.01")
    assert not result.adjusted


def test_a_median_is_given_as_one_and_estimated_only_where_it_is_not_skewed() -> None:
    study = paper(
        table(
            "Outcome | Zotaprine (n = 100) | Placebo (n = 100)",
            "Hospital stay, median (IQR) | 6.0 (4.0–8.0) | 5.0 (4.0–20.0)",
        )
    )

    result = extract(study, Asked("zotaprine", "placebo", "hospital stay")).first

    assert result is not None
    assert result.intervention is not None
    assert result.comparator is not None
    assert result.intervention.median is not None
    assert result.intervention.median.measure == "median (IQR)"
    assert result.intervention.mean is not None
    assert result.intervention.mean.computed is not None
    assert result.comparator.mean is None  # skewed


def test_what_was_only_measured_at_the_start_is_not_answered_with_something_like_it() -> None:
    start = table(
        "Characteristic | Zotaprine (n = 40) | Placebo (n = 42)",
        "Resting heart rate, mean (SD) | 71 (9) | 72 (8)",
        caption="Baseline characteristics.",
        label="Table 1",
    )
    later = table("Outcome | Zotaprine (n = 40) | Placebo (n = 42)", "Peak heart rate, mean (SD) | 150 (9) | 155 (8)")

    found = extract(paper(start, later), Asked("zotaprine", "placebo", "resting heart rate"))

    assert found.first is None
    assert "of the start" in found.refused[0]


def test_a_whole_number_under_a_line_of_people_is_no_count() -> None:
    study = paper(
        table(
            "Outcome | Zotaprine | Placebo",
            " | n = 40 | n = 42",
            "Recovery time (min) | 12 | 15",
            "Age | 34 (5) | 36 (6)",
        )
    )

    found = extract(study, Asked("zotaprine", "placebo", "recovery time")).first

    assert found is None or not found.is_counted


def test_a_column_of_people_beside_a_mean_is_people_and_no_events() -> None:
    study = paper(
        table(
            "Outcome | Zotaprine (n = 40) | Zotaprine (n = 40) | Zotaprine (n = 40)" + " | Placebo (n = 42)" * 3,
            " | n | Mean | SD | n | Mean | SD",
            "Ferritin | 38 | 80.1 | 20.2 | 41 | 75.3 | 25.4",
            header=2,
        )
    )

    found = extract(study, Asked("zotaprine", "placebo", "ferritin")).first

    assert means(found) == [("80.1", "20.2", "38"), ("75.3", "25.4", "41")]


def test_a_count_of_those_who_answered_is_no_mean() -> None:
    study = paper(
        table(
            "Outcome | Zotaprine (n = 40) | Placebo (n = 42)",
            "Nausea | 9 (30) | 11 (33)",
            "Age | 34 (5) | 36 (6)",
            notes=("Values are mean (SD) or number (%).",),
        )
    )

    found = extract(study, Asked("zotaprine", "placebo", "nausea")).first

    assert found is None or not found.is_measured
