"""How a treatment is asked about, by the words around it, and whether a source gave it so: how often, for how long, by
which route, what for, how much more of it, begun again.

A trial of a tablet twice a day tells nothing of one a week, one of three months nothing of one month, one of an
injection nothing of a tablet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from openwork_knowledge.notation import any_of
from openwork_language.quantities.find import find_quantities
from openwork_language.quantities.number_words import NUMBER_WORDS
from openwork_language.quantities.quantity import QuantityKind

from openwork_answers.asked import Question
from openwork_answers.given import asking_from
from openwork_answers.places import is_within, places_of


def _each(*forms: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b(?:{form})\b", re.IGNORECASE) for form in forms)


_RHYTHMS = _each(
    r"(?:once[- ])?weekly|(?:once|one) (?:a|per|every) week|every week|every 7 days",
    r"(?:once[- ])?monthly|(?:once|one) (?:a|per|every) month|every month|every (?:4|four) weeks",
    r"alternate[- ]days?|every (?:other|second) day|on alternate days",
    r"(?:as|when|if)[- ](?:needed|required)|on[- ]demand|p\.?r\.?n\.?|reliever|rescue",
    r"single[- ]dose|one[- ]dose|(?:a|one) single (?:\S+ )?dose|one[- ]off|one time dose|(?:given|taken) once",
    r"bed[- ]?time|nightly|at night|(?:in the )?evening",
    r"(?:in the )?morning",
    r"oral(?:ly)?(?![- ]+(?:anti-?coag|contracept))|by mouth|tablets?|capsules?|enteral(?:ly)?",
    r"intravenous(?:ly)?|i\.?v\.?|infusions?|parenteral(?:ly)?",
    r"subcutaneous(?:ly)?|s\.?c\.?|injections?|injected",
    r"inhaled|inhalations?|inhalers?|nebuli[sz]\w+|puffs?",
    r"intramuscular(?:ly)?|i\.?m\.?",
    r"intranasal(?:ly)?|nasal(?:ly)?",
    r"topical(?:ly)?|creams?|ointments?",
    r"prophyla\w+|prevent(?:s|ed|ing|ion|ive)",
    r"(?:three|3) times (?:a|per|each) week|thrice[- ]weekly",
    r"(?:two|2) times (?:a|per|each) week|twice[- ](?:a[- ]week|weekly)",
    r"(?:three|3) times (?:a|per|each) day|thrice[- ]daily",
    r"loading(?: dose)?s?|bolus(?:es)?",
    r"maintenance|extended",
)
"""Each in its forms: a source that has one of them gave it so."""
_CHANGES = _each(
    r"re-?(?:start|initiat|introduc|challeng)\w*|resum\w+",
    r"de-?escalat\w*|step(?:ping|ped)?[- ]down",
    r"switch\w*|chang(?:e|ing) (?:from|to)",
    r"quadrupl\w+|(?:doubl|tripl)(?:e|ing)(?= (?:(?:the|his|her) )?(?:(?:inhaled|daily|usual) )?"
    r"(?:dos\w+|steroids?|corticosteroids?|drugs?|tablets?|medic\w+|insulin|diuretics?)\b)",
)
"""What is done with something that is given already."""
_NUMBER = rf"(?:\d+|{any_of(NUMBER_WORDS)})"
_UNIT = r"(?:days?|weeks?|months?|years?)"
_BETWEEN = r"(?:\s+(?:course|regimen|therapy|treatment|dosing))?(?:\s+(?:of|with))?\s+(?:[\w-]+\s+){0,1}$"
_COURSE = re.compile(rf"\b(?P<course>{_NUMBER}[\s-]{_UNIT}){_BETWEEN}", re.IGNORECASE)
"""Right before a treatment: "one month of", "a 5-day course of"."""
_GIVEN = re.compile(
    r"\s*(?:(?:low|high)-dose|dos(?:e|es|ing)|injections?|infusions?|regimens?|therapy|treatment|tablets?|course)?"
    r"\s*(?:of|with)?\s*(?:[\w-]+\s+){0,1}$",
    re.IGNORECASE,
)
"""Between a rhythm and the treatment behind it: "weekly dosing of [apixaban]"."""
_GIVEN_SO = re.compile(r"\s+(?:[\w-]+\s+){0,2}$", re.IGNORECASE)
"""Between a treatment and the rhythm behind it: "[primaquine] as a single dose"."""
_DAYS = {"day": 1, "week": 7, "month": 30.4, "year": 365.25}
_SHARE = 0.1
"""By which two times may differ and be the same: four weeks and a month."""


def schedules_untold(question: Question, text: str) -> tuple[str, ...]:
    """The rhythms and durations, in the asker's words, in which a treatment is asked about and none gave it.

    Two that are set against each other are told apart as what they are (`variants.Contrast`).

    Args:
        text: all that the source tells.
    """
    if question.contrast is not None:
        return ()
    return tuple(said for said in dict.fromkeys(_asked(question)) if not _is_told(said, text))


def changes_untold(question: Question, text: str) -> tuple[str, ...]:
    """What is asked to be done with a treatment that is given already, and a source does not tell of: "restart".

    Args:
        text: all that the source tells.
    """
    asked = question.analysis.question
    taken = _taken(question)
    found = ((change, match) for change in _CHANGES for match in change.finditer(asked))
    return tuple(m[0] for change, m in found if not is_within(m.start(), taken) and not change.search(text))


def _taken(question: Question) -> list[tuple[int, int]]:
    """Where the outcomes and the people of a question stand: words there tell nothing of how it is given."""
    outcomes = places_of(question.outcome_texts, question.analysis.question)
    return [*outcomes, *((term.start, term.end) for term in question.people)]


def _asked(question: Question) -> Iterator[str]:
    text = question.analysis.question
    given = places_of((*(idea.term for idea in question.treatments), *question.analysis.pico.intervention), text)
    taken = _taken(question)
    for rhythm in _RHYTHMS:
        for match in rhythm.finditer(text):
            before = any(_GIVEN.fullmatch(text, match.end(), at) for at, _ in given if at >= match.end())
            behind = any(_GIVEN_SO.fullmatch(text, end, match.start()) for _, end in given if end <= match.start())
            is_given_so = before or behind or is_within(match.start(), given)
            if is_given_so and not is_within(match.start(), taken) and not match[0].casefold().startswith("prevent"):
                yield match[0]
    for at in (at for at, _ in given if at >= asking_from(text)):
        course = _COURSE.search(text, 0, at)
        if course is not None and not is_within(course.start(), taken):
            yield course["course"]


def _is_told(said: str, text: str) -> bool:
    """Whether a text has a rhythm in any of its forms, or a duration."""
    if rhythms := [rhythm for rhythm in _RHYTHMS if rhythm.fullmatch(said)]:
        return any(rhythm.search(text) for rhythm in rhythms)
    return any(abs(one - asked) <= _SHARE * asked for one in _days_in(text) for asked in _days_in(said))


@lru_cache(maxsize=1024)
def _days_in(text: str) -> tuple[float, ...]:
    found = (q for q in find_quantities(text) if q.kind is QuantityKind.DURATION and q.unit in _DAYS)
    return tuple(float(q.value) * _DAYS[q.unit or ""] for q in found if q.value is not None)
