"""Intent to harm in other words than the shapes of `harm`: signs that have to come together, in any order.

The asker acts ("how do I", "what can I put", "I need"), a deed or a result is named, and the person it is done to; or
how something is made that only harms, with one's own hands. Where a purpose of medicine is named (treatment,
prevention, epidemiology, a case report) these signs say nothing.
"""

from __future__ import annotations

import re
from functools import cache

from openwork_knowledge.notation import group


def wishes_death(text: str) -> bool:
    """Whether the asker speaks of an own wish to die, or asks for tips. `text`: lower case, without quotations."""
    if _has_purpose(text) or not _sign("death wished").search(text):
        return False
    return _sign("wish, of the asker").search(text) is not None


def plans_harm(text: str) -> bool:
    """Whether the signs of a plan to hurt others come together. `text`: lower case."""
    if _has_purpose(text):
        return False
    if _makes_what_harms(text) or (_sign("motive").search(text) and _sign("matter of harm", "illness").search(text)):
        return True
    if not _acts().search(text):
        return False
    return bool(
        any(pattern.search(text) for pattern in _done_to_one())
        or (_sign("germ").search(text) and _sign("worse").search(text) and re.search(r"\b(?:i|we)\b", text))
        or (
            (_concealed().search(text) or _sign("unseen").search(text))
            and _sign("matter of harm").search(text)
            and _one().search(text)
        )
        or _sign("mass harm").search(text)
    )


def _makes_what_harms(text: str) -> bool:
    """Making, own hands, and a weapon or a drug: all three. Of germs, which laboratories grow, getting hold of them."""
    if _sign("acquire").search(text) and _sign("organism").search(text) and _acts().search(text):
        return True
    if not (_sign("procedure").search(text) and _sign("own hands").search(text)):
        return False
    if _sign("illicit drug").search(text) or _sign("weapon").search(text):
        return True
    return bool(_sign("drug").search(text) and _sign("illicit").search(text))


def _has_purpose(text: str) -> bool:
    return _sign("purpose of medicine").search(text) is not None


@cache
def _sign(*names: str) -> re.Pattern[str]:
    """The words of these groups, whole."""
    return re.compile(_words(*names))


def _words(*names: str) -> str:
    return rf"\b{group('harm', *names)}(?!\w)"


@cache
def _acts() -> re.Pattern[str]:
    """Somebody looks for a way to act: "how would a caregiver", "what can I put", "I need", "is there a poison"."""
    modal = r"(?:can|could|do|does|would|should|might)"
    return re.compile(
        rf"\bhow {modal} (?:i|we|you|one|someone|somebody|(?:an?|the) \w+)\b|\bhow to\b|\bways?\b"
        rf"|\b(?:what|which)\b.{{0,60}}\b(?:can|could|should|would|do|may) (?:i|we|you|one)\b|\bcan be used to\b"
        r"|\bi(?:'m| am)? (?:need|want|plan|planning|intend|going|would like|have to)\b|\bfor me to\b"
        r"|\b(?:tell|show|teach|give) me\b|\b(?:perfect|best|easiest|surest)\b"
        r"|\bis there (?:an? )?(?:\w+ )?(?:poison|way|drug|toxin)\b"
        r"|\bwould kill\b"
    )


@cache
def _person() -> str:
    """A person that the asker has in mind."""
    relation = rf"(?:{_words('owner')}|\b(?:their|the))\s+(?:[\w'-]+\s+)?{_words('possessed')}"
    return rf"(?:{_words('victim')}|{relation}|\ban?\s+(?:\w+\s+)?{_words('human')})"


@cache
def _one() -> re.Pattern[str]:
    return re.compile(rf"{_person()}|{_words('hidden from')}")


@cache
def _done_to_one() -> tuple[re.Pattern[str], ...]:
    person, gets = _person(), _words("state", "gets")
    deed = _words("deed", "deed to one")
    own = rf"(?:{_words('owner')}|\ban?\s+(?:\w+\s+)?{_words('human')}'s)"
    shapes = (
        rf"{deed}\s+(?:off\s+)?{person}(?:\s+off)?",
        rf"\bknock\w*\s+{person}\s+(?:out|unconscious)|\bend\w*\s+(?:{person}'s|{own})\s+li(?:fe|ves)",
        rf"\b(?:make|makes|making|get|gets|render)\w*\s+{person}\s+(?:\w+\s+){{0,2}}?{gets}",
        rf"\b(?:put|add|mix|slip|pour|sprinkle|feed)\w*\b.{{0,40}}\b(?:on|onto|in|into|to)\s+{_words('owner')}\s+(?:\w+\s+)?"
        rf"{_words('drink')}.{{0,60}}{gets}",
        rf"\b(?:give|giving|cause|causing)\s+{person}\s+an?\s+(?:\w+\s+)?{_words('event')}",
        rf"\b(?:give|giving|cause|causing)\s+{person}\s+(?:an?\s+|the\s+)?(?:\w+\s+)?{_words('illness')}(?!-)",
        rf"{_words('illness')}\s+(?:can|could|should|do) i give\s+{person}",
        rf"\bspik(?:e|ing)\s+(?:an?\s+|the\s+|{_words('owner')}\s+)?{_words('drink')}",
        rf"{_words('to damage')}\s+(?:{person}'s|{own})\s+(?:\w+\s+)?{_words('part')}",
        rf"\bburn\w*\s+{own}\s+(?:face|eyes|skin)",
        rf"\b(?:trigger|provoke|induce|cause|infect|expose|hurt)\b.{{0,60}}{_words('possessed')}"
        rf".{{0,60}}{_words('on purpose')}",
        rf"\b(?:poison|contaminate)\w*\b.{{0,30}}{_words('water')}|\bperfect murder\b|\bcommit (?:a )?murder\b",
    )
    return tuple(re.compile(shape) for shape in shapes)


@cache
def _concealed() -> re.Pattern[str]:
    """ "Without telling her", "and not be discovered", "that a coroner will not find"."""
    return re.compile(
        rf"{_words('concealing')}\s+(?:[\w']+\s+){{0,3}}?{_words('concealed')}|\bundetect\w+|\buntrace\w+"
    )
