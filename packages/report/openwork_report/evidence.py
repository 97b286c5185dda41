"""The evidence table: what each study that the answer rests on asked of whom, and what it found.

`evidence_rows` is the one place that says where a row comes from: the results of the answer object, which are of what
was asked; for a work that it has none of, the work's fields in the record; else the effects that its claims cite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openwork_answers.figures_in_words import absolute_in_words, figures_in_words
from openwork_contracts.answer import AnswerDocument, Reference
from openwork_contracts.cells import ResultCell
from openwork_contracts.conclusion import StudyResult
from openwork_contracts.evidence import ArmResult, EffectEstimate, Measured, OutcomeResult
from openwork_contracts.record import CandidateRecord
from openwork_contracts.verdict import ClaimVerdict
from openwork_knowledge import designs

from openwork_report.bibliography.item import author
from openwork_report.words import STATUS_WORDS, one_line, whose_words

EFFECTS = frozenset({"HR", "RR", "OR", "RD", "IRR", "MD", "SMD", "ARR", "RRR", "VE"})
"""Measures of a cell that compare two arms; others are numbers of one arm, which say nothing by themselves."""
_OF_MEANS = frozenset({"MD", "SMD", "WMD"})
COUNTS_NOT_GIVEN = "counts per arm not given"
MOST_RESULTS = 20
"""Of a work's fields in a row; a registration posts hundreds, single adverse events among them."""
NOT_NAMED = "as the cited words say"
"""In place of the outcome of a number that was read in a text: its words say best what it is of."""


@dataclass(frozen=True, slots=True)
class Result:
    """One result of a study, in words."""

    outcome: str
    in_words: str
    """Arms, effect, interval: "386/2373 v 502/2371; HR 0.74 (95% CI 0.65 to 0.85)"."""


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One study; what is not known is `None` or empty."""

    n: int
    """Its number in the references."""
    study: str
    """First author or body, and year."""
    title: str
    design: str | None
    year: int | None
    sample_size: int | None
    """People analysed."""
    who: str | None
    """Who was studied, in the words of `whose_words`."""
    compared: tuple[str, ...]
    """Names of the arms, the experimental one first."""
    results: tuple[Result, ...]
    whose_words: str
    passages: tuple[str, ...]
    """The words that the answer's claims rest on, each once."""
    status: str
    pmid: str | None
    doi: str | None
    nct_id: str | None


def evidence_rows(document: AnswerDocument) -> tuple[EvidenceRow, ...]:
    """A row per cited work, in the order of the references. Without the record, who, arms and results are missing."""
    works = {work.candidate_id: work for work in document.record.candidates} if document.record else {}
    asked = document.conclusion.results if document.conclusion else ()
    return tuple(
        _row(reference, works.get(reference.id), document.answer.claims, [r for r in asked if r.n == reference.n])
        for reference in sorted(document.references, key=lambda r: r.n)
    )


def _row(
    reference: Reference,
    work: CandidateRecord | None,
    claims: tuple[ClaimVerdict, ...],
    asked: Sequence[StudyResult],
) -> EvidenceRow:
    own = [claim for claim in claims if reference.n in claim.citations]
    spans = [span.quote for claim in own for span in claim.evidence if span.n == reference.n]
    single = reference.study_design in designs.PRIMARY
    results = tuple(dict.fromkeys(_asked_result(one) for one in asked))
    if not results and work:
        results = tuple(_result(one, single=single) for one in work.results[:MOST_RESULTS])
        if (left := len(work.results) - MOST_RESULTS) > 0:
            results += (Result("further results of this record", f"{left}, not listed here"),)
    return EvidenceRow(
        n=reference.n,
        study=study_name(reference),
        title=reference.title,
        design=designs.label(reference.study_design),
        year=reference.year,
        sample_size=work.sample_size if work else None,
        who=work.population if work else None,
        compared=next((r.comparison for r in asked if r.comparison), ()) or (_compared(work) if work else ()),
        results=results or tuple(_cited_effects(own, reference.n)),
        whose_words=whose_words(reference.text_origin),
        passages=tuple(dict.fromkeys(map(one_line, spans))),
        status=STATUS_WORDS.get(reference.status, reference.status.value.replace("_", " ")),
        pmid=reference.pmid,
        doi=reference.doi,
        nct_id=reference.nct_id,
    )


def study_name(reference: Reference) -> str:
    """ "McMurray 2019": first author's family name, else the body, else the beginning of the title; and the year."""
    first = author(reference.authors[0]) if reference.authors else None
    name = first.family or first.literal if first else one_line(reference.collective_author)
    name = name or _beginning(reference.title)
    return f"{name} {reference.year}" if reference.year else name


def _beginning(title: str) -> str:
    words = one_line(title).split()
    return " ".join(words[:6]) + (" ..." if len(words) > 6 else "")


def _compared(work: CandidateRecord) -> tuple[str, ...]:
    names = [arm.name for arm in work.arms] or [arm.arm for result in work.results[:1] for arm in result.arms]
    return tuple(dict.fromkeys(map(one_line, names)))


def _asked_result(result: StudyResult) -> Result:
    outcome = f"{result.outcome}, {result.people}" if result.people else result.outcome
    told = (figures_in_words(result, counts=True), absolute_in_words(result))
    return Result(one_line(outcome), "; ".join(part for part in told if part))


def _result(result: OutcomeResult, *, single: bool) -> Result:
    """Of a single study that compares events it is said where the counts of its arms are not among the fields."""
    outcome = f"{result.outcome}, {result.time_point}" if result.time_point else result.outcome
    counts = [arm for arm in result.arms if arm.n is not None and arm.events is not None]
    arms = " v ".join(f"{arm.events}/{arm.n}" for arm in counts) if counts and len(counts) == len(result.arms) else ""
    arms = arms or _measured(result.arms)
    effect = _effect(result.effect) if result.effect else ""
    of_events = single and not arms and (result.effect is None or result.effect.measure.upper() not in _OF_MEANS)
    return Result(one_line(outcome), "; ".join(filter(None, (arms or of_events * COUNTS_NOT_GIVEN, effect))))


def _measured(arms: Sequence[ArmResult]) -> str:
    """ "mean -9.25 (SE 0.5) v -1.5 (SE 0.4) mm Hg"; empty where not every arm has a value."""
    values = [arm.measured for arm in arms if arm.measured is not None]
    if not values or len(values) < len(arms):
        return ""
    told = " v ".join(f"{one.value:g}{_dispersion(one)}" for one in values)
    return one_line(" ".join(filter(None, (values[0].kind, told, values[0].unit))))


def _dispersion(measured: Measured) -> str:
    numbers = [f"{number:g}" for number in (measured.low, measured.high) if number is not None]
    spread = f"{measured.spread:g}" if measured.spread is not None else " to ".join(numbers)
    return f" ({' '.join(filter(None, (measured.dispersion, spread)))})" if spread else ""


def _effect(effect: EffectEstimate) -> str:
    """The fields are numbers, which lose the zero of "0.70": all are printed with the decimals of the longest."""
    numbers = (effect.estimate, effect.ci_low, effect.ci_high)
    decimals = max(len(f"{number:g}".partition(".")[2]) for number in numbers if number is not None)
    estimate, low, high = ("" if number is None else f"{number:.{decimals}f}" for number in numbers)
    words = f"{effect.measure} {estimate}"
    if low and high:
        level = f"{100 * effect.ci_level:g}% CI " if effect.ci_level is not None else "interval, level not given: "
        words += f" ({level}{low} to {high})"
    return words + (f", p {_p(effect.p_value)}" if effect.p_value else "")


def _cited_effects(claims: list[ClaimVerdict], n: int) -> Iterator[Result]:
    """Effects in the cells of this study that its claims rest on, each once."""
    cells = [cell for claim in claims for cell in claim.cells if cell.place and cell.place.n == n]
    found = dict.fromkeys(_cell(cell) for cell in cells if (cell.measure or "").upper() in EFFECTS)
    return (Result(NOT_NAMED, words) for words in found)


def _cell(cell: ResultCell) -> str:
    words = f"{cell.measure} {cell.value}"
    if cell.interval:
        level = f"{cell.interval.level}% CI " if cell.interval.level else ""
        words += f" ({level}{cell.interval.low} to {cell.interval.high})"
    return words + (f", p {_p(cell.p_value)}" if cell.p_value else "")


def _p(printed: str) -> str:
    return printed if printed[:1] in "<>=≤≥" else f"= {printed}"
