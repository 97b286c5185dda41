"""The words of JATS elements as a reader sees them, in plain text in which numbers stay numbers.

- White space of every width becomes one space; what nobody sees goes at the contracts' door; U+2212 and every other
  character stays as it is in the source.
- Superscripts never run into a number: `10<sup>9</sup>/L` is "10^9/L", `5.1<sup>a</sup>` "5.1^a";
  `m<sup>2</sup>` is "m²", `kg<sup>-1</sup>` is "kg⁻¹", `Ca<sup>2+</sup>` is "Ca²⁺"; the sign of a footnote follows
  directly ("5.1*").
- Subscripts are joined as these words are usually written (FEV1, HbA1c, CO2), except after a digit ("10₂").
- Numbers that cite a reference stand in square brackets ("mortality.[12]"), also where they are printed raised:
  they must not be taken for a number of the text.
- Of a formula, MathML is written in a line; TeX is kept only where there is nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from openwork_contracts.text import clean

from openwork_fulltext.domain.jats.elements import Element, child, children, local_name
from openwork_fulltext.domain.jats.math import formula_text

LINE = "\x1e"
"""Stands for a line break until white space is folded; no XML document can hold this character."""

FLOATS = frozenset(
    {"table-wrap", "table-wrap-group", "fig", "fig-group", "boxed-text", "supplementary-material", "media"}
)
"""Elements with a caption of their own: they are read apart from the paragraph they are anchored in."""

_SKIPPED = FLOATS | {
    "graphic",
    "inline-graphic",
    "object-id",
    "hr",
    "colgroup",
    "col",
    "alt-text",
    "long-desc",
    "ref-list",
}
_LINES = frozenset(
    {"p", "list-item", "def-item", "disp-quote", "verse-line", "verse-group", "speech", "title", "tr", "fn"}
)
_SPACED = frozenset({"break", "td", "th", "label", "email", "term", "def", "subtitle"})
_CITATIONS = frozenset({"element-citation", "mixed-citation", "citation", "nlm-citation"})
_FORMULAS = frozenset({"inline-formula", "disp-formula", "alternatives", "math", "tex-math"})

_RAISED = str.maketrans("0123456789+-−–=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾")
_LOWERED = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
_NUMBER = re.compile(r"[+\-−–]?\d[\d.,]*[+\-−–]?|[+\-−–]")
_EXPONENT = re.compile(r"[+\-−–]?\d[\d.]*")
_CITED = re.compile(r"[a-zA-Z]?\d{1,4}[a-z]?(?:\s?[,;–—\-]\s?\d{1,4}[a-z]?)*")
_MARKS = re.compile(r"[A-Za-z\d]{1,2}(?:\s?,\s?[A-Za-z\d]{1,2})*")
"""Letters that mark footnotes: "a", "a,b"."""
_CITATION_JOINT = re.compile(r"\](\s?[,;–—\-]\s?)\[(?=\d)")
_ORDINAL = frozenset({"st", "nd", "rd", "th"})


def plain_text(element: Element | None) -> str:
    """All words below an element, in one line."""
    return "" if element is None else " ".join(paragraph_text(element).split())


def paragraph_text(element: Element) -> str:
    """The words of a paragraph without its floats; its list items and inner paragraphs on lines of their own."""
    pieces: list[str] = []
    if local_name(element) == "list":
        _write_list(element, pieces)
    else:
        _write(element, pieces)
    return fold(pieces)


def fold(pieces: Iterable[str]) -> str:
    clean_parts = map(clean, "".join(pieces).split(LINE))
    text = _CITATION_JOINT.sub(r"\1", LINE.join(clean_parts))
    return "\n".join(line for part in text.split(LINE) if (line := " ".join(part.split())))


def _write(element: Element, pieces: list[str]) -> None:
    if element.text:
        pieces.append(element.text)
    for inner in element:
        _write_child(inner, pieces)
        if inner.tail:
            pieces.append(inner.tail)


def _write_child(element: Element, pieces: list[str]) -> None:
    tag = local_name(element)
    if tag in _SKIPPED or not tag:
        return
    if tag == "sup":
        pieces.append(_superscript(element, _last(pieces)))
    elif tag == "sub":
        pieces.append(_subscript(element, _last(pieces)))
    elif tag == "xref":
        pieces.append(_reference(element, pieces))
    elif tag in _FORMULAS:
        words = formula_text(element)
        pieces.append(words if tag != "disp-formula" else f"{LINE}{words}{LINE}")
    elif tag in _CITATIONS:
        pieces.append(_citation(element))
    elif tag == "list":
        _write_list(element, pieces)
    elif tag == "def-item":
        pieces.append(f"{LINE}{plain_text(child(element, 'term'))}: {plain_text(child(element, 'def'))}{LINE}")
    else:
        edge = LINE if tag in _LINES else " " if tag in _SPACED else ""
        pieces.append(edge)
        _write(element, pieces)
        pieces.append(edge)


def _last(pieces: list[str]) -> str:
    """The character before; empty at the beginning."""
    return next((piece[-1] for piece in reversed(pieces) if piece), "")


def _superscript(element: Element, before: str) -> str:
    words = plain_text(element)
    if not words or words.startswith("["):  # a citation inside has put its own brackets
        return words
    if any(local_name(e) == "xref" and e.get("ref-type") == "bibr" for e in element.iter()):
        return f"[{words}]"
    if before == "" and words.isalpha() and _MARKS.fullmatch(words):
        return f"{words} "  # the mark before the words of a footnote
    if before.isdigit() or before == ")":
        if _EXPONENT.fullmatch(words) or (words[0].isalnum() and words not in _ORDINAL):
            return f"^{words}"
        return words
    if before.isalpha():
        if _NUMBER.fullmatch(words):
            return words.translate(_RAISED)
        return f"^{words}" if _MARKS.fullmatch(words) else words
    if before in ".,;:" and _CITED.fullmatch(words):
        return f"[{words}]"  # a citation that is not tagged as one: "mortality.12" would be a number
    return words


def _subscript(element: Element, before: str) -> str:
    words = plain_text(element)
    return words.translate(_LOWERED) if before.isdigit() and _NUMBER.fullmatch(words) else words


def _reference(element: Element, pieces: list[str]) -> str:
    """A cross-reference: a citation in brackets, the mark of a footnote after a caret where it would read as digits."""
    words = plain_text(element)
    kind = element.get("ref-type") or ""
    if kind == "bibr":
        bare = words.strip("[]^")
        if _CITED.fullmatch(bare) and not _inside_brackets(pieces):
            return f"[{bare}]"
        return bare if _CITED.fullmatch(bare) else words
    if kind in ("table-fn", "fn"):
        bare = words.lstrip("^")
        return f"^{bare}" if bare[:1].isalnum() and _last(pieces).isalnum() else bare
    return words


def _inside_brackets(pieces: list[str]) -> bool:
    """Whether a bracket is open at the end of the text so far: looked for in the last words only."""
    tail = "".join(pieces[-40:])[-400:]
    return tail.rfind("[") > tail.rfind("]") or tail.rfind("(") > tail.rfind(")")


def _citation(element: Element) -> str:
    """A reference that stands in a paragraph (a data set, a guideline): its parts parted by commas."""
    if (element.text or "").strip() or any((e.tail or "").strip() for e in element):
        return plain_text_of_mixed(element)
    parts = (
        ", ".join(filter(None, map(plain_text, e))) if local_name(e) == "person-group" else plain_text(e)
        for e in element
    )
    return ", ".join(part for part in parts if part)


def plain_text_of_mixed(element: Element) -> str:
    pieces: list[str] = []
    _write(element, pieces)
    return " ".join(fold(pieces).split())


def _write_list(element: Element, pieces: list[str]) -> None:
    pieces.extend(f"{LINE}{plain_text(title)}{LINE}" for title in children(element, "title"))
    for entry in children(element, "list-item"):
        label = plain_text(child(entry, "label"))
        inner: list[str] = []
        for part in entry:
            if local_name(part) != "label":
                _write_child(part, inner)
        words = fold(inner)
        if words:
            # A further paragraph of the item is on a further line.
            pieces.append(LINE + f"{label or '-'} {words}".replace("\n", LINE) + LINE)
