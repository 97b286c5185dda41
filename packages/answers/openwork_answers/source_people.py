"""Whom a source studied, in the words of its title: what a question that names nobody is told of the people.

"Empagliflozin after Acute Myocardial Infarction" is of people after acute myocardial infarction, whoever asks what the
drug does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from openwork_contracts.conclusion import Fit
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import PopulationTerm
from openwork_language.asking.groups import is_country
from openwork_language.asking.words import whole
from openwork_language.terms import find_terms

from openwork_answers.asked import Question
from openwork_answers.naming_people import each_once, proper_names, told_in_words
from openwork_answers.special_people import unasked_people

MOST_WORDS = 12
_TITLE_ENDS = re.compile(r":\s|\?|\.\s|\s[-\u2013\u2014]\s|\s\(")
_WHO = re.compile(
    r".*\b(?:(?P<time>after|during|undergoing|before)|in|among"
    r"|for(?=(?:\s+[\w-]+){0,3}\s+(?:patients|people|adults|children)\b)"
    r"|for(?:\s+(?:the\s+)?(?:treatment|management)\s+of)?(?!\s+(?:the\s+)?prevent))\s+(?P<who>[^,;:]+)$",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\A(?:(?:managing|treating|(?:the\s+)?(?:\w+\s+)?(?:treatment|management|control|cure)\s+of)"
    r"|(?:over\s+)?[\d.,]+(?:\s+million)?)\s+",
    re.IGNORECASE,
)
""" "In [the treatment of] venous thromboembolism", "in [4444] patients"."""
_PREVENTION = re.compile(r"\b(?<!and )(?<!or )(?:primary|secondary) prevention\b(?! (?:and|or) )", re.IGNORECASE)
_OLD = re.compile(r"\b(?:elderly|aged|older)\b", re.IGNORECASE)
_TITLE_CASE = re.compile(r"\b[A-Z][a-z]+(?![\w'\u2019])")
_NOBODY = re.compile(
    r"\b(?:trials?|stud(?:y|ies)|analys[ei]s|review|practice|guidelines?|prevent\w*|relation|comparison|combination"
    r"|risk of|effects?|outcomes?|use|events)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=2048)
def people_of_title(document: EvidenceCandidate) -> str | None:
    """ "patients with atrial fibrillation", "after acute myocardial infarction"; `None` = the title tells of nobody, or
    of too much to be said in passing."""
    title = _TITLE_ENDS.split(document.title.rstrip(". "))[0]
    match = _WHO.match(title)
    if match is None or _NOBODY.search(match["who"]):
        prevention = _PREVENTION.search(title)
        return prevention[0].casefold() if prevention else None
    who = _OPENING.sub("", match["who"].strip())
    if len(who.split()) > MOST_WORDS or is_country(who):
        return None
    if not find_terms(who) and whole("head").search(who) is None and _OLD.search(who) is None:
        return None
    told = _TITLE_CASE.sub(lambda word: word[0] if word[0].casefold() in proper_names() else word[0].casefold(), who)
    return f"{match['time'].casefold()} {told}" if match["time"] else told


def people_told(
    question: Question,
    document: EvidenceCandidate,
    whom: str | None,
    people: str | None,
    fits: Sequence[tuple[tuple[PopulationTerm, ...], Fit]],
) -> tuple[str, ...]:
    """Of whom the lead is: of those asked about, and what all of its people have besides; else whom its title names.

    Args:
        whom: what the result says of its people, or the sentence that tells it.
        people: the former alone.
    """
    asked = each_once([told_in_words(g, document, whom, people) for g, fit in fits if fit in {Fit.ASKED, Fit.PART}])
    besides = sorted(unasked_people(question.analysis, document))
    if asked:
        return (*asked, *besides)
    of_title = people_of_title(document)
    return (of_title,) if of_title is not None else tuple(besides)
