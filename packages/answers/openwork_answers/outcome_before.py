"""What figures count, by the words before them: "lowered [stroke]", "[rash] was more frequent with A than with B"."""

from __future__ import annotations

import re

from openwork_contracts.question import EntityKind
from openwork_language.terms import find_terms

from openwork_answers.arms import names_treatment
from openwork_answers.named_outcomes import is_outcome, tidy
from openwork_answers.outcomes import read_outcome
from openwork_answers.outcomes_by_place import names_no_outcome, outcome_by_place
from openwork_answers.source_arms import SourceArms

_I = re.IGNORECASE
LEAD = re.compile(
    r"^(?:(?:in|among|at|by|of|over|within|after|during)\s(?:[^,]|,(?=\S)){2,160},\s+)+"
    r"|^by\s+the\s+[\w -]{2,40}\bdefinition\s+",
    _I,
)
"""What opens a sentence: of whom, when, in which study."""
_ACTED = re.compile(
    r"^(?:.*\s)?(?:lowered|raised|reduced|increased|decreased|prevented|halved|doubled|brought(?:\s+more|\s+less)?)\s+",
    _I | re.DOTALL,
)
_DID_NOT = re.compile(
    r"^.*?\bdid\s+not\s+(?:\w+ly\s+)?(?:lower|reduce|increase|raise|change|affect|improve|prevent)\s+(?=\w)",
    _I | re.DOTALL,
)
"""Before what did not change."""
_NO_NAME = re.compile(
    r"rates?$|(?:there|without|differen\w+|it|they|this|that|more|fewer|frequent|compared|when|before)\b"
    r"|(?:in|at|among|after|by|with|for|from|than)\s",
    _I,
)
_NOT_THAT = re.compile(r"^.*?\b(?:did\s+not\s+(?:differ|change)|differed)\b[^,]*,\s+(?:and|but)\s+", _I | re.DOTALL)
"""What did not differ, before what is told next."""
_IN_SO_MANY = re.compile(r"\s+in\s+\d.*$", _I | re.DOTALL)
_HAPPENED = re.compile(r"(?<!\bor)\s+(?:occurred|developed|happened|was|were)$", _I)
_GIVEN = re.compile(r"\s(?:on|with|than)\s", _I)
_SO_WAS = re.compile(r"^(?:and\s+)?(?:so|as)\s+(?:was|were|did)\s+", _I)
_SAYS = re.compile(
    r"(?:^|\s)(?:was|were|is|are|had|did|helped|occurred|led|ended|received|stayed|needed|preferred|same|those|these|ones)(?:\s|$)|\b(?:who|which)\b",
    _I,
)
"""A verb, or what was told before: no outcome's name."""
_OF_PEOPLE = re.compile(r"\b(?:people|patients|women|men|children)\s+(?:with|who)\b", _I)
_BY_SO_MUCH = re.compile(
    r"\s+(?:by\s+(?:about\s+|a\s+further\s+)?\d[\d.]*\s?%|by\s+(?:(?:about|almost|nearly|more\s+than)\s+)?(?:a\s+)?(?:half|third|quarter|fifth)\b.*|\d[\d.]*\s?%\s+(?:lower|higher|less|more)(?:\s+\w+)?)$|\s+(?:compared\s+(?:with|to)|versus)\b.*|\s+than\s+(?:with|in|on|after)\b.*",
    _I,
)
_HOW_OFTEN = re.compile(
    r"\s+(?:was|were)\s+(?:(?:\w+ly|not|also|about|twice|half|(?:un)?common,?\s+but|rare,?\s+but|infrequent,?\s+but)\s+)*(?:(?:more|less|equally|as)\s+\w+|fewer|lower|higher|similar|different)\b.*$"
    r"|\s+(?:did\s+not|differed)\b.*$",
    _I,
)
_WHEN = re.compile(
    r"\s+(?:at|by|within|over|after)\s+(?:\d+|a\s+median\s+of\s+[\d.]+)\s+(?:days?|weeks?|months?|years?)(?=\s+(?:in|among)\s|$)",
    _I,
)
_NUMBER_OF = re.compile(
    r"^(?:the\s+)?(?:(?:mean|average|annual(?:i[sz]ed)?|adjusted|crude|estimated|overall)\s+)*"
    r"(?:numbers?|rates?|incidence|frequency)\s+of\s+",
    _I,
)
""" "[The mean number of] exacerbations"."""
_LONGEST, _LONGEST_UNKNOWN = 18, 8
"""Words of an outcome's name; of one that no list knows."""


def outcome_before(text: str, arms: SourceArms) -> str | None:
    """What is counted, by the words before the figures."""
    bare = _SO_WAS.sub("", LEAD.sub("", re.sub(r"\s*\([^()]*\)", "", text).strip(" ,;")))
    bare = _NOT_THAT.sub("", bare)
    bare = _HOW_OFTEN.sub("", _DID_NOT.sub("", re.sub(r"^(?:(?:and|but|while|nor|or|on)\s+)+", "", bare)))
    acted = _ACTED.match(bare)
    bare = _BY_SO_MUCH.sub("", bare[acted.end() :] if acted else bare)
    name = _WHEN.sub("", tidy(bare)).strip(" ,").removeprefix("of ")
    name = _NUMBER_OF.sub("", _HAPPENED.sub("", _IN_SO_MANY.sub("", name)))
    is_known = is_outcome(name) or any(atom.things for atom in read_outcome(name).atoms)
    if (
        not name
        or _NO_NAME.match(name)
        or ((arms.places(name) or arms.gives(name)) and names_treatment(name) and (not is_known or _GIVEN.search(name)))
        or _OF_PEOPLE.search(name)
        or len(name.split()) > _LONGEST
        or re.search(r"\d\s?%\)?,", name)
    ):
        return None
    if _SAYS.search(name):
        return outcome_by_place(text)
    if is_known:
        return name
    if any(t.kind is EntityKind.DRUG and t.text == name for t in find_terms(name)):
        return f"use of {name}"
    if (
        names_no_outcome(name)
        or len(name.split()) > _LONGEST_UNKNOWN
        or arms.places(name)
        or not re.match(r"[A-Za-z]{3}", name)
    ):
        return None
    return name
