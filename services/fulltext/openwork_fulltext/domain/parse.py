"""A file of either kind becomes a document: JATS XML or PDF, told by its first bytes, not by its name."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable

from openwork_contracts.errors import FailureReason, SourceChanged, SourceRefused

from openwork_fulltext.domain.document import ParsedDocument
from openwork_fulltext.domain.jats.article import parse_jats
from openwork_fulltext.domain.pdf.article import MAX_BODY_BYTES, parse_pdf

_PDF_WITHIN_BYTES = 1024
"""Readers accept "%PDF-" within the first 1,024 bytes (ISO 32000-1, implementation note 13 of the 1.7 reference)."""
_GZIP = b"\x1f\x8b"
_HTML = re.compile(rb"\A\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)


def parse_fulltext(
    body: bytes,
    *,
    filename: str | None = None,
    content_type: str | None = None,
    stop: Callable[[], bool] | None = None,
) -> ParsedDocument:
    """Read a JATS or PDF file, gzipped or not.

    Args:
        filename, content_type: only for the message when the file is of neither kind.
        stop: see `parse_pdf`; JATS is read in well under a second.
    Raises:
        SourceChanged: HTML, another kind of file, or damaged.
        SourceRefused: encrypted, without text, over a limit, or with a DTD of its own.
    """
    if body.startswith(_GZIP):
        body = _unzip(body)
    named = filename or content_type or "the file"
    if b"%PDF-" in body[:_PDF_WITHIN_BYTES]:
        return parse_pdf(body, stop=stop)
    if not body.strip():
        raise SourceChanged(f"{named} is empty")
    if _HTML.match(body[:_PDF_WITHIN_BYTES]):
        raise SourceChanged(
            f"{named} is an HTML page (a landing page or a log-in, perhaps); the full text is read from JATS XML or PDF"
        )
    if body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return parse_jats(body)
    shown = repr(body[:16].decode("latin-1"))
    raise SourceChanged(f"{named} is neither JATS XML nor PDF; it begins {shown}")


def _unzip(body: bytes) -> bytes:
    """Unpack gzip, but never to more than `MAX_BODY_BYTES`: a small file may unpack to any size."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacker.decompress(body, MAX_BODY_BYTES)
    except zlib.error as error:
        raise SourceChanged(f"the file is gzip that does not unpack: {error}") from None
    if unpacker.unconsumed_tail:
        limit = f"{MAX_BODY_BYTES / 1e6:.0f} MB"
        raise SourceRefused(f"the file unpacks to more than {limit}", reason=FailureReason.TOO_LARGE)
    if not unpacker.eof:
        raise SourceChanged("the file is gzip that is cut off")
    return unpacked
