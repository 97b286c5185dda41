"""JATS as bytes become elements: in pieces, within limits, and nothing in them is obeyed.

Refused: what `xml_guard` refuses, too deep nesting and too many elements. A named character such as `&nbsp;` that only
an external DTD declares, which is never fetched, is read as HTML's character of that name.
"""

from __future__ import annotations

from collections.abc import Iterable
from html.entities import html5
from typing import TYPE_CHECKING, Protocol

from lxml import etree  # type: ignore[import-untyped, unused-ignore]  # lxml ships no type hints
from openwork_contracts.errors import FailureReason, SourceChanged, SourceRefused
from openwork_evidence.xml_guard import PARSER_OPTIONS, check_prolog, encoding_of
from openwork_evidence.xml_text import xml_text

if TYPE_CHECKING:
    # lxml's elements have the interface of the standard library's, as far as it is used here.
    from xml.etree.ElementTree import Element as Element
else:
    Element = object

MAX_BODY_BYTES = 50_000_000
"""The longest open-access articles of PMC are near 20 MB; a larger body is not read."""
MAX_DEPTH = 200
"""Elements within elements. Articles stay under 30; libxml2 itself stops at 256."""
MAX_ELEMENTS = 3_000_000
"""An article has some 1,000 to 100,000 elements."""
_PIECE_BYTES = 65_536

_DROPPED = frozenset({"ref-list", "sub-article", "response", "processing-meta"})
"""References, and the decision letters and replies that travel with an article: no part of what it found."""


class _PullParser(Protocol):
    def feed(self, data: bytes) -> None: ...
    def close(self) -> Element: ...
    def read_events(self) -> Iterable[tuple[str, Element]]: ...


def read_articles(body: bytes) -> list[Element]:
    """The `article` elements of a JATS file (root `article`, or a set of them), without their references.

    Raises:
        SourceChanged: not XML, HTML, a DTD of its own, cut off, or not an article.
        SourceRefused: over a limit, or an error message of the source in place of an article.
    """
    if len(body) > MAX_BODY_BYTES:
        size = f"{len(body) / 1e6:.0f} MB, the limit is {MAX_BODY_BYTES / 1e6:.0f} MB"
        raise SourceRefused(f"the full text is too large to read ({size})", reason=FailureReason.TOO_LARGE)
    check_prolog("the source of the full text", body)
    root = _parse(xml_text(body.removeprefix(b"\xef\xbb\xbf").lstrip(), encoding_of(body)))
    articles = [root] if local_name(root) == "article" else [e for e in root.iter() if local_name(e) == "article"]
    if not articles:
        raise _not_an_article(root)
    return articles


def _parse(body: bytes) -> Element:
    parser: _PullParser = etree.XMLPullParser(events=("start", "end"), **PARSER_OPTIONS)
    depth = n_elements = 0
    try:
        for start in range(0, len(body), _PIECE_BYTES):
            parser.feed(body[start : start + _PIECE_BYTES])
            for event, element in parser.read_events():
                if event == "start":
                    depth += 1
                    n_elements += 1
                    if depth > MAX_DEPTH or n_elements > MAX_ELEMENTS:
                        raise _too_much()
                else:
                    depth -= 1
                    if local_name(element) in _DROPPED:
                        _empty(element)
        root = parser.close()
    except etree.XMLSyntaxError as error:
        if "depth" in str(error):
            raise _too_much() from None
        raise SourceChanged(f"the full text is XML that is cut off or does not parse: {error}") from None
    _resolve_characters(root)
    return root


def _too_much() -> SourceRefused:
    return SourceRefused(
        f"the full text nests or repeats elements beyond any article (limits: {MAX_DEPTH} deep, {MAX_ELEMENTS} in all)",
        reason=FailureReason.TOO_LARGE,
    )


def _empty(element: Element) -> None:
    tail = element.tail
    element.clear()
    element.tail = tail


def _resolve_characters(root: Element) -> None:
    """Replace references to named characters by the characters; an unknown name stays readable as `&name;`."""
    for node in list(root.iter()):
        if node.tag is not etree.Entity:
            continue
        name: str = node.name  # type: ignore[attr-defined]
        words = html5.get(f"{name};", f"&{name};") + (node.tail or "")
        parent = node.getparent()  # type: ignore[attr-defined]
        before = node.getprevious()  # type: ignore[attr-defined]
        if before is None:
            parent.text = (parent.text or "") + words
        else:
            before.tail = (before.tail or "") + words
        parent.remove(node)


def _not_an_article(root: Element) -> SourceChanged | SourceRefused:
    errors = [e for e in root.iter() if local_name(e).lower() in ("error", "errmsg", "error-message")]
    reason = " ".join("".join(errors[0].itertext()).split()) if errors else ""
    reply = next((e.get("error") for e in root.iter() if e.get("error")), None)
    if message := reason or reply:
        return SourceRefused(f"the source gave no full text: {message[:200]!r}")
    return SourceChanged(f"the full text is no JATS article: its root element is <{local_name(root)}>")


def local_name(element: Element) -> str:
    """The tag without its namespace; empty for what is not an element."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1] if isinstance(tag, str) else ""


def child(element: Element | None, *path: str) -> Element | None:
    """The first element down a path of local names, whatever their namespaces."""
    for name in path:
        if element is None:
            return None
        element = next((e for e in element if local_name(e) == name), None)
    return element


def children(element: Element | None, *names: str) -> list[Element]:
    """The direct children with one of these local names, in order."""
    return [] if element is None else [e for e in element if local_name(e) in names]


def attribute(element: Element, name: str) -> str | None:
    """An attribute by its local name: `href` is `xlink:href` in JATS."""
    return next((value for key, value in element.items() if key.rsplit("}", 1)[-1] == name), None)
