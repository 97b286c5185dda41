"""Run ids: ULIDs, made and checked without a library."""

from __future__ import annotations

import os
import re
import time

from openwork.errors import UsageError

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RUN_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def new_run_id() -> str:
    """48 bits of milliseconds and 80 of chance, as 26 characters of Crockford's base 32."""
    value = (time.time_ns() // 1_000_000 << 80) | int.from_bytes(os.urandom(10))
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))


def check_run_id(text: str) -> str:
    """The run id in its one spelling (upper case).

    Raises:
        UsageError: it is not a ULID.
    """
    run_id = text.strip().upper()
    if not _RUN_ID.fullmatch(run_id):
        raise UsageError(f"{text!r} is not a run id; a run id is a ULID of 26 characters, see `openwork runs list`")
    return run_id
