"""The words of `asking.tsv` and `groups-of-people.tsv` as expressions."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from openwork_contracts.question import EntityKind, PopulationKind
from openwork_knowledge.lexicon import lexicon
from openwork_knowledge.mesh import Subject
from openwork_knowledge.notation import any_of, spelt
from openwork_knowledge.tables import words

GROUP_KINDS = {
    "pregnancy": PopulationKind.PREGNANCY,
    "people": PopulationKind.PEOPLE,
    "place": PopulationKind.SETTING,
    "device": PopulationKind.DEVICE,
}


@cache
def asking(*groups: str) -> str:
    """An alternation of some groups of `asking.tsv`, with no boundaries of words."""
    return any_of(one for group in groups for word in words("asking", group) for one in spelt(word))


@cache
def whole(*groups: str) -> re.Pattern[str]:
    """The same between boundaries of words; a hyphen behind makes a longer word ("child-pugh")."""
    return re.compile(rf"(?<![\w-]){asking(*groups)}(?![\w]|-\w)", re.IGNORECASE)


@cache
def group_patterns() -> tuple[tuple[PopulationKind, re.Pattern[str]], ...]:
    """How each kind of group is named. Short forms in capitals only: "ED", "US"."""
    found = []
    for name, kind in GROUP_KINDS.items():
        listed = words("groups-of-people", name)
        acronyms = [word for word in listed if _is_short(word)]
        plain = [word for word in listed if not _is_short(word)]
        ways = rf"(?i:{any_of(plain)})" + (f"|{any_of(acronyms)}" if acronyms else "")
        found.append((kind, re.compile(rf"(?<![\w-])(?:{ways})(?!\w|-\w)")))
    return tuple(found)


def _is_short(word: str) -> bool:
    return word.rstrip("s?").isupper()


@cache
def _endings() -> tuple[tuple[str, str], ...]:
    pairs = (word.split(">") for word in words("asking", "adjective ending"))
    return tuple(sorted(((adjective, noun) for adjective, noun in pairs), key=lambda pair: -len(pair[0])))


@lru_cache(maxsize=2048)
def disease_of(adjective: str) -> Subject | None:
    """The disease of which an adjective is made: hypertension for "hypertensive", diabetes for "type 1 diabetics"."""
    low = adjective.casefold().strip().removesuffix("s")
    for ending, noun in _endings():
        if low.endswith(ending) and len(low) - len(ending) >= _MIN_STEM:
            known = lexicon().lookup(low.removesuffix(ending) + noun)
            if known and known[0].kind is EntityKind.DISEASE and known[0].mesh_id and not known[1]:
                return Subject(known[0].mesh_id, known[0].name, known[0].synonyms, is_condition=True)
    return None


_MIN_STEM = 4
