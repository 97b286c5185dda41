"""Letters in a picture: how wide they are at most, where a line is broken, and what of them may stand in SVG.

Nobody knows with which font a picture is shown. Widths are those of DejaVu Sans, the widest in common use, rounded up,
so that what fits here fits elsewhere.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from html import escape

from openwork_report.words import one_line

_WIDTHS = {
    0.34: " .,ijlIJ|'",
    0.46: 'frt()[]-:;/!\\{}`"*',
    0.64: "abcdeghknopqsuvxyzFLPTZ?0123456789_$£",
    0.80: "ABCDEGHKNOQRSUVXYw&+=<>~^#",
    1.00: "mMW@%",
}
_WIDTH = {letter: width for width, letters in _WIDTHS.items() for letter in letters}
_OTHER = 0.75
BOLD = 1.12
"""How much wider a bold letter is."""
LINE = 1.35
"""Height of a line, in letters' sizes."""
MORE = "..."


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Width at most, in the unit of `size`."""
    return sum(map(_letter, text)) * size * (BOLD if bold else 1.0)


def _letter(letter: str) -> float:
    if letter in _WIDTH:
        return _WIDTH[letter]
    if unicodedata.combining(letter):
        return 0.0
    return 1.05 if unicodedata.east_asian_width(letter) in "WF" else _OTHER


def wrapped(text: str, width: float, size: float, *, bold: bool = False, lines: int = 40) -> tuple[str, ...]:
    """The text in lines that are no wider; a word that is, is cut. After `lines` lines the rest is left out: "...".

    Returns:
        One line at least, without characters that steer a terminal, turn the direction or cannot stand in XML.
    """
    enough = int(lines * width / (0.3 * size)) + len(MORE)  # more letters fit in no case
    made: list[str] = []
    line = ""
    for piece in _pieces(one_line(text)[:enough].split(), width, size, bold=bold):
        longer = f"{line} {piece}" if line else piece
        if line and width_of(longer, size, bold=bold) > width:
            made.append(line)
            line = piece
        else:
            line = longer
    made.append(line)
    if len(made) <= lines:
        return tuple(made)
    return (*made[: lines - 1], _with_more(made[lines - 1], width, size, bold=bold))


def _pieces(words: list[str], width: float, size: float, *, bold: bool) -> Iterator[str]:
    for word in words:
        piece = ""
        for letter in word:
            if piece and width_of(piece + letter, size, bold=bold) > width:
                yield piece
                piece = ""
            piece += letter
        yield piece


def _with_more(line: str, width: float, size: float, *, bold: bool) -> str:
    while line and width_of(line + MORE, size, bold=bold) > width:
        line = line[:-1]
    return line + MORE


def inert(text: str) -> str:
    """A text that is a text in XML, whatever it holds."""
    return escape(one_line(text))
