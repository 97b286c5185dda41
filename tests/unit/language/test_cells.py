"""Each number of a sentence with the arm, the outcome and the time that it belongs to."""

from __future__ import annotations

import pytest
from openwork_language.cells.cell import ACTIVE, AFTER, BEFORE, CONTROL, Cell
from openwork_language.cells.nearness import words_near
from openwork_language.cells.read import read_cells
from openwork_language.cells.times import read_phase, read_times
from openwork_language.quantities.compare import QuantityKind, find_quantities


def cell_of(text: str, shown: str) -> Cell:
    """The cell of the number that is printed so."""
    found = [cell for cell in read_cells(text) if cell.quantity.text == shown]
    assert len(found) == 1, read_cells(text)
    return found[0]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        (
            "Mortality was lower with apixaban than with warfarin (12.1% versus 15.3%).",
            ("12.1%", "apixaban"),
            ("15.3%", "warfarin"),
        ),
        (
            "Mortality was lower with apixaban than with warfarin (12.1% vs 15.3%; P=0.02).",
            ("12.1%", "apixaban"),
            ("15.3%", "warfarin"),
        ),
        (
            "Apixaban, compared with warfarin, lowered mortality (12.1% and 15.3%).",
            ("12.1%", "apixaban"),
            ("15.3%", "warfarin"),
        ),
        (
            "Mortality was 12.1% and 15.3% in the apixaban and warfarin groups, respectively.",
            ("12.1%", "apixaban"),
            ("15.3%", "warfarin"),
        ),
        (
            "Mortality in the apixaban and warfarin groups was 12.1% and 15.3%, respectively.",
            ("12.1%", "apixaban"),
            ("15.3%", "warfarin"),
        ),
        (
            "Death occurred in 12.1% and 15.3% of patients receiving apixaban and warfarin, respectively.",
            ("12.1%", "apixaban"),
            ("15.3%", "warfarin"),
        ),
    ],
)
def test_two_figures_take_their_arms_in_the_order_in_which_the_sentence_names_them(
    text: str, first: tuple[str, str], second: tuple[str, str]
) -> None:
    for shown, arm in (first, second):
        other = "warfarin" if arm == "apixaban" else "apixaban"
        assert arm in cell_of(text, shown).arm
        assert other not in cell_of(text, shown).arm


def test_a_list_of_three_gives_each_figure_its_own_arm() -> None:
    text = "Relapse rates were 2.1%, 3.4% and 5.0% in the olanzapine, risperidone and haloperidol groups, respectively."
    for shown, arm in (("2.1%", "olanzapine"), ("3.4%", "risperidone"), ("5.0%", "haloperidol")):
        found = cell_of(text, shown)
        assert found.arm_text is not None
        assert arm in found.arm_text


def test_words_around_each_figure_stand_nearer_to_it_than_to_its_neighbour() -> None:
    text = "Stroke occurred in 2.1% of patients with apixaban and in 3.4% of patients with warfarin."
    apixaban, warfarin = cell_of(text, "2.1%"), cell_of(text, "3.4%")
    assert apixaban.words["apixaban"] > warfarin.words.get("apixaban", 0.0)
    assert warfarin.words["warfarin"] > apixaban.words.get("warfarin", 0.0)


def test_the_control_and_the_tested_arm_are_known_by_their_role() -> None:
    text = "Mortality was lower with colchicine than with placebo (12.1% versus 15.3%)."
    assert ACTIVE in cell_of(text, "12.1%").arm
    assert CONTROL in cell_of(text, "15.3%").arm


def test_the_figure_before_from_to_is_the_earlier_one() -> None:
    text = "The mean score fell from 10.8% to 8.5%."
    assert cell_of(text, "10.8%").arm == {BEFORE}
    assert cell_of(text, "8.5%").arm == {AFTER}


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("Nausea occurred in 17 of the 58 patients (29.3%).", "17 of the 58", "29.3%"),
        ("Nausea occurred in 29.3% (17/58) of patients.", "29.3%", "17/58"),
        ("Nausea occurred in 17 patients (29.3%).", "17", "29.3%"),
    ],
)
def test_a_count_with_its_percentage_is_one_fact_told_twice(text: str, first: str, second: str) -> None:
    assert not cell_of(text, first).told_twice
    assert cell_of(text, second).told_twice


def test_two_figures_of_two_arms_are_two_facts() -> None:
    text = "Nausea was commoner with drug than with placebo (17 of 58 patients versus 12.1%)."
    assert not any(cell.told_twice for cell in read_cells(text))


def test_an_interval_and_a_p_value_belong_to_the_ratio_before_them() -> None:
    text = "Stroke was reduced (hazard ratio, 0.79; 95% CI, 0.66 to 0.95; P=0.01)."
    ratio = cell_of(text, "0.79")
    assert ratio.interval is not None
    assert ratio.p_value is not None
    assert (str(ratio.interval.low), str(ratio.interval.high), str(ratio.p_value.value)) == ("0.66", "0.95", "0.01")
    assert not ratio.attached
    assert [c.quantity.kind for c in read_cells(text) if c.attached] == [QuantityKind.INTERVAL, QuantityKind.P_VALUE]


def test_each_of_two_ratios_has_its_own_interval() -> None:
    text = "Stroke (HR 0.79; 95% CI 0.66 to 0.95) and bleeding (HR 0.69; 95% CI 0.60 to 0.80) were reduced."
    lows = {shown: cell_of(text, shown).interval for shown in ("0.79", "0.69")}
    assert {shown: str(interval.low) for shown, interval in lows.items() if interval} == {
        "0.79": "0.66",
        "0.69": "0.60",
    }


@pytest.mark.parametrize(
    "text", ["The mean was 4.4 ± 2.8 points.", "The mean was 62.4 (SD 2.4).", "The mean was 62.4 (2.4)."]
)
def test_a_deviation_belongs_to_the_number_before_it(text: str) -> None:
    assert [cell.attached for cell in read_cells(text)] == [False, True]


def test_the_words_before_the_figures_say_what_was_measured() -> None:
    text = "Pain was lower with ketamine than with saline (12% versus 15%); nausea was commoner (30% versus 20%)."
    assert "pain" in cell_of(text, "12%").outcome
    assert "nausea" in cell_of(text, "30%").outcome
    assert "pain" not in cell_of(text, "30%").outcome


def test_a_sentence_without_numbers_has_no_cells() -> None:
    assert read_cells("Apixaban lowered mortality in type 2 diabetes.") == ()


def test_cells_stand_in_the_order_of_the_text() -> None:
    text = "In 120 patients, relapse (12% versus 15%; P=0.03) and death (HR 0.8, 95% CI 0.7-0.9) fell at 6 months."
    starts = [cell.quantity.start for cell in read_cells(text)]
    assert starts == sorted(starts)
    assert len(starts) == len(find_quantities(text))


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("Mortality at 12 weeks was 5%.", "84 day"),
        ("Mortality was 5% at week 12.", "84 day"),
        ("Mortality on day 28 was 5%.", "28 day"),
        ("28-day mortality was 5%.", "28 day"),
        ("During a median follow-up of 2 years, 5% died.", "730 day"),
        ("After one year, 5% had died.", "365 day"),
    ],
)
def test_times_are_told_in_days(text: str, time: str) -> None:
    assert {found for _, found in read_times(text)} == {time}


@pytest.mark.parametrize(
    "text", ["Patients took 5 mg daily.", "Symptoms had lasted 6 weeks longer.", "A 3-hour infusion was given."]
)
def test_a_length_or_a_dose_is_no_time_point(text: str) -> None:
    assert read_times(text) == ()


def test_each_figure_has_the_time_that_stands_nearest() -> None:
    text = "Remission was reached by 20% at 6 weeks; relapse occurred in 35% at 12 months."
    assert cell_of(text, "20%").times == {"42 day"}
    assert cell_of(text, "35%").times == {"360 day"}


def test_the_only_time_of_a_sentence_is_that_of_all_its_figures() -> None:
    text = "At 12 weeks, remission was 20% with drug and 10% with placebo."
    assert cell_of(text, "20%").times == cell_of(text, "10%").times == {"84 day"}


@pytest.mark.parametrize(
    ("text", "phase"),
    [
        ("Mean pressure at baseline was 150.", BEFORE),
        ("Preoperative scores were 12.", BEFORE),
        ("Scores after treatment were 8.", AFTER),
        ("Postoperative scores were 8.", AFTER),
        ("Scores before and after treatment were 12 and 8.", ""),
        ("Risk after adjustment was 1.2.", ""),
        ("Scores were 8.", ""),
    ],
)
def test_a_text_is_of_before_or_after_only_where_it_names_one_of_them(text: str, phase: str) -> None:
    assert read_phase(text) == phase


def near(text: str, shown: str) -> dict[str, float]:
    quantities = find_quantities(text)
    own = next(q for q in quantities if q.text == shown)
    return words_near(text, own, [q for q in quantities if q is not own])


def test_a_word_counts_less_beyond_another_number() -> None:
    found = near("Bleeding was 12% with apixaban, 15% with warfarin.", "12%")
    assert found["apixaban"] > found.get("warfarin", 0.0)


def test_a_word_counts_less_beyond_the_end_of_a_clause() -> None:
    joined = near("Apixaban gave 12% bleeding and stroke.", "12%")
    apart = near("Apixaban gave 12% bleeding; stroke followed.", "12%")
    assert apart["stroke"] < joined["stroke"]


def test_a_word_to_the_right_of_the_bracket_of_a_number_counts_less_than_one_to_the_left() -> None:
    found = near("It was lower with apixaban (12%) than with warfarin (15%).", "12%")
    assert found["apixaban"] > 2 * found.get("warfarin", 0.0)


def test_brackets_that_do_not_hold_the_number_are_passed_over() -> None:
    found = near("Bleeding (mainly epistaxis) was 12%.", "12%")
    assert not {word for word in found if word.startswith("epist")}
    assert found


def test_words_of_every_result_sentence_bind_nothing() -> None:
    assert not near("The mean rate was 12% in patients of both groups.", "12%").keys() & {
        "patient",
        "group",
        "rate",
        "mean",
    }


@pytest.mark.parametrize("text", ["Mortality was 12%.", "12% of men with gout, and 15% (3/20) of women; P=0.03."])
def test_nearness_is_a_share(text: str) -> None:
    for quantity in find_quantities(text):
        found = words_near(text, quantity, [q for q in find_quantities(text) if q is not quantity])
        assert all(0 < share <= 1 for share in found.values())
