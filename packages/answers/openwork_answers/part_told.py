"""Of which part of a source's people a sentence tells, by how it opens: "In women, death occurred in ...".

"In 18,201 people with atrial fibrillation" are all of a trial in atrial fibrillation; who has a word that neither its
title nor what it says of whom it studied has is a part of them.
"""

from __future__ import annotations

import re

from openwork_contracts.evidence import EvidenceCandidate
from openwork_language.searching.information import SOME, information

from openwork_answers.asked_words import pieces_of
from openwork_answers.source_words import words_of
from openwork_answers.studied import of_whom

_OPENS = re.compile(
    r"^(?:In (?:the )?[A-Z][\w-]*(?: (?:trial|study|analysis|\d+))?,? )?(?:[Ii]n|[Aa]mong|[Oo]f) "
    r"(?P<who>(?:(?:the|all|those) )?(?:[\w-]+ ){0,2}?"
    r"(?:people|patients|participants|adults|children|infants|women|men|those|individuals)\b[^,;:()]{0,90}),\s",
)


def part_told(sentence: str, document: EvidenceCandidate) -> str | None:
    """The words of a sentence for a part of those whom its source studied; `None` = it is of all, or does not tell."""
    opening = _OPENS.match(sentence)
    if opening is None or any(map(str.isdigit, opening["who"][:8])):
        return None
    whole = words_of(of_whom(document, None).replace(opening["who"], " "))
    told = [word for word in pieces_of(opening["who"]) if information(word) >= SOME]
    return opening["who"] if any(not whole.tells(word) for word in told) else None


def with_definition(people: str, sentence: str) -> str:
    """With what a bracket right behind them says who they are: "less severely ill people (APACHE II score of 20 or
    less)"; figures of a result define nobody.
    """
    match = re.search(rf"{re.escape(people)}\s*\((?P<what>[^()]{{3,60}})\)", sentence)
    return f"{people} ({match['what']})" if match and not _OF_A_RESULT.search(match["what"]) else people


_OF_A_RESULT = re.compile(r"%|\d\s*(?:v|vs|versus|of)\s*\d|\b(?:n\s*=|CI\b|HR\b|RR\b|OR\b|P\b)|^[\d.,;\s]+$")
