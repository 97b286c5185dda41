"""A sentence of an abstract in the abstract's own long forms: what "PAS", "group II" and "A, 100 mg" stand for.

A short form that the abstract defines, or a group that it says to have received something, is written out before the
sentence is read, so that arms and outcomes are known by their names. Figures and their order stay as they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

from openwork_knowledge.notation import group
from openwork_language.abbreviations import definitions_in

from openwork_answers.arms import is_known

_I = re.IGNORECASE
_MEASURES = frozenset(
    {"CI", "CIs", "HR", "RR", "OR", "SD", "SE", "SEM", "NNT", "NNH", "ARR", "RRR", "IQR", "AUC", "MD", "RD"}
)
_LONGEST = 8
"""Words of a long form."""
_MARK = r"(?:[A-Z]{1,2}\d{0,2}|[IV]{1,4}|\d)"
_PEOPLE = group("arm-words", "people")
_GROUP_GOT = re.compile(
    rf"\b(?P<name>(?:[Gg]roup|[Aa]rm)\s+{_MARK})\b\s*(?:[(\[][^()\[\]]*[)\]]\s*)?[,:=]?\s*(?:(?:{_PEOPLE}\s+)?(?:was|were|who)?\s*"
    r"(?:received|given|treated\s+with|assigned\s+to|took|receiving|taking)\s+)?(?P<what>[^.,;:()\[\]]{3,70})"
)
_GOT_GROUP = re.compile(
    r"\b(?:received|given|received\s+either|with|to|or|and|,|either)\s+(?P<what>[^.,;:()\[\]]{3,60}?)\s*"
    rf"[(\[](?P<name>(?:[Gg]roup|[Aa]rm)\s+{_MARK})\b[^()\[\]]*[)\]]"
)
_GROUP_SHORT = re.compile(r"[(\[](?P<long>[a-z][\w -]{2,40}\s(?:group|arm)),\s*(?P<short>[A-Z][A-Za-z]{1,5})[)\]]")
_SCHEDULE = re.compile(
    r"\s+(?:b\.?i\.?d|t\.?i\.?d|t\.?d\.?s|q\.?i\.?d|o\.?d|once|twice|three times|daily|per day|every|for|before|after"
    r"|immediately|intravenously|orally|i\.?v|IV|in a|as an?)\b.*$",
    _I,
)


_OPENS = re.compile(r"\b(?:either|receive|received|with|to|or|given|of)\s+(?!\w+\s+and\b)", _I)


def spelt_out(sentence: str, abstract: str) -> str:
    """The sentence with short forms and groups in full; itself where it holds none."""
    for short, long in _long_forms(abstract):
        if short in sentence:
            sentence = _as_word(short).sub(long.replace("\\", " "), sentence)
    return sentence


@lru_cache(maxsize=4096)
def _as_word(short: str) -> re.Pattern[str]:
    article = r"(?:\b[Tt]he\s+)?" if re.match(r"[Gg]roup|[Aa]rm", short) else ""
    return re.compile(rf"{article}(?<![\w(\[-]){re.escape(short)}(?![\w-])")


@lru_cache(maxsize=512)
def _long_forms(abstract: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for short, long in definitions_in(abstract).items():
        plain = not re.search(r"\d\s?%|[;:\u2018\u2019\"]", long) and len(long.split()) <= _LONGEST
        if plain and short not in _MEASURES and short.casefold() not in {"at", "in", "as"}:
            found[short] = long
    for match in _GROUP_SHORT.finditer(abstract):
        found.setdefault(match["short"], match["long"])
    for pattern in (_GOT_GROUP, _GROUP_GOT):
        for match in pattern.finditer(abstract):
            what = _OPENS.split(_SCHEDULE.sub("", match["what"].strip()))[-1]
            if is_known(what) and not re.search(r"\d\s?%|\b(?:was|were|had|than|versus)\b", what):
                found.setdefault(match["name"], f"the {what} group")
    return tuple(sorted(found.items(), key=lambda item: -len(item[0])))
