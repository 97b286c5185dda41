"""JSON of strangers: decoded by one rule, its text cleaned once, its lists no longer than asked for.

A lone surrogate (`"\\ud800"`), a control character or a byte that is no UTF-8 spoils the word it stands in, never the
answer: what has been decoded here can be written as UTF-8, compared and shown (the rule of `openwork_contracts.text`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from json import JSONDecoder

from openwork_contracts.text import clean

_DECODER = JSONDecoder(strict=False)  # a control character within a string is cleaned, not a reason to lose the rest
_SPACE = " \t\n\r"
_ESCAPES = (b"\\u", b"\\b", b"\\f", b"\\r")
"""How what the bytes do not show may stand in a string."""


def decoded(body: bytes) -> object:
    """The value of a JSON text, every string in it clean.

    Raises:
        ValueError: not JSON, or cut off. RecursionError: nested too deep.
    """
    text = _text(body)
    value = _DECODER.decode(text)
    return _cleaned(value) if _may_be_unclean(body, text) else value


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A page that holds no more entries than were asked for."""

    body: bytes
    unread_chars: int = 0
    """Of the page, behind the last entry that was asked for; 0 = nothing was left out."""


def trimmed(body: bytes, path: tuple[str, ...], most: int) -> Trimmed:
    """The page with at most `most` entries in the list under `path`; what follows the last of them is not looked at.

    A body that is no JSON or has no such list comes back as it is: to say so is its parser's business.
    """
    text = _text(body)
    try:
        end, closing = _end_of_wanted(text, path, most)
    except (ValueError, RecursionError):
        return Trimmed(body)
    if end is None:
        return Trimmed(body)
    return Trimmed((text[:end] + closing).encode("utf-8", "replace"), len(text) - end)


def _text(body: bytes) -> str:
    return body.decode(json.detect_encoding(body), "replace")


def _may_be_unclean(body: bytes, text: str) -> bool:
    return any(escape in body for escape in _ESCAPES) or clean(text) is not text


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _cleaned(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_cleaned(inner) for inner in value]
    return value


def _end_of_wanted(text: str, path: tuple[str, ...], most: int) -> tuple[int | None, str]:
    """Where the last wanted entry of the list ends, and the brackets that are open there; (`None`, "") = keep all."""
    at, closing = _skip(text, 0), ""
    for key in path:
        place = _value_of(text, at, key)
        if place is None:
            return None, ""
        at, closing = place, "}" + closing
    if text[at : at + 1] != "[":
        return None, ""
    at = end = _skip(text, at + 1)
    for _ in range(most):
        if text[at : at + 1] == "]":
            return None, ""
        _, end = _scan(text, at)
        at = _skip(text, end)
        if text[at : at + 1] != ",":
            return None, ""
        at = _skip(text, at + 1)
    return end, f"]{closing}"


def _value_of(text: str, at: int, key: str) -> int | None:
    """Where the value of a key begins in the object that begins at `at`; `None` = it is no object, or has no such key.

    Raises:
        ValueError: what stands before it is not JSON.
    """
    if text[at : at + 1] != "{":
        return None
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        found, at = _scan(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            return None
        at = _skip(text, at + 1)
        if found == key:
            return at
        _, end = _scan(text, at)
        at = _skip(text, end)
        if text[at : at + 1] != ",":
            return None
        at = _skip(text, at + 1)
    return None


def _scan(text: str, at: int) -> tuple[object, int]:
    """One value, wherever it stands; raises ValueError."""
    return _DECODER.raw_decode(text, at)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
