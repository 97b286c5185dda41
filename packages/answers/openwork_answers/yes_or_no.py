"""Whether an answer may begin with yes or no, and which of the two."""

from __future__ import annotations

import re

from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, Fit, StudyResult

from openwork_answers.directions import AS_GOOD, direction_of
from openwork_answers.outcomes import is_good, read_outcome
from openwork_answers.valued import is_bad


def yes_or_no(c: Conclusion, lead: StudyResult) -> str | None:
    """By the direction that the question asks about; `None` = it asks about none, or not for yes or no."""
    asked = c.asked.direction
    told = direction_of(lead)
    if not is_exact(c, lead) or asked in {None, AS_GOOD} or told is None:
        return None
    if lead.outcome_fit is Fit.NOT_TOLD and asked not in {"better", "worse"}:
        return None  # of an outcome that was not understood nothing is said
    if asked in {"better", "worse"}:
        good = lead.verdict is ConclusionVerdict.BENEFIT
        return "Yes" if good is (asked == "better") else "No"
    if _SURVIVAL.search(" ".join(c.asked.outcome)) and not is_good(read_outcome(lead.outcome)):
        asked = _OPPOSITE[asked]  # who asks whether people live longer asks for fewer deaths
    elif lead.bad is not None and {is_bad(read_outcome(text)) for text in c.asked.outcome} == {not lead.bad}:
        asked = _OPPOSITE[asked]  # who asks for less disability asks for more good outcomes
    return "Yes" if asked == told else "No"


def is_exact(c: Conclusion, lead: StudyResult) -> bool:
    """Whether yes or no may be said: asked for, and the result is of this outcome, comparison and people."""
    exact = lead.outcome_fit in {Fit.ASKED, Fit.NOT_TOLD} and lead.comparison_fit in {Fit.ASKED, Fit.PART}
    return c.asked.yes_or_no and exact and lead.people_fit is Fit.ASKED and not not_told_apart(c)


def not_told_apart(c: Conclusion) -> list[str]:
    """What of a question the leading result does not tell apart, without words for those who are in every study."""
    return [text for text in c.people_wider if text.casefold() not in _EVERYBODY]


_EVERYBODY = frozenset({"adult", "adults", "patient", "patients", "people"})


_SURVIVAL = re.compile(r"\b(?:surviv\w*|liv(?:e|es|ing)|lives|alive|life)\b", re.IGNORECASE)
_OPPOSITE = {"lower": "higher", "higher": "lower"}
