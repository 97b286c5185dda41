"""Whether a body that came through without a fault of the network is one that its sender cut off.

A proxy that stops early and counts right sends half a JSON text or half an XML document under a correct length. Only
the end of a body is looked at, so a cut that happens to end like a whole one is left to the parser.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_START_BYTES = 16_384
_END_BYTES = 1024
_ROOT = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*>)*<([A-Za-z_][^\s/>]*)", re.DOTALL | re.IGNORECASE)
_CLOSED_BY = {b"{": b"}", b"[": b"]"}
_UTF8_MARK = b"\xef\xbb\xbf"


def what_is_missing(pieces: Sequence[bytes]) -> str | None:
    """In words, what a JSON or XML body lacks at its end; `None` = nothing, or it is neither."""
    start = _first(pieces, _START_BYTES).removeprefix(_UTF8_MARK).lstrip()
    end = _last(pieces, _END_BYTES).rstrip()
    closing = _CLOSED_BY.get(start[:1])
    if closing is not None:
        return None if end.endswith(closing) else f"JSON that is cut off: it does not end with {closing.decode()!r}"
    root = _ROOT.match(start)
    if root is None or root[1].lower() in (b"html", b"!doctype"):
        return None
    name = re.escape(root[1])
    closed = re.search(rb"</%s\s*>" % name, end) or re.match(rb"<%s[^<>]*/>" % name, start[root.start(1) - 1 :])
    return None if closed else f"XML that is cut off: </{root[1].decode('utf-8', 'replace')[:60]}> is missing"


def _first(pieces: Sequence[bytes], n_bytes: int) -> bytes:
    found = b""
    for piece in pieces:
        found += piece[: n_bytes - len(found)]
        if len(found) >= n_bytes:
            break
    return found


def _last(pieces: Sequence[bytes], n_bytes: int) -> bytes:
    found = b""
    for piece in reversed(pieces):
        found = piece[-(n_bytes - len(found)) :] + found
        if len(found) >= n_bytes:
            break
    return found
