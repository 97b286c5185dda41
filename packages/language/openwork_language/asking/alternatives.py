"""Terms of the population that "or" joins: any of them is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import PopulationKind, PopulationTerm


def with_alternatives(question: str, terms: Sequence[PopulationTerm]) -> tuple[PopulationTerm, ...]:
    """What "or" joins, and a list before it, are alternatives; of what is to be absent all is."""
    kept = list(terms)
    for n in range(len(terms) - 1, 0, -1):
        if not _is_listed(question, kept[n - 1], kept[n], _OR):
            continue
        first = n - 1
        while first > 0 and _is_listed(question, kept[first - 1], kept[first], _COMMA):
            first -= 1
        for i in range(first + 1, n + 1):
            kept[i] = kept[i].model_copy(update={"alternative_to": kept[first].start})
    return tuple(kept)


def _is_listed(question: str, one: PopulationTerm, other: PopulationTerm, link: re.Pattern[str]) -> bool:
    comparable = one.wanted and other.wanted and not {one.kind, other.kind} & {PopulationKind.AGE}
    return comparable and link.fullmatch(question[one.end : other.start]) is not None


_OR = re.compile(r"\s*(?:,\s*)?(?:and/)?or\s+(?:(?:an?|the|high|with|in|after)\s+)?|\s*/\s*", re.IGNORECASE)
_COMMA = re.compile(r"\s*,\s*(?:(?:an?|the|high)\s+)?", re.IGNORECASE)
