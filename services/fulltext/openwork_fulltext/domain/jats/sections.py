"""The body of a JATS article as sections: names, order, nesting, tables and captions. See `jats.py` for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from openwork_contracts.tables import Table

from openwork_fulltext.domain.document import TextBuilder, table_text
from openwork_fulltext.domain.jats.elements import Element, child, children, local_name
from openwork_fulltext.domain.jats.tables import Caption, read_caption, read_tables
from openwork_fulltext.domain.jats.text import FLOATS, paragraph_text, plain_text

Path = tuple[str, ...]

_NOT_TEXT = frozenset({"title", "label", "caption", "sec-meta", "object-id", "subtitle", "bio", "ref-list"}) | FLOATS
_CONTAINERS = frozenset({"sec", "app", "app-group", "notes", "ack", "glossary", "fn-group", "boxed-text", "statement"})
_DEFAULT_TITLES = {
    "ack": "Acknowledgments",
    "glossary": "Abbreviations",
    "fn-group": "Footnotes",
    "app": "Appendix",
    "sec:supplementary-material": "Supplementary material",
}
"""Names for parts of the back matter that print none: they are known by their element."""


@dataclass(slots=True)
class SectionWriter:
    """Walks an article in reading order. A section's own text comes first, then its tables and figures, then the
    sections within it: so every section's text is one piece, whatever is anchored in its paragraphs.
    """

    builder: TextBuilder
    warnings: list[str] = field(default_factory=list)
    anchors: dict[str, Path] = field(default_factory=dict)
    """Of a table or figure (its id), the first section that refers to it; for those that are kept apart at the end."""

    def walk(self, element: Element, path: Path, kind: str = "text") -> None:
        """Write what stands directly in `element`, then its floats, then its sections, in this order."""
        paragraphs: list[str] = []
        floats: list[Element] = []
        inner: list[Element] = []
        for part in element:
            name = local_name(part)
            if name in _CONTAINERS and name != "boxed-text":
                inner.append(part)
            elif name in FLOATS:
                floats.append(part)
            elif name and name not in _NOT_TEXT:
                paragraphs.append(paragraph_text(part))
                floats.extend(_floats_in(part))
                self._note_anchors(part, path)
        # A heading with nothing of its own is written too, with an empty text: the outline is complete.
        if any(paragraphs) or (path and not floats):
            self.builder.section(path, paragraphs, kind)
        for part in floats:
            self.write_float(part, path)
        for part in inner:
            self.section(part, path, kind)

    def section(self, element: Element, path: Path, kind: str = "text") -> None:
        """A part with a heading; one without continues under the heading above it."""
        title = plain_text(child(element, "title")) or _default_title(element, path)
        if not title and not _has_words(element):
            return
        self.builder.heading(title)
        self.walk(element, (*path, title) if title else path, kind)

    def write_float(self, element: Element, path: Path, group: Caption | None = None) -> None:
        """A table, a figure, a box or a supplement. A table's or figure's path ends with its label."""
        name = local_name(element)
        if name in ("table-wrap-group", "fig-group"):
            caption = read_caption(element)
            for part in children(element, "table-wrap", "fig"):
                self.write_float(part, path, caption)
        elif name == "table-wrap":
            self._write_tables(read_tables(element, group), path)
            self._write_floats_in_caption(element, path)
        elif name == "boxed-text":
            self._write_box(element, path)
        else:
            kind = "figure_caption" if name == "fig" else "text"
            self._write_caption(element, path, kind, group)

    def _write_tables(self, tables: Sequence[Table], path: Path) -> None:
        for table in tables:
            if not table.rows:
                shown = table.label or table.caption or "a table"
                kept = "its text is kept" if table.footnotes else "its numbers are not in the file"
                self.warnings.append(f"{shown[:60]}: given without rows (a picture, or another form); {kept}")
            if table.rows or table.caption or table.label:
                self.builder.section((*path, _tip(table.label, "Table")), [table_text(table)], "table", table)

    def _write_box(self, element: Element, path: Path) -> None:
        caption = read_caption(element)
        title = plain_text(child(element, "title")) or " ".join(filter(None, (caption.label, caption.words)))
        self.builder.heading(title)
        self.walk(element, (*path, title) if title else path)

    def _write_caption(self, element: Element, path: Path, kind: str, group: Caption | None) -> None:
        caption = read_caption(element).within(group)
        label = f"{caption.label}." if caption.label and caption.label[-1] not in ".:" else caption.label
        words = " ".join(part for part in (label, caption.words) if part)
        if words:
            tip = _tip(caption.label, "Figure" if kind == "figure_caption" else "Supplementary material")
            self.builder.section((*path, tip), [words], kind)
        self._write_floats_in_caption(element, path)
        for wrap in children(element, "table-wrap"):  # a table that was set inside a figure
            self.write_float(wrap, path)

    def _write_floats_in_caption(self, element: Element, path: Path) -> None:
        """eLife hangs the supplements of a figure into its caption."""
        for part in _floats_in(element):
            if local_name(part) not in ("table-wrap", "media"):
                self.write_float(part, path)

    def _note_anchors(self, element: Element, path: Path) -> None:
        for reference in element.iter():
            if local_name(reference) == "xref" and reference.get("ref-type") in ("table", "fig"):
                for target in (reference.get("rid") or "").split():
                    self.anchors.setdefault(target, path)

    def anchor_of(self, element: Element) -> Path:
        """The section that first refers to a float (or to a part of a group); () where none does."""
        ids = (part.get("id") or "" for part in element.iter())
        return next((self.anchors[name] for name in ids if name in self.anchors), ())


def _tip(label: str | None, otherwise: str) -> str:
    """The last part of a float's path: "Table 1", however its label is printed."""
    return (label or "").rstrip(".:|– ") or otherwise


def _floats_in(element: Element) -> Iterator[Element]:
    """The outermost floats below a paragraph."""
    for part in element:
        if local_name(part) in FLOATS:
            yield part
        else:
            yield from _floats_in(part)


def _default_title(element: Element, path: Path) -> str:
    name = local_name(element)
    key = f"sec:{element.get('sec-type')}" if name == "sec" else name
    if key in _DEFAULT_TITLES and (len(path) == 0 or key != "fn-group"):
        return _DEFAULT_TITLES[key]
    return ""


def _has_words(element: Element) -> bool:
    return any((text or "").strip() for text in element.itertext())
