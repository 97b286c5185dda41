"""What an outcome is counted without: "major bleeding not related to bypass surgery", "non-CABG major bleeding".

It is another outcome than the whole, and the same under either wording.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from openwork_language.mentions import names_in
from openwork_language.terms import find_terms
from openwork_language.tokens import token_set

_NOT_RELATED = re.compile(
    r",?\s*\b(?:(?:that (?:is|was|were) )?(?:not|un)[ -]?(?:related|attributable|associated|due|linked)|outside"
    r"|apart from|other than(?: from)?|excluding|except(?: for)?)"
    r"\s+(?:(?:to|with)\s+)?(?:the\s+)?(?P<what>[^,;()]{3,60})$",
    re.IGNORECASE,
)
_NON = re.compile(
    r"\b(?i:non)[- ](?P<what>[A-Z]{3,5}|[a-z]{4,}(?:-[a-z]{4,})?)(?:[- ](?:related|associated|attributable))?\s+(?=\w)"
)
""" "Non-CABG", "non-procedure-related"; "nonfatal" and "noncardiovascular" are kinds by themselves."""


@lru_cache(maxsize=8192)
def without_cause(text: str) -> tuple[str, str | None]:
    """An outcome's name without what it excludes, and that by its standard name; `None` = it excludes nothing.

    Only what a lexicon knows is taken for a cause: "non-severe hypoglycaemia" is a kind.
    """
    for pattern in (_NOT_RELATED, _NON):
        match = pattern.search(text)
        if match is None:
            continue
        named = names_in(match["what"])
        rest = f"{text[: match.start()]} {text[match.end() :]}".strip(" ,")
        if named and token_set(rest):
            return " ".join(rest.split()), f"{_WITHOUT}{min(named)}"
    return text, None


_WITHOUT = "without "
"""Before a cause among the words of an outcome."""


def causes_left_out(words: Iterable[str]) -> frozenset[str]:
    """Of the words of an outcome what it is counted without, by their standard names."""
    return frozenset(word.removeprefix(_WITHOUT) for word in words if word.startswith(_WITHOUT))


def without_hyphen(text: str) -> str:
    """ "Nonvertebral" of "non-vertebral", which is no kind of vertebral; names that have the hyphen stay."""
    if _HYPHEN.search(text) is None:
        return text
    names = [(term.start, term.end) for term in find_terms(text)]
    return _HYPHEN.sub(lambda m: m[0] if any(a <= m.start() < b for a, b in names) else m[0].replace("-", ""), text)


_HYPHEN = re.compile(r"\bnon-(?=[a-z]{4})", re.IGNORECASE)
