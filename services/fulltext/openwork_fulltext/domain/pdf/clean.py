"""What is on the pages and is no text of the work: running heads and feet, text in fonts that cannot be decoded."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set

from openwork_fulltext.domain.pdf.page import Page, Run, Style

MARGIN = 0.115
"""Share of the page's height, above and below, in which running heads and feet stand."""
MIN_REPEATS = 2
MIN_WORDS_TO_JUDGE = 8
"""A font with fewer different words than this is left alone: nothing can be said about it."""
MIN_OTHER_WORDS = 300
MAX_KNOWN_SHARE = 0.1
"""Of the words of a decodable heading font, 60-90 % occur in the rest of the text as well; of a garbled one, none."""
N_USUAL_PAIRS = 150
MIN_USUAL_PAIRS = 0.45
"""In running English 0.75 of all pairs of letters are among the 150 commonest, in surnames some 0.6; in a text whose
letters were shifted, 0.3."""
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


def furniture_of(pages: Sequence[Page], kept: Set[int] = frozenset()) -> set[int]:
    """The runs (by `id`) that repeat in the same place at the edge of other pages, and page numbers there.

    Digits count as equal: "Page 3 of 10" repeats "Page 2 of 10". Runs in `kept` (by `id`) are none: the heads of a
    table that goes on over pages repeat too.
    """
    places: Counter[tuple[str, int]] = Counter()
    for page in pages:
        places.update({_place(run, page) for run in page.runs if at_edge(run, page)})
    furniture: set[int] = set()
    for page in pages:
        edge = [run for run in page.runs if at_edge(run, page) and id(run) not in kept]
        gone = {id(run) for run in edge if _repeats(run, page, places)}
        # A number alone on its line is the page's; one with other words beside it may be a cell of a table.
        gone |= {
            id(run)
            for run in edge
            if _PAGE_NUMBER.fullmatch(run.text)
            and all(id(other) in gone for other in edge if other is not run and abs(other.y - run.y) < 3)
        }
        furniture |= gone
    return furniture


def remove_furniture(pages: Sequence[Page], furniture: Set[int]) -> None:
    """Take these runs (by `id`) out of the pages."""
    for page in pages:
        page.runs = [run for run in page.runs if id(run) not in furniture]


def at_edge(run: Run, page: Page) -> bool:
    """Whether a run stands where running heads and feet do."""
    return run.y < MARGIN * page.height or run.y > (1 - MARGIN) * page.height


def _place(run: Run, page: Page) -> tuple[str, int]:
    """The words and the height (to 1 % of the page) of a run; the side may change from page to page."""
    return _DIGITS.sub("#", run.text.lower()), round(100 * run.y / page.height)


def _repeats(run: Run, page: Page, places: Counter[tuple[str, int]]) -> bool:
    words, height = _place(run, page)
    if words.strip(" .,()%<>=-–±") == "#":
        return False  # numbers of two tables that begin at the same height are no running head
    return sum(places[words, near] for near in (height - 1, height, height + 1)) >= MIN_REPEATS


def body_style(runs: Iterable[Run]) -> Style:
    """The style in which most characters are printed."""
    counts: Counter[Style] = Counter()
    for run in runs:
        counts[run.style] += len(run.text)
    return counts.most_common(1)[0][0] if counts else Style(10.0)


def garbled_fonts(pages: Sequence[Page]) -> frozenset[str]:
    """Fonts whose codes are no text (a subset font with an encoding of its own and no table to undo it).

    A font is judged by its words of four letters and more: of a garbled one, hardly any occurs in the other fonts of
    the file, and their pairs of letters are not those of its language (names are new words of usual pairs).
    """
    words: defaultdict[str, set[str]] = defaultdict(set)
    for page in pages:
        for run in page.runs:
            words[run.style.font].update(w.lower() for w in _WORD.findall(run.text) if len(w) >= 4)
    garbled = set()
    for font, own in words.items():
        others = set().union(*(found for other, found in words.items() if other != font))
        if len(own) < MIN_WORDS_TO_JUDGE or len(others) < MIN_OTHER_WORDS:
            continue
        if len(own & others) < MAX_KNOWN_SHARE * len(own) and _usual_pairs(own, others) < MIN_USUAL_PAIRS:
            garbled.add(font)
    return frozenset(garbled)


def _usual_pairs(words: Iterable[str], language: Iterable[str]) -> float:
    """Share of the pairs of letters in words that are among the commonest pairs of a language."""
    usual = {pair for pair, _ in Counter(_pairs(language)).most_common(N_USUAL_PAIRS)}
    pairs = list(_pairs(words))
    return sum(pair in usual for pair in pairs) / max(1, len(pairs))


def _pairs(words: Iterable[str]) -> Iterator[str]:
    return (word[place : place + 2] for word in words for place in range(len(word) - 1))


def common_share(texts: Iterable[str]) -> float:
    """Share of the commonest words (of six European languages) among all words; 1.0 for too short a text."""
    words = [word.lower() for text in texts for word in _WORD.findall(text)]
    if len(words) < 50:
        return 1.0
    return sum(word in _COMMON for word in words) / len(words)
