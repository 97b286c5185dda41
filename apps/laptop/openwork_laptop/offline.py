"""Reading what `openwork verify` and `openwork rank` are given, with errors that name the line and the field."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from openwork_contracts.errors import UsageError
from openwork_contracts.verdict import EvidenceItem
from pydantic import ValidationError


def read_text(path: Path) -> str:
    """A text file as UTF-8, '-' for stdin.

    Raises:
        UsageError: it cannot be read, or is not UTF-8.
    """
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 (byte {error.start})") from error


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """JSON Lines: (line number from 1, object). Empty lines are passed over.

    Raises:
        UsageError: a line is not a JSON object.
    """
    for number, text in enumerate(read_text(path).splitlines(), start=1):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except ValueError as error:
            raise UsageError(f"{path}, line {number} is not JSON: {error}") from error
        if not isinstance(value, dict):
            raise UsageError(f"{path}, line {number} is not a JSON object")
        yield number, value


def read_evidence(path: Path) -> tuple[EvidenceItem, ...]:
    """The evidence file of `openwork verify`: a JSON list of {n, title, text, ...}."""
    try:
        return evidence_items(json.loads(read_text(path)), str(path))
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}") from error


def evidence_items(value: object, where: str) -> tuple[EvidenceItem, ...]:
    """A list of evidence as items. An item without `n` has its place in the list, from 1.

    Raises:
        UsageError: it is not a list of objects with a text.
    """
    if not isinstance(value, list):
        raise UsageError(f"{where}: evidence must be a list of {{n, title, text}}")
    items = []
    for place, raw in enumerate(value, start=1):
        try:
            items.append(EvidenceItem.model_validate({"n": place, **raw} if isinstance(raw, dict) else raw))
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            field = ".".join(map(str, first["loc"])) or "item"
            raise UsageError(f"{where}: evidence {place}, {field}: {first['msg']}") from error
    return tuple(items)
