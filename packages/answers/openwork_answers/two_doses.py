"""Two doses of one drug against another: "dyspepsia was more frequent with A (11.8% with 110 mg and 11.3% with 150 mg)
than with B (5.8%)". Each dose is set against the other drug, not against its fellow.
"""

from __future__ import annotations

import re

from openwork_answers.found import Found
from openwork_answers.named_outcomes import outcome_in
from openwork_answers.reported import Arm

_PERCENT = r"(?P<{0}>\d+(?:\.\d+)?)\s?%"
_DOSE = r"(?P<{0}>\d[\d.,]*\s?(?:mg|mcg|g|IU|units)(?:\s[a-z]+){{0,2}}?)"
_TWO_DOSES = re.compile(
    r"\b(?P<goes>more|less)\s+(?:frequent|common|often)\s+(?:with|on|in)\s+(?P<drug>[A-Za-z][\w-]*)\s*"
    rf"\({_PERCENT.format('first')}\s+(?:with|on|at)\s+{_DOSE.format('low')}\s*(?:,|and|or)\s*"
    rf"{_PERCENT.format('second')}\s+(?:with|on|at)\s+{_DOSE.format('high')}\)\s+"
    rf"than\s+(?:with|on|in)\s+(?P<other>[A-Za-z][\w -]{{2,40}}?)\s*\({_PERCENT.format('third')}\)",
    re.IGNORECASE,
)


def two_doses_in(sentence: str) -> tuple[Found, ...]:
    """A result for each dose; none where the figures do not go the way that the sentence says."""
    match = _TWO_DOSES.search(sentence)
    outcome = outcome_in(sentence[: match.start()]) if match else None
    if match is None or outcome is None:
        return ()
    other = float(match["third"])
    more = match["goes"].casefold() == "more"
    if any((float(match[share]) > other) is not more for share in ("first", "second")):
        return ()
    found = []
    for share, dose in (("first", "low"), ("second", "high")):
        sides = (f"{match['drug']} {match[dose]}", match["other"])
        arms = (Arm(sides[0], percent=match[share]), Arm(sides[1], percent=match["third"]))
        found.append(Found(outcome, sides, arms, None, None))
    return tuple(found)
