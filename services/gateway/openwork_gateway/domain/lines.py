"""Text of other people where there is room for one line."""

from __future__ import annotations


def one_line(text: str, most: int) -> str:
    """The beginning of a text on one line."""
    return " ".join(text.split())[:most]
