"""What a question tells of one person before it asks, and what of it is only a detail: "CRP 30, on aspirin".

A source seldom says all that a doctor says of a patient. What restricts who is meant stays strict: every disease by
its name, pregnancy, an age, dialysis, a kidney or heart function that is low. The rest, where a source is silent on it,
makes its people wider than those asked about, and the answer's first sentence says that they were not told apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_contracts.question import EntityKind, PopulationKind, PopulationTerm, QuestionAnalysis
from openwork_knowledge.tables import words as words_of_table
from openwork_language.asking.figures import figures_in
from openwork_language.terms import find_terms

from openwork_answers.given import asking_from
from openwork_answers.opening import opening_people

_LEAST_NORMAL = {"eGFR": 60.0, "creatinine clearance": 60.0, "LVEF": 50.0}
"""From here on a figure restricts nobody: KDIGO 2024 (DOI 10.1016/j.kint.2023.10.018), G1 and G2; ESC 2021 (DOI
10.1093/eurheartj/ehab368), a preserved ejection fraction."""
_STRICT = frozenset({"gestational age", "age"})
_A_PERSON = re.compile(
    r"\b(?:he|she|his|her|him|hers|patient(?!s)|wom[ae]n|m[ae]n|lady|gentleman|girl|boy|husband|wife|mother|father)\b"
    r"|\b\d{1,3}-(?:year|month|week|day)s?-old\b",
    re.IGNORECASE,
)


def with_details(analysis: QuestionAnalysis, people: Sequence[PopulationTerm]) -> tuple[PopulationTerm, ...]:
    """The terms, those that are details of a person marked so; none where no disease is named that holds them."""
    people = [t.model_copy(update={"is_detail": True}) if _tells_little(t) else t for t in people]
    start = asking_from(analysis.question)
    if not start or not any(_anchors(term) for term in people):
        return tuple(people)
    opening = {(term.start, term.end) for term in opening_people(analysis, ())}
    of_a_person = _A_PERSON.search(analysis.question, 0, start) is not None
    return tuple(
        term.model_copy(update={"is_detail": True})
        if term.end <= start and (term.start, term.end) not in opening and _is_detail(term, of_a_person=of_a_person)
        else term
        for term in people
    )


def _tells_little(term: PopulationTerm) -> bool:
    """Whether a term says little of whom ("high-risk patients"), or is a figure of a measure that restricts nobody: "a
    cholesterol of 6.5"."""
    if term.name is not None or not term.wanted:
        return False
    words = _WORD.findall(term.text)
    if term.kind is PopulationKind.OTHER:
        return bool(words) and all(w.casefold() in _vague() for w in words)
    is_figure = term.kind is PopulationKind.CONDITION and _FIGURE.search(term.text) is not None
    return is_figure and not figures_in(term.text)


@cache
def _vague() -> frozenset[str]:
    return frozenset(words_of_table("everyday-health", "vague"))


_WORD = re.compile(r"[^\W\d_][\w-]*")


_FIGURE = re.compile(r"\b(?:of|at|is|was|around|about)\s+\d+(?:\.\d+)?$")


def _anchors(term: PopulationTerm) -> bool:
    """A disease by its name, which a source has to be about whatever else is told."""
    return term.kind is PopulationKind.CONDITION and term.wanted and term.name is not None


_UNLISTED = frozenset(
    {
        PopulationKind.OTHER,
        PopulationKind.CONDITION,
        PopulationKind.TIME_COURSE,
        PopulationKind.SETTING,
        PopulationKind.PEOPLE,
    }
)


def _is_detail(term: PopulationTerm, *, of_a_person: bool) -> bool:
    """Whether a term that is told before the asking is no more; words that no list knows are, of one person alone."""
    if not term.wanted:
        return term.kind is not PopulationKind.PREGNANCY
    if term.measure is not None:
        return _is_plain_figure(term)
    if term.kind is PopulationKind.TREATMENT:
        return all(one.kind is EntityKind.DRUG for one in find_terms(term.text))
    return of_a_person and term.name is None and term.kind in _UNLISTED


def _is_plain_figure(term: PopulationTerm) -> bool:
    """A figure that makes nobody another patient by itself: no age, no stage, no low kidney or heart function."""
    if term.kind is PopulationKind.STAGE or term.measure in _STRICT:
        return False
    least = _LEAST_NORMAL.get(term.measure or "")
    return least is None or (term.low is not None and term.low >= least)
