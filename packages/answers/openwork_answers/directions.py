"""Which way: what a question asks a treatment to do, and on which side of no difference a result lies."""

from __future__ import annotations

import re

from openwork_contracts.conclusion import StudyResult
from openwork_contracts.measures import RATIOS, REDUCTIONS
from openwork_language.effects.find import Direction, EffectStatement, find_effects

from openwork_answers.given import asking_from

AS_GOOD = "as good"
"""What `asked_direction` says of a question whether one treatment is no worse than another."""
_VALUES = r"(?:good|well|effective|efficacious|safe|useful|reliable)"
_AS_GOOD = re.compile(
    r"\b(?:non-?\s?inferior(?:ity)?|(?:not|no|n[o']t)\s+(?:any\s+)?(?:inferior|worse))\b"
    r"|\b(?:just\s+|at\s+least\s+)?as\s+(?:good|effective|efficacious|safe|useful|reliable)"
    r"(?:\s+(?:and|or)\s+\w+)?(?:\s+\w+){0,5}?\s+as\b"
    r"|\b(?:do|does|did|works?|performs?|fares?)\s+(?:just\s+|at\s+least\s+)?as\s+well\b"
    rf"|\bequally\s+{_VALUES}|\bequivalent\s+to\b|\bjust\s+as\s+{_VALUES}"
    r"|\b(?:enough|sufficient|suffices?|adequate)\b",
    re.IGNORECASE,
)


_SOONER = re.compile(r"\b(?:sooner|faster|earlier|quicker|more quickly|speeds? up)\b", re.IGNORECASE)


_NOUN = re.compile(
    r"(?P<before>\b(?:from|due\s+to)\s+(?:[\w-]+\s+){1,3}?(?=causes\b)"
    r"|(?:\b(?:all|any|other|another)\s+|\bfrom\s+an?\s+(?:[\w-]+\s+)?))(?P<how>causes?)\b",
    re.IGNORECASE,
)
""" "Death from all causes" causes nothing."""


def asked_direction(question: str) -> str | None:
    """lower, higher, better or worse: what a question asks whether a treatment does to its outcome; or "as good"."""
    question = _NOUN.sub(_hidden, question)
    if _AS_GOOD.search(question):
        return AS_GOOD
    if _SOONER.search(question):
        return None  # of an event more of it, of a time less of it: neither is a plain yes or no
    if (effect := _asked_effect(question)) is not None:
        is_denied = effect.negated and _NOT.search(question, 0, effect.start) is not None
        fails = _FAILS.search(question, 0, effect.start) is not None
        return None if is_denied or fails else effect.direction.value
    if re.search(r"\b(?:prevents?|protects?)\b", question, re.IGNORECASE):
        return "lower"
    if re.search(r"(?<![\w-])(?:causes?|leads? to|induces?)\b", question, re.IGNORECASE):
        return "higher"
    if re.search(r"\b(?:effective|work|works|benefit|beneficial|help|helps|useful)\b", question, re.IGNORECASE):
        return "better"
    return None


def _asked_effect(question: str) -> EffectStatement | None:
    """The first effect of the clause that asks; what is done ("does holding back blood raise deaths?") only alone.

    How the treatment itself is called ("do lower targets increase falls?", "does extended treatment reduce ...?") tells
    nothing of what it does. Who asks whether it does not do something asks for no plain yes or no.
    """
    question = _OF_TREATMENT.sub(_hidden, question)
    effects = _effects_in(_CALLED.sub(_hidden, question)) or _effects_in(question)
    asked = [e for e in effects if e.start >= asking_from(question)] or effects
    finite = [e for e in asked if not _DOING.match(question, e.start)] or asked
    return finite[0] if finite else None


def _effects_in(text: str) -> list[EffectStatement]:
    return [e for e in find_effects(text) if e.direction in _WAYS]


def _hidden(found: re.Match[str]) -> str:
    """As long as it was, so that places stay."""
    return f"{found['before']}{'_' * len(found['how'])}"


_HOW = (
    r"(?P<how>(?:low|high|short|long)er|(?:reduc|decreas|increas|extend|prolong|shorten|intensifi|rais|elevat|improv"
    r"|lower)ed)"
)
_CALLED = re.compile(
    r"(?P<before>(?:^|[.?!,:;\u2013\u2014]\s*|\b(?:and|but|so)\s+)"
    r"(?:do|does|did|will|would|can|could|may|might|should|is|are|was|were)\s+(?:an?\s+|the\s+)?)"
    rf"{_HOW}(?=[\s-]+[a-z])",
    re.IGNORECASE,
)
_OF_TREATMENT = re.compile(
    rf"(?P<before>(?<!\bto )(?<!\bin )(?<!\bwith )(?<!\bfor )\b){_HOW}(?=[\s-]+(?:[\w-]+\s+)?(?:treatments?"
    r"|therap(?:y|ies)|courses?|dosing|doses?|targets?|regimens?|infusions?|release|durations?|prophylaxis"
    r"|anticoagulation|thresholds?|intervals?|strateg(?:y|ies))\b(?!\s+(?:failures?|success|costs?|burden)))",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:\b(?:not|never|cannot)|n['\u2019]t)\b(?:\s+[\w-]+){0,2}\s*$", re.IGNORECASE)
""" "Instead of 65 mm Hg" denies nothing."""
_FAILS = re.compile(r"\bfail(?:s|ed)?\s+to\s+$", re.IGNORECASE)


_WAYS = frozenset({Direction.LOWER, Direction.HIGHER, Direction.BETTER, Direction.WORSE})
_DOING = re.compile(r"[a-z]+ing\b", re.IGNORECASE)


def direction_of(result: StudyResult) -> str | None:
    """lower or higher: on which side of no difference the estimate lies; `None` where there is none."""
    effect = result.effect
    if effect is not None and effect.measure.upper() in RATIOS:
        return "lower" if effect.estimate < 1 else "higher"
    if effect is not None and effect.measure.upper() in REDUCTIONS:
        return "lower" if effect.estimate > 0 else "higher"
    if effect is not None:
        return "lower" if effect.estimate < 0 else "higher"
    return "lower" if result.absolute and result.absolute.per_1000 < 0 else "higher" if result.absolute else None
