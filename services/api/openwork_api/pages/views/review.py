"""A deep review as its page shows it: summary, outcomes and plots, what speaks against it, studies cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.cells import ResultCell
from openwork_contracts.conclusion import Fit
from openwork_contracts.extraction import ArmCells, ExtractedResult, StudyVariable, VariableState
from openwork_contracts.question import Track
from openwork_contracts.review import Review, ReviewStudy, ReviewWork
from openwork_contracts.tabulation import PooledOutcome
from openwork_knowledge import designs
from openwork_report.figures.drawn import svg_of
from openwork_report.review.flow import Box, joined_boxes, review_picture, track_boxes
from openwork_report.review.forest import forest_outcomes
from openwork_report.review.references import cited, numbers_of
from openwork_report.review.summary import effect_of, people_of, spread_of, studies_of
from openwork_report.review.words import (
    name_of,
    place_in_words,
    place_words,
    text_words,
    title_of,
    track_words,
    value_of,
    variable_words,
    when_of,
    words_of_cell,
)
from openwork_report.words import STATUS_WORDS, one_line, whose_words

from openwork_api.pages.views.references import ReferenceView, reference_views, warns

MOST_RESULTS = 60
"""Results of a study on the page; the tables have all."""
_FITS = {Fit.ASKED: 0, Fit.WIDER: 1, Fit.PART: 2}


@dataclass(frozen=True, slots=True)
class CellView:
    """One number, with the words that it came from and where they stand."""

    value: str
    words: str
    place: str
    whose: str
    computed: str


@dataclass(frozen=True, slots=True)
class ArmView:
    """The numbers of an arm."""

    name: str
    cells: tuple[tuple[str, CellView], ...]
    """What the number is: events, people, ...; the number."""


@dataclass(frozen=True, slots=True)
class ResultView:
    """One result of a study."""

    outcome: str
    when: str
    arms: tuple[ArmView, ...]
    measure: str
    effect: CellView | None
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VariableView:
    """One variable of a study."""

    name: str
    value: str
    words: str
    place: str


@dataclass(frozen=True, slots=True)
class StudyView:
    """One study with its results, that of what was asked first."""

    n: int
    name: str
    facts: tuple[str, ...]
    read: str
    found_by: str
    """Empty where every search found it."""
    warning: str
    results: tuple[ResultView, ...]
    n_more: int
    variables: tuple[VariableView, ...]
    n_found: int
    """Variables that have a value."""


@dataclass(frozen=True, slots=True)
class OutcomeView:
    """A row of the table of outcomes."""

    outcome: str
    comparison: str
    window: str
    studies: int
    people: str
    effect: str
    absolute: str
    spread: str
    not_pooled: tuple[tuple[str, str], ...]
    """Study and reason."""
    harm: bool
    plot: int | None
    """Number of its forest plot."""


@dataclass(frozen=True, slots=True)
class PlotView:
    """A forest plot."""

    n: int
    title: str
    caption: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class SignalView:
    """A notice, a letter, a registration without results."""

    title: str
    about: str
    kind: str


@dataclass(frozen=True, slots=True)
class ReviewView:
    """What stands on the page."""

    summary: tuple[str, ...]
    outcomes: tuple[OutcomeView, ...]
    harms: tuple[OutcomeView, ...]
    plots: tuple[PlotView, ...]
    signals: tuple[SignalView, ...]
    alone: tuple[str, ...]
    """Studies that the search for what speaks against it alone found."""
    searched_against: bool
    studies: tuple[StudyView, ...]
    never_read: tuple[str, ...]
    flow_svg: Markup
    flow: tuple[Box, ...]
    limits: tuple[str, ...]
    references: tuple[ReferenceView, ...]
    n_screened: int


def review_view(document: AnswerDocument, review: Review) -> ReviewView:
    """The review of a document."""
    drawn = forest_outcomes(review)
    numbers = {id(one): n for n, one in enumerate(drawn, 1)}
    outcomes = tuple(_outcome(one, review, numbers.get(id(one))) for one in review.outcomes)
    picture = review_picture(document, review)
    order = numbers_of(review)
    everywhere = len(review.flow.tracks)
    return ReviewView(
        summary=review.summary,
        outcomes=outcomes,
        harms=tuple(one for one in outcomes if one.harm),
        plots=tuple(_plot(n, one) for n, one in enumerate(drawn, 1)),
        signals=tuple(_signals(review)),
        alone=tuple(one_line(one.name) for one in review.studies if one.tracks == (Track.FALSIFICATION,)),
        searched_against=any(one.track == Track.FALSIFICATION for one in review.flow.tracks),
        studies=tuple(_study(one, order, everywhere) for one in review.studies),
        never_read=tuple(one_line(one.name) for one in review.never_read),
        flow_svg=Markup(svg_of(picture)),  # noqa: S704 - our own drawing, whose letters are escaped
        flow=tuple(_boxes(review, picture.found)),
        limits=(*review.limits, *document.method.degradations),
        references=reference_views(cited(document)),
        n_screened=len(review.screened),
    )


def _boxes(review: Review, found: Mapping[str, Mapping[str, int]]) -> Iterator[Box]:
    for track in review.flow.tracks:
        yield from track_boxes(track, found.get(track.track, {}))
    yield from joined_boxes(review.flow)


def _outcome(one: PooledOutcome, review: Review, plot: int | None) -> OutcomeView:
    name = one_line(one.outcome)
    return OutcomeView(
        outcome=f"{name[:1].upper()}{name[1:]}",
        comparison=one_line(one.comparison),
        window=one_line(one.window),
        studies=studies_of(one),
        people=people_of(one),
        effect=effect_of(one, review),
        absolute=one_line(one.absolute),
        spread=spread_of(one),
        not_pooled=tuple((one_line(left.study), one_line(left.reason)) for left in one.not_pooled),
        harm=one.harm,
        plot=plot,
    )


def _plot(n: int, one: PooledOutcome) -> PlotView:
    told = f"{one.measure}, {len(one.rows)} studies, {'pooled' if one.pooled else 'not pooled'}"
    return PlotView(n, title_of(one), told, Markup(svg_of(one)))  # noqa: S704 - as above


def _signals(review: Review) -> Iterator[SignalView]:
    works = {work.candidate_id: work for work in review.signal_works}
    for one in review.signals:
        work = works.get(one.candidate_id, ReviewWork(candidate_id=one.candidate_id))
        kind = one_line(one.kind).replace("_", " ")
        yield SignalView(one_line(work.title)[:600] or one_line(one.candidate_id), name_of(work), kind)


# --- studies ----------------------------------------------------------------------------------------------------------


def _study(study: ReviewStudy, numbers: Mapping[str, int], everywhere: int) -> StudyView:
    ranked = sorted(study.results, key=lambda one: (one.is_subgroup, _FITS.get(one.outcome_fit, len(_FITS))))
    people = f"{study.sample_size:,} people" if study.sample_size else ""
    design = designs.label(study.work.study_design) or ""
    facts = (design, one_line(study.work.journal), str(study.work.year or ""), people, _funding(study))
    by = " and ".join(map(track_words, study.tracks)) if len(study.tracks) < everywhere else ""
    return StudyView(
        n=numbers[study.study_id],
        name=one_line(study.name)[:200],
        facts=tuple(filter(None, facts)),
        read=text_words(study),
        found_by=by,
        warning=STATUS_WORDS.get(study.work.status, "") if warns(study.work.status) else "",
        results=tuple(map(_result, ranked[:MOST_RESULTS])),
        n_more=max(0, len(ranked) - MOST_RESULTS),
        variables=tuple(map(_variable, study.variables)),
        n_found=sum(one.state is VariableState.FOUND for one in study.variables),
    )


def _variable(one: StudyVariable) -> VariableView:
    name = one_line(one.name).replace("_", " ")[:200]
    place = place_in_words(one.place)[:600] if one.place else ""
    return VariableView(name, variable_words(one)[:600], one_line(one.words)[:2_000], place)


def _funding(study: ReviewStudy) -> str:
    return f"funded by {one_line(study.funding)[:200]}" if study.funding else ""


def _result(result: ExtractedResult) -> ResultView:
    return ResultView(
        outcome=one_line(result.outcome)[:400],
        when=when_of(result)[:400],
        arms=tuple(_arm(arm, result) for arm in result.arms),
        measure=(result.effect.measure or "") if result.effect else "",
        effect=_cell(result.effect, result) if result.effect else None,
        marks=tuple(one_line(mark.words) for mark in result.marks),
    )


_ARM_CELLS: Sequence[tuple[str, str]] = (
    ("events", "events"),
    ("n", "people"),
    ("percent", "share"),
    ("mean", "mean"),
    ("deviation", "SD"),
    ("standard_error", "SE"),
    ("median", "median"),
)


def _arm(arm: ArmCells, result: ExtractedResult) -> ArmView:
    found = ((words, getattr(arm, name)) for name, words in _ARM_CELLS)
    cells = tuple((words, _cell(cell, result)) for words, cell in found if cell is not None)
    return ArmView(one_line(arm.arm)[:200], cells)


def _cell(cell: ResultCell, result: ExtractedResult) -> CellView:
    return CellView(
        value=value_of(cell)[:200],
        words=words_of_cell(cell)[:2_000],
        place=place_words(cell)[:600],
        whose=whose_words(result.text_origin),
        computed=one_line(cell.computed)[:400],
    )
