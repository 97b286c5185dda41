"""Text of other people: the one door. Every text of a contract passes it when the contract is made or read.

What people type, sources print, outside services say and models write is data. A terminal obeys some characters, and
others turn the direction of reading or show nothing while programs read them. After the door there are none, so that
nobody who prints, compares or quotes has to look for them. By the rule of `clean`:

- **Made visible**: C0 and C1 controls and DEL. They stand where a source lost a character ("0.55\\x960.90"); without
  a mark two numbers would become one that nobody wrote. A C1 control is what Windows-1252 has in its place, as in the
  HTML Standard (numeric character references): the nine in the recorded answers are quotation marks, a dash and an
  ellipsis, none is a control. Any other control is U+FFFD. So are lone surrogates, which cannot be written as UTF-8,
  and U+FFFE and U+FFFF, which no XML can hold.
- **Line ends**: CR LF, CR, VT, FF, U+2028 and U+2029 are a line feed. Tab and line feed stay.
- **Removed**: what no reader sees. Unicode's `Default_Ignorable_Code_Point` (DerivedCoreProperties 16.0), which has
  the bidirectional marks, embeddings, overrides and isolates (UAX 9), zero-width spaces and joiners of words, soft
  hyphens, byte order marks, fillers, tag characters and most variation selectors; and U+FFF9 to U+FFFB, interlinear
  annotation. Without them the text looks as it did; flags of English counties, made of tags, are a black flag.
- **Kept though ignorable**, since a script is written with them: U+180B to U+180F (Mongolian), U+FE0E and U+FE0F (the
  form of an emoji), and U+200C and U+200D, ZWNJ and ZWJ: Persian, Indic scripts and emoji need them between letters.
  A joiner beside a Latin, Greek or Cyrillic letter or a digit joins nothing and could only part a word for programs;
  two in a row are no spelling but can hold a message: these are removed.

Everything else stays as it was written: combining marks, private use (symbol fonts of PDFs), no-break and thin spaces;
nothing is normalised. A text may grow neither longer nor unclean again: `clean` twice is `clean` once, and a piece cut
out of a clean text is clean, so that offsets counted after the door hold for good.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

REPLACEMENT = "\ufffd"
"""Stands where a character was that cannot be shown."""

_LINE_ENDS = "\r\v\f\u2028\u2029"
_LOST = "\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff"
_REMOVED = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINERS = "\u200c\u200d"
_NEVER_JOINED = "0-9A-Za-zªµºÀ-\u052f"
"""Latin, Greek and Cyrillic letters, their combining accents, digits."""

_SUSPECT = re.compile(f"[{_LINE_ENDS}{_LOST}{_REMOVED}{_JOINERS}]")
_UNSEEN = re.compile(f"[{_REMOVED}]")
_CHANGED = re.compile(f"[{_LINE_ENDS}{_LOST}]")
_IDLE_JOINERS = re.compile(f"(?<=[{_NEVER_JOINED}])[{_JOINERS}]+|[{_JOINERS}]{{2,}}|[{_JOINERS}](?=[{_NEVER_JOINED}])")
_SHOWN = {chr(code): bytes([code]).decode("cp1252", "replace") for code in range(0x80, 0xA0)}
_SHOWN |= dict.fromkeys(_LINE_ENDS, "\n")
_SHORT = 200
"""Characters. For longer texts the pass over bytes is faster."""
_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n"


def clean(text: str) -> str:
    """The text without control, bidirectional and invisible characters, by the rule of this module's docstring.

    A clean text is returned as it is.
    """
    # A record has 50 short texts, and its abstract is read again by every service. Short ones are looked at by
    # CPython itself, 0.05 us. Of long ones plain ASCII goes first, in one pass over bytes: 1 us for 2,000 characters,
    # 2 to 5 where some are not ASCII, against 9 to 25 for a search of the whole. A recorded PubMed record took 6 us to
    # read from JSON and takes 11.
    if len(text) < _SHORT and text.isascii() and text.isprintable():
        return text
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    if not rest or not _SUSPECT.search(rest.decode("utf-8", "surrogatepass")):
        return text
    text = _CHANGED.sub(_shown, _UNSEEN.sub("", text.replace("\r\n", "\n")))
    return _IDLE_JOINERS.sub("", text)


def _shown(found: re.Match[str]) -> str:
    return _SHOWN.get(found[0], REPLACEMENT)


def _enter(value: Any) -> Any:
    """A text, or texts in whatever pydantic takes for a tuple."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple):
        try:
            # All texts at once: a call for each would cost more than looking at them.
            together = "".join(value)
        except TypeError:
            return [_one(inner) for inner in value]
        return value if clean(together) is together else [clean(text) for text in value]
    if isinstance(value, bytes | bytearray | Mapping) or not isinstance(value, Iterable):
        return _one(value)
    return [_one(inner) for inner in value]


def _one(value: Any) -> Any:
    """A text, or the bytes that pydantic takes for one; what is neither is pydantic's to refuse."""
    if isinstance(value, bytes | bytearray):
        value = value.decode("utf-8", "replace")
    return clean(value) if isinstance(value, str) else value


DOOR = BeforeValidator(_enter)
"""For a text, or a tuple of texts, with constraints: to be named after these, so that they see what has entered.

Before pydantic's own check: a pattern cannot be held against a lone surrogate.
"""
Text = Annotated[str, DOOR]
"""A text of a contract."""
Texts = Annotated[tuple[str, ...], DOOR]
"""Some texts of a contract."""
