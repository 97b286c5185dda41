"""What is said of a review's enums and cells: tracks, decisions, sources of a number, and where a number stands."""

from __future__ import annotations

from collections.abc import Iterator

from openwork_contracts.cells import CellPlace, ResultCell
from openwork_contracts.conclusion import Fit
from openwork_contracts.extraction import ArmCells, ExtractedResult, ResultSource, StudyVariable, VariableState
from openwork_contracts.question import Track
from openwork_contracts.review import ReviewStudy, ReviewWork
from openwork_contracts.screening import ScreeningOutcome
from openwork_contracts.tabulation import PooledOutcome

from openwork_report.words import one_line

OUTCOMES = {
    ScreeningOutcome.INCLUDE: "included",
    ScreeningOutcome.EXCLUDE: "excluded",
    ScreeningOutcome.UNSURE: "unsure",
}
NO_DECISION = "no decision in time; counts as unsure"
SOURCES = {
    ResultSource.REGISTRY: "a source's own fields",
    ResultSource.TABLE: "a table of the full text",
    ResultSource.TEXT: "the full text",
    ResultSource.ABSTRACT: "the abstract",
}
FITS = {
    Fit.ASKED: "as asked",
    Fit.WIDER: "wider than asked",
    Fit.PART: "a part of what was asked",
    Fit.OTHER: "another one",
    Fit.NOT_TOLD: "not told",
}
STATES = {
    VariableState.NOT_REPORTED: "not reported: the text was read and does not say it",
    VariableState.NOT_FOUND: "not found: there was no text to look in",
}
NOT_SAID = "where it stands is not told"
IN_THE_WORDS = "in these words"
NOT_IN_THE_WORDS = "the number is from the source's fields and not in these words"


def track_words(track: str) -> str:
    """ "search for an effect", "search for what speaks against it"."""
    return Track(track).in_words


def fit_words(fit: Fit) -> str:
    """How a result stands to what was asked."""
    return FITS.get(fit, fit.value.replace("_", " "))


def source_words(source: ResultSource) -> str:
    """What a result was read from."""
    return SOURCES.get(source, source.value.replace("_", " "))


def decision_words(outcome: ScreeningOutcome | None) -> str:
    """What was decided on a record."""
    return NO_DECISION if outcome is None else OUTCOMES.get(outcome, outcome.value.replace("_", " "))


def text_words(study: ReviewStudy) -> str:
    """What was read of a study."""
    if study.not_extracted:
        return f"not read: {one_line(study.not_extracted)}"
    if study.fulltext_source:
        license_ = f", {one_line(study.license)}" if study.license else ""
        return f"full text ({one_line(study.fulltext_source)}{license_})"
    why = f"; no full text: {study.reason.value.replace('_', ' ')}" if study.reason else ""
    return f"abstract and registry{why}"


def title_of(outcome: PooledOutcome) -> str:
    """ "Death from any cause: dapagliflozin versus placebo"."""
    name = one_line(outcome.outcome)
    return f"{name[:1].upper()}{name[1:]}: {one_line(outcome.comparison)}"


def sides_of(outcome: PooledOutcome) -> tuple[str, str]:
    """The tested arm and the other; the other is empty where the comparison names one alone."""
    tested, _, other = one_line(outcome.comparison).removesuffix(" (observational)").partition(" versus ")
    return tested, other


def name_of(work: ReviewWork) -> str:
    """A work in a line: first author or body, journal, year."""
    first = one_line(work.authors[0]) if work.authors else one_line(work.collective_author)
    more = " et al." if len(work.authors) > 1 else ""
    return ", ".join(filter(None, (f"{first}{more}" if first else "", one_line(work.journal), str(work.year or ""))))


def when_of(result: ExtractedResult) -> str:
    """Time, analysis and people of a result, as far as they are told."""
    people = f"{'subgroup: ' if result.is_subgroup else ''}{one_line(result.people)}" if result.people else ""
    analysis = result.analysis.value.replace("_", " ") if result.analysis else ""
    return "; ".join(filter(None, (one_line(result.time), analysis, people)))


def place_words(cell: ResultCell) -> str:
    """Where a cell stands, in words: table, row and column, or section and characters; else the words that hold it."""
    told = place_in_words(cell.place)
    return IN_THE_WORDS if told == NOT_SAID and holds_number(cell) else told


def place_in_words(place: CellPlace | None) -> str:
    """A place in words; where there is none it says so."""
    return ("; ".join(_place(place)) if place else "") or NOT_SAID


def _place(place: CellPlace) -> Iterator[str]:
    if place.table or place.table_row is not None:
        yield one_line(place.table) or "a table"
    row = " > ".join(map(one_line, place.row_path)) or one_line(place.row)
    column = " > ".join(map(one_line, place.column_path)) or one_line(place.column)
    if row:
        yield f"row “{row}”"
    if column:
        yield f"column “{column}”"
    if place.section:
        yield f"section “{one_line(place.section)}”"
    if place.start is not None and place.end is not None:
        yield f"characters {place.start} to {place.end}"


def variable_words(one: StudyVariable) -> str:
    """The value of a variable, or why there is none."""
    if one.state is VariableState.FOUND:
        return one_line(one.value) or "found"
    return STATES.get(one.state, one.state.value.replace("_", " "))


def words_of_cell(cell: ResultCell) -> str:
    """The words that a cell was read from; with a remark where the number is not in them."""
    words = one_line(cell.words)
    return f"{words} ({NOT_IN_THE_WORDS})" if holds_number(cell) is False else words


def holds_number(cell: ResultCell) -> bool | None:
    """Whether a cell's words hold its number, however thousands are parted.

    Returns:
        `None` where that says nothing: there are no words, the number is computed, or the words are a table's headings.
    """
    place = cell.place
    if not cell.words or cell.computed or (place is not None and (place.row or place.row_path or place.table)):
        return None
    return _plain(cell.value) in _plain(cell.words)


def _plain(text: str) -> str:
    return text.replace(",", "").replace("\u00a0", "").replace("\u202f", "").replace("·", ".")


def value_of(cell: ResultCell) -> str:
    """A number as printed, with its total and unit, its interval and p value."""
    number = f"{cell.value}/{cell.total}" if cell.total else cell.value
    unit = {"%": "%"}.get(cell.unit or "", f" {cell.unit}" if cell.unit else "")
    if not cell.unit and cell.measure == "percent":
        unit = "%"
    told = f"{number}{unit}"
    if cell.interval:
        level = f"{cell.interval.level}% CI " if cell.interval.level else ""
        told = f"{told} ({level}{cell.interval.low} to {cell.interval.high})"
    if cell.p_value:
        told = f"{told}, p {cell.p_value if cell.p_value[:1] in '<>=≤≥' else f'= {cell.p_value}'}"
    return one_line(told)


def arms_in_words(result: ExtractedResult) -> str:
    """ "386/2373 v 502/2371", percentages or means where there are no counts; empty where an arm has neither."""
    told = [_arm(arm) for arm in result.arms]
    return " v ".join(told) if told and all(told) else ""


def _arm(arm: ArmCells) -> str:
    if arm.events and arm.n:
        return f"{arm.events.value}/{arm.n.value}"
    if arm.percent:
        return f"{arm.percent.value}%"
    if arm.mean:
        spread = f" (SD {arm.deviation.value})" if arm.deviation else ""
        return f"mean {arm.mean.value}{spread}"
    return f"median {arm.median.value}" if arm.median else ""


def effect_in_words(result: ExtractedResult) -> str:
    """ "HR 0.74 (95% CI 0.65 to 0.85), p <0.001"; empty without one."""
    return f"{result.effect.measure or ''} {value_of(result.effect)}".strip() if result.effect else ""
