"""Plain text and labelled parts of abstracts out of the bits of HTML and JATS that stand in JSON answers."""

from __future__ import annotations

import html
import re

from openwork_contracts.evidence import AbstractPart

_HEADING = re.compile(r"<(?:h[1-6]|jats:title)\b[^>]*>(.*?)</(?:h[1-6]|jats:title)>", re.IGNORECASE | re.DOTALL)
_CAPITALS = re.compile(r"(?:^|(?<=[.!?)\]] ))([A-Z][A-Z ,/&'-]{3,60}): ")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_KNOWN_TAG = re.compile(r"</?(?:i|b|u|em|strong|sup|sub|p|span|h[1-6]|scp|jats:\w+)\b[^<>]*>", re.IGNORECASE)
_RAISED_NUMBER = re.compile(r"(?<=\d)<sup>\s*([-−+]?\d+)\s*</sup>", re.IGNORECASE)
_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")


def markup_text(text: object) -> str:
    """Plain text of a string with HTML or JATS tags and entities in it; `10<sup>6</sup>` is "10⁶"."""
    if not isinstance(text, str):
        return ""
    raised = _RAISED_NUMBER.sub(lambda match: match[1].translate(_RAISED), text)
    spaced = re.sub(
        r"<(?:/?(?:p|h[1-6]|li|title)|br|/?jats:(?:p|title|sec))\b[^<>]*>", " ", raised, flags=re.IGNORECASE
    )
    bare = html.unescape(_TAG.sub("", spaced))
    if "</" in bare:  # tags that were escaped as text: "m&lt;sup&gt;6&lt;/sup&gt;A"
        bare = html.unescape(_KNOWN_TAG.sub("", bare))
    return " ".join(bare.split())


def abstract_parts(text: object) -> tuple[AbstractPart, ...]:
    """The parts of an abstract whose labels are `<h4>` or `<jats:title>`; one unlabelled part where there are none.

    A heading that only says "Abstract" is not a label.
    """
    if not isinstance(text, str) or not text.strip():
        return ()
    pieces = _HEADING.split(text)
    labels = [None, *(_label(label) for label in pieces[1::2])]
    parts = ((label, markup_text(piece)) for label, piece in zip(labels, pieces[::2], strict=True))
    return tuple(AbstractPart(label=label, text=piece) for label, piece in parts if piece)


def parts_by_capitals(text: str) -> tuple[AbstractPart, ...]:
    """The parts of an abstract whose labels stand in capitals before a colon; one part where fewer than two do."""
    marks = list(_CAPITALS.finditer(text))
    if len(marks) < 2 or marks[0].start() > 0:
        return (AbstractPart(text=text),) if text else ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    parts = ((mark[1], text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True))
    return tuple(AbstractPart(label=label, text=part) for label, part in parts if part)


def _label(text: str) -> str | None:
    label = markup_text(text).rstrip(":. ")
    return None if label.lower() in ("", "abstract", "summary") else label
