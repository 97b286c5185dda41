"""Judges answers against the rows, and counts both sides: what rightly is so, and what wrongly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from openwork_answers.forms import lines_of
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_evidence.library.record import load_shipped

from tests.eval.answers.questions import Question
from tests.eval.answers.reading import Reading, holds, holds_all, read, words_in

MOST_WORDS = 150
"""Before the table; issue 14."""
_ABSENT = (
    "not found | nothing | no evidence | no study | no studies | no trial | no record | no source | no result | none of"
    " | too little evidence | excluded | contraindicated | not included | did not include | did not enrol | no randomi"
    " | no head-to-head"
)
_UNTOLD = "not told apart | no direct comparison"
_ABSOLUTE = re.compile(
    r"\d (?:fewer|more)\b|\bnn[th]\b|number needed|absolute (?:risk|difference)|percentage points?\b"
)
"""A difference, never a rate: "26.9 per 1,000 patient-years" is none."""
_NO_COUNTS = "counts not published | counts not reported | counts not given | not published | without counts"
_ENDED = (RunStatus.ANSWERED, RunStatus.TOO_LITTLE_EVIDENCE, RunStatus.REJECTED)


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer, judged. `None` = does not apply to this row."""

    row: Question
    status: str
    ended: bool
    """Came to an end of its own: not failed, refused or cancelled."""
    silent: bool
    names_absence: bool
    """Silent, or its first sentence says that nothing was found about these people."""
    names_untold: bool
    """The same, or its first sentence says what of the question is not told, or that no two were compared in them."""
    figure: bool | None
    """What must stand there stands in the first part or its table."""
    nearest: bool | None
    """The same, or it stands below the statement that nothing answers, as what stands nearest."""
    anywhere: bool | None
    arms: bool | None
    absolute: bool | None
    """Counts are on record: an absolute difference or a number needed to treat stands in front."""
    no_counts: bool | None
    """Counts are not on record: the answer says so, or gives an absolute difference."""
    harm: bool | None
    verdict: bool | None
    """The verdict is one of those that are right; `None` where the document names none."""
    cites: bool | None
    """Cites one of the records."""
    leads: bool | None
    """What leads is a result of one of the records; `None` = nothing leads, or the row names no record."""
    forbidden: tuple[str, ...]
    words: int
    """Before the table."""
    told: bool | None
    """Every sentence that follows from the answer object stands in the answer; `None` = it has none."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A line of the table: of `n` answers, `right` and `wrong`; the rest is neither."""

    name: str
    n: int
    right: int
    wrong: int
    wanted: str = ""


def judge(row: Question, document: AnswerDocument) -> Judged:
    """An answer against its row."""
    reading = read(document)
    is_effect = row.kind in ("outcome", "population") and row.covered
    counted = row.counted if is_effect else None
    has_absolute = _ABSOLUTE.search(reading.front) is not None
    return Judged(
        row=row,
        status=document.status.value,
        ended=document.status in _ENDED,
        silent=reading.silent,
        names_absence=reading.silent or _says_absent(row, reading),
        names_untold=reading.silent or _says_absent(row, reading) or holds(reading.first_sentence, _UNTOLD),
        figure=_any(reading.front, row.must),
        nearest=_any(reading.whole if reading.silent else reading.front, row.must),
        anywhere=_any(reading.whole, row.must),
        arms=_any(reading.front, row.arms),
        absolute=None if counted is not True else not reading.silent and has_absolute,
        no_counts=None if counted is not False else has_absolute or holds(reading.front, _NO_COUNTS),
        harm=_names_harm(row, reading) if is_effect else None,
        verdict=None if reading.verdict is None or not row.verdicts else reading.verdict in row.verdicts,
        cites=_cites(row, document) if row.records else None,
        leads=_leads(row, document) if row.records else None,
        forbidden=() if reading.silent else tuple(text for text in row.must_not if _forbidden(reading.first, text)),
        words=words_in(reading.first),
        told=None if reading.silent else _tells_all(document),
    )


def is_missed(judged: Judged) -> bool:
    """Whether the answer is not what its row asks for."""
    row = judged.row
    if row.kind == "outside":
        return not judged.silent
    if not row.covered:
        return not judged.names_absence
    return not judged.figure or bool(judged.forbidden)


def measures(judged: Sequence[Judged], kind: str) -> list[Measure]:
    """The lines of a kind; rows of other kinds are left out."""
    of_kind = [one for one in judged if one.row.kind == kind]
    covered = [one for one in of_kind if one.row.covered]
    uncovered = [one for one in of_kind if not one.row.covered]
    if kind == "outside":
        return [_measure("silence", uncovered, lambda j: j.silent, ">= 98 %"), *_common(uncovered)]
    lines = [
        _measure("figure or words in first part or table", covered, lambda j: j.figure, wanted=">= 95 %"),
        *_halves(covered),
        _measure("  or as the nearest to what nothing answers", covered, lambda j: j.nearest),
        _measure("figure or words anywhere in the answer", covered, lambda j: j.anywhere),
        _measure("answered, as the library can", covered, lambda j: not j.silent),
        _measure("cites a work that the answer rests on", covered, lambda j: j.cites),
        _measure("what leads is of such a work", covered, lambda j: j.leads),
        _measure("  where the figure is missed all the same", [j for j in covered if is_missed(j)], lambda j: j.leads),
    ]
    if kind != "kinds":
        lines += _effects(covered)
    if uncovered:
        absent = _measure("people not covered: silence, or said first", uncovered, lambda j: j.names_absence, "100 %")
        untold = _measure("  or said first what is not told", uncovered, lambda j: j.names_untold)
        lines += [absent, untold, _measure("people not covered: silence", uncovered, lambda j: j.silent)]
    return [*lines, *_common(of_kind)]


def table(judged: Sequence[Judged], kinds: Iterable[str]) -> str:
    """Every kind's lines, as text."""
    lines = [f"{'':<11} {'measure':<46} {'n':>4} {'right':>6} {'wrong':>6} {'':>6}  wanted"]
    for kind in kinds:
        for one in filter(lambda measure: measure.n, measures(judged, kind)):
            share = f"{100 * one.right / one.n:.0f} %"
            lines.append(f"{kind:<11} {one.name:<46} {one.n:>4} {one.right:>6} {one.wrong:>6} {share:>6}  {one.wanted}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _halves(judged: Sequence[Judged]) -> list[Measure]:
    return [
        _measure(f"  of which half {half}", [j for j in judged if j.row.topic_half == half], lambda j: j.figure)
        for half in ("a", "b")
    ]


def _effects(judged: Sequence[Judged]) -> list[Measure]:
    return [
        _measure("figures of both arms in front", judged, lambda j: j.arms),
        _measure("counts on record: absolute effect in front", judged, lambda j: j.absolute, ">= 70 %"),
        _measure("counts not on record: said, or absolute effect", judged, lambda j: j.no_counts, "100 %"),
        _measure("a harm named in front", judged, lambda j: j.harm, "100 %"),
    ]


def _common(judged: Sequence[Judged]) -> list[Measure]:
    answered = [one for one in judged if not one.silent and one.ended]
    return [
        _measure("verdict named by the answer is right", judged, lambda j: j.verdict),
        _measure("answered: nothing that must not stand there", answered, lambda j: not j.forbidden, "100 %"),
        _measure(f"answered: at most {MOST_WORDS} words before the table", answered, lambda j: j.words <= MOST_WORDS),
        _measure("answered: no sentence of the answer object lost", answered, lambda j: j.told, "100 %"),
        _measure("ended of its own", judged, lambda j: j.ended, "100 %"),
    ]


def _measure(name: str, judged: Iterable[Judged], found: Callable[[Judged], bool | None], wanted: str = "") -> Measure:
    values = [value for value in map(found, judged) if value is not None]
    return Measure(name, len(values), sum(values), len(values) - sum(values), wanted)


def _any(text: str, alternatives: tuple[tuple[str, ...], ...]) -> bool | None:
    return any(holds_all(text, one) for one in alternatives) if alternatives else None


def _says_absent(row: Question, reading: Reading) -> bool:
    sentence = reading.first_sentence
    return holds(sentence, _ABSENT) and (not row.people or holds(sentence, " | ".join(row.people)))


def _names_harm(row: Question, reading: Reading) -> bool:
    return reading.has_harms or holds(reading.front, " | ".join(("harm", *row.harm)))


def _forbidden(first: str, text: str) -> bool:
    return holds(first.split(maxsplit=1)[0] if first else "", text[1:]) if text.startswith("^") else holds(first, text)


def _tells_all(document: AnswerDocument) -> bool | None:
    """Whether the gate kept every form: one that it drops is a fault of the form, or of the gate."""
    lines = lines_of(document.conclusion) if document.conclusion is not None else ()
    said = {claim.text for claim in document.answer.claims}
    return all(line.text in said for line in lines) if lines else None


def _cites(row: Question, document: AnswerDocument) -> bool:
    titles = _titles()
    wanted = {titles[key] for key in row.records}
    return any(reference.title.casefold() in wanted for reference in document.references)


def _leads(row: Question, document: AnswerDocument) -> bool | None:
    lead = document.conclusion.lead if document.conclusion is not None else None
    titles = {reference.n: reference.title.casefold() for reference in document.references}
    if lead is None or lead.n not in titles:
        return None
    return titles[lead.n] in {_titles()[key] for key in row.records}


@cache
def _titles() -> dict[str, str]:
    return {record.key: record.title.casefold() for record in load_shipped()}
