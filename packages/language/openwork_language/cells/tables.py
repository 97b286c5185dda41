"""Tables that stand in a passage as text ("Stroke | 212 (2.3) | 265 (2.9)"): each number with its row and column.

The first row is the header. A number is bound to the words of its column's header and of its row's first cell; the unit
or the measure that the header gives ("n (%)", "HR (95% CI)") is the number's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from openwork_language.cells.cell import AFTER, BEFORE, Cell
from openwork_language.cells.contrasts import phase_of, role_of
from openwork_language.cells.times import read_phase, read_times
from openwork_language.quantities.compare import Quantity, QuantityKind, find_quantities
from openwork_language.sentences import Sentence
from openwork_language.wording import concepts

_MEASURE = re.compile(
    r"\b(?:HR|OR|RR|IRR|hazard\s+ratio|odds\s+ratio|risk\s+ratio|relative\s+risk|mean\s+difference)\b", re.IGNORECASE
)
_INTERVAL = re.compile(r"\b(?:95\s?%\s?)?(?:CI|confidence\s+interval)\b", re.IGNORECASE)
_P_VALUE = re.compile(r"^\W*p(?:[\s-]*values?)?\W*$", re.IGNORECASE)
_COUNT_AND_PERCENT = re.compile(r"^(?P<n>[\d,]+)\s*\((?P<share>\d+(?:[.·]\d+)?)\)$")
_ONE_NUMBER = re.compile(r"^[−-]?\d+(?:[.·]\d+)?$")
_RANGE_IN_BRACKETS = re.compile(r"\((?=\s*[−-]?\d[\d.·]*\s*(?:[-–—,;]|to)\s*[−-]?\d)")
_TIME_UNIT = re.compile(r"^(?:days?|weeks?|months?|years?)\b", re.IGNORECASE)
_BEGINS_WITH_NUMBER = re.compile(r"^[<>=≤≥(−-]?\s*\d")
_ONLY_A_RANGE = re.compile(r"^[(\[]?\s*[−-]?\d[\d.·]*\s*(?:[-–—,;]|to)\s*[−-]?\d[\d.·]*\s*[)\]]?$")
_PRE = re.compile(r"\bpre\b", re.IGNORECASE)
_POST = re.compile(r"\bpost\b", re.IGNORECASE)
_GROUP_WORDS = 8
"""A line between rows with more words than this is a caption too."""
_COUNTED = re.compile(
    r"^\W*(?:n|no\.?|number|trials|studies|participants|patients|people|events?|total|weight)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table under its header."""

    cells: tuple[Cell, ...]
    words: frozenset[str]
    """Of the header, the group of rows and the caption: what the row does not repeat."""


def read_rows(sentences: Sequence[Sentence]) -> dict[int, Row]:
    """The rows among the sentences, by the place where they start; headers are no rows."""
    rows: dict[int, Row] = {}
    header: list[str] = []
    caption = group = ""
    begun = apart = False
    barred = [s.text.strip() for s in sentences if "|" in s.text]
    framed = bool(barred) and all(line.startswith("|") and line.endswith("|") for line in barred)
    for sentence in sentences:
        cells = list(_cells(sentence.text, framed=framed))
        if len(cells) < 2:
            group = sentence.text
            caption = caption if header and len(group.split()) <= _GROUP_WORDS else group
            apart = True
            continue
        if len(cells) == len(header) and cells[0][1] and not any(text for _, text in cells[1:]):
            group = cells[0][1]
            continue
        opens = apart and not _has_figures(cells)
        apart = False
        if len(cells) != len(header) or (opens and begun):
            header, group, begun = [text for _, text in cells], "", False
        elif not begun and (not cells[0][1] or _continues(cells, header)):
            header = [_joined(above, text) for above, (_, text) in zip(header, cells, strict=True)]
        else:
            begun = True
            lead = _leading(cells)
            named = " ".join(text for _, text in cells[:lead])
            label = f"{group} {header[0] if _TIME_UNIT.match(header[0]) else ''} {named}".strip()
            bound = [
                own for cell, head in zip(cells[lead:], header[lead:], strict=True) for own in _bind(cell, head, label)
            ]
            _give_intervals(bound)
            rows[sentence.start] = Row(tuple(bound), concepts(f"{caption} {group} {' '.join(header)}"))
    return rows


def _leading(cells: Sequence[tuple[int, str]]) -> int:
    """How many cells name the row: the first, and those in words before its first figure."""
    lead = 1
    while lead < len(cells) - 1 and cells[lead][1] and not any(c.isdigit() for c in cells[lead][1]):
        lead += 1
    return lead if any(_BEGINS_WITH_NUMBER.match(text) for _, text in cells[lead:]) else 1


def _give_intervals(bound: list[Cell]) -> None:
    """An interval in a column of its own belongs to the ratio or difference in the column before."""
    for i, (one, other) in enumerate(pairwise(bound)):
        if one.quantity.measure and one.interval is None and other.quantity.kind is QuantityKind.INTERVAL:
            bound[i] = replace(one, interval=other.quantity)
            bound[i + 1] = replace(other, attached=True)


def _continues(cells: Sequence[tuple[int, str]], header: Sequence[str]) -> bool:
    """Whether a line is the next one of a header whose first cell spans several."""
    return bool(header) and cells[0][1] == header[0] and not _has_figures(cells)


def _joined(above: str, text: str) -> str:
    return above if above == text else f"{above} {text}"


def _has_figures(cells: Sequence[tuple[int, str]]) -> bool:
    """Whether a line is one of figures, and no header: a third of its cells begin with a number."""
    figures = sum(bool(_BEGINS_WITH_NUMBER.match(text)) for _, text in cells[1:])
    return 3 * figures >= len(cells) - 1


def _cells(text: str, *, framed: bool) -> Iterator[tuple[int, str]]:
    """(place, words) of each cell of a line; a line without bars is one cell. Empty cells count, the first too.

    Args:
        framed: every line begins and ends with a bar, which then parts no cells.
    """
    line = text.strip()
    line = line.removeprefix("|").removesuffix("|") if framed else line
    offset = text.find(line) if line else 0
    place = 0
    for part in line.split("|"):
        yield offset + place + len(part) - len(part.lstrip()), part.strip()
        place += len(part) + 1


def _bind(cell: tuple[int, str], head: str, label: str) -> Iterator[Cell]:
    """The numbers of a cell of the table: the header names the arm, the row the outcome."""
    place, text = cell
    arm, outcome = concepts(head) | ({role_of(head), _phase(head)} - {""}), concepts(label)
    times = frozenset(
        {*(time for _, time in read_times(f"at {head}; at {label}")), read_phase(head), _phase(head)} - {""}
    )
    words = dict.fromkeys(arm | outcome, 1.0)
    quantities = _quantities(text, f"{head} {label}", head)
    intervals = [q for q in quantities if q.kind is QuantityKind.INTERVAL]
    p_values = [q for q in quantities if q.kind is QuantityKind.P_VALUE]
    for i, quantity in enumerate(quantities):
        at = replace(quantity, start=place, end=place + len(text))
        deviation = i > 0 and quantity.kind is QuantityKind.COUNT
        bound = Cell(at, words, arm, outcome, times, head or None, label or None)
        if i > 0 and (deviation or quantity.kind in {QuantityKind.INTERVAL, QuantityKind.P_VALUE}):
            yield replace(bound, attached=True)
        else:
            interval, p_value = next(iter(intervals), None), next(iter(p_values), None)
            own = quantity not in (interval, p_value)
            yield replace(bound, interval=interval, p_value=p_value) if own else bound


def _phase(head: str) -> str:
    """Before or after, also where a header says no more than "pre" and "post"."""
    before, after = _PRE.search(head), _POST.search(head)
    if bool(before) != bool(after):
        return BEFORE if before else AFTER
    return phase_of(head)


def _quantities(text: str, about: str, head: str) -> tuple[Quantity, ...]:
    """The numbers of a cell, read with the unit or the measure that its header or its row names."""
    if _INTERVAL.search(head) and _ONLY_A_RANGE.match(text):
        return find_quantities(f"95% CI {text.strip('()[] ')}")
    pair = _COUNT_AND_PERCENT.match(text)
    if "%" in about.replace("95%", "") and pair:
        text = f"{pair['n']} ({pair['share']}%)"
    elif "%" in about.replace("95%", "").replace("(%)", "") and _ONE_NUMBER.match(text):
        text = f"{text}%"
    elif _P_VALUE.match(head):
        text = f"P{text}" if text[:1] in "<>=" else f"P={text}"
    elif (measure := _MEASURE.search(about)) and not _COUNTED.search(head):
        text = f"{measure[0]} {text}"
    if _INTERVAL.search(about):
        text = _RANGE_IN_BRACKETS.sub("(95% CI ", text, count=1)
    return find_quantities(text)
