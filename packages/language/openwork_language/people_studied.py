"""How many people a study is of, as its abstract says it: for the order of reading, never for arithmetic.

Ways of saying it in their order of trust: who was randomised or taken in, a total, a number of people in brackets
("patients (n = 635)"), a study "in 124 patients". Within a way the first one counts: shares and losses come later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_COUNT = r"(?P<n>\d{1,3}(?:[,\u2009\u00a0 ]\d{3})+|\d{2,6})"
"""One or two people are no study; "1 445" and "1,445" are one number."""
_WHO = (
    r"(?:patients?|outpatients?|inpatients?|participants?|subjects?|people|persons?|women|men|males?|females?|mothers|children|infants|neonates|newborns|"
    r"adolescents|adults|individuals|volunteers|students|boys|girls|residents|veterans|users|smokers|workers|nurses|physicians|survivors)"
)
_SUCH = r"(?:[\w-]+,?\s+){0,4}?"
_TAKEN = r"(?:randomi[sz]ed|randomly|enrol?led|entered|recruited|included|assigned|allocated|studied|evaluated|treated)"
_PATTERNS = (
    rf"\b{_COUNT}\s+{_SUCH}{_WHO}\b(?:\s+(?!(?:were|was)\b)[\w()=%.,/-]+){{0,12}}?\s+(?:were|was)\s+(?:\w+\s+){{0,2}}?{_TAKEN}\b",
    rf"\bof\s+(?:the\s+)?{_COUNT}\s+{_SUCH}{_WHO}\s+(?:who\s+were\s+)?{_TAKEN}\b",
    rf"\b(?:we|study|trial|and|to|investigators)\s+{_TAKEN}\s+(?:a\s+total\s+of\s+)?{_COUNT}\s+{_SUCH}{_WHO}\b",
    rf"\ba\s+(?:total|sample)\s+(?:consisting\s+)?of\s+{_COUNT}\s+{_SUCH}{_WHO}\b",
    rf"\b{_WHO}\b(?:\s+[\w,-]+){{0,12}}?\s*[(\[]\s*n\s*=\s*{_COUNT}\s*[)\]]",
    rf"\b(?:stud(?:y|ied)|trial|conducted|performed|carried\s+out|data)\b[^.;]{{0,60}}?\b(?:in|of|on|with|included|involving|comprising|among)\s+{_COUNT}\s+{_SUCH}{_WHO}\b",
    rf"(?:^|[.;:]\s+){_COUNT}\s+{_SUCH}{_WHO}\b",
)
_WAYS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _PATTERNS)
_OF_AN_ARM = re.compile(r"[(\[]\s*n\s*=\s*(\d{1,3}(?:,\d{3})+|\d{1,6})\s*[)\]]", re.IGNORECASE)
_IS_OTHER = re.compile(r"\s*(?:%|mg|weeks?|months?|years?|days?|centers?|centres?|hospitals?|attacks?|visits?)\b", re.I)


@dataclass(frozen=True, slots=True)
class PeopleStudied:
    """A number of people with the place where it stands."""

    people: int
    start: int
    end: int
    """Of the number in the text, in characters; of several arms the first one's."""


def people_studied(text: str) -> PeopleStudied | None:
    """The number of people that a text says were studied; `None` = it says none in digits.

    Arms with a number each, "(n = 219)" and "(n = 220)" in one sentence, are added up. Of a text that is made of
    studies (a review) it may be the number of people in one of them.
    """
    for way in _WAYS:
        for match in way.finditer(text):
            if not _IS_OTHER.match(text, match.end("n")):
                start, end = match.span("n")
                return PeopleStudied(_with_other_arms(text, match), start, end)
    return None


def _with_other_arms(text: str, match: re.Match[str]) -> int:
    """The number, and those of the arms behind it in the same sentence where it is an arm's."""
    own = int(re.sub(r"\D", "", match["n"]))
    if not _OF_AN_ARM.search(match[0]):
        return own
    sentence = re.split(r"(?<=[a-z)])\.\s|;\s", text[match.end() :], maxsplit=1)[0]
    return own + sum(int(found.replace(",", "")) for found in _OF_AN_ARM.findall(sentence))
