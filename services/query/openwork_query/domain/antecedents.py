"""A question that names nothing of what it asks about: "and its side effects?", "is it safe in children?".

Such a question follows another one, and there is none here. Where anything in it may be what is meant, it is searched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_contracts.question import Entity, EntityKind
from openwork_knowledge.tables import alternatives, table, words

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LONGEST = 16
"""Words from which a question says enough to be searched."""
_OF_THE_ASKED = frozenset({EntityKind.DRUG, EntityKind.PROCEDURE})


def what_is_missing(question: str, entities: Sequence[Entity]) -> str | None:
    """What to ask back, e.g. "Whose side effects?"; `None` = the question names what it is about.

    Args:
        question: cleaned, at most as long as questions may be.
        entities: what was found in it. A drug or a procedure is what a question is about; a disease or a group of
            people alone may only say in whom ("what about kidney failure?").
    """
    spoken = [match[0].casefold().replace("’", "'") for match in _WORD.finditer(question)]
    if not spoken or len(spoken) > _LONGEST or _names_something(question, entities):
        return None
    where = [e.start for e in entities if e.name.casefold() not in _general()]
    refers = _reference().search(question)
    refers_back = refers is not None and not any(start < refers.start() for start in where)
    alone = not where and not _holds(spoken, "in whom or to what end")  # not even a disease or a group of people
    if alone or refers_back or _opening().match(question) or _is_choice(question):
        return _asked_back(spoken)
    return None


def _names_something(question: str, entities: Sequence[Entity]) -> bool:
    """Whether a drug, a procedure, more than one disease, or a word that is not of every question stands in it."""
    named = [e for e in entities if e.name.casefold() not in _general() and e.text.casefold() not in _general()]
    if any(e.kind in _OF_THE_ASKED for e in named) or len({e.name for e in named}) > 1:
        return True
    inside = [(e.start, e.end) for e in entities]
    return any(
        match[0].casefold().replace("’", "'") not in _general()
        for match in _WORD.finditer(question)
        if not any(start <= match.start() < end for start, end in inside)
    )


def _holds(spoken: Sequence[str], group: str) -> bool:
    return not set(spoken).isdisjoint(words("antecedents", group))


def _is_choice(question: str) -> bool:
    """Whether a question asks which is better, and neither says of what: "which is the best treatment" does."""
    return bool(_choice().match(question) and _choosing().search(question))


def _asked_back(spoken: Sequence[str]) -> str:
    """What is missing, as a question; the first cue of the file that stands in the words decides."""
    said = " ".join(spoken)
    if _choosing().search(said):
        return "Which treatments are to be compared"
    for cue, asked in table("antecedents").values("asked back").items():
        if re.search(rf"\b{re.escape(cue)}\b", said):
            return asked
    if _holds(spoken, "what is missing: study"):
        return "Which study or guideline is meant"
    return "Which drug, treatment or test is meant"


@cache
def _general() -> frozenset[str]:
    """Words that any question may hold."""
    groups = ("general", "in whom or to what end", "refers", "points", "refers by noun")
    return frozenset(words("stop-words", "function")).union(*(words("antecedents", group) for group in groups))


@cache
def _reference() -> re.Pattern[str]:
    """A word that stands for something named before; "the treatment of ..." and "mechanisms that ..." do not."""
    listed = {group: alternatives(words("antecedents", group)) for group in table("antecedents").groups()}
    this = rf"(?:the|{listed['points']})"
    return re.compile(
        rf"\b(?:{listed['refers']}\b(?!['’]s)|{listed['before what points']}\s+{listed['points']}\b(?!\s+true)"
        rf"|{this}\s+(?:\w+\s+)?{listed['refers by noun']}\b(?!\s+(?:of|for|in|with|after|against)\b)"
        rf"|{this}\s+{listed['refers by aspect']}\b(?!\s+(?:of|for|to|from|with)\b))",
        re.IGNORECASE,
    )


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(rf"\W*{alternatives(words('antecedents', 'opens'))}\b", re.IGNORECASE)


@cache
def _choice() -> re.Pattern[str]:
    """ "Which" without a noun."""
    verb = r"(?:is|are|was|were|has|have|does|do|causes?|works?|gives?|reduces?)"
    return re.compile(rf"\W*{alternatives(words('antecedents', 'picks'))}\s+{verb}\b", re.IGNORECASE)


@cache
def _choosing() -> re.Pattern[str]:
    nouns = alternatives(words("antecedents", "refers by noun"))
    listed = alternatives(words("antecedents", "what is missing: two"))
    return re.compile(rf"\b{listed}\b(?!\s+(?:\w+\s+)?(?:{nouns}|way)\b)", re.IGNORECASE)
