"""What stands in a whole document, in the order in which it is read: answer, table, limits, references, how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from openwork_contracts.answer import AnswerDocument, Reference
from openwork_contracts.evidence import EvidenceStatus
from openwork_contracts.record import CandidateRecord
from openwork_contracts.verdict import ClaimVerdict

from openwork_report.evidence import EvidenceRow, evidence_rows
from openwork_report.figures.groups import forest_groups
from openwork_report.held_back import held_back_parts
from openwork_report.markdown import escaped
from openwork_report.prisma import FlowStep, PrismaFlow, prisma_flow
from openwork_report.render import DISCLAIMER, method_lines, remarks, render_reference
from openwork_report.review.content import whole_review
from openwork_report.searched import searched_section
from openwork_report.tables import excluded_works
from openwork_report.whole.parts import Bullets, Cell, Figure, Grid, Inline, Prose, References, Section, Whole
from openwork_report.words import one_line, run_status_words, whose_words, why_out

WITHOUT_RECORD = (
    "The record of the run (searches, every record found, passages) is not in the file that this was made from: "
    "`openwork export RUN_ID` makes it whole while the run is stored."
)
SHARED = "Published results of one comparison and outcome, as {measure}; not pooled"
NOT_LISTED = Prose(
    "They are not listed here: `openwork export RUN --format csv --table excluded` names each with its reason."
)


def whole(document: AnswerDocument, *, styled: Mapping[int, Inline] | None = None, excluded: bool = True) -> Whole:
    """The document in its parts; a part of which nothing is known is left out. A review has parts of its own.

    Args:
        styled: references in a style, by number; without it they are as the answer prints them.
        excluded: whether every record that was found and is not cited is listed.
    """
    if document.review is not None:
        return whole_review(document, document.review, styled=styled, listed=excluded)
    day = f"asked {document.submitted_at:%Y-%m-%d %H:%M} UTC" if document.submitted_at else ""
    status = run_status_words(document.status)
    sections = (
        Section("answer", "Answer", (Prose(document.answer.markdown or "_No answer._"),)),
        *_evidence(document),
        *_limits(document),
        *_references(document, styled),
        *_held_back(document),
        Section("how", "How this came about", inside=tuple(_how(document, excluded=excluded))),
    )
    return Whole(
        title=one_line(document.question),
        facts=tuple(filter(None, (status, day, f"run {one_line(document.run_id)}"))),
        sections=sections,
        disclaimer=DISCLAIMER,
    )


def _evidence(document: AnswerDocument) -> Iterator[Section]:
    rows = evidence_rows(document)
    if rows:
        header = ("Study", "Design", "People", "Compared", "Outcome and result", "Whose words")
        grid = Grid("The works that the answer cites", header, tuple(map(_study, rows)))
        plots = (Figure(group, SHARED.format(measure=group.measure)) for group in forest_groups(document))
        yield Section("evidence", "The evidence, study by study", (grid, *plots))


def _study(row: EvidenceRow) -> tuple[Cell, ...]:
    people = (f"n = {row.sample_size:,}" if row.sample_size else "", escaped(row.who or ""))
    results = [f"{escaped(one.outcome)}: {escaped(one.in_words)}" for one in row.results]
    warning = f"**{row.status}**" if row.status.isupper() else ""
    return (
        _lines(f"{escaped(row.study)} [{row.n}]", warning),
        _lines(row.design or ""),
        _lines(*people),
        _lines(escaped(" v ".join(row.compared))),
        _lines(*results),
        _lines(escaped(row.whose_words)),
    )


def _lines(*lines: str) -> Cell:
    return tuple(filter(None, lines)) or ("not given",)


def _limits(document: AnswerDocument) -> Iterator[Section]:
    lines = [f"Not found: {escaped(text)}" for text in (document.gap.missing_elements if document.gap else ())]
    lines += map(escaped, document.method.degradations)
    unchecked = sum(r.status is EvidenceStatus.NOT_CHECKED for r in document.references)
    if unchecked:
        lines.append(f"Whether they were retracted was not checked for {unchecked} of {_n(document.references)}")
    if document.record is None:
        lines.append(WITHOUT_RECORD)
    if lines:
        yield Section("limits", "Limits of the search", (Bullets(tuple(lines)),))


def _n(references: Sequence[Reference]) -> str:
    return f"{len(references)} references"


def _references(document: AnswerDocument, styled: Mapping[int, Inline] | None) -> Iterator[Section]:
    def printed(reference: Reference) -> Inline:
        return styled[reference.n] + remarks(reference) if styled is not None else render_reference(reference)

    items = tuple((r.n, printed(r)) for r in document.references)
    if items:
        yield Section("references", "References", (References(items),))


def _held_back(document: AnswerDocument) -> Iterator[Section]:
    if document.withheld:
        parts = ("These sentences of the draft did not pass the check.", *held_back_parts(document.withheld))
        yield Section("withheld", "Held back", (Prose("\n\n".join(parts)),))


# --- how ------------------------------------------------------------------------------------------------------------


def _how(document: AnswerDocument, *, excluded: bool) -> Iterator[Section]:
    if rests := tuple(_rests(document.answer.claims)):
        grid = Grid("Checked sentences", ("Sentence", "Text that it rests on", "Whose words"), rests)
        yield Section("checks", "What each sentence rests on", (grid,))
    yield from searched_section(document)
    yield from _flow(prisma_flow(document))
    if out := excluded_works(document):
        columns_out = ("Record", "Year", "Why it is not cited", "Found in")
        blocks = (Grid("Records and reasons", columns_out, tuple(map(_excluded, out))),) if excluded else (NOT_LISTED,)
        yield Section("excluded", f"Found and not cited ({len(out)})", blocks)
    lines = tuple(escaped(line) for line in method_lines(document) if not line.startswith("note: "))
    yield Section("method", "Method", (Bullets(lines),))


def _excluded(work: CandidateRecord) -> tuple[Cell, ...]:
    sources = dict.fromkeys(found.source for found in work.provenance)
    return (
        _lines(escaped(work.title) or escaped(work.candidate_id)),
        (str(work.year or ""),),
        _lines(escaped(why_out(work.decision, work.reason))),
        _lines(escaped(", ".join(sources))),
    )


def _rests(claims: Sequence[ClaimVerdict]) -> Iterator[tuple[Cell, ...]]:
    for claim in claims:
        if claim.evidence:
            marks = "".join(f"[{n}]" for n in claim.citations)
            origins = dict.fromkeys(whose_words(span.text_origin) for span in claim.evidence)
            words = (f"[{span.n}] {escaped(span.quote)}" for span in claim.evidence)
            yield _lines(f"{escaped(claim.text)} {marks}"), _lines(*words), _lines(*map(escaped, origins))


def _flow(flow: PrismaFlow) -> Iterator[Section]:
    if not flow.steps:
        return
    found = ", ".join(f"{escaped(source)} {n}" for source, n in flow.found.items())
    texts = f"Full texts looked for: {flow.fulltexts_sought}; read: {flow.fulltexts_read}"
    notes = (f"Records by source: {found}" if found else "", texts if flow.fulltexts_sought else "", *_missing(flow))
    grid = Grid("Numbers of the PRISMA 2020 flow diagram", ("Step", "n", "Left out"), tuple(map(_step, flow.steps)))
    lines = tuple(filter(None, notes))
    picture = Figure(flow, "PRISMA 2020 flow diagram", instead=grid)
    yield Section("flow", "Flow of records", (picture, *((Bullets(lines),) if lines else ())))


def _missing(flow: PrismaFlow) -> Iterator[str]:
    return (f"Not known: {text}" for text in flow.missing)


def _step(step: FlowStep) -> tuple[Cell, ...]:
    out = tuple(f"{one.n}: {escaped(one.reason)}" for one in step.left_out)
    return _lines(step.words), _lines(str(step.n)), out or ("",)
