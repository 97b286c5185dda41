"""What is on the pages and is no text of the work: running heads and feet, text in fonts that cannot be decoded."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from openwork_fulltext.pdf_page import Page, Run, Style

MARGIN = 0.115
"""Share of the page's height, above and below, in which running heads and feet stand."""
MIN_REPEATS = 2
MIN_WORDS_TO_JUDGE = 8
"""A font with fewer different words than this is left alone: nothing can be said about it."""
MIN_OTHER_WORDS = 300
MAX_KNOWN_SHARE = 0.1
"""Of the words of a decodable heading font, 60-90 % occur in the rest of the text as well; of a garbled one, none."""
MIN_COMMON_SHARE = 0.08
"""Share of the commonest words among all words; running text of the languages below has 0.25-0.45."""

_COMMON_WORDS = """
    the of and in to a for with was were is on by that from as or at an be are this
    der die und den von zu das mit des ist im für ein eine auf nicht dem
    de la le les et du en un une el los las que y se por con una para o e da do em os no na
    il di che per della
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_WORD = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:page\s*)?[-–—(]?\s*(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:/|of)\s*\d{1,4})?\s*[-–—)]?", re.IGNORECASE
)


def remove_furniture(pages: Sequence[Page]) -> None:
    """Take out of each page what repeats in the same place at its edge on other pages, and page numbers there.

    Digits count as equal: "Page 3 of 10" repeats "Page 2 of 10".
    """
    places: Counter[tuple[str, int]] = Counter()
    for page in pages:
        places.update({_place(run, page) for run in page.runs if _at_edge(run, page)})
    for page in pages:
        page.runs = [run for run in page.runs if not (_at_edge(run, page) and _is_furniture(run, page, places))]


def _at_edge(run: Run, page: Page) -> bool:
    return run.y < MARGIN * page.height or run.y > (1 - MARGIN) * page.height


def _place(run: Run, page: Page) -> tuple[str, int]:
    """The words and the height (to 1 % of the page) of a run; the side may change from page to page."""
    return _DIGITS.sub("#", run.text.lower()), round(100 * run.y / page.height)


def _is_furniture(run: Run, page: Page, places: Counter[tuple[str, int]]) -> bool:
    words, height = _place(run, page)
    repeats = sum(places[words, near] for near in (height - 1, height, height + 1))
    return repeats >= MIN_REPEATS or bool(_PAGE_NUMBER.fullmatch(run.text))


def body_style(runs: Iterable[Run]) -> Style:
    """The style in which most characters are printed."""
    counts: Counter[Style] = Counter()
    for run in runs:
        counts[run.style] += len(run.text)
    return counts.most_common(1)[0][0] if counts else Style(10.0)


def garbled_fonts(pages: Sequence[Page]) -> frozenset[str]:
    """Fonts whose codes are no text (a subset font with an encoding of its own and no table to undo it).

    A font is judged by whether its words (of four letters and more) occur in the other fonts of the file too.
    """
    words: defaultdict[str, set[str]] = defaultdict(set)
    for page in pages:
        for run in page.runs:
            words[run.style.font].update(w.lower() for w in _WORD.findall(run.text) if len(w) >= 4)
    garbled = set()
    for font, own in words.items():
        others = set().union(*(found for other, found in words.items() if other != font))
        if len(own) >= MIN_WORDS_TO_JUDGE and len(others) >= MIN_OTHER_WORDS:
            known = len(own & others) / len(own)
            if known < MAX_KNOWN_SHARE and not _has_common_words(pages, font):
                garbled.add(font)
    return frozenset(garbled)


def _has_common_words(pages: Sequence[Page], font: str) -> bool:
    return common_share(run.text for page in pages for run in page.runs if run.style.font == font) >= MIN_COMMON_SHARE


def common_share(texts: Iterable[str]) -> float:
    """Share of the commonest words (of six European languages) among all words; 1.0 for too short a text."""
    words = [word.lower() for text in texts for word in _WORD.findall(text)]
    if len(words) < 50:
        return 1.0
    return sum(word in _COMMON for word in words) / len(words)
