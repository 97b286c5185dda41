"""Files as blocks of text: PDF by the full-text service's reader, HTML by the standard library's parser, CSV rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser

from openwork_contracts.errors import FailureReason, SourceChanged, SourceRefused
from openwork_contracts.evidence import Identifiers
from openwork_contracts.text import clean
from openwork_evidence.identifiers import clean_doi
from openwork_fulltext.domain.document import ParsedDocument
from openwork_fulltext.domain.parse import parse_fulltext

from openwork_laptop.guideline_import.found import Block

MOST_BYTES = 60_000_000
MOST_ROWS = 20_000
"""Of a CSV file; the largest guidelines have about 500 recommendations."""
MOST_DEPTH = 400
"""Of tags in each other; deeper is no document but an attack on what reads it."""
_SKIPPED = frozenset({"script", "style", "noscript", "template", "nav", "head", "svg", "form", "button"})
_BLOCKS = frozenset(
    {
        "p",
        "li",
        "div",
        "section",
        "article",
        "td",
        "th",
        "blockquote",
        "dd",
        "dt",
        "br",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    }
)
_VOID = frozenset(
    {"br", "img", "hr", "input", "meta", "link", "wbr", "col", "area", "base", "embed", "source", "track"}
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


@dataclass(slots=True)
class Document:
    """What a file says: its title, its identifiers, its text in blocks."""

    format: str
    blocks: list[Block]
    title: str | None = None
    identifiers: Identifiers = field(default_factory=Identifiers)
    year: int | None = None
    warnings: list[str] = field(default_factory=list)
    opening: str = ""
    """Its first words, which mostly name who issued it."""


def read_document(body: bytes, name: str) -> Document:
    """A PDF, JATS or HTML file as blocks.

    Raises:
        SourceChanged: another kind of file, or damaged. SourceRefused: protected, without text, or too large.
    """
    if len(body) > MOST_BYTES:
        raise SourceRefused(
            f"{name} has {len(body) / 1e6:.0f} MB; at most {MOST_BYTES / 1e6:.0f} are read",
            reason=FailureReason.TOO_LARGE,
        )
    if is_html(body):
        return _read_html(body, name)
    return _of_parsed(parse_fulltext(body, filename=name))


def is_html(body: bytes) -> bool:
    """Whether a file is a web page: by its first tag, not by its name."""
    head = body[:2048].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return head.startswith((b"<!doctype html", b"<html", b"<head", b"<body")) or (
        head.startswith(b"<") and b"<html" in head
    )


def _of_parsed(parsed: ParsedDocument) -> Document:
    blocks = []
    for section in parsed.sections:
        locator = section.path[-1][:120] if section.path else None
        if section.table is not None:
            label = section.table.label or locator
            page = parsed.page_at(section.start)
            blocks.append(Block(rows=tuple(map(tuple, section.table.rows)), page=page, locator=label))
            continue
        at = section.start
        for paragraph in section.text.split("\n\n"):
            page = parsed.page_at(at)
            blocks.append(Block(text=paragraph, page=page, locator=locator))
            at += len(paragraph) + 2
    return Document(
        parsed.format,
        blocks,
        title=parsed.title,
        identifiers=parsed.identifiers,
        year=parsed.year,
        warnings=list(parsed.warnings),
        opening=parsed.text[:3000],
    )


def _read_html(body: bytes, name: str) -> Document:
    text = clean(_decoded(body))
    reader = _Reader()
    try:
        reader.feed(text)
        reader.close()
    except RecursionError as error:  # pragma: no cover - the depth is bounded below
        raise SourceChanged(f"{name} is nested too deeply to be read") from error
    if reader.too_deep:
        raise SourceRefused(f"{name} has tags nested more than {MOST_DEPTH} deep; it is not read")
    blocks = reader.blocks
    if not blocks:
        raise SourceRefused(f"{name} holds no text outside of scripts, forms and menus")
    opening = " ".join(block.text for block in blocks[:30])[:3000]
    doi = clean_doi(reader.meta.get("citation_doi") or reader.meta.get("dc.identifier") or "")
    url = reader.canonical if reader.canonical and re.match(r"https?://", reader.canonical) else None
    title = reader.meta.get("citation_title") or reader.title or reader.first_heading
    return Document(
        "html", blocks, title=title, identifiers=Identifiers(doi=doi, url=url), opening=f"{title or ''} {opening}"
    )


def _decoded(body: bytes) -> str:
    """By its byte order mark or the charset that it declares, else UTF-8, else Windows' Latin."""
    declared = re.search(rb"charset\s*=\s*[\"']?([\w-]{2,40})", body[:4096])
    for encoding in filter(None, (declared and declared[1].decode("ascii", "ignore"), "utf-8-sig")):
        try:
            return body.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    return body.decode("cp1252", "replace")


class _Reader(HTMLParser):
    """Paragraphs and tables of a page, with the heading above each; menus, scripts and hidden parts are left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self.meta: dict[str, str] = {}
        self.title: str | None = None
        self.first_heading: str | None = None
        self.canonical: str | None = None
        self.too_deep = False
        self._open: list[tuple[str, bool]] = []
        """Open tags and whether their text is left out."""
        self._text: list[str] = []
        self._heading = ""
        self._rows: list[list[str]] | None = None
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "meta" and given.get("name"):
            self.meta.setdefault(given["name"].casefold(), given.get("content", ""))
        if tag == "link" and given.get("rel") == "canonical":
            self.canonical = given.get("href")
        if tag == "title":
            self._in_title = True
        if tag in _BLOCKS or tag in {"table", "tr"}:
            self._end_block()
        if tag in _VOID:
            return
        hidden = tag in _SKIPPED or "hidden" in given or _is_hidden(given.get("style", "")) or self._skips
        self._open.append((tag, hidden))
        self.too_deep = self.too_deep or len(self._open) > MOST_DEPTH
        if tag == "table" and self._rows is None and not hidden:
            self._rows = []
        elif tag == "tr" and self._rows is not None:
            self._rows.append([])

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if tag in {"td", "th"} and self._rows:
            self._rows[-1].append(" ".join("".join(self._text).split()))
            self._text = []
        elif tag in _HEADINGS:
            self._end_heading()
        elif tag in _BLOCKS:
            self._end_block()
        if tag == "table" and self._rows is not None:
            rows = tuple(tuple(row) for row in self._rows if row)
            self._rows, self._text = None, []
            if rows:
                self.blocks.append(Block(rows=rows, locator=self._heading or None))
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place][0] == tag:
                del self._open[place:]
                break

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title = " ".join(f"{self.title or ''}{data}".split()) or None
        elif not self._skips:
            self._text.append(data)

    def close(self) -> None:
        super().close()
        self._end_block()

    @property
    def _skips(self) -> bool:
        return bool(self._open) and self._open[-1][1]

    def _end_heading(self) -> None:
        text = " ".join("".join(self._text).split())
        self._text = []
        if text:
            self._heading = text[:120]
            self.first_heading = self.first_heading or text

    def _end_block(self) -> None:
        if self._rows is not None:
            self._text.append(" ")
            return
        text = " ".join("".join(self._text).split())
        self._text = []
        if text:
            self.blocks.append(Block(text=text, locator=self._heading or None))


def _is_hidden(style: str) -> bool:
    """Text that no reader sees is no recommendation."""
    bare = style.replace(" ", "").casefold()
    return any(mark in bare for mark in ("display:none", "visibility:hidden", "font-size:0", "opacity:0"))


def read_rows(body: bytes, name: str, known: Callable[[str], str | None]) -> list[dict[str, str]]:
    """The rows of a CSV or TSV file by the names of its columns.

    Args:
        known: the column that a heading stands for; `None` = none that is read.
    Raises:
        SourceChanged: it has no header, or too many rows.
    """
    text = clean(_decoded(body))
    try:
        dialect: type[csv.Dialect] | str = csv.Sniffer().sniff(text[:4096], delimiters=",;\t")
    except csv.Error:
        dialect = "excel"
    csv.field_size_limit(1_000_000)
    try:
        lines = list(csv.reader(io.StringIO(text), dialect))
    except csv.Error as error:
        raise SourceChanged(f"{name} is no CSV that can be read: {error}") from error
    if len(lines) > MOST_ROWS:
        raise SourceRefused(
            f"{name} has {len(lines):,} rows; at most {MOST_ROWS:,} are read", reason=FailureReason.TOO_LARGE
        )
    header = [known(cell) for cell in lines[0]] if lines else []
    return [
        {column: cell.strip() for column, cell in zip(header, line, strict=False) if column and cell.strip()}
        for line in lines[1:]
        if any(cell.strip() for cell in line)
    ]
