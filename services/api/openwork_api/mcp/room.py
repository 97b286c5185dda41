"""How much an assistant is sent at once: a result has so much room, and says what did not fit and how to get it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pydantic import BaseModel

MOST_CHARACTERS = 48_000
"""Of a result, as JSON: some 12,000 tokens, below what assistants take of one tool."""
MOST_OF_A_TEXT = 2_000
"""Of a text that is one among many: a title, a sentence, a request."""

M = TypeVar("M", bound=BaseModel | str)


def cut(text: str, most: int = MOST_OF_A_TEXT) -> str:
    """A text, or its beginning, which then says how long the whole is."""
    return text if len(text) <= most else f"{text[:most]} [... cut: {most} of {len(text)} characters]"


class Room:
    """What is left of a result's room."""

    def __init__(self, characters: int = MOST_CHARACTERS) -> None:
        self.left = characters
        self.left_out: list[str] = []
        """What did not fit, in words, and where it is."""

    def text(self, text: str, most: int, rest: str) -> str:
        """A text, or its beginning.

        Args:
            rest: where the rest is to be had.
        """
        shown = text[: max(0, min(most, self.left))]
        self.left -= len(shown)
        if len(shown) < len(text):
            self.left_out.append(f"{len(text) - len(shown)} of {len(text)} characters are left out: {rest}")
        return shown

    def fill(self, items: Iterable[M], what: str, rest: str) -> tuple[M, ...]:
        """The first items, as many as fit.

        Args:
            what: what they are called, in the plural.
            rest: where the others are to be had.
        """
        items = tuple(items)
        for place, item in enumerate(items):
            self.left -= len(item if isinstance(item, str) else item.model_dump_json(exclude_none=True))
            if self.left < 0:
                self.left_out.append(f"{len(items) - place} of {len(items)} {what} are left out: {rest}")
                self.left = 0
                return items[:place]
        return items
