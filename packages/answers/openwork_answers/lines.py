"""What a form fills: a sentence of the program, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence and the sources of its figures."""

    text: str
    citations: tuple[int, ...] = ()
