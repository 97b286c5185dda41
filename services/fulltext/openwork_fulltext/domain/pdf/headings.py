"""Which lines of a PDF are headings, and of which level. Careful: what is not clearly one stays text.

The evidence, strongest first: the bookmark of the file with the same words; a usual heading of a paper ("Methods")
alone on its line; a style that is not that of the text, on a short line that is not a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from openwork_knowledge.tables import table

from openwork_fulltext.domain.pdf.layout import Line
from openwork_fulltext.domain.pdf.page import OutlineEntry, Style
from openwork_fulltext.domain.pdf.text import tidy

MAX_HEADING_CHARS = 150
MAX_HEADING_WORDS = 22

_MAIN_HEADINGS = frozenset(table("paper_headings").words("main"))
_ABSTRACT_PARTS = frozenset(table("paper_headings").words("part of an abstract"))
REFERENCES = frozenset(table("paper_headings").words("references"))

_NUMBERING = re.compile(
    r"^(?:(?:part|chapter|section|annex|appendix)\s+)?(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+(?=[^\W\d_])", re.IGNORECASE
)
_CAPTION = re.compile(
    r"^(?:supplementary |additional |appendix )?(?:table|tab\.|figure|fig\.?|box|algorithm)\s*[A-Z]?\d*\b",
    re.IGNORECASE,
)
_NOT_A_HEADING = re.compile(r"https?:|www\.|@|©|\bdoi\b|^\W*\d[\d\s.,%–-]*$|\bet al\b|^[^\w(“\"]", re.IGNORECASE)
_AUTHOR_MARKS = re.compile(r"[a-z]\^?\d(?:,\d)+|\b(?:MD|PhD|MSc|MPH|FRCP)\b")
_LEADERS = re.compile(r"\.{4,}|(?:\. ){4,}")
_RUN_IN_END = re.compile(r"[.,;:]$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its words, its level from 1, and how many lines it takes."""

    words: str
    level: int
    n_lines: int
    is_sure: bool
    """By a bookmark or as a usual heading, not by its style alone."""


def key_of(text: str) -> str:
    """Words alone, lower case, without numbering: how headings are compared."""
    bare = _NUMBERING.sub("", text.strip())
    return " ".join(re.findall(r"[^\W_]+", re.sub(r"['’]", "", bare.replace("\u00ad", "")).lower()))


def _same_look(one: Style, other: Style) -> bool:
    """The same font; the size may differ by a step, since it is measured on the letters."""
    return one.font == other.font and one.bold == other.bold and abs(one.size - other.size) <= 0.5


class HeadingFinder:
    """Finds headings in the lines of one document."""

    def __init__(self, body: Style, outline: Sequence[OutlineEntry], title: str | None, pitch: float) -> None:
        self._body = body
        self._pitch = pitch
        title_key = key_of(title or "")
        entries = [(key_of(entry.title), entry.level) for entry in outline]
        entries = [(key, level) for key, level in entries if key and key != title_key and not key.startswith("goback")]
        top = min((level for key, level in entries if key in _MAIN_HEADINGS), default=None)
        if top is None:
            top = min((level for _, level in entries), default=0)
        self._outline: dict[str, int] = {}
        for key, level in entries:
            # A structured abstract may repeat a main heading ("Methods") one level deeper.
            self._outline[key] = min(self._outline.get(key, 9), max(1, level - top + 1))
        self._levels: dict[Style, int] = {}
        self._main_style: Style | None = None

    def at(self, lines: Sequence[Line], place: int) -> Heading | None:
        """The heading that begins at a line, over as many lines as it takes; `None` where there is none."""
        block = self._block(lines, place)
        for n in range(len(block), 0, -1):
            words = " ".join(line.text.rstrip() for line in block[:n]).replace("\u00ad ", "").replace("- ", "-")
            if (level := self._outline.get(key_of(words))) is not None and self._stands_alone(block[0]):
                return self._accept(words, level, n, block[0].style, sure=True)
        first = block[0]
        if key_of(first.text) in _MAIN_HEADINGS and self._stands_alone(first) and self._is_set_off(lines, place, first):
            return self._accept(first.text, self._level_of_main(first.text, first.style), 1, first.style, sure=True)
        words = " ".join(line.text for line in block)
        if self._looks_like_heading(words, block, lines, place):
            return self._accept(words, self._level_of(words, first.style), len(block), first.style, sure=False)
        return None

    def _block(self, lines: Sequence[Line], place: int) -> list[Line]:
        """The line and those that go on in its style right below it, at most four."""
        block = [lines[place]]
        for line in lines[place + 1 : place + 4]:
            last = block[-1]
            step = last.y - line.y
            same = _same_look(line.style, last.style) and line.page == last.page and len(line.cells) == 1
            if not same or not 0 < step < 1.75 * max(line.style.size, 6.0):
                break
            block.append(line)
        return block

    def _stands_alone(self, line: Line) -> bool:
        return len(line.cells) == 1 and len(line.text) <= MAX_HEADING_CHARS and not _LEADERS.search(line.text)

    def _is_set_off(self, lines: Sequence[Line], place: int, line: Line) -> bool:
        """Whether style, capitals or space tell a one-line heading from a line of text."""
        if line.style != self._body or line.text.isupper():
            return True
        before = lines[place - 1] if place else None
        return before is None or before.page != line.page or before.y - line.y > 1.25 * self._pitch

    def _looks_like_heading(self, words: str, block: Sequence[Line], lines: Sequence[Line], place: int) -> bool:
        first = block[0]
        if not self._stands_alone(first) or len(words) > MAX_HEADING_CHARS or len(words.split()) > MAX_HEADING_WORDS:
            return False
        if _NOT_A_HEADING.search(words) or _CAPTION.match(words) or _RUN_IN_END.search(words.strip()):
            return False
        if words.count(",") >= 3 or _AUTHOR_MARKS.search(words):
            return False  # a line of names
        letters = [c for c in words if c.isalpha()]
        if len(letters) < 4 or not (words[0].isupper() or words[0].isdigit() or words[0] in '(“"'):
            return False
        if not self._is_heading_style(first.style, words):
            return False
        before = lines[place - 1] if place else None
        after = lines[place + len(block)] if place + len(block) < len(lines) else None
        if after is not None and after.page == first.page and after.text[:1].islower() and len(after.cells) == 1:
            return False  # the sentence goes on: a bold term at the beginning of a paragraph
        gap = before is None or before.page != first.page or not 0 < before.y - first.y < 1.2 * self._pitch
        numbered = bool(_NUMBERING.match(words))
        return gap or numbered

    def _is_heading_style(self, style: Style, words: str) -> bool:
        body = self._body
        if style.size < body.size - 1.5:
            return False
        larger = style.size >= body.size + 1.0
        bolder = style.bold and not body.bold
        capitals = words.isupper() and len(words) > 6
        other_font = style.font != body.font and not style.italic
        return larger or bolder or capitals or (other_font and len(words) <= 80)

    def _level_of_main(self, words: str, style: Style) -> int:
        """1, except for the parts of an abstract ("RESULTS") that look like its other parts and not like "Abstract"."""
        lower = self._levels.get(style, 1) > 1 and style != self._main_style
        # A book has "Background" in every chapter: where there are bookmarks, the style's level is the better guide.
        return self._levels[style] if lower and (self._outline or key_of(words) in _ABSTRACT_PARTS) else 1

    def _level_of(self, words: str, style: Style) -> int:
        if match := _NUMBERING.match(words):
            return match[1].count(".") + 1
        if style in self._levels:
            return self._levels[style]
        main = self._main_style
        if main is None or style == main or style.size >= 1.3 * main.size:
            return 1
        below = [known for known, level in self._levels.items() if level == 2]
        return 3 if below and all(style.size < known.size - 0.4 for known in below) else 2

    def _accept(self, words: str, level: int, n_lines: int, style: Style, *, sure: bool) -> Heading:
        if key_of(words) in _MAIN_HEADINGS and self._main_style is None:
            self._main_style = style
        self._levels.setdefault(style, level)
        bare = tidy(" ".join(words.replace("\u00ad ", "").split())).strip(" :")
        return Heading(bare, level, n_lines, sure)
