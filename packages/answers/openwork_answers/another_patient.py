"""Words that make somebody another patient: of a disease, of an operation, of pregnancy, childhood or a transplant."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from openwork_contracts.question import EntityKind
from openwork_knowledge import mesh
from openwork_knowledge.lexicon import lexicon
from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import words
from openwork_language.asking.words import disease_of

_TAKEN_OFF = ("", "s", "ed", "d", "ing", "al", "ic")
_PUT_ON = ("", "ation", "ion", "is", "e", "ment")
_CHANGES_SOMEBODY = ("C", "F03", "E02", "E04")
"""MeSH: diseases, mental disorders, treatment, surgery."""


@lru_cache(maxsize=4096)
def tells_a_state(word: str) -> bool:
    """Whether a word is made of the name of a disease or of what is done to a patient: "cirrhotic", "transplanted"."""
    if disease_of(word) is not None or _apart().fullmatch(word):
        return True
    low = word.casefold()
    roots = [low.removesuffix(ending) for ending in _TAKEN_OFF]
    names = {root + ending for root in roots for ending in _PUT_ON if len(root) > _SHORTEST_ROOT}
    known = (lexicon().lookup(name) for name in names)
    ids = [one[0].mesh_id for one in known if one is not None and one[0].kind is not EntityKind.DRUG]
    return any(tree.startswith(_CHANGES_SOMEBODY) for mesh_id in ids for tree in mesh.trees_of(mesh_id or ""))


@cache
def _apart() -> re.Pattern[str]:
    return re.compile(any_of(words("people-apart")), re.IGNORECASE)


_SHORTEST_ROOT = 3
"""Letters."""
