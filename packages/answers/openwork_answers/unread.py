"""What a question asks about that no list of outcomes knows: the telling words that nothing else of it took.

A question names no outcome only where nothing is left of it. What is left is an outcome of its own, by its words:
a result that does not have them answers another question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from openwork_contracts.question import PopulationTerm, QuestionAnalysis
from openwork_knowledge.bodies import bodies_placed
from openwork_knowledge.notation import group
from openwork_language.asking.words import whole
from openwork_language.mentions import Idea
from openwork_language.searching.information import NOTHING, information, is_everyday
from openwork_language.tokens import COMMON_TOKENS, STOP_WORDS, token_set

from openwork_answers.outcomes import event_words, is_neutral
from openwork_answers.word_matches import is_same_word

_WORD = re.compile(r"[^\W_](?:[\w'-]*\w)?")
_IS_A = re.compile(
    r"^\W*(?:is|are)\s+[\w/-]+\s+(?:an?|the)\s+"
    r"(?!(?:good|better|best|safe|reasonable|possible|option|choice|alternative|benefit|help|treatment)\b)"
    r"[\w-]+(?:\s+[\w-]+)?\s*\?",
    re.IGNORECASE,
)
""" "Is X a tablet?" asks what X is."""
_LIKELY_TO = re.compile(r"\blikely to (?:be|get|become)\s+(?P<what>[a-z]{4,}ed)\b", re.IGNORECASE)
""" "Is she more likely to be [induced]?" asks about that, though abstracts are full of the word."""


@cache
def _general() -> re.Pattern[str]:
    return re.compile(group("asking-in-general", "effect", "given", "whose", "talk"), re.IGNORECASE)


@cache
def _kinetics() -> re.Pattern[str]:
    return re.compile(rf"\b{group('asking-in-general', 'kinetics')}(?!\w)", re.IGNORECASE)


def asks_what_it_is(question: str) -> bool:
    """Whether a question asks what a drug is or becomes in the body, and not what it does to people."""
    return _IS_A.search(question) is not None or _kinetics().search(question) is not None


def unread_words(
    analysis: QuestionAnalysis,
    start: int,
    people: Iterable[PopulationTerm],
    named: Iterable[Idea],
    ways: tuple[int, int] = (0, 0),
) -> tuple[str, ...]:
    """Words of the clause that asks which name no treatment and no people, and which are not words of asking.

    Args:
        start: where the clause begins (`given.asking_from`).
        people: terms that are who is meant, wherever they stand.
        named: treatments and comparators.
        ways: where two ways of giving a treatment are set against each other, [start, end).
    """
    question = analysis.question
    taken = [ways, *((term.start, term.end) for term in people)]
    taken += [(one.start, one.end) for one in analysis.entities]
    taken += [(one.start, one.end) for one in bodies_placed(question)]
    names = token_set(" ".join(idea.term for idea in named))
    likely = [m.start("what") for m in _LIKELY_TO.finditer(question, start) if not _gives(m["what"])]
    return tuple(
        match[0]
        for match in _WORD.finditer(question, start)
        if not any(a <= match.start() < b for a, b in taken)
        and (is_telling(match[0]) or match.start() in likely)
        and not token_set(match[0]) <= names
    )


def _gives(verb: str) -> bool:
    """Whether a verb says that something is given or works, and no event of anybody."""
    return _general().fullmatch(verb) is not None and verb.casefold() != "admitted"


@lru_cache(maxsize=8192)
def is_telling(word: str) -> bool:
    """Whether a word of a question says what it asks about: no word of asking ("safe", "better"), no figure."""
    folded = word.casefold()
    if folded in STOP_WORDS or information(word) <= NOTHING or folded[0].isdigit() or is_everyday(word):
        return False
    if _general().fullmatch(word) or all(map(_general().fullmatch, word.split("-"))):  # "once-daily"
        return False
    return not token_set(word) <= COMMON_TOKENS


def says_what(word: str) -> bool:
    """Whether a word that stands by itself where an outcome stands ("...: malformations?") is one, however common."""
    folded = word.casefold()
    if folded in STOP_WORDS or folded[0].isdigit() or is_everyday(word) or len(word) < _SHORTEST_OUTCOME:
        return False
    if not is_telling(word) and (_COMPARATIVE.fullmatch(folded) or whole("head").fullmatch(word)):
        return False  # "smarter children"
    return not (_general().fullmatch(word) or is_neutral(word))


_COMPARATIVE = re.compile(r"[a-z]+er")
_SHORTEST_OUTCOME = 4
"""Letters."""


def holds(text: str, words: tuple[str, ...]) -> bool:
    """Whether a text has most of the words, by their stems or in another form; of no words it has all."""
    there = token_set(text) | event_words(text)
    written = {match[0].casefold() for match in _WORD.finditer(text)}
    asked = [token_set(word) | event_words(word) for word in words]
    met = (
        bool(one & there) or any(is_same_word(word.casefold(), other) for other in written)
        for one, word in zip(asked, words, strict=True)
    )
    return 2 * sum(met) >= len(asked)


def share(text: str, words: tuple[str, ...]) -> float:
    """Of the stems of a text, the share that the words have."""
    there = token_set(text)
    asked = frozenset().union(*(token_set(word) | event_words(word) for word in words))
    return len(there & asked) / len(there) if there else 0.0
