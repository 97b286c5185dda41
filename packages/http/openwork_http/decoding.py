"""Undoing gzip and deflate in bounded steps: a kilobyte that unfolds to a gigabyte never does so here."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Protocol

ACCEPT_ENCODING = "gzip, deflate"
"""What we offer. Others (br, zstd) and stacked encodings are refused: no decoder of theirs is bounded here."""
_GZIP_MAGIC = b"\x1f\x8b"
_STEP_BYTES = 64 * 1024
"""Most bytes that one step unfolds to."""


class EncodingRefusedError(ValueError):
    """A body in an encoding that was not offered, or that is damaged."""


class Decoder(Protocol):
    """Turns raw pieces of a body into decoded ones, of at most `_STEP_BYTES` each where it unfolds anything."""

    def feed(self, raw: bytes) -> Iterator[bytes]: ...

    @property
    def complete(self) -> bool:
        """Whether the encoded stream has come to its own end."""
        ...


class Identity:
    """No encoding."""

    complete = True

    def feed(self, raw: bytes) -> Iterator[bytes]:
        """The piece as it is."""
        yield raw


class Inflate:
    """gzip, also of several members, and deflate with or without zlib's header."""

    def __init__(self, encoding: str) -> None:
        self._gzip = encoding != "deflate"
        self._inflater: zlib._Decompress | None = None
        self._members = 0
        self._between = b""
        self._ended = False
        self.complete = True
        """True before the first byte too: an empty body is no damaged one."""

    def feed(self, raw: bytes) -> Iterator[bytes]:
        """Decoded pieces, made one by one as they are asked for.

        Raises:
            EncodingRefusedError: these bytes are not of the encoding.
        """
        if self._between:
            raw, self._between = self._between + raw, b""
        more = False  # whether the last step was full, so that output may wait inside without any input
        while (raw or more) and not self._ended:
            if self._inflater is None:
                if self._members and len(raw) < len(_GZIP_MAGIC):
                    self._between = raw  # too little to tell another member from padding
                    return
                if self._members and not (self._gzip and raw.startswith(_GZIP_MAGIC)):
                    self._ended = True  # padding, which every reader ignores
                    return
                self._inflater = zlib.decompressobj(self._window_bits(raw[0]))
                self.complete = False
            try:
                piece = self._inflater.decompress(raw, _STEP_BYTES)
            except zlib.error as error:
                raise EncodingRefusedError(f"the compressed body is damaged ({error})") from error
            raw, more = self._inflater.unconsumed_tail, len(piece) == _STEP_BYTES
            if self._inflater.eof:
                self.complete = True
                raw, more = self._inflater.unused_data, False
                self._inflater = None
                self._members += 1
            if piece:
                yield piece

    def _window_bits(self, first: int) -> int:
        if self._gzip:
            return 31
        # RFC 9110 means zlib by "deflate"; some servers send the bare stream, which cannot begin with zlib's method 8.
        return 15 if first & 0x0F == 8 else -15


def decoder_for(content_encoding: str) -> Decoder:
    """The decoder of a Content-Encoding header.

    Raises:
        EncodingRefusedError: an encoding that was not offered, or more than one.
    """
    encoding = content_encoding.strip().lower()
    if encoding in ("", "identity"):
        return Identity()
    if encoding in ("gzip", "x-gzip", "deflate"):
        return Inflate(encoding)
    raise EncodingRefusedError(f"the body is encoded as {encoding[:60]!r}, which was not offered")
