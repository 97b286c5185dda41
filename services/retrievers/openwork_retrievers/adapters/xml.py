"""XML answers, read as they arrive: memory does not grow with them, and nothing in them is obeyed (`xml_guard`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from lxml import etree  # type: ignore[import-untyped, unused-ignore]  # lxml ships no type hints
from openwork_contracts.errors import SourceChanged
from openwork_evidence.xml_guard import PARSER_OPTIONS, check_prolog, encoding_of, prolog_is_whole
from openwork_evidence.xml_text import XmlText, xml_text

if TYPE_CHECKING:
    # lxml's elements have the interface of the standard library's, as far as it is used here.
    from xml.etree.ElementTree import Element as Element
else:
    Element = object

MAX_RECORD_BYTES = 64_000_000
"""More text than this between two records is no record (the longest PubMed record is under 10 MB)."""


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
        self._text = XmlText()
        self.root_tag: str | None = None
        self._tags = tags
        self._parser: _PullParser = etree.XMLPullParser(events=("end",), tag=tags, **PARSER_OPTIONS)

    def feed(self, piece: bytes) -> Iterator[Element]:
        """The elements that this piece completes.

        Raises:
            SourceChanged: not XML, malformed, or something refused (see the module).
        """
        if self._prolog is not None:
            self._prolog += piece
            if not prolog_is_whole(self._prolog):
                return
            piece, self._prolog = self._prolog, None
            self.root_tag = check_prolog(self._source, piece)
            self._text = XmlText(encoding_of(piece))
            piece = piece.lstrip()
        yield from self._parsed(self._text.feed(piece))

    def _parsed(self, piece: bytes) -> Iterator[Element]:
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
            self._parser.feed(self._text.feed(b"", last=True))
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
    try:
        body = xml_text(body.lstrip(), encoding_of(body))
        root: Element = etree.fromstring(body, etree.XMLParser(**PARSER_OPTIONS))
    except etree.XMLSyntaxError as error:
        raise SourceChanged(f"{source} answered with XML that is cut off or does not parse: {error}") from None
    return root


_RAISED = str.maketrans("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_NUMBER = re.compile(r"^[+\-−]?\d[\d+\-−=()]*$")
_BREAKS = frozenset(
    {"br", "p", "title", "list", "item", "li", "td", "th", "tr", "paragraph", "caption", "DispFormula", "sec"}
)
"""Elements that begin on a new line for a reader: their text must not run into the text before."""


def flat_text(element: Element | None, skip: frozenset[str] = frozenset()) -> str:
    """All text below an element, whatever the tags but those in `skip`, with white space folded.

    Subscripts and superscripts are joined as these words are usually written (FEV1, HbA1c, CO2, Ca2+, 18F), except
    where that would make another number: `10<sup>6</sup>` is "10⁶", never "106", and `1.2<sup>a</sup>` is "1.2^a".
    """
    if element is None:
        return ""
    if not len(element):
        return " ".join((element.text or "").split())
    pieces: list[str] = []
    _collect(element, pieces, skip)
    return " ".join("".join(pieces).split())


def _collect(element: Element, pieces: list[str], skip: frozenset[str]) -> None:
    if element.text:
        pieces.append(element.text)
    for child in element:
        tag = local_name(child)
        if tag in ("sup", "sub"):
            before = next((piece[-1] for piece in reversed(pieces) if piece), " ")
            pieces.append(_scripted(tag, "".join(child.itertext()), before))
        elif tag in skip:
            pieces.append(" ")
        elif tag:
            breaks = tag in _BREAKS
            pieces.append(" " if breaks else "")
            _collect(child, pieces, skip)
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
