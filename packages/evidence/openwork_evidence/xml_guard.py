"""What everybody who reads XML from outside does first: look at the prolog, and parse with nothing resolved.

Refused: an internal DTD subset (that is where entities are declared: billion laughs, external entities), any encoding
in which `<!ENTITY` could hide, HTML, and bodies that are not XML. A DOCTYPE that only names an external DTD is let
through, since every answer of NCBI and every JATS file has one; that DTD is never fetched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from openwork_contracts.errors import SourceChanged

MAX_PROLOG_BYTES = 16_384
"""The longest prolog of a real answer is under 1 KB."""
PARSER_OPTIONS: Final[dict[str, bool]] = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False, "remove_comments": True,
    "remove_pis": True,
}  # fmt: skip
"""For lxml's parsers: the second lock behind the prolog check. No entity is resolved and nothing is loaded."""

_BEFORE = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
"""White space, processing instructions and whole comments. Walked over from the front: what looks like a comment within
a quoted name of the DOCTYPE is none, and must not hide what follows it."""
_FIRST_TAG = re.compile(rb"<([A-Za-z_][^\s/>]*)[\s/>]")
_ENCODING = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_SAFE_ENCODINGS = frozenset({b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"latin-1", b"windows-1252"})
_DOCTYPE = re.compile(rb"<!DOCTYPE(?:[^\[>\"']|\"[^\"]*\"|'[^']*')*(.)", re.DOTALL | re.IGNORECASE)
_HTML = re.compile(rb"<(?:!DOCTYPE\s+html|html)\b", re.IGNORECASE)
_BOM = b"\xef\xbb\xbf"
_TELLING_BYTES = 64
"""UTF-16 and UTF-32 have a zero in every character of a tag; XML is told by its first four bytes (XML 1.0, F.1)."""


@dataclass(frozen=True, slots=True)
class _Prolog:
    """What stands at the beginning, as far as it has arrived."""

    begins_with: bytes
    """From the DOCTYPE on, or from the first element on."""
    doctype_end: bytes
    """`>` = a DOCTYPE, if any, is over; `[` = it has an internal subset; else it has not all arrived."""
    remainder: bytes
    """From the first element on."""


def _walked(head: bytes) -> _Prolog:
    place = _place_behind(_BEFORE, head, len(_BOM) if head.startswith(_BOM) else 0)
    doctype = _DOCTYPE.match(head, place)
    if doctype is None or doctype[1] != b">":
        return _Prolog(head[place:], doctype[1] if doctype else b">", head[place:])
    return _Prolog(head[place:], b">", head[_place_behind(_BEFORE, head, doctype.end()) :])


def _place_behind(pattern: re.Pattern[bytes], head: bytes, place: int) -> int:
    match = pattern.match(head, place)
    return match.end() if match else place


def prolog_is_whole(start: bytes) -> bool:
    """Whether enough has arrived for `check_prolog`: the first element's name, or more than any prolog has."""
    prolog = _walked(start[:MAX_PROLOG_BYTES])
    is_told = prolog.doctype_end == b"[" or (
        prolog.doctype_end == b">" and _FIRST_TAG.match(prolog.remainder) is not None
    )
    return is_told or len(start) >= MAX_PROLOG_BYTES


def check_prolog(source: str, start: bytes) -> str:
    """Look at what stands before the first element and give that element's name.

    Args:
        source: who answered, for the message.
        start: the body, or as much of its beginning as `prolog_is_whole` asks for.
    Raises:
        SourceChanged: no XML, HTML, an encoding that hides markup, or a DTD in the document.
    """
    head = start[:MAX_PROLOG_BYTES]
    shown = repr(" ".join(head[:60].decode("utf-8", "replace").split()))
    if b"\x00" in head[:_TELLING_BYTES]:  # further on it is a character lost in a text, see `xml_text`
        raise SourceChanged(f"{source} answered in UTF-16 or UTF-32, or not with XML; it begins {shown}")
    if (named := _ENCODING.search(head)) and named[1].lower() not in _SAFE_ENCODINGS:
        raise SourceChanged(f"{source} answered in encoding {named[1]!r}; only UTF-8 and Latin-1 are read")
    prolog = _walked(head)
    first = _FIRST_TAG.match(prolog.remainder)
    if _HTML.match(prolog.begins_with) or (first and first[1].lower() == b"html"):
        raise SourceChanged(f"{source} answered with an HTML page, not XML; it begins {shown}")
    if prolog.doctype_end != b">" or (prolog.remainder.startswith(b"<!") and not prolog.remainder.startswith(b"<!--")):
        raise SourceChanged(f"{source} answered with a document that declares its own DTD; refused, it begins {shown}")
    if first is None:
        raise SourceChanged(f"{source} answered with something that is not XML; it begins {shown}")
    return first[1].decode("utf-8", "replace")


def encoding_of(start: bytes) -> str:
    """The encoding that a body names for itself, in lower case; UTF-8 where it names none."""
    named = _ENCODING.search(start[:MAX_PROLOG_BYTES])
    return named[1].decode("ascii", "replace").lower() if named else "utf-8"
