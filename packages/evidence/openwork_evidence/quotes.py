"""Whether a quotation stands in a text word for word, and where; differences of typography aside.

Models copy "P=0.03" for "P = 0.03", straight quotes for curly ones, a hyphen for a dash; none of that changes what is
quoted. A changed digit, word or order does, and is not found.
"""

from __future__ import annotations

import html
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from openwork_language.unseen import is_unseen

MIN_QUOTE_WORDS = 4
"""A shorter quotation is found by chance in any abstract and proves nothing."""
_DASHES = dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
_QUOTES = dict.fromkeys("’‘ʼ′`´", "'") | dict.fromkeys("“”„«»″", '"')
_SAME = str.maketrans(_DASHES | _QUOTES | {"·": "."})
_TIGHT = frozenset("=<>≤≥±%/()[],;:")
"""No white space counts beside these."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation where it was found: exactly `text[start:end]` of the source."""

    text: str
    start: int
    end: int


def find_quote(quote: str, source: str, *, min_words: int = MIN_QUOTE_WORDS) -> Quote | None:
    """The quotation in the source; `None` when it is not there, or too short to prove anything.

    Quotation marks and an ellipsis around it are the model's and do not count; an ellipsis inside makes it no
    quotation.
    """
    bare = html.unescape(quote).strip().strip("\"'“”‘’«»").strip().strip("….").strip()
    if len(bare.split()) < min_words:
        return None
    wanted, _ = _normal(bare)
    found, places = _normal(source)
    at = found.find(wanted)
    while at >= 0 and not _whole_words(found, at, at + len(wanted)):
        at = found.find(wanted, at + 1)
    if at < 0 or not wanted:
        return None
    start, end = places[at], places[at + len(wanted) - 1] + 1
    return Quote(source[start:end], start, end)


def _whole_words(text: str, start: int, end: int) -> bool:
    """Whether nothing is cut in the middle of a word or number at either side."""
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
    decimal = text[end : end + 2]
    cut_decimal = len(decimal) == 2 and decimal[0] == "." and decimal[1].isdigit() and text[end - 1].isdigit()
    return not (before or after or cut_decimal)


@lru_cache(maxsize=256)
def _normal(text: str) -> tuple[str, tuple[int, ...]]:
    """The text folded for comparison, and for each of its characters the place it came from."""
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if char.isspace() or is_unseen(char):
            if not is_unseen(char) and chars and chars[-1] != " " and chars[-1] not in _TIGHT:
                chars.append(" ")
                places.append(place)
            continue
        for folded in unicodedata.normalize("NFKC", char.translate(_SAME)).translate(_SAME).casefold():
            if folded in _TIGHT and chars and chars[-1] == " ":
                chars.pop()
                places.pop()
            chars.append(folded)
            places.append(place)
    while chars and chars[-1] == " ":
        chars.pop()
        places.pop()
    return "".join(chars), tuple(places)
