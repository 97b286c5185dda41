"""Which sources a question is sent to, of those that are available."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_contracts.question import Entity, EntityKind, Intent
from openwork_knowledge.bodies import bodies_in
from openwork_knowledge.notation import group
from openwork_language.terms import class_members

from openwork_query.domain.intent import asks_of_label
from openwork_query.domain.thresholds import THRESHOLDS

GUIDELINES = "guidelines"
DAILYMED = "dailymed"
LIBRARY = "library"
STORED = frozenset({LIBRARY, GUIDELINES})
"""Sources that hold what is stored here: where they alone are asked, nothing of a question leaves."""
WEB = frozenset({"web", "tavily"})
"""Asked only in a second round, when the gap analysis found the literature wanting."""


@cache
def _guidance() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Guidelines, countries and peoples; societies by the words of their names."""
    named = group("guidance", "guidance", "country or people")
    societies = rf"{group('guidance', 'society of')} {group('guidance', 'society')}"
    return re.compile(rf"\b{named}\b", re.IGNORECASE), re.compile(rf"\b{societies}\b")


@cache
def _label() -> re.Pattern[str]:
    """Not "low-dose", which names a treatment."""
    return re.compile(rf"(?<![\w-]){group('guidance', 'label')}\b(?!-)", re.IGNORECASE)


def _has_label(entities: Sequence[Entity]) -> bool:
    """Whether a drug is named, or a class that has few members as far as is known."""
    drugs = (e for e in entities if e.kind is EntityKind.DRUG)
    return any(len(class_members(drug.name)) <= THRESHOLDS.most_members for drug in drugs)


def mentions_guidance(question: str) -> bool:
    """Whether guidelines, a country or an organisation that issues them are mentioned."""
    return bool(bodies_in(question)) or any(pattern.search(question) for pattern in _guidance())


def sources_for(question: str, intent: Intent, entities: Sequence[Entity], available: Sequence[str]) -> tuple[str, ...]:
    """The sources of the first round, in the order they are available.

    Guidelines when guidance is mentioned or asked for; drug labels when a named drug has one and a section of it is the
    answer (dosing, harms, interactions, special populations, pharmacokinetics, approved uses); web search never; the
    user's own library and every source of literature and trials always. When these rules leave nothing, everything
    available is searched: a run needs at least one source.
    """
    wants_label = _has_label(entities) and (
        intent in {Intent.DOSING, Intent.ADVERSE_EVENTS}
        or (intent is not Intent.MECHANISM and (bool(_label().search(question)) or asks_of_label(question, entities)))
    )
    wants_guidelines = intent is Intent.TREATMENT_GUIDELINE or mentions_guidance(question)
    wanted = {GUIDELINES: wants_guidelines, DAILYMED: wants_label, **dict.fromkeys(WEB, False)}
    chosen = tuple(dict.fromkeys(source for source in available if wanted.get(source, True)))
    return chosen or tuple(dict.fromkeys(available))
