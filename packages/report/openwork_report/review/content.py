"""What stands in a review as a document, in the order in which it is read: summary, outcomes, what speaks against it,
studies with their numbers, flow, limits, references, and how it came about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from openwork_contracts.answer import AnswerDocument, Reference
from openwork_contracts.question import Track
from openwork_contracts.review import Review, ReviewStudy, ReviewWork
from openwork_contracts.tabulation import PooledOutcome
from openwork_knowledge import designs

from openwork_report.markdown import escaped
from openwork_report.render import DISCLAIMER, method_lines, remarks, render_reference
from openwork_report.review.computed import computed_sections
from openwork_report.review.flow import Box, joined_boxes, review_picture, track_boxes
from openwork_report.review.forest import forest_outcomes
from openwork_report.review.references import cited, numbers_of
from openwork_report.review.summary import effect_of, people_of, spread_of, studies_of
from openwork_report.review.tables import (
    ScreeningRow,
    cells_of,
    comparison_of,
    outcome_of,
    results_in_words,
    screening_rows,
)
from openwork_report.review.words import (
    decision_words,
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
from openwork_report.searched import searched_section
from openwork_report.whole.parts import Block, Bullets, Cell, Figure, Grid, Inline, Prose, References, Section, Whole
from openwork_report.words import STATUS_WORDS, one_line, run_status_words, whose_words

WITHOUT_RECORD = (
    "The record of the run (every search as it was sent) is not in the file that this was made from: "
    "`openwork review show RUN_ID --out FOLDER` makes it whole while the run is stored."
)
NOT_LISTED = "They are not listed here: `screening.csv` names each with its decision, reason and quotation."
MOST_CELLS = 120
"""Numbers of a study that are printed in the document; `cells.csv` has all."""


def whole_review(
    document: AnswerDocument, review: Review, *, styled: Mapping[int, Inline] | None = None, listed: bool = True
) -> Whole:
    """The review in its parts.

    Args:
        styled: references in a style, by number; without it they are as an answer prints them.
        listed: whether every record that was screened is listed, and every number that was read.
    """
    how = (
        *searched_section(document),
        *screening(document, listed=listed),
        *computed(review),
        method(document),
    )
    return made_of(
        document,
        (
            summary(review),
            *outcomes(review),
            *against(review),
            *studies(review, listed=listed),
            *flow(document, review),
            *limits(document, review),
            *references(document, styled),
            Section("how", "How this came about", inside=how),
        ),
    )


def made_of(document: AnswerDocument, sections: tuple[Section, ...]) -> Whole:
    """Sections as a document under the question."""
    day = f"asked {document.submitted_at:%Y-%m-%d %H:%M} UTC" if document.submitted_at else ""
    facts = ("Deep review", run_status_words(document.status), day, f"run {one_line(document.run_id)}")
    return Whole(one_line(document.question), tuple(filter(None, facts)), sections, DISCLAIMER)


def summary(review: Review) -> Section:
    """The sentences that are read first."""
    told = tuple(map(escaped, review.summary))
    return Section("answer", "Summary", (Bullets(told) if told else Prose("_Nothing was found._"),))


# --- outcomes ---------------------------------------------------------------------------------------------------------

_OUTCOMES = ("Outcome", "Comparison", "Studies", "People", "Effect (CI)", "Heterogeneity", "Not pooled")


def outcomes(review: Review) -> Iterator[Section]:
    """The table of outcomes, then a forest plot of each that has two studies or more."""
    if not review.outcomes:
        return
    grid = Grid(
        "Outcomes, those that were asked about first",
        _OUTCOMES,
        tuple(_outcome(one, review) for one in review.outcomes),
    )
    plots = (Figure(one, _caption(one)) for one in forest_outcomes(review))
    yield Section("outcomes", "Outcomes", (grid, *plots))


def _caption(one: PooledOutcome) -> str:
    return f"{title_of(one)}, {one.measure}; {len(one.rows)} studies, {'pooled' if one.pooled else 'not pooled'}"


def _outcome(one: PooledOutcome, review: Review) -> tuple[Cell, ...]:
    left = f"{len(one.not_pooled)}" if one.not_pooled else ""
    return (
        _lines(escaped(one.outcome), "_harm_" if one.harm else ""),
        _lines(escaped(one.comparison), escaped(one.window or "")),
        (str(studies_of(one)),),
        _lines(people_of(one)),
        _lines(escaped(effect_of(one, review)), escaped(one.absolute or "")),
        (spread_of(one),),
        (left,),
    )


def against(review: Review) -> Iterator[Section]:
    """What the second search is for: harms, signals, studies that it alone found. Nothing found is said too."""
    blocks: list[Block] = []
    harms = [one for one in review.outcomes if one.harm]
    if harms:
        blocks.append(Grid("Harms", _OUTCOMES, tuple(_outcome(one, review) for one in harms)))
    else:
        blocks.append(Prose("No outcome that was read is a harm: that none is reported is not that there is none."))
    blocks += _signals(review)
    searched_for_it = any(one.track == Track.FALSIFICATION for one in review.flow.tracks)
    alone = [study for study in review.studies if study.tracks == (Track.FALSIFICATION,)]
    if not searched_for_it:
        blocks.append(Prose("Nothing was searched for what speaks against it."))
    elif alone:
        rows = tuple(map(_study_line, alone))
        blocks.append(Grid("Studies that this search alone found", ("Study", "Design", "Read"), rows))
    else:
        blocks.append(Prose("The search for what speaks against it found no study that the other did not find."))
    yield Section("against", "What speaks against it", tuple(blocks))


def _signals(review: Review) -> Iterator[Block]:
    works = {work.candidate_id: work for work in review.signal_works}
    if not review.signals:
        yield Prose("No notice, letter or registration without results was found.")
        return
    rows = tuple(_signal(one.kind, works.get(one.candidate_id), one.candidate_id) for one in review.signals)
    yield Grid("Signals: notices, letters, registrations without results; never pooled", ("Work", "Kind"), rows)


def _signal(kind: str, work: ReviewWork | None, name: str) -> tuple[Cell, ...]:
    lines = (escaped(work.title), escaped(name_of(work))) if work is not None else (escaped(name),)
    return _lines(*lines), _lines(escaped(kind.replace("_", " ")))


def _study_line(study: ReviewStudy) -> tuple[Cell, ...]:
    return (
        _lines(escaped(study.name)),
        _lines(designs.label(study.work.study_design) or ""),
        _lines(escaped(text_words(study))),
    )


# --- studies ----------------------------------------------------------------------------------------------------------


def studies(review: Review, *, listed: bool = True) -> Iterator[Section]:
    """The evidence table, a row a study; then, listed, each study's numbers beside the words that they came from."""
    if not review.studies:
        return
    numbers = numbers_of(review)
    header = ("Study", "Design and people", "Compared", "Outcome and result", "Read")
    n_tracks = len(review.flow.tracks)
    rows = tuple(_study(one, numbers, n_tracks) for one in review.studies)
    grid = Grid("The studies that were read", header, rows)
    inside = tuple(
        Section(f"cells-{numbers[one.study_id]}", f"Numbers of {one_line(one.name)}", (*_cells(one), *_variables(one)))
        for one in review.studies
        if listed and (one.results or one.variables)
    )
    yield Section("studies", "Studies", (grid, *_never_read(review)), inside)


def _never_read(review: Review) -> Iterator[Block]:
    if review.never_read:
        names = ", ".join(escaped(one.name) for one in review.never_read[:50])
        more = f" and {len(review.never_read) - 50} more" if len(review.never_read) > 50 else ""
        yield Prose(f"Not excluded and never read, since the review reads no more than it was told: {names}{more}.")


def _study(study: ReviewStudy, numbers: Mapping[str, int], n_tracks: int) -> tuple[Cell, ...]:
    work = study.work
    results = [f"{escaped(name)}: {escaped(told)}" for name, told in results_in_words(study)]
    warning = f"**{STATUS_WORDS[work.status]}**" if STATUS_WORDS.get(work.status, "").isupper() else ""
    people = f"n = {study.sample_size:,}" if study.sample_size else ""
    compared = dict.fromkeys(filter(None, map(comparison_of, study.results)))
    funding = f"funding: {escaped(study.funding)}" if study.funding else ""
    alone = " and ".join(map(track_words, study.tracks)) if len(study.tracks) < n_tracks else ""
    by = f"found by the {alone} alone" if alone else ""
    return (
        _lines(f"{escaped(study.name)} [{numbers[study.study_id]}]", warning),
        _lines(designs.label(work.study_design) or "", people, funding),
        _lines(*map(escaped, compared)),
        tuple(results) or ("no result was read",),
        _lines(escaped(text_words(study)), by),
    )


def _variables(study: ReviewStudy) -> Iterator[Block]:
    rows = tuple(
        (
            (escaped(one.name.replace("_", " ")),),
            _lines(escaped(variable_words(one))),
            (escaped(one.words or ""),),
            (escaped(place_in_words(one.place)) if one.place else "",),
        )
        for one in study.variables
    )
    if rows:
        header = ("Variable", "Value", "The words it came from", "Where")
        yield Grid("How the study was made, as it says itself", header, rows)


def _cells(study: ReviewStudy) -> Iterator[Block]:
    if not study.results:
        return
    rows = [row for result in study.results for row in cells_of(study, result)]
    cells = tuple(
        (
            _lines(escaped(row.result.outcome), escaped(when_of(row.result))),
            _lines(escaped(row.arm.arm if row.arm else ""), "" if row.arm else escaped(row.cell.measure or "")),
            (row.what,),
            _lines(escaped(value_of(row.cell))),
            _lines(escaped(words_of_cell(row.cell)), escaped(row.cell.computed or "")),
            _lines(escaped(place_words(row.cell)), whose_words(row.result.text_origin)),
        )
        for row in rows[:MOST_CELLS]
    )
    header = ("Outcome", "Arm or measure", "What", "Number", "The words it came from", "Where, and whose words")
    yield Grid(f"Every number that was read: {len(rows)}", header, cells)
    if len(rows) > MOST_CELLS:
        yield Prose(f"{len(rows) - MOST_CELLS} more stand in `cells.csv`.")
    marks = dict.fromkeys(f"{one_line(r.outcome)}: {m.words}" for r in study.results for m in r.marks)
    if marks:
        yield Bullets(tuple(f"Mark: {escaped(one)}" for one in marks))


# --- flow, limits, references, method ---------------------------------------------------------------------------------


def flow(document: AnswerDocument, review: Review) -> Iterator[Section]:
    """The PRISMA 2020 flow as a picture and as a table."""
    picture = review_picture(document, review)
    tracks = review.flow.tracks
    rows = [row for t in tracks for row in _boxes(track_boxes(t, picture.found.get(t.track, {})))]
    rows += _boxes(joined_boxes(review.flow))
    grid = Grid("Numbers of the PRISMA 2020 flow diagram", ("Step", "n", "Left out"), tuple(rows))
    yield Section("flow", "Flow of records", (Figure(picture, "PRISMA 2020 flow diagram", instead=grid),))


def _boxes(boxes: Sequence[Box]) -> Iterator[tuple[Cell, ...]]:
    for box in boxes:
        out = tuple(f"{n:,}: {escaped(words)}" for words, n in box.left_out)
        yield _lines(escaped(box.words), *map(escaped, box.more)), (f"{box.n:,}",), out or ("",)


def limits(document: AnswerDocument, review: Review) -> Iterator[Section]:
    """Where the review is less than a systematic review, and what went less well."""
    told = [*map(escaped, review.limits), *map(escaped, document.method.degradations)]
    if document.record is None:
        told.append(WITHOUT_RECORD)
    if told:
        yield Section("limits", "Limits", (Bullets(tuple(told)),))


def references(document: AnswerDocument, styled: Mapping[int, Inline] | None = None) -> Iterator[Section]:
    """The studies that were read, numbered."""

    def printed(reference: Reference) -> Inline:
        return styled[reference.n] + remarks(reference) if styled is not None else render_reference(reference)

    items = tuple((one.n, printed(one)) for one in cited(document).references)
    if items:
        yield Section("references", "References: the studies that were read", (References(items),))


def screening(document: AnswerDocument, *, listed: bool = True) -> Iterator[Section]:
    """Every record with its decision, or where they are listed."""
    rows = screening_rows(document)
    if rows:
        header = ("Record", "Search", "Decision", "Why, in whose words")
        grid = Grid("Every record and its decision", header, tuple(map(_screened, rows)))
        yield Section("screening", f"Screening ({len(rows)})", (grid if listed else Prose(NOT_LISTED),))


def _screened(row: ScreeningRow) -> tuple[Cell, ...]:
    decision, work = row.one.decision, row.record.work
    criterion = f" ({escaped(decision.criterion)})" if decision and decision.criterion else ""
    reason = escaped(decision.reason) if decision else ""
    quotation = f"“{escaped(decision.quotation)}”" if decision and decision.quotation else ""
    return (
        _lines(escaped(work.title) or escaped(work.candidate_id), escaped(name_of(work))),
        (track_words(row.one.track),),
        (f"{decision_words(outcome_of(row))}{criterion}",),
        _lines(reason, quotation),
    )


def computed(review: Review) -> Iterator[Section]:
    """Every outcome with its numbers, and the formulae."""
    if review.outcomes:
        yield Section("computed", "Computed effects", inside=tuple(computed_sections(review.outcomes)))


def method(document: AnswerDocument) -> Section:
    """Sources, ranking, time."""
    lines = tuple(escaped(line) for line in method_lines(document) if not line.startswith("note: "))
    return Section("method", "Method", (Bullets(lines),))


def _lines(*lines: str) -> Cell:
    return tuple(filter(None, lines)) or ("not given",)
