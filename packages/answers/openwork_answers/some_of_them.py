"""What a source says that only some of its people have: "with or without diabetes", "67.5% with type 2 diabetes"."""

from __future__ import annotations

import re

from openwork_contracts.question import PopulationTerm
from openwork_language.terms import find_terms

_EITHER_WAY = re.compile(
    r"\b(?:regardless of|irrespective of|with or without|independent(?:ly)? of|whether or not)\b[^.;]{0,60}$",
    re.IGNORECASE,
)


def is_either_way(term: PopulationTerm, text: str) -> bool:
    """ "Regardless of the presence of diabetes" is of people without it too; of people with it, who else tells."""
    if not term.name:
        return False
    places = [m.start() for m in re.finditer(rf"\b{re.escape(_plain(term))}", text, re.IGNORECASE)]
    places += [t.start for t in find_terms(text) if t.name == term.name]
    return any(_EITHER_WAY.search(text, 0, at) is not None for at in places)


_SHARE = (
    r"(?<![\d.])(?:[1-9]|[1-8]\d|9[0-5])(?:\.\d+)?\s?(?:%|per ?cent)\s+"
    r"(?:of (?:them|whom|people|patients)\s+)?(?:had|have|with)\s+(?:(?:type\s\d|known|prior|previous|a)\s+){0,2}"
)
"""Of some and not nearly all people: "(67.5% with type 2 ...", of whom the rest have it not."""


def have_some(term: PopulationTerm, text: str) -> bool:
    """ "4,304 people (67.5% with type 2 diabetes)" are of people without it too."""
    if not term.name or any(letter.isdigit() for letter in term.text):
        return False
    return re.search(rf"{_SHARE}{re.escape(_plain(term))}", text, re.IGNORECASE) is not None


def _plain(term: PopulationTerm) -> str:
    """The last word of what a term names: "diabetes" of "who do not have diabetes"."""
    return term.text.split()[-1]
