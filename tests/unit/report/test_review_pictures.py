"""Pictures of a review: numbers that add up, weights as areas, nothing beside the page, and all of it in words."""

from __future__ import annotations

import re

import pytest
from openwork_contracts.question import Track
from openwork_contracts.tabulation import ArmCount, EffectValue, PredictionInterval, ReviewFlow, TrackFlow
from openwork_report.review.flow import ReviewPicture, flow_words, joined_boxes, review_flow_svg, track_boxes
from openwork_report.review.forest import forest_outcomes, in_words, pooled_svg

from tests.exports import HOSTILE
from tests.reviews import flow, pooled, review, row
from tests.unit.report.test_figures import SVG, assert_inside, letters, parsed

FOUND = {"affirmative": {"PubMed": 8, "Europe PMC": 2}, "falsification": {"PubMed": 6}}


def polygons(svg: str) -> list[list[tuple[float, float]]]:
    shapes = [element.attrib["points"].split() for element in parsed(svg).iter(f"{SVG}polygon")]
    return [[(float(x), float(y)) for x, y in (point.split(",") for point in shape)] for shape in shapes]


def widths(svg: str) -> list[float]:
    """Of the shapes with four corners, in their order: squares, then the diamond."""
    return [max(x for x, _ in one) - min(x for x, _ in one) for one in polygons(svg) if len(one) == 4]


@pytest.mark.parametrize("text", [*HOSTILE, "عنوان طويل جدا", "WM@%" * 60, "\x00\x1b[31m\ud800"])
@pytest.mark.parametrize("standalone", [False, True])
def test_no_text_leaves_a_picture_or_becomes_a_part_of_it(text: str, *, standalone: bool) -> None:
    picture = ReviewPicture(flow(text), {"affirmative": {text: 10}})
    outcome = pooled(row(1, 0.001, 0.0001, 900.0), row(2, study=text), text=text)
    for svg in (review_flow_svg(picture, standalone=standalone), pooled_svg(outcome, standalone=standalone)):
        assert_inside(svg)
        tags = {element.tag.removeprefix(SVG) for element in parsed(svg).iter()}
        assert tags <= {"svg", "title", "desc", "text", "rect", "line", "polygon"}
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", svg)


def test_every_box_less_what_stands_beside_it_is_the_next_and_the_columns_join() -> None:
    made = flow()
    assert made.adds_up
    columns = [track_boxes(track, {}) for track in made.tracks]
    joined = joined_boxes(made)
    for boxes in (*columns, joined):
        assert [box.n - box.n_out for box in boxes[:-1]] == [box.n for box in boxes[1:]]
    assert joined[0].n == sum(column[-1].n for column in columns)


def test_the_flow_has_sources_criteria_studies_never_read_and_the_searches_names() -> None:
    words = " ".join(letters(review_flow_svg(ReviewPicture(flow(), FOUND))))
    for wanted in (
        "search for an effect", "PubMed (8), Europe PMC", "2: population", "1: duplicates", "of these unsure: 1",
        "2: studies never read", "1: further reports", "full text: 1", "abstract and registry only: 2", "n = 3",
    ):  # fmt: skip
        assert wanted in words, wanted
    assert "found by the search for what speaks against it alone: 1" in flow_words(ReviewPicture(flow(), FOUND))


@pytest.mark.parametrize("n_tracks", [0, 1, 3])
def test_any_number_of_searches_stays_inside_the_picture(n_tracks: int) -> None:
    one = TrackFlow(
        track=Track.AFFIRMATIVE, identified=1, duplicates=0, excluded_notices=0, excluded_no_text=0, screened=1,
        included=1, unsure=0,
    )  # fmt: skip
    svg = review_flow_svg(ReviewPicture(ReviewFlow(tracks=(one,) * n_tracks, in_several=n_tracks), {}))
    assert_inside(svg)
    assert ("all searches" in " ".join(letters(svg))) == (n_tracks > 1)


def test_a_plot_has_each_study_with_its_events_effect_and_weight_then_the_pooled_effect() -> None:
    words = letters(pooled_svg(pooled()))
    for wanted in (
        "TRIAL-1 2019", "10/100", "0.80 (0.70 to 0.90)", "20.0%", "50.0%", "Pooled effect", "0.80 (0.74 to 0.86)",
        "60/300", "72/300", "Prediction interval", "0.70 to 0.92", "favours dapagliflozin", "favours placebo",
        "Not pooled: OTHER 2020 (another time window).",
        "Heterogeneity: Q = 1.50, df = 2, p = 0.47; I² = 0%; tau² = 0.",
    ):  # fmt: skip
        assert wanted in words, wanted


def test_the_area_of_a_square_is_the_studys_weight() -> None:
    first, second, third, _ = widths(pooled_svg(pooled()))
    assert (first / third) ** 2 == pytest.approx(0.2 / 0.5, rel=0.05)
    assert (second / third) ** 2 == pytest.approx(0.3 / 0.5, rel=0.05)


def test_the_diamond_reaches_from_limit_to_limit() -> None:
    narrow = widths(pooled_svg(pooled()))[-1]
    wide = widths(pooled_svg(pooled(pooled=EffectValue(value=0.8, low=0.71, high=0.89))))[-1]
    assert wide > 1.5 * narrow


def test_without_a_pooled_effect_there_is_no_diamond_no_weight_and_it_is_said() -> None:
    svg = pooled_svg(pooled(pooled=None, prediction=None))
    assert len(set(widths(svg))) == 1
    assert "Not pooled: each row is one study by itself." in letters(svg)
    assert not [one for one in letters(svg) if one.endswith("%") or one == "Weight"]


def test_a_plot_of_published_effects_has_no_columns_of_counts() -> None:
    words = letters(pooled_svg(pooled(*(row(n, tested=None, other=None) for n in (1, 2)))))
    assert not [one for one in words if "events/n" in one]


def test_totals_stand_there_only_where_every_study_was_counted() -> None:
    words = letters(pooled_svg(pooled(row(1), row(2, tested=None, other=None))))
    assert not [one for one in words if one in ("10/100", "30/200")] or "30/200" not in words
    assert "10/100" in words


def test_a_corrected_study_is_marked_and_the_mark_explained() -> None:
    words = letters(pooled_svg(pooled(row(1, corrected=True), row(2))))
    assert "10/100 *" in words
    assert "* 0.5 was added to every cell of this study, since one was zero." in words


def test_a_side_favours_the_other_arm_where_more_of_the_outcome_is_good_and_nobody_where_it_is_not_known() -> None:
    assert parsed(pooled_svg(pooled(bad=None))) is not None
    assert not [one for one in letters(pooled_svg(pooled(bad=None))) if one.startswith("favours")]
    for bad, left in ((True, "favours dapagliflozin"), (False, "favours placebo")):
        texts = list(parsed(pooled_svg(pooled(bad=bad))).iter(f"{SVG}text"))
        ends = [text.text for text in texts if text.get("text-anchor") == "end"]
        assert ends == [left]


def test_a_risk_difference_is_drawn_in_percentage_points_with_its_prediction_interval() -> None:
    words = letters(
        pooled_svg(
            pooled(
                *(row(n, -0.02, -0.04, 0.0) for n in (1, 2, 3)),
                measure="RD",
                pooled=EffectValue(value=-0.02, low=-0.03, high=-0.01),
                prediction=PredictionInterval(low=-0.05, high=0.01),
            )
        )
    )
    assert "-2.00 (-4.00 to 0.00)" in words
    assert "-5.00 to 1.00" in words


def test_an_effect_without_a_place_on_the_axis_is_named_below() -> None:
    words = letters(pooled_svg(pooled(row(1), row(2), row(3, 0.0, 0.0, 0.0))))
    assert "Not drawn: TRIAL-3 2019, RR 0.00 (0.00 to 0.00)." in words


def test_the_words_of_a_plot_hold_every_number_of_it() -> None:
    told = in_words(pooled())
    for wanted in ("TRIAL-2 2019: 0.80 (0.70 to 0.90), 20/100 v 24/100, weight 30.0%", "Pooled, random effects"):
        assert wanted in told
    assert (parsed(pooled_svg(pooled())).findtext(f"{SVG}desc") or "") == told


def test_outcomes_with_two_studies_or_more_are_drawn() -> None:
    assert [one.outcome for one in forest_outcomes(review())] == ["death from any cause", "diabetic ketoacidosis"]


def test_counts_of_thousands_are_parted() -> None:
    words = letters(pooled_svg(pooled(row(1, tested=ArmCount(events=1234, n=56789)), row(2))))
    assert "1,234/56,789" in words
