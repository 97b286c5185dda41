"""States before a disease, which make another people of those in them: latent infection, subclinical hypothyroidism."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from openwork_language.asking.words import asking

_NEAR = 24
"""Characters before a name in which its state stands."""


def is_other_state(asked: str, text: str, start: int, end: int) -> bool:
    """Whether the disease at [start, end) of `text` is in a state that `asked` does not name, or lacks one it names."""
    before = re.split(r"[.;,]|\b(?:and|or|with|without|to)\b", text[max(0, start - _NEAR) : start])[-1]
    return _states(f"{before}{text[start:end]}") != _states(asked)


@lru_cache(maxsize=4096)
def _states(text: str) -> frozenset[str]:
    named = (match[0].casefold().replace("-", "") for match in _state().finditer(text))
    return frozenset("latent" if word == "ltbi" else word for word in named)


@cache
def _state() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){asking('state')}(?![\w-])", re.IGNORECASE)
