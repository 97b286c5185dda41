"""Arms and outcomes by the ways papers name them: short forms, times, wholes and parts, other forms of a word."""

from __future__ import annotations

import pytest
from openwork_extraction.arms import AskedArms
from openwork_extraction.definitions import definitions_of, noted
from openwork_extraction.extract import extract
from openwork_extraction.forms import is_same, matched
from openwork_extraction.names import Names
from openwork_extraction.order import order_by_part
from openwork_extraction.study import Asked

from tests.unit.extraction.papers import paper, section, table
from tests.unit.extraction.test_extracted_tables import means

SD = "Values are mean (SD)."


def test_a_list_of_abbreviations_defines_short_forms_of_any_letters() -> None:
    found = definitions_of([section("Abbreviations", "ZX IV: zetoxidase-4\nQOL: quality of life\nnote: no short form")])

    assert found == {"ZX IV": "zetoxidase-4", "QOL": "quality of life"}


def test_a_note_defines_two_short_forms_at_once() -> None:
    sure, other = noted("LJL and LJR, long jump with left and right leg; GS, grip strength; ABC, trunk control test")

    assert sure["LJL"] == "long jump with left leg"
    assert sure["LJR"] == "long jump with right leg"
    assert other == {"ABC": "trunk control test"}


def test_one_entry_alone_is_no_list_of_short_forms() -> None:
    assert noted("ABC, trunk control test") == ({}, {})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("abduction", "abductors", True),
        ("max", "maximum", True),
        ("iv", "4", True),
        ("mortlaity", "mortality", True),
        ("ursodiol", "usrodiol", True),
        ("diet", "deit", False),
        ("fat", "fatigue", False),
        ("plasma", "plastic", False),
        ("nitrate", "nitrite", False),
        ("glucose", "glucagon", False),
        ("microvascular", "macrovascular", False),
    ],
)
def test_forms_of_a_word_are_told_from_other_words(one: str, other: str, *, same: bool) -> None:
    assert is_same(one, other) is same


def test_a_word_with_two_other_forms_among_the_headings_stays_as_it_is() -> None:
    assert matched(["max"], ["maximum", "pain"]) == {"max": "peak"}
    assert matched(["max"], ["maximum", "maxillary"]) == {}


def test_the_row_of_the_full_test_is_read_where_its_parts_fit_as_well() -> None:
    study = paper(
        table(
            "Measure | Drug (n = 20) | Placebo (n = 21)",
            "Recall score (early) | 5.1 (1.2) | 4.0 (1.1)",
            "Recall score (late) | 6.1 (1.3) | 5.0 (1.4)",
            "Recall score (full test) | 11.2 (2.1) | 9.0 (2.2)",
            notes=(SD,),
        )
    )

    found = extract(study, Asked("drug", "placebo", "recall score"))

    assert means(found.first) == [("11.2", "2.1", "20"), ("9.0", "2.2", "21")]


def test_of_two_tables_that_differ_in_before_and_after_the_later_is_read() -> None:
    head = "Measure | Drug (n = 20) | Placebo (n = 21)"
    study = paper(
        table(head, "Grip | 20.1 (3.2) | 20.4 (3.1)", caption="Strength before the loading test.", notes=(SD,)),
        table(
            head,
            "Grip | 25.1 (3.3) | 21.4 (3.0)",
            caption="Strength after the loading test.",
            label="Table 3",
            notes=(SD,),
        ),
    )

    found = extract(study, Asked("drug", "placebo", "grip strength"))

    assert means(found.first) == [("25.1", "3.3", "20"), ("21.4", "3.0", "21")]


def test_a_caption_decides_between_rows_of_two_tables() -> None:
    head = "Direction | Drug (n = 20) | Placebo (n = 21)"
    study = paper(
        table(head, "Bending | 5.0 (1.0) | 6.0 (1.1)", caption="Range of the upper joint.", notes=(SD,)),
        table(
            head,
            "Bending | 7.0 (1.2) | 8.0 (1.3)",
            caption="Stiffness of the upper joint.",
            label="Table 3",
            notes=(SD,),
        ),
    )

    found = extract(study, Asked("drug", "placebo", "bending stiffness of the upper joint"))

    assert means(found.first) == [("7.0", "1.2", "20"), ("8.0", "1.3", "21")]


def test_a_table_of_all_people_goes_before_one_of_a_part() -> None:
    head = "Measure | Drug | Placebo"
    sizes = "N | {} | {}"
    study = paper(
        table(
            head,
            sizes.format(60, 61),
            "Steps | 900 (80) | 800 (82)",
            caption="Results of the total sample.",
            notes=(SD,),
        ),
        table(
            head,
            sizes.format(20, 22),
            "Steps | 700 (70) | 600 (72)",
            caption="Results of the risk group.",
            label="Table 3",
            notes=(SD,),
        ),
    )

    found = extract(study, Asked("drug", "placebo", "steps"))

    assert means(found.first) == [("900", "80", "60"), ("800", "82", "61")]


def test_two_tables_of_which_neither_is_of_everybody_stay_refused() -> None:
    head = "Measure | Drug (n = 60) | Placebo (n = 61)"
    study = paper(
        table(head, "Steps | 900 (80) | 800 (82)", caption="Results in men.", notes=(SD,)),
        table(head, "Steps | 700 (70) | 600 (72)", caption="Results in women.", label="Table 3", notes=(SD,)),
    )

    assert extract(study, Asked("drug", "placebo", "steps")).first is None


def test_before_and_after_of_the_treated_arm_are_read_where_the_time_before_is_asked_for() -> None:
    study = paper(
        table(
            " | Study ward | Study ward | Control ward | Control ward",
            " | Before | After | Before | After",
            " | n = 40 | n = 50 | n = 30 | n = 31",
            "Falls score | 9.1 (1.1) | 7.2 (1.2) | 9.0 (1.3) | 8.8 (1.4)",
            header=3,
            notes=(SD,),
        )
    )

    found = extract(study, Asked("after the bedside programme", "before the bedside programme", "falls score"))
    control = extract(study, Asked("bedside programme", "control", "falls score"))

    assert means(found.first) == [("7.2", "1.2", "50"), ("9.1", "1.1", "40")]
    assert means(control.first) != means(found.first)


def test_no_before_and_after_is_read_for_a_control_that_the_table_lacks() -> None:
    study = paper(
        table(
            "Measure | Before (n = 40) | After (n = 40)",
            "Falls score | 9.1 (1.1) | 7.2 (1.2)",
            notes=(SD,),
        )
    )

    assert extract(study, Asked("bedside programme", "control", "falls score")).first is None


def test_arms_in_rows_are_told_by_the_text_beside_several_columns_of_outcomes() -> None:
    study = paper(
        table(
            "Time | Group | Fruit | Vegetables | Snacks | Bread | Fish | Meat | Milk",
            "Six months | Control | 1.1 (0.2) | 1 (0.2) | 1 (0.2) | 1 (0.2) | 1 (0.2) | 1 (0.2) | 1 (0.2)",
            "Six months | Spark | 2.1 (0.3) | 2 (0.3) | 2 (0.3) | 2 (0.3) | 2 (0.3) | 2 (0.3) | 2 (0.3)",
            "Six months | Blaze | 3.1 (0.4) | 3 (0.4) | 3 (0.4) | 3 (0.4) | 3 (0.4) | 3 (0.4) | 3 (0.4)",
            "One year | Control | 1.2 (0.2) | 1 (0.2) | 1 (0.2) | 1 (0.2) | 1 (0.2) | 1 (0.2) | 1 (0.2)",
            "One year | Spark | 2.2 (0.3) | 2 (0.3) | 2 (0.3) | 2 (0.3) | 2 (0.3) | 2 (0.3) | 2 (0.3)",
            "One year | Blaze | 3.2 (0.4) | 3 (0.4) | 3 (0.4) | 3 (0.4) | 3 (0.4) | 3 (0.4) | 3 (0.4)",
            notes=(SD,),
        ),
        methods=(
            "People were assigned to Spark (telephone counselling by dietitians; n = 51), Blaze (printed recipe "
            "booklets; n = 52) or a control group (n = 50)."
        ),
    )

    found = extract(study, Asked("telephone counselling by dietitians", "control", "fruit"))

    assert means(found.first) == [("2.2", "0.3", "51"), ("1.2", "0.2", "50")]


def test_a_short_form_has_the_role_of_what_it_stands_for() -> None:
    study = paper(
        table("Measure | TAU (n = 30) | CBT (n = 31)", "Sleep hours | 6.1 (1.1) | 7.2 (1.2)", notes=(SD,)),
        methods="We compared cognitive behavioural therapy (CBT) with treatment as usual (TAU).",
    )

    found = extract(study, Asked("cognitive behavioural therapy", "control", "sleep hours"))

    assert means(found.first) == [("7.2", "1.2", "31"), ("6.1", "1.1", "30")]


def test_a_row_with_less_of_what_was_asked_than_another_is_no_answer() -> None:
    study = paper(
        table(
            "Measure | Drug (n = 20) | Placebo (n = 21)",
            "Noise | 5.0 (1.0) | 6.0 (1.1)",
            "Upper slice: signal to noise, left side | 7.0 (1.2) | 8.0 (1.3)",
            "Lower slice: signal to noise, left side | 7.1 (1.2) | 8.2 (1.3)",
            notes=(SD,),
        )
    )

    assert extract(study, Asked("drug", "placebo", "signal to noise")).first is None


def test_two_parts_of_a_sentence_give_each_arm_its_number() -> None:
    text = "ZQT fell (-1.2), while it fell less (-0.4) after PBO"
    arms = AskedArms.of(Asked("zotaprine tablets (ZQT)", "sugar tablets (PBO)", "pain"), Names())
    pair = [(text.index("-1.2"), text.index("-1.2") + 4), (text.index("-0.4"), text.index("-0.4") + 4)]

    assert order_by_part(text, pair, arms, Names()) == (0, 1)
    assert order_by_part(text.replace("ZQT", "It"), pair, arms, Names()) is None
