"""PICO spans of an abstract by rules: who was studied, what was given, what was looked at, each with its place.

People are a noun of people with a number, a description or a condition beside it; treatments are known drugs and
procedures, and what stands where a treatment is named ("received X", "the effect of X on", "X versus Y"); outcomes are
what is said to change, to differ or to be measured. What was found once in an abstract is found again wherever it
stands. Spans in the sense of EBM-NLP (Nye 2018, DOI 10.18653/v1/P18-1019), on which it is measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from openwork_contracts.question import EntityKind
from openwork_knowledge.patterns import any_of
from openwork_knowledge.tables import table, words
from openwork_language.terms import find_terms


class SpanKind(StrEnum):
    """What a span names."""

    PEOPLE = "people"
    TREATMENT = "treatment"
    OUTCOME = "outcome"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) of the text."""

    kind: SpanKind
    start: int
    end: int


_WHO = any_of(words("pico-words", "people"))
_ENDS = any_of(words("pico-words", "ends"))
"""Words that end a noun phrase: verbs, and prepositions that lead on to something else."""
_VERBS = any_of(words("pico-words", "verbs"))
_NUMBERS = table("numbers")
_COUNT = rf"(?:\d[\d,]*|{any_of([*list(_NUMBERS.values('small'))[1:], *_NUMBERS.values('tens')])})"
_WORD = r"\w(?:[\w'/%+-]|\.(?=\w))*"
_DESCRIBED = (
    r"(?:with|without|who(?:\s+(?:had|have|has|were|are|was|did|do|not))*|whose|aged|undergoing|having|suffering|requiring|"
    r"scheduled|at\s+(?:high\s+)?risk|admitted|hospitali[sz]ed|presenting|diagnosed|treated\s+for|after)"
)
_UNTIL = (
    r"(?:were|was|are|is|received|participated|completed|entered|took|to\s+receive|to\s+(?!\d)\w+|randomi[sz]ed|randomly|"
    rf"in\s+a|in\s+this|by|using|during|compared|we|and\s+to|but|whereas|while|that|than|{_VERBS})"
)
"""What ends the description of people: a verb, or what was done with them."""
_MORE = rf",?\s*\b{_DESCRIBED}\s+[^\s.;:]+[^.;:]*?(?=\s*(?:[.;:]|,?\s+{_UNTIL}\b|$))"
_MANY = rf"(?:a total of )?{_COUNT}(?: hundred)?(?: and)?(?:[ -]{_COUNT}){{0,3}}\s+"
_SUCH = rf"(?:(?!{_ENDS}\b|{_WHO}\b){_WORD},?\s+){{0,4}}?"
_PEOPLE = re.compile(
    rf"\b(?P<count>{_MANY})?(?P<such>{_SUCH})(?:{_WHO})\b(?:\s*\([^()]{{1,80}}\))?(?P<more>{_MORE})?", re.IGNORECASE
)
_TREATED = re.compile(
    r"\b(?:treatment|management|therapy|prevention)\s+of\s+(?:acute\s+|chronic\s+|severe\s+|moderate\s+)*",
    re.IGNORECASE,
)
_INNER = rf"(?!(?:{_ENDS}|{_WHO})\b){_WORD}"
_PHRASE = rf"(?P<np>(?!(?:{_ENDS}|{_WHO})\b)(?:{_WORD}\s+)?(?:{_INNER}\s+){{0,4}}?(?!(?:{_ENDS})\b){_WORD})"
_STOP = rf"(?=\s*(?:[.,;:()\[\]]|$)|\s+(?:{_ENDS}|or|and|group|groups|arm|arms|therapy|treatment|alone|{_COUNT})\b)"
_GIVEN = re.compile(
    r"\b(?:received?|receiving|given|assigned\s+to|allocated\s+to|randomi[sz]ed\s+to(?:\s+receive)?|treated\s+with|treatment\s+with|"
    r"therapy\s+with|administration\s+of|supplementation\s+with|effects?\s+of|efficacy\s+of|safety\s+of|"
    r"effectiveness\s+of|comparison\s+of|trial\s+of|versus|vs\.?|compared\s+(?:with|to)|role\s+of|use\s+of|addition\s+of)\s+"
    rf"(?:(?:the|a|an|either|both|oral|low-dose|high-dose|intravenous)\s+)*{_PHRASE}{_STOP}",
    re.IGNORECASE,
)
_CHANGED = any_of(words("pico-words", "changed"))
_BEFORE = re.compile(
    rf"(?:^|[.;:,(]\s*|\b(?:{_ENDS}|the|that|and|no)\s+){_PHRASE}(?P<of>\s+of\s+(?:(?!(?:{_ENDS})\b){_WORD}\s*){{1,4}}?)?"
    rf"\s*(?:\([^()]*\)\s*)?\s+(?:was|were|is|are|did|had|has|have|remained|significantly|{_CHANGED})\s+(?:(?:not|also|significantly|statistically|"
    rf"similarly|markedly|slightly|found|to|be|more|less|no|been|then)\s+)*(?:{_CHANGED})\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\b(?:effects?\s+on|on|differences?\s+in|changes?\s+in|improvements?\s+in|improved|reductions?\s+in|reduced|reduces|decreases?\s+in|"
    r"increases?\s+in|increased|incidence\s+of|rates?\s+of|risk\s+of|assess(?:ed|ing)?|evaluat(?:e|ed|ing)|measur(?:e|ed|ing)|"
    r"(?:outcomes?|end\s?points?)(?:\s+measures?)?\s+(?:was|were|included?))\s+(?:(?:the|a|in|patients')\s+)*"
    rf"{_PHRASE}(?:\s+(?:and|or)\s+(?:(?!(?:{_ENDS}|{_WHO})\b){_WORD}\s+){{0,3}}?{_WORD})?{_STOP}",
    re.IGNORECASE,
)
_LISTED = re.compile(rf"\b{any_of(words('pico-words', 'outcomes'))}\b", re.IGNORECASE)
_NO_NAME = frozenset(words("pico-words", "names nothing"))
_IS_A_GROUP = re.compile(rf"^(?:{_COUNT}\b|only\b|each\b|their\b|no\b)|\b(?:groups?|arms?|controls?)(?:\s\w{{1,2}})?$")
"""Says that there are arms, and names none."""
_LEAST_NAME = 4


def pico_spans(text: str) -> tuple[Span, ...]:
    """The spans of an abstract in the order of its text; none overlaps another, people before treatments before
    outcomes where two would."""
    people = people_spans(text)
    treatments = [Span(SpanKind.TREATMENT, *place) for place in _everywhere(text, _treatments(text))]
    outcomes = [Span(SpanKind.OUTCOME, *place) for place in _everywhere(text, _outcomes(text))]
    kept: list[Span] = []
    for span in (*people, *treatments, *sorted(outcomes, key=lambda one: one.start - one.end)):
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    return tuple(sorted(kept, key=lambda span: span.start))


def people_spans(text: str) -> tuple[Span, ...]:
    """Those of people alone, as they are found."""
    return tuple(Span(SpanKind.PEOPLE, *place) for place in _people(text))


def _people(text: str) -> Iterator[tuple[int, int]]:
    for match in _PEOPLE.finditer(text):
        if match["count"] or match["such"].strip() or match["more"]:
            yield match.start(), len(match[0].rstrip()) + match.start()
    for match in _TREATED.finditer(text):
        for term in find_terms(text[match.end() : match.end() + 60]):
            if term.kind is EntityKind.DISEASE and term.start == 0:
                yield match.end(), match.end() + term.end


def _treatments(text: str) -> Iterator[tuple[int, int]]:
    for term in find_terms(text):
        if term.kind in (EntityKind.DRUG, EntityKind.PROCEDURE):
            yield term.start, term.end
    for match in re.finditer(r"\bplacebo\b", text, re.IGNORECASE):
        yield match.span()
    for match in _GIVEN.finditer(text):
        yield match.span("np")


def _outcomes(text: str) -> Iterator[tuple[int, int]]:
    for match in _LISTED.finditer(text):
        yield match.span()
    for match in _BEFORE.finditer(text):
        yield match.start("np"), match.end("of") if match["of"] else match.end("np")
    for match in _AFTER.finditer(text):
        yield match.start("np"), match.end()


def _everywhere(text: str, places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Each place, and every other one with the same words."""
    names = {text[start:end].strip(" ,.").casefold() for start, end in places}
    names = {one for one in names if len(one) >= _LEAST_NAME and one not in _NO_NAME and not _IS_A_GROUP.search(one)}
    for name in sorted(names, key=len, reverse=True):
        for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE):
            yield match.span()
