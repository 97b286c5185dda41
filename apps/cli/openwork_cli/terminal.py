"""Output that every terminal can show: a character that its encoding lacks is spelt, or a question mark."""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TextIO

SPELT = "spelt"
"""Name of the error handler, for `reconfigure(errors=...)`."""


def spelt(error: UnicodeError) -> tuple[str, int]:
    """For the characters that could not be encoded: other characters for them, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_spelling(character, error.encoding) for character in lacking), error.end


def _spelling(character: str, encoding: str) -> str:
    """ "é" as "e", "≤" as "<=", a sign of a live line as a dot, what nobody can spell as "?"."""
    plain = _spellings().get(character)
    if plain is None and "\u2800" <= character <= "\u28ff":  # the dots of a live line
        return "."
    if plain is None and "\u2500" <= character <= "\u257f":  # lines of boxes
        return "-"
    if plain is None:
        plain = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
    try:
        plain.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return "?"
    return plain if plain != character else "?"


@cache
def _spellings() -> dict[str, str]:
    rows = files("openwork_cli").joinpath("spellings.tsv").read_text(encoding="utf-8").splitlines()
    return dict(row.split("\t", 1) for row in rows if row[0] != "#")


def prepare_streams() -> None:
    """Make stdout and stderr writable whatever the terminal is, and whether or not there is one."""
    codecs.register_error(SPELT, spelt)
    sys.stdout = _usable(sys.stdout)
    sys.stderr = _usable(sys.stderr)


def _usable(stream: TextIO | None) -> TextIO:
    if stream is None:  # closed by the shell, `>&-`
        return Path(os.devnull).open("w", encoding="utf-8")
    stream.reconfigure(errors=SPELT)  # type: ignore[attr-defined]
    return stream
