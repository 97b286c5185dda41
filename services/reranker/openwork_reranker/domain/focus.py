"""What scorers look for: the question's words, what it names in all its names, what it asks about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from openwork_contracts.question import Abbreviation, Intent, QuestionAnalysis
from openwork_language.asking.guidance import without_countries
from openwork_language.terms import class_members, find_terms
from openwork_language.tokens import tokenise

from openwork_reranker.domain.aspects import asks_for_comparison, aspect_tokens

MAX_FORMS = 12
"""Names kept per entity, best known first: MeSH lists dozens of inversions that nobody writes. The members of a drug
class come on top: a trial of icosapent ethyl answers a question about omega-3 fatty acids."""
MAX_MEMBERS = 20


@dataclass(frozen=True, slots=True)
class NamedThing:
    """One entity of the question. Any of its forms in a text means the text speaks of it."""

    forms: tuple[tuple[str, ...], ...]
    """Tokens of each name, the question's own words first; no form is empty."""
    members: tuple[tuple[str, ...], ...] = ()
    """Of a drug class, tokens of its members' names; they are among the forms too."""


@dataclass(frozen=True, slots=True)
class QuestionFocus:
    """The question, made ready for matching once per run."""

    question: str
    """The user's words."""
    tokens: tuple[str, ...]
    """Distinct tokens in the question's order."""
    things: tuple[NamedThing, ...] = ()
    aspects: frozenset[str] = frozenset()
    comparative: bool = False


def focus_of(analysis: QuestionAnalysis) -> QuestionFocus:
    """The focus of a question that the query service has analysed."""
    longs = _long_forms(analysis.abbreviations)
    named = ((e.text, e.name, *longs.get(e.text.lower(), ()), *e.synonyms) for e in analysis.entities)
    return _focus(without_countries(analysis.question, analysis.guidance), named, analysis.intent)


def focus_of_text(question: str) -> QuestionFocus:
    """The focus of plain text, its entities found in the term lists."""
    named = ((t.text, t.name, *t.synonyms) for t in find_terms(question))
    return _focus(question, named, None)


def _focus(question: str, named: Iterable[tuple[str, ...]], intent: Intent | None) -> QuestionFocus:
    tokens = tuple(dict.fromkeys(tokenise(question)))
    things = dict.fromkeys(thing for names in named if (thing := _thing(names)).forms)
    return QuestionFocus(
        question=question,
        tokens=tokens,
        things=tuple(things),
        aspects=aspect_tokens(question, intent) - set(tokens),
        comparative=asks_for_comparison(question, intent),
    )


def _thing(names: tuple[str, ...]) -> NamedThing:
    """Names of one entity, its preferred name second, as the lexicon knows it."""
    forms = _tokenised(names)[:MAX_FORMS]
    members = _tokenised(class_members(names[1]))[:MAX_MEMBERS]
    return NamedThing((*forms, *(m for m in members if m not in forms)), members)


def _tokenised(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    forms = dict.fromkeys(tuple(tokenise(name)) for name in names)
    forms.pop((), None)
    return tuple(forms)


def _long_forms(abbreviations: tuple[Abbreviation, ...]) -> dict[str, tuple[str, ...]]:
    longs: dict[str, tuple[str, ...]] = {}
    for a in abbreviations:
        longs[a.short.lower()] = (*longs.get(a.short.lower(), ()), a.long)
        longs[a.long.lower()] = (*longs.get(a.long.lower(), ()), a.short)
    return longs
