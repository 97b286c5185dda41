"""Whose guidelines a question asks for: bodies and countries that it names, and in which order they are looked at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_contracts.guidance import INTERNATIONAL, GuidanceAsked
from openwork_contracts.question import Intent
from openwork_knowledge.bodies import bodies_placed, country_of
from openwork_knowledge.countries import Mention, countries_in
from openwork_knowledge.notation import group
from openwork_knowledge.patterns import pattern

from openwork_language.terms import find_terms


def guidance_in(question: str, intent: Intent) -> GuidanceAsked | None:
    """Whose guidelines are asked for; `None` = nobody's in particular.

    A country counts where guidance is asked for: "in India, which drug first", "do German guidelines recommend". In the
    name of a disease ("Japanese encephalitis") or of a body it is no country of its own.
    """
    bodies = bodies_placed(question)
    asks = bool(bodies) or intent is Intent.TREATMENT_GUIDELINE or guideline_cue().search(question) is not None
    countries = [one.name for one in _countries(question, bodies)] if asks else []
    if asks and _international().search(question):
        countries.append(INTERNATIONAL)
    shorts = tuple(dict.fromkeys(one.name for one in bodies))
    if not shorts and not countries:
        return None
    first = countries or [code for short in shorts if (code := country_of(short))]
    order = tuple(dict.fromkeys((*first, INTERNATIONAL)))
    return GuidanceAsked(bodies=shorts, countries=tuple(dict.fromkeys(countries)), order=order)


def without_countries(question: str, asked: GuidanceAsked | None) -> str:
    """The question without the countries whose guidelines it asks for: they say whose word goes first, not what of."""
    if asked is None or not asked.countries:
        return question
    text = question
    for one in reversed(_countries(question, bodies_placed(question))):
        before = re.sub(r"\b(?:in|from|of)\s+(?:the\s+)?$", "", text[: one.start])
        text = before + text[one.end :]
    return " ".join(text.split())


def _countries(question: str, bodies: Sequence[Mention]) -> list[Mention]:
    taken = [(one.start, one.end) for one in bodies] + [(term.start, term.end) for term in find_terms(question)]
    return [one for one in countries_in(question) if not any(a <= one.start < b for a, b in taken)]


@cache
def guideline_cue() -> re.Pattern[str]:
    """What says by itself that guidance is asked for: "guideline", "recommended", "first-line"."""
    return re.compile(rf"\b{pattern('question-cues', 'guideline')}\b", re.IGNORECASE)


@cache
def _international() -> re.Pattern[str]:
    return re.compile(rf"\b(?:international|global)\s+(?:\w+\s+)?{group('guidance', 'guidance')}\b", re.IGNORECASE)
