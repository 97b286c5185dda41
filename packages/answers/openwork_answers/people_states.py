"""States that people are in, by whatever name or definition: "septic shock" is sepsis that needs vasopressors.

`people-states.tsv` has how they stand to each other, `people-names.tsv` how they are named and how studies define them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from openwork_contracts.conclusion import Fit
from openwork_contracts.question import EntityKind, PopulationKind, PopulationTerm
from openwork_knowledge.phrases import Mention, Phrases
from openwork_knowledge.tables import table
from openwork_language.abbreviations import meanings_of
from openwork_language.asking.figures import figures_in
from openwork_language.asking.intervals import of_intervals
from openwork_language.asking.of_others import relation_before
from openwork_language.asking.people import OF_WHOM, Told, clauses, is_counted, whom
from openwork_language.mentions import idea_tokens
from openwork_language.searching.information import SOME, information
from openwork_language.searching.polarity import is_absent_at
from openwork_language.terms import first_of
from openwork_language.tokens import STOP_WORDS

from openwork_answers.another_patient import tells_a_state
from openwork_answers.outcomes import OF_IT, is_neutral
from openwork_answers.people_alike import FIT, LITTLE, WORDS, with_absences
from openwork_answers.word_matches import is_same_word

_EMPTY = "-"


@dataclass(frozen=True, slots=True)
class State:
    """One state of people."""

    name: str
    within: tuple[str, ...]
    """Wider states."""
    apart: str | None
    """What no two of which hold of one person: "ejection fraction class"."""
    measure: str | None
    low: float | None
    high: float | None


def fit_of_state(term: PopulationTerm, text: str) -> Fit:
    """How those whom a text tells of stand to the people of a term that is wanted; NOT_TOLD where no list knows them.

    OTHER is told of who is in a state that nobody is in besides the asked one, never of an absence. Words of the term
    beside the states that it names have to stand in the text.
    """
    asked, rest = _named(term.text)
    if not asked or not all(_is_told(word, text) for word in rest):
        return Fit.NOT_TOLD
    return min((_fit(state, text) for state in asked), key=_WORST.index)


def says_more_than_its_name(term: PopulationTerm) -> bool:
    """Whether a term is one state of those who have the disease that it names: "massive pulmonary embolism", "acute
    heart failure"."""
    if not term.wanted or term.name is None:
        return False
    named = states_in(term.text)
    if len(named) != 1 or not _states()[named[0].name].within:
        return False
    more = idea_tokens(term.text) - idea_tokens(term.name)
    return named[0].name != term.name.casefold() and bool(more) and idea_tokens(named[0].name) & more != set()


def fit_of_event(told: str, asked: str) -> Fit:
    """How one state stands to another as outcomes, by whatever names; NOT_TOLD where one names none or several.

    What else is asked has to be told: "worse ophthalmopathy" is a part of thyroid eye disease, and no other way round.
    """
    own, wanted = states_in(told), states_in(asked)
    if len(own) != 1 or len(wanted) != 1 or not all(_is_told(word, told) for word in _besides(asked, wanted[0])):
        return Fit.NOT_TOLD
    fit = _relation(own[0].name, wanted[0].name)
    return Fit.PART if fit is Fit.ASKED and not all(_is_told(w, asked) for w in _besides(told, own[0])) else fit


def _besides(text: str, state: Mention) -> list[str]:
    """The words of an outcome beside the state that it names."""
    words = WORDS.findall(f"{text[: state.start]} {text[state.end :]}")
    return [w for w in words if w.casefold() not in STOP_WORDS and not is_neutral(w.casefold())]


def is_of_figure(term: PopulationTerm, text: str) -> bool:
    """Whether those whom a text tells of are in a state that such a figure defines: subclinical hypothyroidism of a TSH
    of 7."""
    if term.measure is None or not term.wanted:
        return False
    named = (
        _states()[mention.name]
        for clause in whom(text)
        if not clause.excluded
        for mention in _outermost(clause.text)
        if not OF_WHOM.search(clause.text, 0, mention.start)
    )
    bounds = ((state.low, state.high) for state in named if state.measure == term.measure)
    relations = (Told(of_intervals((term.low, term.high), own).value) for own in bounds)
    return any(relation in {Told.SAME, Told.WIDER} for relation in relations)


def names_who_cannot(text: str) -> bool:
    """Whether a phrase names the state of those who cannot have something: "not candidates for warfarin"."""
    return any(_CANNOT.match(state.name) for state in states_in(text))


_CANNOT = re.compile(
    r"(?:[\w-]+\s){0,2}(?:unsuitable|[a-z-]*intoleran\w+|ineligible|contraindicat\w+)\b", re.IGNORECASE
)


def with_states(
    question: str, people: Sequence[PopulationTerm], taken: Sequence[tuple[int, int]]
) -> tuple[PopulationTerm, ...]:
    """The terms, those in one whose words are one state: "moderate to severe psoriasis", "penicillin allergic".

    A state of which no term had a word is a detail, where it makes nobody another patient: a source that says nothing
    of it does not tell it apart.

    Args:
        taken: where treatments, comparators and outcomes stand, [start, end), which are nobody's state.
    """
    terms = list(people)
    for state in states_in(question):
        met = [t for t in terms if t.start < state.end and state.start < t.end]
        if len(met) == 1 and not _says_more(question, state, met[0]) and not _is_unknown_alone(met[0]):
            continue
        start, end = min((state.start, *(t.start for t in met))), max((state.end, *(t.end for t in met)))
        if question[:start].casefold().endswith(" at ") and _RISK.search(state.name):
            start -= len("at ")
        free = not any(a < end and start < b for a, b in taken)
        phrase = question[state.start : state.end]
        if not free or _ABSENCE.match(phrase) or not _tells_by_itself(phrase) or not _may_be_one(met):
            continue
        if not met and not (_CUE.search(question[: state.start]) or _AT.match(phrase)):
            continue
        named = max(met, key=lambda t: (t.name is not None, t.end - t.start), default=None)
        lacks = _ABSENCE.match(state.name) is not None  # "primary prevention" names no disease that somebody has
        disease = named or (None if lacks else first_of(EntityKind.DISEASE, state.name))
        whole = PopulationTerm(
            text=question[start:end], start=start, end=end, wanted=True,
            kind=PopulationKind.CONDITION if named is None else named.kind,
            name=disease.name if disease else None, mesh_id=disease.mesh_id if disease else None,
            is_detail=all(t.is_detail for t in met) if met else disease is None and not _is_strict(phrase),
        )  # fmt: skip
        at = terms.index(met[0]) if met else len(terms)
        terms = [*(t for t in terms[:at] if t not in met), whole, *(t for t in terms[at:] if t not in met)]
    return tuple(terms)


def _is_unknown_alone(term: PopulationTerm) -> bool:
    """Whether a word names a state with the word for people behind it alone: "oncology patients"."""
    return term.kind is PopulationKind.OTHER and not states_in(term.text)


def _is_strict(phrase: str) -> bool:
    """Whether a phrase has a word that makes somebody another patient."""
    return any(tells_a_state(word) for word in WORDS.findall(phrase))


def _says_more(question: str, state: Mention, term: PopulationTerm) -> bool:
    """Whether a state has a telling word that a term does not have."""
    before, behind = question[state.start : term.start], question[term.end : state.end]
    return any(not LITTLE.fullmatch(w) and w.casefold() not in STOP_WORDS for w in WORDS.findall(f"{before} {behind}"))


_ABSENCE = re.compile(r"(?:not|no|non|never|without)\b", re.IGNORECASE)
_BY_NAME = frozenset(
    {
        PopulationKind.CONDITION,
        PopulationKind.OTHER,
        PopulationKind.TREATMENT,
        PopulationKind.PEOPLE,
        PopulationKind.TIME_COURSE,
    }
)


def _may_be_one(met: Sequence[PopulationTerm]) -> bool:
    """Whether terms are pieces of one state: one that it says more of, or several of which one is known to no list."""
    if not all(term.wanted and term.kind in _BY_NAME for term in met):
        return False
    if len(met) == 2 and met[0].start == met[1].alternative_to:
        return True  # "DVT or PE" is venous thromboembolism
    return len(met) < 2 or any(term.kind is PopulationKind.OTHER and term.name is None for term in met)


_CUE = re.compile(
    r"(?:^|[,;:.?]\s*|\b(?:in|at|with|for|among|who (?:is|are|have|has)|patients?|people|after)\s+)$", re.IGNORECASE
)
"""What a state stands behind, where no other word says that it is who is meant."""
_RISK = re.compile(r"\brisk$")
_AT = re.compile(r"at\s", re.IGNORECASE)
""" "[At low cardiovascular risk]" opens itself."""


def _tells_by_itself(phrase: str) -> bool:
    """Whether a phrase is of several words, or a short form; one word may mean much else."""
    return " " in phrase or "-" in phrase or (phrase.isupper() and len(phrase) > 2)


_WORST = (Fit.OTHER, Fit.NOT_TOLD, Fit.WIDER, Fit.PART, Fit.ASKED)


@lru_cache(maxsize=4096)
def _named(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The states that a term names side by side, and its telling words besides; the longest names first."""
    taken = states_in(text)
    rest = "".join(" " if any(o.start <= at < o.end for o in taken) else letter for at, letter in enumerate(text))
    words = (w for w in WORDS.findall(rest) if information(w) >= SOME and not LITTLE.fullmatch(w))
    return tuple(dict.fromkeys(one.name for one in taken)), tuple(words)


def _is_told(word: str, text: str) -> bool:
    """Whether a text has a word, in another form or in full."""
    text = with_absences(text)
    if any(idea_tokens(form) <= idea_tokens(text) for form in (word, *meanings_of(word))):
        return True
    return any(is_same_word(word.casefold(), one.casefold()) for one in WORDS.findall(text))


_ORDER = (Fit.ASKED, Fit.PART, Fit.OTHER, Fit.WIDER, Fit.NOT_TOLD)


@lru_cache(maxsize=16_384)
def _fit(asked: str, text: str) -> Fit:
    found = set(_relations(asked, text))
    return next((fit for fit in _ORDER if fit in found), Fit.NOT_TOLD)


def _relations(asked: str, text: str) -> Iterator[Fit]:
    for clause in clauses(text):
        for mention in _outermost(clause.text):
            fit = _relation(mention.name, asked)
            prevented = fit is Fit.OTHER and _PREVENTED.search(clause.text, 0, mention.start) is not None
            if fit is Fit.NOT_TOLD or (not prevented and is_counted(clause.text, mention.start, mention.end)):
                continue
            if fit is not Fit.OTHER and relation_before(clause.text, mention.start) is not None:
                continue  # "carers of people with dementia"
            if clause.excluded or (not prevented and is_absent_at(clause.text, mention.start, mention.end)):
                continue
            yield Fit.WIDER if fit in OF_IT and OF_WHOM.search(clause.text, 0, mention.start) else fit
    state = _states()[asked]
    if state.measure is not None:
        for clause in whom(text):
            told = [f for f in figures_in(clause.text) if f.measure == state.measure and not f.in_words]
            for figure in told if not clause.excluded else ():
                yield FIT[Told(of_intervals((state.low, state.high), (figure.low, figure.high)).value)]


_PREVENTED = re.compile(r"\bprevent\w*\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE)
""" "Preventing relapse of [vivax malaria]" is for people who have that one and no other."""


@lru_cache(maxsize=16_384)
def _relation(told: str, asked: str) -> Fit:
    """How people in one state stand to those in another."""
    if told == asked:
        return Fit.ASKED
    if asked in _above(told):
        return Fit.PART
    if told in _above(asked):
        return Fit.WIDER
    apart = {_states()[one].apart for one in _kinds_apart(asked)}
    kinds = (one for one in _kinds_apart(told) if one not in _above(asked))
    return Fit.OTHER if any(_states()[one].apart in apart for one in kinds) else Fit.NOT_TOLD


def _kinds_apart(name: str) -> tuple[str, ...]:
    """The state by which somebody is in no other of its kind: critical COVID-19 by that it is treated in hospital."""
    if _states()[name].apart is not None:
        return (name,)
    return tuple(one for one in sorted(_above(name)) if _states()[one].apart is not None)


@lru_cache(maxsize=4096)
def _above(name: str) -> frozenset[str]:
    wider = _states()[name].within
    return frozenset(wider).union(*(_above(one) for one in wider))


@lru_cache(maxsize=4096)
def states_in(text: str) -> tuple[Mention, ...]:
    """The states that a text names, the longest of those that overlap, in order of place."""
    taken: list[Mention] = []
    for one in sorted(_outermost(text), key=lambda one: one.start - one.end):
        if not any(one.start < o.end and o.start < one.end for o in taken):
            taken.append(one)
    return tuple(sorted(taken, key=lambda one: one.start))


@lru_cache(maxsize=8192)
def _outermost(text: str) -> tuple[Mention, ...]:
    """States that a text names, none whose words stand within the words of another."""
    found = list(_phrases().everywhere(text))
    return tuple(
        one
        for one in found
        if not any(
            o.start <= one.start and one.end <= o.end and (o.end - o.start) > (one.end - one.start) for o in found
        )
    )


@cache
def _phrases() -> Phrases:
    return Phrases((name, words) for name, words in table("people-names").rows)


@cache
def _states() -> dict[str, State]:
    return {
        name: State(
            name,
            tuple(one for one in within.split("; ") if one != _EMPTY),
            None if apart == _EMPTY else apart,
            None if measure == _EMPTY else measure,
            None if low == _EMPTY else float(low),
            None if high == _EMPTY else float(high),
        )
        for name, within, apart, measure, low, high in table("people-states").rows
    }
