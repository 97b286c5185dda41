"""Captions of tables and figures: how they begin, and what tells one from a sentence about a table."""

from __future__ import annotations

import re

from openwork_fulltext.domain.pdf.page import Run, Style

_LABEL = r"(?:(?:Supplementary|Additional|Appendix|Web|Extended Data)\s+)?"
_NUMBER = r"(?:\s+[A-Z]?\.?\d{1,3}[A-Za-z]?(?:\.\d+)?|\s+[IVX]{1,5})?"
_END = r"(?=[\s.:|–—-]|$)[\s.:|–—-]*"
TABLE = re.compile(rf"^((?:Appendix\s+\d+\s*[—–-]\s*table(?=\s+\d)|{_LABEL}(?:Table|TABLE|Tab\.)){_NUMBER}){_END}")
FIGURE = re.compile(rf"^({_LABEL}(?:Figure|FIGURE|Fig\.|FIG\.|Fig|Box|BOX)\s+[A-Z]?\.?\d{{0,3}}[A-Za-z]?){_END}")
_MENTION = re.compile(
    r"\b(?:shows?|presents?|lists?|summari[sz]es|provides?|reports?|gives?|displays?|depicts?|and|illustrates?)\b"
)


def is_caption(run: Run, body: Style) -> bool:
    """Whether a run that begins like a caption is one, and no sentence that begins "Table 2 shows".

    By its style, or by what follows the label.
    """
    match = TABLE.match(run.text) or FIGURE.match(run.text)
    rest = run.text[match.end() :] if match else run.text
    if rest and (rest[0].islower() or rest[0] in ",;)"):
        return False
    if run.style.size < body.size - 0.4 or run.style.font != body.font or run.style.bold:
        return True
    return not rest or not _MENTION.search(rest[:60])


def tidy_label(label: str) -> str:
    """A label as it is cited: one blank between words, no capitals throughout."""
    words = " ".join(label.split())
    return words.capitalize() if words.isupper() else words
