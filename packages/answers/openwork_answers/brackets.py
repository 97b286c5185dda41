"""Brackets that explain a name: "discharge (a ratio above 1 favors tocilizumab)"."""

from __future__ import annotations

import re

_BRACKETS = re.compile(r"\s*\([^()]*\)")


def without_brackets(text: str) -> str:
    """A text without its round brackets, what stands in them, and the blanks before them."""
    return _BRACKETS.sub("", text)
