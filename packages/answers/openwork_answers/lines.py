"""What a form fills: a sentence of the program, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence and the sources of its figures."""

    text: str
    citations: tuple[int, ...] = ()


def lower_first(text: str) -> str:
    """Text that goes on behind a colon: without its capital, where that is no name's ("LDL")."""
    word = text.split()[0] if text.split() else ""
    return text if not word[1:].islower() and len(word) > 1 else text[:1].lower() + text[1:]
