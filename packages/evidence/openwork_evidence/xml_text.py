"""Characters that no XML may hold, put right before the parser sees them: one in a title must not cost the answer.

A control character, a lone surrogate, U+FFFE, U+FFFF (raw, or as a reference such as `&#xD800;`) and, in UTF-8, bytes
that are no character become U+FFFD, as `openwork_contracts.text` shows a character that was lost. XML 1.0, 2.2 and 4.1.
What is no well-formed XML for another reason, or is cut off, stays so.
"""

from __future__ import annotations

import codecs
import re

_LOST = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LOST_BYTE = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_REFERENCE = re.compile(rb"&#(?:x([0-9A-Fa-f]{1,8})|([0-9]{1,10}));")
_LONGEST_REFERENCE = 16
_SHOWN = b"&#xFFFD;"
_UTF8 = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})


class XmlText:
    """A body in pieces, each given back so that a parser can read it. Feed it from the first element or prolog on."""

    def __init__(self, encoding: str = "utf-8") -> None:
        """
        Args:
            encoding: as the document names it; only UTF-8 and the single-byte ones that `xml_guard` lets through.
        """
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace") if encoding.lower() in _UTF8 else None
        self._held = b""

    def feed(self, piece: bytes, *, last: bool = False) -> bytes:
        """The piece, put right. The end of a reference that the next piece goes on with is held back until then."""
        if self._decoder is not None:
            text = self._decoder.decode(piece, last)
            piece = _LOST.sub("\ufffd", text).encode()
        else:
            piece = _LOST_BYTE.sub(b"?", piece)
        piece = self._held + piece
        self._held = b""
        start = piece.rfind(b"&", max(0, len(piece) - _LONGEST_REFERENCE))
        if not last and start >= 0 and b";" not in piece[start:]:
            piece, self._held = piece[:start], piece[start:]
        return _REFERENCE.sub(_readable, piece) if b"&#" in piece else piece


def xml_text(body: bytes, encoding: str = "utf-8") -> bytes:
    """A whole body, put right."""
    return XmlText(encoding).feed(body, last=True)


def _readable(found: re.Match[bytes]) -> bytes:
    code = int(found[1], 16) if found[1] else int(found[2])
    return found[0] if _is_char(code) else _SHOWN


def _is_char(code: int) -> bool:
    """XML 1.0, production 2, "Char"."""
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF
