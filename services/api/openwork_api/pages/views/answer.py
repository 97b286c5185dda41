"""An answer as its page shows it: verdict first, then figures, people, harm, certainty, studies, and how it came."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openwork_answers.figures_in_words import effect_in_words, short_arm
from openwork_answers.table import HEADER, IN_WORDS, table_of
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, StudyResult
from openwork_report.evidence import evidence_rows
from openwork_report.words import one_line

from openwork_api.pages.views.interval import Interval, interval_of
from openwork_api.pages.views.sentences import Arranged, Cite, Citing, Part, Sentence, arranged
from openwork_api.pages.views.verdicts import Mark, mark_of_answer

_OPENING = re.compile(
    r"(?:Yes|No|Harm|Found|Not shown|Little or no difference|Results conflict)\b[^:]{0,400}: (?=\S)", re.DOTALL
)
_ISSUED = re.compile(r"([^:]{2,80} \d{4}): (?=\S)")
_FACT = re.compile(r"(Harms?|Harm, less frequent|Certainty)(?::)? (?=\S)")
_PERSON_TIME = re.compile(r" per [\d,]* ?person-\w+")
_CONTRAST = "By contrast, "
_NO_FIGURES = frozenset(
    {ConclusionVerdict.RECOMMENDATION, ConclusionVerdict.DESCRIPTION, ConclusionVerdict.CONFLICTING}
)
"""Verdicts that rest on no single result: none of several stands out in large figures."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the leading result, as the checked sentence has it."""

    name: str
    value: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A line beside its name: harms, certainty, who was studied."""

    name: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A study of the table."""

    cite: Cite
    study: str
    people: str
    compared: str
    outcome: tuple[str, ...]
    """A line per result."""
    harm: str


@dataclass(frozen=True, slots=True)
class Side:
    """One of the results that oppose each other."""

    name: str
    words: str
    cite: Cite | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Results side by side."""

    about: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What stands above the references."""

    mark: Mark
    headline: Sentence | None
    """The verdict in words, larger than all else."""
    label: str
    """Whose recommendation it is, before the headline."""
    lead: tuple[Sentence, ...]
    """What follows the headline in the same sentence, and the sentences that belong to it."""
    sides: tuple[Side, ...]
    """In the place of `lead`, where results of the question itself oppose each other."""
    figures: tuple[Figure, ...]
    interval: Interval | None
    facts: tuple[Fact, ...]
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    rows_are_nearest: bool
    """They are of what stands nearest to a question that nothing answers, and come behind the words for it."""
    conflicts: tuple[Conflict, ...]
    parts: tuple[Part, ...]
    last_words: str
    """Markdown."""


def answer_view(document: AnswerDocument) -> AnswerView:
    """The answer of a document, or what its reader is told in the place of one."""
    citing, order = Citing(document), arranged(document)
    lead = _lead_of(document, order)
    headline, label, sentences = _opening(document, citing, order, lead)
    claim = document.answer.claims[lead].text if lead is not None else ""
    result = document.conclusion.lead if document.conclusion else None
    told = result if result and not (document.conclusion and document.conclusion.verdict in _NO_FIGURES) else None
    sides = tuple(_sides(document, citing, order, lead))
    figures = tuple(_figures(told, claim)) if told else ()
    return AnswerView(
        mark=mark_of_answer(document.status, document.conclusion),
        headline=headline,
        label=label,
        lead=sentences if not sides else (),
        sides=sides,
        figures=figures,
        interval=interval_of(told) if told and any(one.name == EFFECT for one in figures) else None,
        facts=tuple(_facts(document, citing, order, told)),
        header=HEADER,
        rows=tuple(_rows(document.conclusion, citing)),
        rows_are_nearest=bool(document.conclusion and document.conclusion.nearest_told),
        conflicts=tuple(_conflicts(document, citing)),
        parts=tuple(_parts(citing, order)),
        last_words=order.last_words,
    )


def _lead_of(document: AnswerDocument, order: Arranged) -> int | None:
    """The first sentence that cites: those before it say what was not found."""
    return next((place for place in order.direct if document.answer.claims[place].citations), None)


def _opening(
    document: AnswerDocument, citing: Citing, order: Arranged, lead: int | None
) -> tuple[Sentence | None, str, tuple[Sentence, ...]]:
    """Headline, its label, and what is said with it."""
    claims = document.answer.claims
    rest = tuple(citing.sentence(place) for place in order.direct if not _FACT.match(claims[place].text))
    if not order.direct or lead is None:
        return (rest[0], "", rest[1:]) if rest else (None, "", ())
    if lead > order.direct[0]:
        return rest[0], "", rest[1:]
    others = tuple(citing.sentence(p) for p in order.direct[1:] if not _FACT.match(claims[p].text))
    text = claims[lead].text
    if found := _OPENING.match(text):
        return Sentence(found[0].rstrip()), "", (citing.sentence(lead, without=found[0]), *others)
    if found := _ISSUED.match(text):
        return citing.sentence(lead, without=found[0]), found[1], others
    if document.conclusion and document.conclusion.verdict is ConclusionVerdict.DESCRIPTION:
        return None, "", rest
    return rest[0], "", rest[1:]


EFFECT = "Relative effect"


def _figures(result: StudyResult, checked: str) -> Iterator[Figure]:
    """Figures that the checked sentence has word for word, and no others."""
    shares = _shares(result)
    if shares and shares in checked:
        sides = " v ".join(map(short_arm, result.comparison))
        unit = _PERSON_TIME.match(checked, checked.index(shares) + len(shares))
        yield Figure("Events", shares, f"{unit[0].strip()}, {sides}" if unit else sides)
    if result.absolute and result.absolute.words in checked:
        yield Figure("Absolute difference", *_split(result.absolute.words))
        if result.absolute.number_needed and result.absolute.number_needed in checked:
            yield Figure("Number needed", *_split(result.absolute.number_needed))
    if result.effect and (words := effect_in_words(result.effect)) in checked:
        yield Figure(EFFECT, *_split(words))


def _shares(result: StudyResult) -> str:
    told = []
    for arm in result.arms:
        if arm.percent is not None:
            told.append(arm.percent if arm.per else f"{arm.percent}%")
        elif arm.events is not None and arm.n:
            told.append(f"{100 * arm.events / arm.n:.1f}%")
        elif arm.measured is not None:
            told.append(arm.measured)
    return " v ".join(told) if len(told) == 2 else ""


def _split(words: str) -> tuple[str, str]:
    """What stands in brackets at the end apart."""
    value, bracket, interval = words.partition(" (")
    return (value, interval.removesuffix(")")) if bracket else (words, "")


def _facts(document: AnswerDocument, citing: Citing, order: Arranged, lead: StudyResult | None) -> Iterator[Fact]:
    if lead is not None:
        row = next((row for row in evidence_rows(document) if row.n == lead.n), None)
        people = f"{row.sample_size:,} people." if row and row.sample_size else ""
        words = one_line(row.who) if row and row.who else people
        if words:
            yield Fact("Studied in", (Sentence(words[:600], (citing.mark(lead.n, f"people-{lead.n}"),)),))
    for place in order.direct:
        found = _FACT.match(document.answer.claims[place].text)
        if found and place != _lead_of(document, order):
            sentence = citing.sentence(place, without=found[0])
            yield Fact(found[1], (Sentence(_capital(sentence.text), sentence.cites),))


def _capital(text: str) -> str:
    """A line that begins after its name, as a sentence does; a name such as "eGFR" stays."""
    word = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if word.islower() else text


def _rows(conclusion: Conclusion | None, citing: Citing) -> Iterator[TableRow]:
    if conclusion is None:
        return
    outcomes: dict[int, list[str]] = {}
    for result in conclusion.results:
        outcomes.setdefault(result.n, []).append(result.outcome)
    for row in table_of(conclusion):
        study, people, compared, outcome, harm = row.cells
        lines = _lines(outcome, outcomes.get(row.n, ()))
        yield TableRow(
            citing.mark(row.n, f"t{row.n}"), study.removesuffix(f" [{row.n}]"), people, compared, lines, harm
        )


def _lines(cell: str, outcomes: Sequence[str]) -> tuple[str, ...]:
    """The results of a cell apart: each begins with the name of its outcome."""
    begins = "|".join(sorted(map(re.escape, dict.fromkeys((*outcomes, IN_WORDS))), key=len, reverse=True))
    return tuple(re.split(rf"; (?=(?:{begins})(?: in | with |: ))", cell))


def _conflicts(document: AnswerDocument, citing: Citing) -> Iterator[Conflict]:
    for place, one in enumerate(document.gap.contradictions if document.gap else (), 1):
        halves = one.summary.split(", while ", 1)
        sides = (
            _side(text, n, citing, f"c{place}-{n}") for text, n in zip(halves, (one.first, one.second), strict=False)
        )
        yield Conflict(f"{one.comparison}: {one.outcome}" if one.comparison else one.outcome, tuple(sides))


def _sides(document: AnswerDocument, citing: Citing, order: Arranged, lead: int | None) -> Iterator[Side]:
    """The checked sentences of a verdict that results conflict: one beside the other, and no vote."""
    claims = document.answer.claims
    if lead is None or not document.conclusion or document.conclusion.verdict is not ConclusionVerdict.CONFLICTING:
        return
    found = _OPENING.match(claims[lead].text)
    others = [place for place in order.direct if claims[place].text.startswith(_CONTRAST)]
    if not found or not others:
        return
    rest = [p for p in order.direct if p not in (lead, *others) and not _FACT.match(claims[p].text)]
    for place in (lead, *others, *rest):
        sentence = citing.sentence(place, without=found[0] if place == lead else _CONTRAST)
        cite = sentence.cites[0] if sentence.cites else None
        name = citing.names.get(cite.n, "") if cite else ""
        yield Side(name, _capital(sentence.text), cite)


def _side(text: str, n: int, citing: Citing, key: str) -> Side:
    name = citing.names.get(n)
    return Side(name or f"Source {n}", _capital(text.strip().removeprefix(f"[{n}] ")), citing.mark(n, key))


def _parts(citing: Citing, order: Arranged) -> Iterator[Part]:
    for place, (heading, claims) in enumerate(order.sections):
        key = re.sub(r"[^a-z]+", "-", heading.lower()).strip("-") or f"part-{place}"
        yield Part(key, heading or "More of the answer", tuple(map(citing.sentence, claims)))
