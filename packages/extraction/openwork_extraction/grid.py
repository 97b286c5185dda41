"""A table as figures with all their headings: of the columns above them, also those within the table, and of their row.

A row that only names something is the heading of the rows below it, until another row of its kind; a row of names over
the columns ("n = 18 | n = 21") goes on with the header. A heading that spans every column is one of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from openwork_contracts.tables import Table

from openwork_extraction.labels import LabelKind, Time, is_blank, is_figure, kind_of, people_in, time_in
from openwork_extraction.names import bare

MAX_ROWS = 400
"""Of a table that is read: longer ones are listings, not results."""
MAX_STUBS = 4
_PEOPLE_HEAD = re.compile(
    r"(?:[Tt]otal\s+)?[nN]|No\.?(?:\s+of\s+(?:patients|subjects|participants))?|Numbers?\s+of\s+(?:patients|subjects|participants|women|men|people|children)|"
    r"(?:[Tt]otal\s+)?[Nn]umber|[Tt]otal|[Ss]ample\s+size|Patients",
)
_PEOPLE_ROW = re.compile(
    r"(?:total\s+)?(?:n|no\.?|numbers?|sample\s+size)(?:\s+(?:of\s+)?(?:the\s+)?(?:patients|subjects|participants|women|men|people|children|infants|"
    r"individuals|volunteers|animals|eyes|cases))?(?:\s+(?:randomi[sz]ed|analy[sz]ed|assessed|evaluated|enrolled|included))?|"
    r"(?:patients|participants|subjects|individuals)(?:\s*[,(]\s*n\s*\)?|\s+(?:randomi[sz]ed|analy[sz]ed|enrolled|evaluated))?",
    re.IGNORECASE,
)
"""Of a row that says how many people each column has."""
_PERCENT_BEHIND = re.compile(r"[\s,]*(?:n\s*)?[(\[]\s*%\s*[)\]]\s*$")
"""Of such a row named as the counts below it are, "No. of patients (%)"; its cells are whole numbers all the same."""
_PLAIN_SIZE = re.compile(r"^\D*[A-Za-z][^()%]*\(\s*(?P<n>\d{1,5})\s*\)$")
""" "Placebo (40)": people, where several headings of the line have such a number."""
LEAST_PEOPLE = 4
_WITH_STATISTIC = re.compile(
    r"(?P<head>.*?[\w)\]])\s*[:,;–-]?\s+(?P<stat>[(\[]?(?:means?|medians?|average|m|x̅|n|no\.?)\s*(?:[(\[±/,]|\+/-|%).*|[(\[]?means?[)\]]?)",
    re.IGNORECASE,
)
_ONLY_GROUP = re.compile(r"\W*(?:group|arm|cohort)\W*", re.IGNORECASE)
"""Before a letter that is its name: "Group N", "Arm M"."""
_PARTED = (LabelKind.TIME, LabelKind.NAME)


@dataclass(frozen=True, slots=True)
class Label:
    """A heading of a figure."""

    axis: str
    """"column" or "row"."""
    level: str
    """Which line of headings it stands in; labels of one level are alternatives to each other."""
    text: str
    kind: LabelKind
    above: str = ""
    """What stands over it in the header: "Weeks" over "12"."""
    says: str = ""
    """The time that it is, where its own words alone do not tell: "before" of "Before the course in May"."""

    @property
    def time(self) -> Time | None:
        """The time that it is; `None` = it is none."""
        return time_in(self.says or self.text, self.above)


@dataclass(frozen=True, slots=True)
class Figure:
    """One cell with figures."""

    row: int
    column: int
    text: str
    labels: tuple[Label, ...]
    n: int | None
    """People, where its headings say so."""
    n_of_row: int | None = None
    """People of a column of people that stands in its row."""

    @property
    def times(self) -> tuple[Time, ...]:
        """The times that its headings tell."""
        return tuple(t for label in self.labels if label.kind is LabelKind.TIME and (t := label.time) is not None)

    @property
    def row_path(self) -> tuple[str, ...]:
        """Headings of the row, outermost first."""
        return tuple(label.text for label in self.labels if label.axis == "row" and label.text)

    @property
    def column_path(self) -> tuple[str, ...]:
        """Headings of the column, topmost first."""
        return tuple(label.text for label in self.labels if label.axis == "column" and label.text)


@dataclass(slots=True)
class _State:
    """What holds for the rows that follow."""

    sections: list[tuple[str, str, int | None]] = field(default_factory=list)
    """(style, words, people), outermost first."""
    heads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Kind of a line within the table -> its cells."""
    stub: list[str] = field(default_factory=list)
    sizes: dict[int, int] = field(default_factory=dict)
    """Column of figures -> people, of the header or of the last row of people."""

    def begin(self, style: str, words: str) -> None:
        styles = [s for s, _, _ in self.sections]
        if style in styles:
            del self.sections[styles.index(style) :]
        self.sections.append((style, words, people_in(words)))
        self.stub = []


def figures_of(table: Table) -> tuple[Figure, ...]:
    """Every figure of a table with its headings; none where the table has no columns of figures."""
    rows = table.rows[:MAX_ROWS]
    n_head = _header_rows(rows, table.n_header_rows)
    if n_head >= len(rows):
        return ()
    stubs = _stubs(rows[n_head:])
    header = _levels(rows[:n_head], stubs)
    state = _State(sizes=_sizes_in(header.levels))
    for text in header.spanning:
        state.begin("span", text)
    return tuple(_read(rows, n_head, stubs, header, state))


@dataclass(frozen=True, slots=True)
class _Header:
    levels: tuple[tuple[str, ...], ...]
    """Lines that tell columns apart."""
    spanning: tuple[str, ...]
    """Headings over all columns."""
    stub_heads: tuple[str, ...]


def _header_rows(rows: Sequence[Sequence[str]], told: int) -> int:
    """How many rows are header: those told, else those before the first with figures."""
    if told:
        return told
    for place, row in enumerate(rows):
        if any(is_figure(text) for text in row[1:]):
            return max(1, place)
    return len(rows)


def _stubs(body: Sequence[Sequence[str]]) -> int:
    """How many columns name rows: the first, and those after it that hold words."""
    width = max((len(row) for row in body), default=0)
    n = 1
    while n < min(MAX_STUBS, width - 1):
        cells = [row[n] for row in body if n < len(row) and row[n].strip() and len(set(row)) > 1]
        told = [text for text in cells if not is_blank(text)]
        figures = sum(is_figure(text) for text in told)
        rest = any(is_figure(text) for row in body for text in row[n + 1 :])
        if not rest or not cells or 2 * figures >= max(1, len(told)):
            empty = not told and all(not row[n].strip() for row in body if n < len(row) and len(set(row)) > 1)
            if not (empty and rest):
                break
        n += 1
    return n


def _levels(head: Sequence[Sequence[str]], stubs: int) -> _Header:
    levels: list[tuple[str, ...]] = []
    spanning: list[str] = []
    for place, row in enumerate(head):
        below = head[place + 1][stubs:] if place + 1 < len(head) else ()
        cells = _continued(tuple(row[stubs:]), below)
        told = {text for text in cells if text.strip()}
        if len(told) == 1 and len(cells) > 1 and (len(head) > 1 or sum(bool(t.strip()) for t in cells) == len(cells)):
            spanning.append(told.pop())
        elif told:
            levels.append(cells)
    stub_heads = tuple(
        next((row[n] for row in reversed(head) if n < len(row) and row[n].strip()), "") for n in range(stubs)
    )
    return _Header(tuple(levels), tuple(spanning), stub_heads)


def _continued(cells: tuple[str, ...], below: Sequence[str]) -> tuple[str, ...]:
    """A heading that spans columns goes on over an empty cell that has a kind of number below it ("SD")."""
    filled = list(cells)
    for n in range(1, len(filled)):
        under = below[n] if n < len(below) else ""
        spans = n > 1 and filled[n - 1] == filled[n - 2]
        if not filled[n].strip() and filled[n - 1].strip() and spans and kind_of(under) is LabelKind.STATISTIC:
            filled[n] = filled[n - 1]
    return tuple(filled)


def _sizes_in(levels: Sequence[Sequence[str]]) -> dict[int, int]:
    """Column -> people, of a line of headings where several have a plain number in brackets behind their name."""
    for level in levels:
        found = {n: match for n, text in enumerate(level) if (match := _PLAIN_SIZE.match(bare(text)))}
        sizes = {n: int(match["n"]) for n, match in found.items()}
        if len({level[n] for n in found}) > 1 and min(sizes.values()) >= LEAST_PEOPLE:
            return sizes
    return {}


def _read(rows: Sequence[Sequence[str]], n_head: int, stubs: int, header: _Header, state: _State) -> Iterator[Figure]:
    for place, row in enumerate(rows[n_head:], start=n_head):
        if _is_heading(row, stubs, state):
            continue
        named = list(row[:stubs])
        # A name that stands once for several rows: "CD4+ | (%)", then " | (a.n.)".
        if stubs > 1 and not named[0].strip() and state.stub and any(t.strip() for t in named[1:]):
            named[0] = state.stub[0]
        state.stub = named
        if (sizes := _people_row(named, row[stubs:])) is not None:
            state.sizes = sizes
        row_n = next((n for text in named if (n := people_in(text)) is not None), None)
        row_labels = _row_labels(state, named, header)
        n_of_row = _in_people_column(row, stubs, header)
        for column in range(stubs, len(row)):
            if not is_figure(row[column]):
                continue
            columns = _column_labels(state, header, column - stubs)
            n = _people(columns, row_n, state)
            if n is None:
                n = state.sizes.get(column - stubs)
            yield Figure(place, column, row[column].strip(), (*row_labels, *columns), n, n_of_row)


def _people_row(named: Sequence[str], cells: Sequence[str]) -> dict[int, int] | None:
    """People of each column, of a row that says only that: "N | 41 | 39"."""
    head = next((bare(text) for text in reversed(named) if text.strip()), "")
    told = {n: text.replace(",", "").strip() for n, text in enumerate(cells) if text.strip() and not is_blank(text)}
    sizes = {
        n: match[0] for n, text in told.items() if (match := re.match(r"\d+(?=$|\s*\(100(?:\.0+)?\s?%?\)$)", text))
    }
    if not _PEOPLE_ROW.fullmatch(_PERCENT_BEHIND.sub("", head).strip(" :,")) or len(sizes) < 2:
        return None
    return {n: int(size) for n, size in sizes.items() if int(size) >= LEAST_PEOPLE}


def _in_people_column(row: Sequence[str], stubs: int, header: _Header) -> int | None:
    """N of a row where one column, and only one, is of people."""
    heads = [(column, level[column]) for level in header.levels for column in range(len(level))]
    people = {column for column, text in heads if _PEOPLE_HEAD.fullmatch(bare(text))}
    people |= {n - stubs for n, text in enumerate(header.stub_heads) if _PEOPLE_HEAD.fullmatch(bare(text))}
    if len(people) != 1:
        return None
    shown = row[people.pop() + stubs].replace(",", "").strip()
    return int(shown) if shown.isdigit() else None


def _is_heading(row: Sequence[str], stubs: int, state: _State) -> bool:
    """Take a row that only names something into what holds for the rows below it."""
    cells = [text.strip() for text in row[stubs:]]
    first = next((text.strip() for text in row[:stubs] if text.strip()), "")
    told = [text for text in cells if text and not is_blank(text)]
    figures = [text for text in told if is_figure(text)]
    if not figures and not told:
        if first:
            state.begin("first", first)
        return True
    if len({text.strip() for text in row if text.strip()}) == 1 and not figures:
        state.begin("span", told[0])
        return True
    if not figures:
        names = tuple(cells)
        if first and not all(kind_of(text) is LabelKind.P_VALUE for text in told):
            state.begin("named", first)
        if len(set(told)) == 1 and not first and kind_of(told[0]) not in (LabelKind.STATISTIC, LabelKind.PEOPLE):
            state.begin("span", told[0])
            return True
        kinds = {kind_of(text) for text in told} - {LabelKind.P_VALUE}
        kind = kinds.pop().value if len(kinds) == 1 else LabelKind.NAME.value
        if kind == LabelKind.NAME.value:
            state.heads.clear()
        state.heads[kind] = names
        return True
    if first and len(cells) > 2 and not any(cells[:2]):
        state.begin("first", first)  # a row with an effect only: its groups follow
    return False


def _row_labels(state: _State, named: Sequence[str], header: _Header) -> list[Label]:
    found = [Label("row", f"section {style}", words, kind_of(words)) for style, words, _ in state.sections]
    for n, text in enumerate(named):
        if text.strip() and (n == 0 or text != named[n - 1]):
            above = header.stub_heads[n] if n < len(header.stub_heads) else ""
            found.append(Label("row", f"stub {n}", text.strip(), kind_of(text, above), above))
    return found


def _column_labels(state: _State, header: _Header, column: int) -> list[Label]:
    found: list[Label] = []
    above = " ".join(header.spanning)
    for n, level in enumerate(header.levels):
        text = level[column].strip() if column < len(level) else ""
        if text and (not found or text != found[-1].text):
            found += _parted(f"head {n}", text, above)
            above = text
    for kind, cells in state.heads.items():
        text = cells[column].strip() if column < len(cells) else ""
        if text:
            found += _parted(f"within {kind}", text, above)
    return found


def _parted(level: str, text: str, above: str) -> list[Label]:
    """A heading as labels: "Post: mean (SE)" is a time and a kind of number."""
    match = _WITH_STATISTIC.match(text)
    if (
        match
        and not _ONLY_GROUP.fullmatch(match["head"])
        and kind_of(match["stat"]) is LabelKind.STATISTIC
        and kind_of(match["head"], above) in _PARTED
    ):
        head = Label("column", level, match["head"], kind_of(match["head"], above), above)
        return [head, Label("column", f"{level} kind", match["stat"], LabelKind.STATISTIC, match["head"])]
    return [Label("column", level, text, kind_of(text, above), above)]


def _people(columns: Sequence[Label], row_n: int | None, state: _State) -> int | None:
    """N of the headings: within the table before the header, before a group of rows, before the row's own."""
    of_columns = [n for label in columns if (n := people_in(label.text)) is not None]
    if of_columns:
        return of_columns[-1]
    of_sections = [n for _, _, n in state.sections if n is not None]
    return of_sections[-1] if of_sections else row_n
