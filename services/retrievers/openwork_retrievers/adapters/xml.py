"""XML answers, read as they arrive: memory does not grow with them, and nothing in them is obeyed.

Refused: an internal DTD subset (that is where entities are declared), any encoding in which `<!ENTITY` could hide, and
bodies that are not XML. A DOCTYPE that only names an external DTD is let through, since every answer of NCBI has one;
that DTD is never fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from lxml import etree  # type: ignore[import-untyped, unused-ignore]  # lxml ships no type hints
from openwork_contracts.errors import SourceChanged

if TYPE_CHECKING:
    # lxml's elements have the interface of the standard library's, as far as it is used here.
    from xml.etree.ElementTree import Element as Element
else:
    Element = object

MAX_PROLOG_BYTES = 16_384
"""The longest prolog of a real answer is under 1 KB."""
MAX_RECORD_BYTES = 64_000_000
"""More text than this between two records is no record (the longest PubMed record is under 10 MB)."""

_FIRST_TAG = re.compile(rb"<([A-Za-z_][^\s/>]*)[\s/>]")
_ENCODING = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_SAFE_ENCODINGS = frozenset({b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"latin-1", b"windows-1252"})
_PROLOG_PART = re.compile(rb"<\?.*?\?>|<!--.*?-->", re.DOTALL)
_DOCTYPE = re.compile(rb"<!DOCTYPE(?:[^\[>\"']|\"[^\"]*\"|'[^']*')*(.)", re.DOTALL | re.IGNORECASE)


class _PullParser(Protocol):
    def feed(self, data: bytes) -> None: ...
    def close(self) -> Element: ...
    def read_events(self) -> Iterable[tuple[str, Element]]: ...


class ElementStream:
    """Gives each element with one of `tags` as soon as its end has arrived, and forgets it on the next step.

    Feed it pieces of any size, then `close()`: only then is it known that the answer was whole.
    """

    def __init__(self, source: str, tags: tuple[str, ...]) -> None:
        self._source = source
        self._prolog: bytes | None = b""
        self._pending = 0
        self.root_tag: str | None = None
        self._tags = tags
        # Second lock behind the prolog check: no entity is resolved and nothing is loaded.
        self._parser: _PullParser = etree.XMLPullParser(
            events=("end",), tag=tags, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
            remove_comments=True, remove_pis=True,
        )  # fmt: skip

    def feed(self, piece: bytes) -> Iterator[Element]:
        """The elements that this piece completes.

        Raises:
            SourceChanged: not XML, malformed, or something refused (see the module).
        """
        if self._prolog is not None:
            self._prolog += piece
            if not _FIRST_TAG.search(_PROLOG_PART.sub(b"", self._prolog)) and len(self._prolog) < MAX_PROLOG_BYTES:
                return
            piece, self._prolog = self._prolog, None
            self.root_tag = check_prolog(self._source, piece)
            piece = piece.lstrip()
        self._pending += len(piece)
        if self._pending > MAX_RECORD_BYTES:
            raise SourceChanged(f"{self._source}: {self._pending} bytes without a record; the answer was not read on")
        try:
            self._parser.feed(piece)
            for _, element in self._parser.read_events():
                self._pending = 0
                yield element
                _forget(element)
        except etree.XMLSyntaxError as error:
            raise SourceChanged(f"{self._source} answered with XML that does not parse: {error}") from None

    def close(self) -> None:
        """The answer is over.

        Raises:
            SourceChanged: it was cut off, or empty.
        """
        if self._prolog is not None:
            check_prolog(self._source, self._prolog)
        try:
            self._parser.close()
        except etree.XMLSyntaxError as error:
            raise SourceChanged(f"{self._source}: the XML is cut off or does not parse: {error}") from None


def stream(source: str, pieces: Iterable[bytes], tags: tuple[str, ...]) -> Iterator[Element]:
    """Each element with one of `tags`, from a whole body in pieces; see `ElementStream`."""
    parser = ElementStream(source, tags)
    for piece in pieces:
        yield from parser.feed(piece)
    parser.close()


def parse(source: str, body: bytes) -> Element:
    """The root of a small XML answer.

    Raises:
        SourceChanged: not XML, cut off, or something refused.
    """
    check_prolog(source, body)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root: Element = etree.fromstring(body.lstrip(), parser)
    except etree.XMLSyntaxError as error:
        raise SourceChanged(f"{source} answered with XML that is cut off or does not parse: {error}") from None
    return root


def check_prolog(source: str, start: bytes) -> str:
    """Look at what stands before the first element and give that element's name.

    Raises:
        SourceChanged: no XML, an encoding that hides markup, or a DTD in the document.
    """
    head = start[:MAX_PROLOG_BYTES]
    shown = repr(" ".join(head[:60].decode("utf-8", "replace").split()))
    if b"\x00" in head:
        raise SourceChanged(f"{source} answered in UTF-16 or UTF-32, or not with XML; it begins {shown}")
    if (named := _ENCODING.search(head)) and named[1].lower() not in _SAFE_ENCODINGS:
        raise SourceChanged(f"{source} answered in encoding {named[1]!r}; only UTF-8 and Latin-1 are read")
    bare = _PROLOG_PART.sub(b"", head).removeprefix(b"\xef\xbb\xbf").lstrip()
    doctype = _DOCTYPE.match(bare)
    if (doctype and doctype[1] != b">") or b"<!ENTITY" in bare.upper():
        raise SourceChanged(f"{source} answered with a document that declares its own DTD; refused, it begins {shown}")
    first = _FIRST_TAG.search(bare)
    if first is None or not bare.startswith(b"<"):
        raise SourceChanged(f"{source} answered with something that is not XML; it begins {shown}")
    name = first[1].decode("utf-8", "replace")
    if name.lower() == "html" or re.match(rb"<!DOCTYPE\s+html", bare, re.IGNORECASE):
        raise SourceChanged(f"{source} answered with an HTML page, not XML; it begins {shown}")
    return name


_RAISED = str.maketrans("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_NUMBER = re.compile(r"^[+\-−]?\d[\d+\-−=()]*$")
_BREAKS = frozenset(
    {"br", "p", "title", "list", "item", "li", "td", "th", "tr", "paragraph", "caption", "DispFormula", "sec"}
)
"""Elements that begin on a new line for a reader: their text must not run into the text before."""


def flat_text(element: Element | None) -> str:
    """All text below an element, whatever the tags, with white space folded.

    Subscripts and superscripts are joined as these words are usually written (FEV1, HbA1c, CO2, Ca2+, 18F), except
    where that would make another number: `10<sup>6</sup>` is "10⁶", never "106", and `1.2<sup>a</sup>` is "1.2^a".
    """
    if element is None:
        return ""
    if not len(element):
        return " ".join((element.text or "").split())
    pieces: list[str] = []
    _collect(element, pieces)
    return " ".join("".join(pieces).split())


def _collect(element: Element, pieces: list[str]) -> None:
    if element.text:
        pieces.append(element.text)
    for child in element:
        tag = local_name(child)
        if tag in ("sup", "sub"):
            before = next((piece[-1] for piece in reversed(pieces) if piece), " ")
            pieces.append(_scripted(tag, "".join(child.itertext()), before))
        elif tag:
            breaks = tag in _BREAKS
            pieces.append(" " if breaks else "")
            _collect(child, pieces)
            pieces.append(" " if breaks else "")
        if child.tail:
            pieces.append(child.tail)


def _scripted(tag: str, text: str, before: str) -> str:
    bare = text.strip()
    if not bare or not before.isdigit():
        return text
    if _NUMBER.match(bare):
        return bare.translate(_RAISED if tag == "sup" else _LOWERED)
    return f"^{bare}" if tag == "sup" and bare[0].isalnum() else text


def local_name(element: Element) -> str:
    """The tag without its namespace; empty for what is not an element (an unresolved entity)."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1] if isinstance(tag, str) else ""


def _forget(element: Element) -> None:
    """Drop an element that has been read, and everything before it."""
    element.clear()
    parent = element.getparent()  # type: ignore[attr-defined]
    if parent is not None:
        while element.getprevious() is not None:  # type: ignore[attr-defined]
            del parent[0]
