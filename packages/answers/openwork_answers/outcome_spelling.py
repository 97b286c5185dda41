"""An outcome in the words in which it is compared: short forms in full, phrases under one name, nouns for events."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from openwork_contracts.question import EntityKind
from openwork_knowledge.tables import table
from openwork_language.abbreviations import meanings_of
from openwork_language.terms import find_terms

from openwork_answers.outcome_names import in_standard_names
from openwork_answers.word_forms import by_noun

_SHORT = re.compile(r"\b[a-z]?[A-Z][A-Za-z]?[A-Z]+s?\b|\b[A-Z]{2}s?\b")
_DIED_OF = re.compile(
    r"\b(?:deaths?|dying|dies?|died|mortality) (?:from|of|due to|caused by) (?:an? |the |other )?"
    r"(?P<cause>cardiovascular|cardiac|vascular|CV|renal|kidney|coronary)(?: (?:heart|artery))?"
    r"(?: (?:causes?|diseases?|events?|problems?|reasons?))?\b",
    re.IGNORECASE,
)


def spelt_out(text: str) -> str:
    """Short forms of outcomes ("MI", "PE"; in capitals alone) in full, phrases under the name by which they are read,
    what somebody dies of as its kind, and what is told by an adjective or a participle by its noun."""
    spelt = _SHORT.sub(lambda m: _short_form(m[0]) or m[0], in_standard_names(text))
    return by_noun(_DIED_OF.sub(lambda m: f"{m['cause']} death", spelt))


def with_meanings(text: str) -> str:
    """The text with short forms in full that name no outcome of the list, where medicine has one meaning of them."""
    return _SHORT.sub(lambda m: _meaning(m[0]) or m[0], text)


def _short_form(short: str) -> str | None:
    return _short_forms().get(short) or _short_forms().get(short.removesuffix("s"))


@lru_cache(maxsize=1024)
def _meaning(short: str) -> str | None:
    """The one meaning of a short form; drugs and devices are no outcomes."""
    meanings = meanings_of(short)
    if len(meanings) != 1 or any(t.kind is not EntityKind.DISEASE for t in find_terms(meanings[0])):
        return None
    return meanings[0]


@cache
def _short_forms() -> dict[str, str]:
    return {row[1]: row[2] for row in table("outcomes").rows if row[0] == "short form"}
