"""Whether a question asks what stopping a treatment does: a result of giving it answers another question."""

from __future__ import annotations

import re
from collections.abc import Iterable

from openwork_language.mentions import Idea

_STOPS = (
    r"(?:stop(?:s|ped|ping)?|discontinu\w+|withdraw\w*|withdrew|withhold\w*|withheld|cessation|deprescri\w+|taper\w*"
    r"|com(?:e|es|ing) off|tak(?:e|es|ing|en) (?:him|her|them|people|patients) off|interrupt\w*|paus(?:e|ing)|omit\w*"
    r"|halt\w*|quit\w*|wean\w*(?: off)?)"
)
_BETWEEN = (
    r"(?:(?:of|from|off|the|an?|my|his|her|their|all|any|long-term|chronic|oral|inhaled|daily|regular|maintenance"
    r"|background|concomitant|established|low-dose|high-dose)\s+){0,3}"
)
_COUNTED = re.compile(
    r"\b(?:more|fewer|less|many|often|likely|people|patients|adults|women|men|children|participants|they)\s+(?:to\s+|\w+\s+)?$",
    re.IGNORECASE,
)
""" "Do more people stop it than placebo?" counts who stops."""
_AT_A_DAY = re.compile(
    r"\s+(?:(?:at|after|by|on)\s+)?(?:day|week|month|year|\d|one|two|three|four|five|six|seven|eight|nine|ten|twelve)",
    re.IGNORECASE,
)
""" "Stop antibiotics at day 8" asks how long they are given."""
_SINCE = re.compile(
    r"\s+(?:at\s+)?(?:[\w.]+\s+){1,2}(?:days?|weeks?|months?|years?)\s+(?:after|from|post|following)\b", re.I
)
""" "Stop a beta-blocker one year after infarction" asks about stopping it."""
_STOPS_IT = re.compile(rf"\b{_STOPS}\s+(?:it|them)\b(?!\s+(?:(?:at|on)\s+day|\w+ing\b))", re.IGNORECASE)
""" "On aspirin for 20 years: harm from stopping it?"."""
_STOPPED = re.compile(rf"\b{_STOPS}\b|\boff\b|\bde-?escalat\w*", re.IGNORECASE)
_TAPERED_AFTER = re.compile(
    r"\b(?:then|and|followed by|with|before)\s+(?:an?\s+|gradual(?:ly)?\s+|was\s+|were\s+){0,2}taper\w*", re.IGNORECASE
)


def is_to_stop(question: str, treatments: Iterable[Idea]) -> bool:
    """Whether the question asks about stopping one of its treatments: "withdrawal of steroids", "aspirin cessation"."""
    if (it := _STOPS_IT.search(question)) is not None and any(
        idea.term in question[: it.start()] for idea in treatments
    ):
        return True
    for idea in treatments:
        term = re.escape(idea.term)
        stopped = re.search(rf"\b{_STOPS}\s+{_BETWEEN}{term}", question, re.IGNORECASE)
        if (
            stopped
            and not _COUNTED.search(question, 0, stopped.start())
            and (not _AT_A_DAY.match(question, stopped.end()) or _SINCE.match(question, stopped.end()))
        ):
            return True
        if re.search(
            rf"\b{term}\s+(?:(?:is|are|was|were|be|being)\s+)?(?:discontinuation|withdrawal|cessation|interruption"
            r"|stopped|withheld|withdrawn|discontinued|tapering|deprescribing)\b",
            question,
            re.IGNORECASE,
        ):
            return True
    return False


_GOES_WITHOUT = re.compile(rf"(?:{_STOPS}|without)(?:\s+(?:the\s+)?(?:it|them|treatment|therapy))?", re.IGNORECASE)


def is_to_go_without(term: str) -> bool:
    """Whether a comparator is that what is asked about is not given, or given no longer: "stopping treatment"."""
    return _GOES_WITHOUT.fullmatch(term.strip()) is not None


def tells_of_stopping(text: str) -> bool:
    """Whether an arm or a sentence is of a treatment that is stopped; one that ends in a taper is given."""
    return _STOPPED.search(_TAPERED_AFTER.sub(" ", text)) is not None
