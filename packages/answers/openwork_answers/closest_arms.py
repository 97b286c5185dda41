"""Whether the arms of a result are what a question speaks of, of which no slot has to be read."""

from __future__ import annotations

import re

from openwork_contracts.conclusion import StudyResult
from openwork_contracts.question import Entity, EntityKind
from openwork_language.mentions import Idea, idea_of, speaks_of
from openwork_language.searching.information import MUCH, SOME, information
from openwork_language.terms import find_terms

from openwork_answers.asked import Question
from openwork_answers.asked_words import WORD, AskedWords, figures_of, pieces_of
from openwork_answers.given import asking_from
from openwork_answers.outcomes import OF_IT
from openwork_answers.places import is_within, places_of
from openwork_answers.sides_in_words import are_alike, arm_words
from openwork_answers.source_words import SourceWords, words_of
from openwork_answers.stopping import tells_of_stopping
from openwork_answers.treatments import is_control, is_named_in, named_by, without_dose
from openwork_answers.variants import strategy

_ENOUGH_OF_AN_ARM = 0.5
"""Of the telling words of an arm, the share that a question has to have."""
_STOPPING = "discontinuation"
"""The name of a way of treating (`variants.strategy`)."""
_KEEPS_FROM = re.compile(r"\b(?:stop|halt)\w*\s+(?:[\w'-]+\s+){1,6}?from\s+(?:\w+\s+)?\w+ing\b", re.IGNORECASE)
""" "Stop the eyes from getting worse", "stopping another [clot]": what is stopped is no treatment."""
_ENDS_AN_EVENT = re.compile(r"\b(?:stop|halt)\w*\s+(?:\w+\s+){0,2}", re.IGNORECASE)


def is_asked_by_figures(result: StudyResult, asked: AskedWords) -> bool:
    """Whether the figures that set the arms apart are asked for on both sides: "MAP goal 80-85 vs 65-70"."""
    one, two = (figures_of(without_dose(side)) for side in result.comparison)
    return bool(one - two) and bool(two - one) and (one ^ two) <= asked.numbers


def is_given_as_asked(result: StudyResult, question: Question, *, is_to_stop: bool) -> bool:
    """Whether a result lacks no drug that is asked about, and is of giving it or of stopping it as the question is."""
    stopped = tells_of_stopping(" v ".join(result.comparison))
    return is_to_stop is stopped and not lacks_a_drug(result, question)


def lacks_a_drug(result: StudyResult, question: Question) -> bool:
    """Whether a comparator is in neither arm, or none of the drugs that are asked about is."""
    drugs = [idea for idea in question.treatments if _is_drug(idea)]
    if any(_is_in_no_arm(idea, result) for idea in question.comparators):
        return True
    return bool(drugs) and all(_is_in_no_arm(idea, result) for idea in drugs)


def are_in(question: Question, sides: tuple[str, str]) -> bool:
    """Whether two arms have every treatment and comparator that is asked about, under any of its names or in words."""
    arms = " v ".join(sides)
    words = words_of(arms)
    asked = (*question.treatments, *question.comparators)
    return all(
        speaks_of(arms, idea)
        or (_is_drug(idea) and any(named_by(idea, side) in OF_IT for side in sides))
        or (not _is_drug(idea) and figures_of(idea.term) <= figures_of(arms) and _is_given(idea, words))
        for idea in asked
    )


def is_compared(result: StudyResult, question: Question, asked: AskedWords) -> bool:
    """Whether the question speaks of an arm: of the treatment it names, of most of an arm's words, or its figures."""
    if result.comparison_fit in OF_IT or _has_figures_of(result, asked):
        return True
    first, second = result.comparison
    return _has_words_of(first, second, asked) or _has_words_of(second, first, asked)


def asks_of_a_drug(question: Question) -> bool:
    """Whether a drug is asked about, and not one that is given besides."""
    return any(e.text == idea.term for e in _drugs_of(question) for idea in question.treatments)


def speaks_of_all_drugs(question: Question, text: str) -> bool:
    """Whether a source speaks of each drug that a question names, in whatever role."""
    return all(speaks_of(text, idea_of(e.text, (e.name,))) for e in _drugs_of(question))


def speaks_of_all_given(question: Question, text: str) -> bool:
    """Whether a source speaks of every treatment of a question that has a name: then its arms may be called by what
    they are, "a short regimen", and the drugs be told besides."""
    named = [idea for idea in (*question.treatments, *question.comparators) if idea.names]
    return bool(named) and all(speaks_of(text, idea) for idea in named)


def may_be_own(result: StudyResult, question: Question) -> bool:
    """Whether its arms may be what is asked about: one that both have is not compared, and where an arm is called by a
    drug, the asked one would be."""
    return not is_in_both(result, question) and not (lacks_a_drug(result, question) and _names_a_drug(result))


def is_in_both(result: StudyResult, question: Question) -> bool:
    """Whether both arms got a treatment that is asked about, so that it was not compared."""
    given = [idea for idea in question.treatments if idea.names]
    return any(all(speaks_of(side, idea) for side in result.comparison) for idea in given)


def gives_what_is_asked(question: Question, words: SourceWords, text: str) -> bool:
    """Whether a source has a treatment that is asked about: a drug (looked for in its arms), or most words of another.

    What stands before the drug is done to people, or was: "Kidney transplant: dapagliflozin ...".
    """
    asks = question.analysis.question
    drugs = [asks.find(idea.term) for idea in question.treatments if _is_drug(idea)]
    others = [idea for idea in question.treatments if not _is_drug(idea)]
    if drugs:
        before = (idea for idea in others if idea.names and asks.find(idea.term) < min(drugs))
        return all(speaks_of(text, idea) for idea in before)
    return not others or any(speaks_of(text, idea) or _is_given(idea, words) for idea in others)


def speaks_of_what_is_given(question: Question, text: str) -> bool:
    """Whether a text names a treatment that is asked about, its class or one of it, or has most words of it; where none
    was understood, a word of what the question says is given."""
    words = words_of(text)
    if not question.treatments:
        given = () if question.target or question.treated or question.compared else question.analysis.pico.intervention
        return not given or any(map(words.tells, (piece for name in given for piece in pieces_of(name))))
    return any(
        is_named_in(text, idea) or (not _is_drug(idea) and _is_given(idea, words)) for idea in question.treatments
    )


def asks_to_stop(question: Question) -> bool:
    """Whether a way of stopping is named in the part that asks: of a trial of giving it nothing follows."""
    people = [(term.start, term.end) for term in question.people]
    text = question.analysis.question
    prevented = [match.span() for match in _KEEPS_FROM.finditer(text)]
    for at, end in places_of(question.outcome_texts, text):
        if _ENDS_AN_EVENT.match(text, at, end):
            prevented.append((at, end))  # "stopping another clot"
        prevented += [match.span() for match in _ENDS_AN_EVENT.finditer(text, 0, at) if match.end() == at]
    words = (m for m in WORD.finditer(text, asking_from(text)) if not is_within(m.start(), (*people, *prevented)))
    return question.stops or any(strategy(m[0]) == _STOPPING for m in words)


def _is_drug(idea: Idea) -> bool:
    return bool(idea.names) and any(term.kind is EntityKind.DRUG for term in find_terms(idea.term))


def _is_in_no_arm(idea: Idea, result: StudyResult) -> bool:
    """Whether a drug that is asked about is in neither arm, nor its class, nor one of it."""
    if not _is_drug(idea):
        return False
    return not any(is_named_in(side, idea) for side in result.comparison)


def _has_figures_of(result: StudyResult, asked: AskedWords) -> bool:
    """Whether the figures that set the arms apart are asked for: of both, both of a range, or one of what is named."""
    first, second = result.comparison
    one, two = (figures_of(without_dose(side)) for side in result.comparison)
    met, met_other = (one - two) & asked.numbers, (two - one) & asked.numbers
    if (met and met_other) or (not two and len(met) > 1):
        return True
    of_both = (word for word in pieces_of(first) if any(are_alike(word, other) for other in pieces_of(second)))
    return bool(met or met_other) and any(information(word) >= MUCH and asked.has(word) for word in of_both)


def _has_words_of(side: str, other: str, asked: AskedWords) -> bool:
    """Whether most telling words that one arm alone has are asked for, with or without those in its brackets."""
    if is_control(side):
        return False
    for words in (arm_words, pieces_of):
        own = dict.fromkeys(words(without_dose(side)))
        apart = [word for word in own if not any(are_alike(word, one) for one in words(without_dose(other)))]
        telling = [word for word in apart if information(word) >= SOME or strategy(word) is not None]
        met = [word for word in telling if asked.has(word)]
        if telling and len(met) >= _ENOUGH_OF_AN_ARM * len(telling):
            return True
    return False


def _is_given(idea: Idea, words: SourceWords) -> bool:
    """Whether a source has most telling words of a treatment; where none tells much ("prone positioning"), any word."""
    pieces = list(pieces_of(idea.term))
    telling = [word for word in pieces if information(word) >= SOME]
    if not telling:
        return not pieces or any(map(words.tells, pieces))
    return 2 * sum(words.tells(word) for word in telling) > len(telling)


def _names_a_drug(result: StudyResult) -> bool:
    """Whether an arm is called by a drug: then the drug that is asked about would be named."""
    return any(term.kind is EntityKind.DRUG for side in result.comparison for term in find_terms(side))


def _drugs_of(question: Question) -> list[Entity]:
    return [e for e in question.analysis.entities if e.kind is EntityKind.DRUG]
