"""What one treatment is said to have done, with two shares and no name for the other arm.

"Aspirin lowered nonfatal reinfarction (1.0% versus 2.0%) and nonfatal stroke (0.3% versus 0.6%)": the first share is of
those treated, and the other of those who were not, whom the sentence may name ("compared with control"). Where the two
go another way than the verb, nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openwork_answers.arms import arm_name, names_treatment
from openwork_answers.found import Found, time_in
from openwork_answers.named_outcomes import is_outcome, tidy
from openwork_answers.outcome_before import LEAD
from openwork_answers.outcomes import read_outcome
from openwork_answers.outcomes_by_place import is_no_share
from openwork_answers.reported import Arm

_I = re.IGNORECASE
_DOWN = r"lowered|reduced|decreased|cut|prevented|lessened|halved"
_UP = r"raised|increased|doubled"
_SHARES = (
    r"\(\s*(?P<a>\d+(?:\.\d+)?)\s?%?\s+(?:versus|vs\.?|v\.?|compared\s+with|against)\s+(?P<b>\d+(?:\.\d+)?)\s?%"
    r"(?P<yearly>\s+(?:per|a)\s+year)?[^()]*\)"
)
_FIRST = re.compile(
    rf"^(?P<who>[A-Za-z][^,;()%]{{2,60}}?)\s+(?:(?:significantly|markedly|also|slightly)\s+)?(?:(?P<down>{_DOWN})|{_UP})\s+"
    r"(?:the\s+(?:risk|rate|incidence|number)\s+of\s+)?(?P<o>[^();%]{3,90}?)(?:\s+by\s+\d+(?:\.\d+)?\s?%)?"
    rf"(?:\s+(?:compared\s+with|versus|relative\s+to)\s+(?P<other>[^,;()%\d]{{3,40}}?))?\s+{_SHARES}",
    _I,
)
_NEXT = re.compile(
    r"\s*(?:,\s+(?:and\s+)?|\s+and\s+)(?:(?:mainly|mostly|largely|chiefly|primarily)\s+)?(?:through|by|driven\s+by)?\s*"
    rf"(?:fewer\s+|less\s+|more\s+)?(?P<o>[^,;()%]{{3,70}}?)\s+{_SHARES}",
    _I,
)
_NO_NAME = re.compile(rf"(?:{_DOWN}|{_UP}|without|of|by|with|in|did|had|was|were)\b", _I)
_UNNAMED = "control"
"""The other arm, where its sentence does not say what it was given."""


def told_of_one(sentence: str) -> tuple[Found, ...]:
    """Each outcome with its two shares; empty where the sentence is of another kind."""
    lead = LEAD.match(sentence)
    start = lead.end() if lead else 0
    match = _FIRST.match(sentence[start:])
    if match is None or arm_name(match["who"]) is None or not names_treatment(match["who"]):
        return ()
    if re.search(r"\b(?:and|or)\b", match["who"], _I):
        return ()
    sides = (match["who"].strip(), (match["other"] or _UNNAMED).strip())
    return tuple(_found(sentence, start, match, sides))


def _found(sentence: str, start: int, match: re.Match[str], sides: tuple[str, str]) -> Iterator[Found]:
    is_down, at = bool(match["down"]), start + match.end()
    told: re.Match[str] | None = match
    while told is not None:
        name = tidy(told["o"])
        if not _is_named(name) or is_no_share(name, "") or (float(told["a"]) < float(told["b"])) is not is_down:
            return
        per = "100 person-year" if told["yearly"] else None
        arms = (Arm(sides[0], percent=told["a"], per=per), Arm(sides[1], percent=told["b"], per=per))
        yield Found(name, sides, arms, None, time_in(sentence))
        if (told := _NEXT.match(sentence, at)) is not None:
            at = told.end()


def _is_named(name: str) -> bool:
    """Whether it is an outcome's name, and no other verb, nor what was not changed."""
    if _NO_NAME.match(name):
        return False
    return is_outcome(name) or any(atom.things for atom in read_outcome(name).atoms)
