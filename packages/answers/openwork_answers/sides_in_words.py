"""Whether the arms of a result are what a question compares, by the words and the figures that set them apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from openwork_contracts.conclusion import StudyResult
from openwork_contracts.question import EntityKind
from openwork_language.mentions import idea_of, idea_tokens, speaks_of
from openwork_language.searching.information import MUCH, SOME, information
from openwork_language.tokens import STOP_WORDS

from openwork_answers.asked import Question
from openwork_answers.asked_targets import SET_AGAINST
from openwork_answers.asked_treatments import LITTLE
from openwork_answers.asked_words import PREFIX, AskedWords, figures_of, pieces_of
from openwork_answers.brackets import without_brackets
from openwork_answers.given import asking_part, is_had
from openwork_answers.outcomes import NEAR, OF_IT
from openwork_answers.treatments import is_control, named_by, without_dose
from openwork_answers.word_matches import is_same_word

_ENOUGH_OF_AN_ARM = 0.5
"""Of the telling words of an arm that stands against a control, the share that a question has to have."""


def sides_in_words(
    result: StudyResult, question: Question, asked: AskedWords, title: str, source: str
) -> tuple[str, str] | None:
    """The two arms, the one asked about first, where they are what the question compares.

    Args:
        asked: the question's words but those of its people.
        source: all that the source says.
    """
    first, second = result.comparison
    if question.stops:
        return None
    if result.comparison_fit in OF_IT:
        return first, second
    if not _has_all_treatments(question, source) or not _are_named(question, f"{first} v {second}"):
        return None
    own, other = _words_apart(first, second)
    compares = SET_AGAINST.search(asked.text) is not None
    if is_control(second) and (not compares or any(asked.has(word) for word in arm_words(second))):
        telling = [word for word in own if information(word) >= SOME]
        met = [word for word in telling if asked.has(word)]
        if any(information(word) >= MUCH for word in met) and len(met) >= _ENOUGH_OF_AN_ARM * len(telling):
            return first, second
    met_first, met_second = (
        [word for word in apart if asked.has(word) and not _is_of_another_drug(word, side, question)]
        for apart, side in ((own, first), (other, second))
    )
    if not met_first and not met_second:
        one, two = figures_of(first), figures_of(second)
        if not ((one - two) & asked.numbers and (two - one) & asked.numbers):
            return None
    elif not met_second or not met_first:
        return None
    if not _is_its_subject(first, second, title, asked):
        return None
    if met_first and met_second and _place(met_second, asked.text) < _place(met_first, asked.text):
        return second, first
    return first, second


def _is_of_another_drug(word: str, side: str, question: Question) -> bool:
    """Whether a question has a word of an arm as part of the name of a drug that the arm is not: "corn [oil]"."""
    named = (e for e in question.analysis.entities if e.kind is EntityKind.DRUG and " " in e.text)
    return any(
        any(are_alike(word, part) for part in pieces_of(e.text)) and not speaks_of(side, idea_of(e.text, (e.name,)))
        for e in named
    )


def _are_named(question: Question, arms: str) -> bool:
    """Whether two arms name what a question compares by names: each comparator, and one of the treatments."""
    if any(idea.names and named_by(idea, arms) not in NEAR for idea in question.comparators):
        return False
    text = question.analysis.question
    drugs = [idea for idea in question.treatments if idea.names]
    if any(named_by(idea, arms) in NEAR for idea in drugs):
        return True
    return all(is_had(text[: max(0, text.find(idea.term))]) for idea in drugs)


def _place(words: Sequence[str], text: str) -> int:
    """Where the first of some words stands, by its first letters: in the part that asks, else before it."""
    folded, start = text.casefold(), asking_part(text)
    cut = [word.casefold()[:PREFIX] for word in words]
    places = [at for word in cut if (at := folded.find(word, start)) >= 0 or (at := folded.find(word)) >= 0]
    return min(places, default=len(text))


def _words_apart(first: str, second: str) -> tuple[list[str], list[str]]:
    """Words that one arm alone has; those of both, of giving in general and of grammar are left out."""
    one, other = (arm_words(side) for side in (first, second))
    return (
        [word for word in one if not any(are_alike(word, o) for o in other)],
        [word for word in other if not any(are_alike(word, o) for o in one)],
    )


def are_alike(one: str, other: str) -> bool:
    """Whether two words are forms of one."""
    return idea_tokens(one) == idea_tokens(other) or is_same_word(one.casefold(), other.casefold())


@lru_cache(maxsize=4096)
def arm_words(side: str) -> tuple[str, ...]:
    parts = pieces_of(without_brackets(without_dose(side)))
    kept = (w for w in parts if len(w) > 1 and w.casefold() not in STOP_WORDS and not idea_tokens(w) <= LITTLE)
    return tuple(dict.fromkeys(kept))


def _is_its_subject(first: str, second: str, title: str, asked: AskedWords) -> bool:
    """Whether the question names what both arms are ways of: a telling word that both have, or one of the title."""
    both = [word for word in arm_words(first) if any(are_alike(word, o) for o in arm_words(second))]
    telling = [word for word in both if information(word) >= SOME]
    if telling:
        return any(asked.has(word) for word in telling)
    named = [word for word in pieces_of(title) if information(word) >= SOME]
    return sum(asked.has(word) for word in dict.fromkeys(named)) >= min(2, len(named))


def _has_all_treatments(question: Question, source: str) -> bool:
    """Whether a source speaks of every drug that the asking clause names: of another nothing is known."""
    start = asking_part(question.analysis.question)
    named = [e for e in question.analysis.entities if e.kind is EntityKind.DRUG and e.start >= start]
    return all(speaks_of(source, idea_of(e.text, (e.name,))) for e in named)
