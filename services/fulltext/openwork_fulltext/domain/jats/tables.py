"""JATS tables: the cells, each in every row and column that it spans, the header rows, captions and footnotes."""

from __future__ import annotations

from dataclasses import dataclass

from openwork_contracts.tables import Table

from openwork_fulltext.domain.jats.elements import Element, attribute, child, children, local_name
from openwork_fulltext.domain.jats.text import paragraph_text, plain_text

MAX_SPAN = 200
"""A cell that claims to span more columns or rows than this is misprinted (HTML itself stops at 1,000)."""
MAX_CELLS = 200_000
"""Of one table, after spanning cells are repeated; the largest tables of real articles have some 20,000."""
MAX_HEADER_ROWS_BEFORE_RULE = 4


@dataclass(frozen=True, slots=True)
class Caption:
    """What stands over a table or a figure."""

    label: str | None
    words: str | None

    def within(self, group: Caption | None) -> Caption:
        """This caption as a part (a), (b) of a group that has the label."""
        if group is None:
            return self
        words = " ".join(part for part in (group.words, self.words) if part)
        label = " ".join(part for part in (group.label, self.label) if part)
        return Caption(label or None, words or None)


def read_caption(element: Element) -> Caption:
    """Label and caption (its title and its paragraphs) of a table, a figure, a box or a supplement."""
    caption = child(element, "caption")
    parts = [plain_text(part) for part in caption] if caption is not None else []
    parts = [part for part in parts if part]
    if caption is not None and not parts:
        parts = [plain_text(caption)]
    return Caption(plain_text(child(element, "label")) or None, " ".join(parts) or None)


def read_tables(wrap: Element, group: Caption | None = None) -> list[Table]:
    """The tables of a `table-wrap`; one without rows where there is only a picture (or nothing) under the caption."""
    caption = read_caption(wrap).within(group)
    notes = _footnotes(wrap)
    grids = [grid for table in _tables_below(wrap) if (grid := _grid(table))[0]]
    if not grids:
        return [Table(label=caption.label, caption=caption.words, rows=(), footnotes=(*_loose_text(wrap), *notes))]
    return [
        Table(label=caption.label, caption=caption.words, rows=rows, n_header_rows=n_header, footnotes=notes)
        for rows, n_header in grids
    ]


def _tables_below(wrap: Element) -> list[Element]:
    """Tables of the wrap, in `alternatives` or not; a table within a cell belongs to that cell."""
    found: list[Element] = []
    for element in wrap:
        name = local_name(element)
        if name in ("table", "tgroup"):
            found.append(element)
        elif name in ("alternatives", "p", "table-wrap", "oasis:table"):
            found.extend(_tables_below(element))
    return found


def _loose_text(wrap: Element) -> list[str]:
    """Text of a table that was typed as paragraphs or lists."""
    return [words for part in children(wrap, "p", "list", "def-list", "disp-quote") if (words := paragraph_text(part))]


def _footnotes(wrap: Element) -> tuple[str, ...]:
    notes: list[str] = []
    for foot in children(wrap, "table-wrap-foot", "fn-group", "fn"):
        parts = [foot] if local_name(foot) == "fn" else list(foot)
        for part in parts:
            if local_name(part) == "fn-group":
                notes.extend(plain_text(note) for note in part)
            else:
                notes.append(plain_text(part))
        if not len(foot):
            notes.append(plain_text(foot))
    return tuple(note for note in notes if note)


def _grid(table: Element) -> tuple[tuple[tuple[str, ...], ...], int]:
    """Rows without those that are only a rule or empty, and how many of them are header rows."""
    inner = children(table, "tgroup")
    if inner:  # the CALS table model, as Elsevier has it
        table = inner[0]
    columns = {name: n for n, spec in enumerate(children(table, "colspec")) if (name := attribute(spec, "colname"))}
    header = [row for head in children(table, "thead") for row in _rows(head, columns)]
    body: list[_Row] = []
    for part in table:
        if local_name(part) == "tbody":
            body.extend(_rows(part, columns))
    body = _rows(table, columns) + body
    body += [row for foot in children(table, "tfoot") for row in _rows(foot, columns)]
    n_header = len([row for row in header if row.has_text])
    n_header += _header_rows_in_body(body, bool(n_header))
    kept = [row for row in header + body if row.has_text]
    width = max((len(row.cells) for row in kept), default=0)
    # A row that is too short is filled up, so that a column is a column.
    return tuple((*row.cells, *([""] * (width - len(row.cells)))) for row in kept), min(n_header, len(kept))


@dataclass(slots=True)
class _Row:
    cells: tuple[str, ...]
    all_header: bool
    is_rule: bool

    @property
    def has_text(self) -> bool:
        return any(self.cells)


def _header_rows_in_body(body: list[_Row], has_header: bool) -> int:
    """Header rows that were not tagged as such: all `th`, or over the first rule of a table without a header."""
    n = 0
    for row in body:
        if not row.all_header:
            break
        n += row.has_text
    if n or has_header:
        # A table that is `th` throughout has no header that could be told from the rest.
        return n if n < len(body) else 0
    for place, row in enumerate(body[: MAX_HEADER_ROWS_BEFORE_RULE + 1]):
        if row.is_rule:
            return len([above for above in body[:place] if above.has_text])
    return 0


def _rows(group: Element, columns: dict[str, int]) -> list[_Row]:
    """The rows of one group; a cell's span ends with the group at the latest, as in HTML."""
    elements = children(group, "tr", "row")
    rows: list[_Row] = []
    pending: dict[int, tuple[int, str]] = {}
    n_cells = 0
    for place, element in enumerate(elements):
        cells: dict[int, str] = {}
        for column, (left, words) in list(pending.items()):
            cells[column] = words
            pending[column] = (left - 1, words)
            if left <= 1:
                del pending[column]
        own = children(element, "td", "th", "entry")
        column = 0
        for cell in own:
            while column in cells:
                column += 1
            start, n_columns, n_rows = _span(cell, columns, column, len(elements) - place)
            column = max(column, start)
            words = plain_text(cell)
            for offset in range(n_columns):
                if column + offset in cells:
                    break  # overlapping spans: the cell from above keeps its place
                cells[column + offset] = words
                if n_rows > 1:
                    pending[column + offset] = (n_rows - 1, words)
            column += n_columns
        n_cells += len(cells)
        if n_cells > MAX_CELLS:
            break
        rows.append(_row(cells, own))
    return rows


def _row(cells: dict[int, str], own: list[Element]) -> _Row:
    width = max(cells, default=-1) + 1
    texts = tuple(cells.get(column, "") for column in range(width))
    has_rule = any(local_name(e) == "hr" for cell in own for e in cell)
    all_header = bool(own) and all(local_name(cell) == "th" for cell in own)
    return _Row(texts, all_header, has_rule and not any(texts))


def _span(cell: Element, columns: dict[str, int], column: int, rows_left: int) -> tuple[int, int, int]:
    """First column, number of columns, number of rows; also CALS `namest`, `nameend`, `morerows`."""
    first, last = attribute(cell, "namest") or attribute(cell, "colname"), attribute(cell, "nameend")
    start = columns.get(first, column) if first else column
    n_columns = columns.get(last, start) - start + 1 if last else _count(cell.get("colspan"), 1)
    more = attribute(cell, "morerows")
    n_rows = _count(more, 0) + 1 if more else _count(cell.get("rowspan"), 1, zero=rows_left)
    return start, max(1, n_columns), max(1, min(n_rows, rows_left))


def _count(text: str | None, default: int, zero: int = 1) -> int:
    """A span as printed; "0" means to the end (HTML), anything else that is no number means `default`."""
    bare = (text or "").strip()
    if not (bare.isascii() and bare.isdigit()) or len(bare) > 6:
        return default
    return min(int(bare), MAX_SPAN) or zero
