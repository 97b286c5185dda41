"""Reading what commands are given, with errors that name the file and the line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from openwork.errors import UsageError


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


def read_json(path: Path) -> object:
    """A JSON file.

    Raises:
        UsageError: it cannot be read, or is not JSON.
    """
    try:
        return json.loads(read_text(path))
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}") from error


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
