"""What captions tell of tables beside each other: one is before and one after, one of all people and one of a part."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from openwork_contracts.tables import Table
from openwork_knowledge.patterns import any_of
from openwork_knowledge.tables import words

from openwork_extraction.labels import Time
from openwork_extraction.names import Names, bare

_BEFORE = re.compile(r"\b(?:before|prior\s+to|preceding|pre-?(?=\w))", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|following|post-?(?=\w))", re.IGNORECASE)
_EVERYBODY = re.compile(
    rf"\b{any_of(words('table-words', 'whole'))}\s+(?:study\s+)?"
    r"(?:sample|population|cohort|group|participants|patients|subjects)\b",
    re.IGNORECASE,
)
"""Of a caption: "for the total sample", "in all patients"."""


def _without_phases(caption: str) -> str:
    return _AFTER.sub(" ", _BEFORE.sub(" ", caption))


def times_of_captions(tables: Sequence[Table], names: Names) -> Mapping[int, Time]:
    """Place of a table -> its time, of two whose captions say the same and differ only in before and after.

    The one before is a start: what is asked is what came of it.
    """
    found: dict[int, Time] = {}
    told = {n: names.words(_without_phases(bare(t.caption or ""))) for n, t in enumerate(tables)}
    for n, table in enumerate(tables):
        caption = table.caption or ""
        if not _BEFORE.search(caption) or _AFTER.search(caption):
            continue
        for other, beside in enumerate(tables):
            text = beside.caption or ""
            if other == n or told[n] != told[other] or not _AFTER.search(text) or _BEFORE.search(text):
                continue
            found[n], found[other] = Time("before", 0), Time("after", None)
    return found


def of_everybody(tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables whose captions say that they are of all people: "in the total sample"."""
    return tuple(table for table in tables if _EVERYBODY.search(table.caption or ""))
