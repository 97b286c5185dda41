"""Lines become paragraphs: words that were hyphenated at the end of a line are made whole again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from openwork_fulltext.domain.pdf.layout import Line

PARAGRAPH_GAP = 1.45
"""A step down of more than this many usual line steps begins a paragraph."""
INDENT_IN_SIZES = 0.7
"""A first line is indented by at least this many font sizes."""

_HYPHENS = "-\u00ad\u2010"
_LAST_WORD = re.compile(r"([^\W\d_]+)[-\u00ad\u2010]$")
_FIRST_WORD = re.compile(r"^([^\W\d_]+)")
_COMPOUNDS = re.compile(r"\b([^\W\d_]+)-([^\W\d_]+)\b")
_WORDS = re.compile(r"[^\W\d_]{3,}")
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*(?:\^?\[?\d[\d,–-]*\]?)?$")
_BULLET = re.compile(r"(?:[•●▪◦‣›■□–-]|\(?\d{1,2}[.)]|\([a-z]\))\s+\S")

# First parts that stay apart from the rest by a hyphen, whatever the line break.
_PREFIX_WORDS = """
    non self double single placebo low high long short well evidence cross follow two three four five six first second
    third one patient health risk age dose time half all open full
"""
_PREFIXES = frozenset(_PREFIX_WORDS.split())


@dataclass(slots=True)
class Vocabulary:
    """The words of a document, to decide whether a hyphen at a line's end belongs to the word."""

    words: set[str] = field(default_factory=set)
    compounds: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def of(cls, texts: Iterable[str]) -> Vocabulary:
        vocabulary = cls()
        for text in texts:
            bare = text.rstrip(_HYPHENS)
            vocabulary.compounds.update((a.lower(), b.lower()) for a, b in _COMPOUNDS.findall(bare))
            vocabulary.words.update(word.lower() for word in _WORDS.findall(bare))
        return vocabulary

    def keeps_hyphen(self, left: str, right: str) -> bool:
        first, second = left.lower(), right.lower()
        if (first, second) in self.compounds:
            return True
        if first + second in self.words:
            return False
        return first in _PREFIXES or not right.islower()


@dataclass(slots=True)
class Paragraph:
    """Words, and at which character which page begins."""

    text: str = ""
    pages: list[tuple[int, int]] = field(default_factory=list)
    """(offset, page), the first at 0."""

    def add(self, line: Line, vocabulary: Vocabulary) -> None:
        self.text = join_line(self.text, line.text, vocabulary)
        if not self.pages or self.pages[-1][1] != line.page:
            offset = len(self.text) - len(line.text) if self.pages else 0
            self.pages.append((max(0, offset), line.page))


def join_line(text: str, line: str, vocabulary: Vocabulary) -> str:
    """Text with another line added: with a blank, or with a hyphenated word put together."""
    if not text:
        return line
    if text[-1] not in _HYPHENS or text[-2:-1] in ("", " "):
        return f"{text} {line}"
    left, right = _LAST_WORD.search(text), _FIRST_WORD.match(line)
    if left and right and not vocabulary.keeps_hyphen(left[1], right[1]):
        return text[:-1] + line
    # "COVID-" + "19", "SARS-" + "CoV": the hyphen is the word's own.
    return f"{text[:-1]}-{line}"


def tidy(text: str) -> str:
    """Hyphens that were left at the end of a piece of text, as hyphens."""
    return text.replace("\u00ad", "-")


def paragraphs_of(lines: Sequence[Line], pitch: float, vocabulary: Vocabulary) -> list[Paragraph]:
    """The lines of one section as paragraphs; one goes on over the end of a column unless a sentence ends there."""
    paragraphs: list[Paragraph] = []
    before: Line | None = None
    for line in lines:
        if before is None or _begins_paragraph(before, line, pitch):
            paragraphs.append(Paragraph())
        paragraphs[-1].add(line, vocabulary)
        before = line
    for paragraph in paragraphs:
        paragraph.text = tidy(paragraph.text)
    return paragraphs


def _begins_paragraph(before: Line, line: Line, pitch: float) -> bool:
    if _BULLET.match(line.text):
        return True
    ended = bool(_SENTENCE_END.search(before.text))
    if line.page != before.page or line.y > before.y:
        # The top of the next column or page.
        return ended and (_is_indented(line) or line.text[:1].isupper())
    if abs(line.style.size - before.style.size) > 0.6 and ended:
        return True
    if before.y - line.y > PARAGRAPH_GAP * max(pitch, 1.15 * line.style.size):
        return True
    return _is_indented(line) and not _is_indented(before) and ended


def _is_indented(line: Line) -> bool:
    return INDENT_IN_SIZES * line.style.size < line.x0 - line.column[0] < 6 * line.style.size
