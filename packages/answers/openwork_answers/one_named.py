"""Two figures of which a sentence names one arm: "recurrence was less frequent in the A group (5% vs 17%)".

The other arm is the one that the title sets against it. The named arm's figure is the first, and the words and the
figures have to go the same way: else nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from openwork_language.cells.contrasts import find_contrasts
from openwork_language.mentions import names_in
from openwork_language.quantities.compare import find_quantities

from openwork_answers.arms import arm_name, compares, is_control_name, is_known
from openwork_answers.excluded import tells_who_was_studied
from openwork_answers.figures import VERSUS
from openwork_answers.found import Found, is_a_side, time_in
from openwork_answers.named_outcomes import noun_before, outcome_in
from openwork_answers.outcomes_by_place import is_no_share, outcome_alone, outcome_by_place
from openwork_answers.shares import Share, in_one_bracket, opening_of, shares_in

_I = re.IGNORECASE
_NAMED = re.compile(
    r"\b(?:(?P<less>lower|fewer|less(?:\s+\w+)?|reduced|decreased)|(?:higher|greater|more(?:\s+\w+)?|better|increased))\s+"
    r"(?:in|with|for|among|after)\s+(?:the\s+)?(?P<arm>[^,;:()]{3,50}?)\s*(?:group|arm|patients|recipients)?\s*(?=[(,;.]|$)",
    _I,
)

_WHOM = re.compile(r"\s+(?:in|for|on|as|during|after|among)\s", _I)
"""Behind an arm of a title: in whom, against what."""


@lru_cache(maxsize=1024)
def sides_of_title(title: str) -> tuple[str, str] | None:
    """The two arms of a title that compares two and no more."""
    found = find_contrasts(title)
    if len(found) != 1:
        return None
    first, second = (arm_name(_WHOM.split(side)[0]) for side in (found[0].first, found[0].second))
    return (first, second) if first and second and is_known(first) and is_known(second) else None


@lru_cache(maxsize=4096)
def against_the_other(sentence: str, sides: tuple[str, str]) -> tuple[Found, ...]:
    """Pairs in brackets of a sentence that names one of the two sides, as the one with less or more."""
    bare = re.sub(r"\([^()]*\)", "", sentence)
    named = list(_NAMED.finditer(bare))
    if len(named) != 1 or compares(sentence) or tells_who_was_studied(sentence):
        return ()
    own, other = _which(named[0]["arm"], sides)
    if not own:
        return ()
    found: list[Found] = []
    for pair, before in _pairs(sentence):
        first, second = (replace(share.arm, name=name) for share, name in zip(pair, (own, other), strict=True))
        outcome = noun_before(f"{before}(") or outcome_in(before) or outcome_by_place(before) or outcome_alone(before)
        shares = [float(arm.percent or 100 * (arm.events or 0) / (arm.n or 1)) for arm in (first, second)]
        goes = shares[0] < shares[1] if named[0]["less"] else shares[0] > shares[1]
        if outcome and goes and not is_a_side(outcome, (own, other)) and not is_no_share(outcome, before):
            found.append(Found(outcome, (own, other), (first, second), None, time_in(sentence)))
    return tuple(found)


def _pairs(sentence: str) -> list[tuple[Sequence[Share], str]]:
    """Two figures of one bracket set against each other, and what stands before it."""
    found: list[tuple[Sequence[Share], str]] = []
    for row in in_one_bracket(sentence, shares_in(sentence, find_quantities(sentence))):
        if len(row) == 2 and VERSUS.search(sentence[row[0].end : row[1].start]):
            before = re.sub(r"^.*[)\]]", "", sentence[: opening_of(sentence, row[0].start) - 1], flags=re.DOTALL)
            found.append((row, before))
    return found


def _which(name: str, sides: tuple[str, str]) -> tuple[str, str]:
    """The side that a name is of, and the other; two empty names = it is of neither, or of both."""
    met = [bool(names_in(name) & names_in(side)) or (is_control_name(name) and is_control_name(side)) for side in sides]
    if met[0] == met[1]:
        return "", ""
    return sides if met[0] else (sides[1], sides[0])
