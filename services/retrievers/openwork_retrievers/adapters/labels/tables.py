"""Tables of drug labels: rows and columns instead of run-on text, so that a value can be cited with its headings.

SPL has HTML's table model in its own namespace (HL7 SPL, narrative block): `thead`, `tbody`, `tfoot`, `colspan`,
`rowspan`, and `footnote` within a cell. openFDA's `*_table` fields hold the same markup as a string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml import etree  # type: ignore[import-untyped, unused-ignore]  # lxml ships no type hints
from openwork_contracts.evidence import AbstractPart
from openwork_contracts.tables import Table

from openwork_retrievers.adapters.xml import Element, flat_text, local_name

MAX_SPAN = 100
"""A cell that claims to span more is misprinted."""
MAX_CELLS = 20_000
"""Of one table with its spanning cells repeated; the largest of real labels have some hundreds."""
MAX_MARKUP = 2**20
"""Characters of one table as openFDA gives it."""
_NOTES = frozenset({"footnote"})
_IN_TEXT = frozenset({"table"})
_NUMBER = re.compile(r"^(Table\s+\w+)[.:]?\s+(.+)$", re.DOTALL | re.IGNORECASE)


def text_without_tables(element: Element | None) -> str:
    """A section's text, its tables left out."""
    return flat_text(element, _IN_TEXT)


def table_parts(element: Element | None, label: str | None) -> Iterator[AbstractPart]:
    """A part for each table below an element, if it has more than one column; a table within a cell belongs to it."""
    for table in _tables(element) if element is not None else ():
        if read := read_table(table):
            yield AbstractPart(label=label, text=table_text(read), table=read)


def html_table_parts(markup: str, label: str | None) -> Iterator[AbstractPart]:
    """`table_parts` of a string of markup; nothing where it cannot be read as such."""
    if "<table" not in markup or len(markup) > MAX_MARKUP:
        return
    try:
        # The HTML parser knows no entities of a document's own and reads nothing from outside.
        root = etree.fromstring(f"<div>{markup}</div>", etree.HTMLParser(no_network=True, huge_tree=False))
    except etree.XMLSyntaxError:
        return
    yield from table_parts(root, label)


def _tables(element: Element) -> Iterator[Element]:
    for child in element:
        if local_name(child) == "table":
            yield child
        elif local_name(child):
            yield from _tables(child)


def read_table(table: Element) -> Table | None:
    """The cells, header rows first; `None` for one without cells, or of one column: that is text in a frame."""
    header = [row for group in _elements(table, "thead") for row in _rows(_elements(group, "tr"))]
    body = [row for group in _elements(table, "tbody") for row in _rows(_elements(group, "tr"))]
    body += _rows(_elements(table, "tr"))
    foot = [row for group in _elements(table, "tfoot") for row in _rows(_elements(group, "tr"))]
    notes = [cells[0] for cells, _ in foot if len(set(cells)) == 1]
    body += [row for row in foot if len(set(row[0])) > 1]
    header, body = [row for row in header if any(row[0])], [row for row in body if any(row[0])]
    while body and not header and body[0][1] and len(body) > 1:  # a header that was set as `th` in the body
        header.append(body.pop(0))
        while body[:1] and body[0][1] and len(body) > 1:
            header.append(body.pop(0))
    rows = [cells for cells, _ in (*header, *body)]
    width = max((len(row) for row in rows), default=0)
    if width < 2 or not body or width * len(rows) > MAX_CELLS:
        return None
    number, caption = _caption(table)
    return Table(
        label=number,
        caption=caption,
        rows=tuple((*row, *([""] * (width - len(row)))) for row in rows),
        n_header_rows=len(header),
        footnotes=tuple(dict.fromkeys(filter(None, (*map(flat_text, _below(table, "footnote")), *notes)))),
    )


def table_text(table: Table) -> str:
    """A line per row, "Row: heading: value; heading: value.", so that each line stands for itself; caption and notes.

    Headings of several rows are joined by " > "; a row that is one text throughout is a heading of those below it, and
    stands before them.
    """
    paths = _paths(table)
    lines = [" ".join(filter(None, (f"{table.label}." if table.label else None, table.caption)))]
    above = ""
    for row in table.rows[table.n_header_rows :]:
        if len({cell for cell in row if cell}) == 1 and (row[0] and (not any(row[1:]) or len(set(row)) == 1)):
            above = row[0]
            lines.append(f"{above.rstrip('.:')}.")
            continue
        lines.append(_line(row, paths, above))
    return "\n".join(filter(None, (*lines, *table.footnotes)))


def _paths(table: Table) -> list[str]:
    """The headings above each column, from the outermost in, each once."""
    header = table.rows[: table.n_header_rows]
    width = len(table.rows[0])
    return [" > ".join(dict.fromkeys(row[n] for row in header if row[n])) for n in range(width)]


def _line(row: Sequence[str], paths: Sequence[str], above: str) -> str:
    values = [(path, cell) for path, cell in zip(paths[1:], row[1:], strict=True) if cell]
    told = "; ".join(f"{path}: {cell}" if path and path != cell else cell for path, cell in dict.fromkeys(values))
    own = f"{paths[0]} {row[0]}" if row[0][:1].isdigit() and paths[0] else row[0]  # "10" alone is no row's name
    name = " > ".join(filter(None, (above, own)))
    return f"{name}: {told}." if name and told else f"{name or told}."


def _caption(table: Element) -> tuple[str | None, str | None]:
    words = next((flat_text(part, _NOTES) for part in table if local_name(part) == "caption"), "")
    found = _NUMBER.match(words)
    return (found[1], found[2]) if found else (None, words or None)


def _elements(group: Element, *names: str) -> list[Element]:
    return [child for child in group if local_name(child) in names]


def _below(element: Element, name: str) -> Iterator[Element]:
    return (child for child in element.iter() if local_name(child) == name)


def _rows(elements: Sequence[Element]) -> list[tuple[list[str], bool]]:
    """(cells, whether all of them are headings) of each row of one group; spans end with the group."""
    rows: list[tuple[list[str], bool]] = []
    pending: dict[int, tuple[int, str]] = {}
    n_cells = 0
    for left, element in zip(range(len(elements), 0, -1), elements, strict=True):
        cells = {column: words for column, (_, words) in pending.items()}
        pending = {column: (n - 1, words) for column, (n, words) in pending.items() if n > 1}
        own = _elements(element, "td", "th")
        column = 0
        for cell in own:
            while column in cells:
                column += 1
            words = flat_text(cell, _NOTES).strip(" ,;")
            n_rows = min(_span(cell, "rowspan"), left)
            for at in range(column, column + _span(cell, "colspan")):
                if at in cells:
                    break
                cells[at] = words
                if n_rows > 1:
                    pending[at] = (n_rows - 1, words)
        n_cells += len(cells)
        if n_cells > MAX_CELLS:
            return []  # a part of a table would be read as the whole
        width = max(cells, default=-1) + 1
        all_headings = bool(own) and all(local_name(cell) == "th" for cell in own)
        rows.append(([cells.get(at, "") for at in range(width)], all_headings))
    return rows


def _span(cell: Element, name: str) -> int:
    value = cell.get(name) or "1"
    return min(MAX_SPAN, max(1, int(value))) if value.isascii() and value.isdigit() else 1
