"""Pictures: well-formed, readable without seeing them, nothing beside the page, and no figure that nobody published."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.conclusion import ArmFigures, StudyResult
from openwork_contracts.evidence import EffectEstimate
from openwork_report.figures.axis import axis_for
from openwork_report.figures.flow import MOST_REASONS, prisma_svg
from openwork_report.figures.forest import NOT_POOLED, forest_svg
from openwork_report.figures.groups import forest_groups
from openwork_report.figures.lettering import width_of, wrapped
from openwork_report.prisma import FlowStep, LeftOut, PrismaFlow, prisma_flow

from tests.exports import HOSTILE, full
from tests.unit.report.made import concluded, result

SVG = "{http://www.w3.org/2000/svg}"
RTL = "عنوان طويل جدا في الطب"


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def letters(svg: str) -> list[str]:
    return [text.text or "" for text in parsed(svg).iter(f"{SVG}text")]


def boxes(root: ElementTree.Element) -> Iterator[tuple[str, float, float, float, float]]:
    """Each line of text that is level: its words, left, right, top and bottom."""
    for text in root.iter(f"{SVG}text"):
        if "x" not in text.attrib:
            continue
        size, x, y = (float(text.attrib[name]) for name in ("font-size", "x", "y"))
        wide = width_of(text.text or "", size, bold=text.get("font-weight") == "700")
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[text.attrib["text-anchor"]]
        yield text.text or "", left, left + wide, y - size, y + 0.3 * size


def assert_inside(svg: str) -> None:
    root = parsed(svg)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for words, left, right, top, bottom in boxes(root):
        assert left >= 0, words
        assert right <= width + 0.5, words
        assert top >= -0.5, words
        assert bottom <= height, words
    for shape in root.iter(f"{SVG}rect"):
        x, y = (float(shape.get(name, "0")) for name in ("x", "y"))
        assert x + float(shape.attrib["width"]) <= width + 0.5
        assert y + float(shape.attrib["height"]) <= height + 0.5


def flow_of(text: str = "too old", reasons: int = 3, steps: int = 5) -> PrismaFlow:
    names = ("identified", "screened", "sought", "assessed", "included")[:steps]
    out = tuple(LeftOut(f"{text} {n}", n + 1) for n in range(reasons))
    return PrismaFlow(
        found={"pubmed": 1234, "europepmc": 56, "europepmc-cited": 4, text: 7},
        steps=tuple(FlowStep(name, f"{text} {name}", 1000 - n, out) for n, name in enumerate(names)),
        fulltexts_sought=9,
        fulltexts_read=4,
        missing=(text,),
    )


TEXTS = (*HOSTILE, RTL, "WM@%" * 60, "Records identified from databases " * 12, "\x00\x1b[31m\ud800")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("standalone", [False, True])
def test_no_text_leaves_the_picture_or_becomes_a_part_of_it(text: str, *, standalone: bool) -> None:
    same = {"comparison": (text, text), "outcome": text, "study": text, "people": text, "analysis": text, "time": text}
    arms = (ArmFigures(name=text, n=123456, events=12345), ArmFigures(name=text, n=123456, events=1234))
    rows = [
        result(1, 0.001, 900.0, arms=arms, **same),
        result(2, is_subgroup=True, **same),
        result(3, None, None, **same),
    ]
    for svg in (prisma_svg(flow_of(text), standalone=standalone), forest_svg(rows, standalone=standalone)):
        assert_inside(svg)
        tags = {element.tag.removeprefix(SVG) for element in parsed(svg).iter()}
        assert tags <= {"svg", "title", "desc", "text", "rect", "line", "polygon"}
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", svg)
        assert len(svg) < 120_000


@pytest.mark.parametrize("svg", [prisma_svg(flow_of()), forest_svg([result(1), result(2)])])
def test_a_picture_is_read_to_those_who_do_not_see_it(svg: str) -> None:
    root = parsed(svg)
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    told = root.findtext(f"{SVG}desc") or ""
    assert "too old included: 996" in told or "TRIAL-2 2020 [2]: HR 0.75 (0.60 to 0.90)" in told


def test_inline_a_picture_takes_the_colours_of_its_page_and_alone_it_brings_its_own() -> None:
    rows = [result(1), result(2)]
    for draw in (
        lambda alone: prisma_svg(flow_of(), standalone=alone),
        lambda alone: forest_svg(rows, standalone=alone),
    ):
        inline, alone = draw(False), draw(True)
        assert "currentColor" in inline
        assert not re.search("#[0-9a-f]{6}", inline)
        assert 'fill="#ffffff"' in alone
        assert "currentColor" not in alone
        assert "var(" not in alone
        assert "style" not in inline  # a page's policy may forbid styles; attributes are none


# --- the flow of records ------------------------------------------------------------------------------------------


def test_the_diagram_has_each_step_its_sources_and_what_went_out() -> None:
    words = " ".join(letters(prisma_svg(prisma_flow(full()))))
    for wanted in ("Records identified", "n = 3", "PubMed (9)", "1: duplicates", "Works cited by the answer", "n = 1"):
        assert wanted in words, wanted


def test_searches_of_one_source_are_one_source() -> None:
    assert "Europe PMC (60)" in " ".join(letters(prisma_svg(flow_of())))


def test_of_many_reasons_the_rarest_are_put_together_and_nothing_is_lost() -> None:
    flow = flow_of(reasons=MOST_REASONS + 7, steps=2)
    told = [int(words.partition(":")[0]) for words in letters(prisma_svg(flow)) if re.match(r"\d+: ", words)]
    assert sum(told) == 2 * sum(one.n for one in flow.steps[0].left_out)
    assert "for 8 other reasons" in " ".join(letters(prisma_svg(flow)))


def test_a_run_that_never_searched_has_no_boxes_and_says_so() -> None:
    svg = prisma_svg(PrismaFlow({}, (), missing=("records identified",)))
    assert letters(svg) == ["Not known: records identified.", "No records were searched for."]
    assert not list(parsed(svg).iter(f"{SVG}rect"))


# --- forest plots -------------------------------------------------------------------------------------------------


def test_results_that_share_comparison_outcome_and_measure_are_one_group() -> None:
    other = result(4, comparison=("apixaban", "aspirin"))
    ratio = result(5, effect=EffectEstimate(measure="RR", estimate=0.8, ci_low=0.7, ci_high=0.9))
    same = result(2, comparison=("apixaban", "warfarin"))
    (group,) = forest_groups(concluded(result(1), other, ratio, same))
    assert [one.n for one in group.results] == [1, 2]
    assert group.title == "stroke: apixaban v warfarin (INR 2.0-3.0)"


def test_outcomes_are_compared_by_what_they_name() -> None:
    death, mortality, part = (result(n, outcome=words) for n, words in enumerate(OUTCOMES, 1))
    (group,) = forest_groups(concluded(death, mortality, part))
    assert [one.outcome for one in group.results] == ["death from any cause", "all-cause mortality"]


OUTCOMES = ("death from any cause", "all-cause mortality", "death from cardiovascular causes")


@pytest.mark.parametrize(
    "second",
    [
        result(2, None, None),
        result(2, comparison=()),
        result(2, effect=None),
        result(2, bad=None),
        result(9),  # not among the references
        result(2, effect=EffectEstimate(measure="ARR", estimate=3.0, ci_low=1.0, ci_high=5.0)),
        result(2, effect=EffectEstimate(measure="HR", estimate=3.0, ci_low=0.0, ci_high=5.0)),
        result(2, effect=EffectEstimate(measure="HR", estimate=0.5, ci_low=0.6, ci_high=0.9)),
        result(1),
    ],
)
def test_one_result_that_can_be_drawn_makes_no_plot(second: StudyResult) -> None:
    assert forest_groups(concluded(result(1), second)) == ()


def test_figures_stand_as_the_answer_prints_them_and_nothing_is_pooled() -> None:
    arms = (ArmFigures(name="apixaban", n=9120, events=212), ArmFigures(name="warfarin", n=9081, events=265))
    rows = [result(1, 0.66, 0.95, arms=arms), result(2)]
    words = letters(forest_svg(rows))
    assert {"TRIAL-1 2020 [1]", "0.75 (0.66 to 0.95)", "212/9,120 v 265/9,081", "Hazard ratio (95% CI)"} <= set(words)
    assert NOT_POOLED in words
    printed = set(re.findall(r"\d+\.\d+", " ".join(w for w in words if "(" in w)))
    assert printed <= {"0.75", "0.66", "0.95", "0.60", "0.90", "2.0", "3.0"}


def test_a_result_without_an_interval_is_named_and_not_drawn() -> None:
    svg = forest_svg([result(1), result(2), result(3, None, None)])
    assert "Not drawn, since no interval is given: TRIAL-3 2020 [3], HR 0.75." in letters(svg)
    assert len([one for one in letters(svg) if one.startswith("TRIAL-")]) == 2


def test_whom_a_side_favours_is_said_only_where_more_is_known_to_be_bad() -> None:
    told = letters(forest_svg([result(1), result(2)]))
    assert "favours apixaban" in told
    assert "favours warfarin" in " ".join(told)
    for bad in (None, False):
        assert not [one for one in letters(forest_svg([result(1, bad=bad), result(2, bad=bad)])) if "favours" in one]


def test_an_interval_that_goes_on_beyond_the_axis_ends_in_an_arrow_and_says_so() -> None:
    note = "An arrow: the interval goes on beyond the axis."
    assert note in letters(forest_svg([result(1), result(2, 0.001, 500.0)]))
    assert note not in letters(forest_svg([result(1), result(2)]))


def test_a_level_that_is_not_95_percent_stands_with_its_figures() -> None:
    other = EffectEstimate(measure="HR", estimate=0.75, ci_low=0.6, ci_high=0.9, ci_level=0.99)
    assert "0.75 (99% CI 0.60 to 0.90)" in letters(forest_svg([result(1), result(2, effect=other)]))


def test_differences_stand_on_a_linear_axis_around_zero_and_shares_as_percentage_points() -> None:
    rows = [result(n, effect=EffectEstimate(measure="RD", estimate=-0.02, ci_low=-0.04, ci_high=0.0)) for n in (1, 2)]
    words = letters(forest_svg(rows))
    assert "-2 (-4 to 0)" in words
    assert "0" in words
    assert "percentage" in " ".join(words)


def test_rows_of_one_study_are_told_to_share_their_people() -> None:
    rows = [result(1), result(1, 0.5, 0.8, people="eGFR below 50", is_subgroup=True)]
    words = letters(forest_svg(rows))
    assert "subgroup: eGFR below 50" in words
    assert "Rows with one reference number are of the same study, whose people they share." in words


numbers = st.floats(min_value=1e-6, max_value=1e6, allow_nan=False)


@given(st.lists(st.tuples(numbers, numbers, numbers).map(sorted), min_size=1, max_size=8), st.booleans())
def test_every_estimate_and_no_difference_are_on_the_axis(intervals: list[list[float]], is_ratio: bool) -> None:
    axis = axis_for([(one[0], one[1], one[2]) for one in intervals], 10.0, 300.0, is_ratio=is_ratio)
    assert axis.low < axis.none < axis.high
    assert all(axis.low <= one[1] <= axis.high for one in intervals)
    assert 10.0 + 0.29 * 300 <= axis.x(axis.none) <= 310.0 - 0.29 * 300
    assert axis.none in axis.ticks()
    assert len(axis.ticks()) <= 12
    assert all(10.0 <= axis.x(tick) <= 310.0 for tick in axis.ticks())


@given(st.text(max_size=200), st.floats(min_value=40, max_value=400))
def test_lines_are_never_wider_than_they_may_be(text: str, width: float) -> None:
    for line in wrapped(text, width, 13, lines=5):
        assert width_of(line, 13) <= width or len(line) == 1
