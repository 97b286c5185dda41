"""Text of other people on a terminal: characters that steer it, or turn the direction of reading, are taken out."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, JsonValue

M = TypeVar("M", bound=BaseModel)

_CONTROL = [c for c in (*range(0x20), *range(0x7F, 0xA0)) if chr(c) not in "\t\n"]
_DIRECTION = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
"""Bidirectional marks, embeddings, overrides and isolates (Unicode UAX 9)."""
_TAKEN_OUT = dict.fromkeys([*_CONTROL, *_DIRECTION])


def printable(text: str) -> str:
    """The text without C0 and C1 control characters, but for tab and newline, and without bidirectional ones."""
    return text.translate(_TAKEN_OUT)


def one_line(text: str, most: int) -> str:
    """The beginning of a text on one line."""
    return " ".join(printable(text).split())[:most]


def printable_document(document: M) -> M:
    """A document with every one of its texts printable."""
    return type(document).model_validate(_printable(document.model_dump(mode="json")))


def _printable(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_printable(item) for item in value]
    if isinstance(value, dict):
        return {name: _printable(item) for name, item in value.items()}
    return value
