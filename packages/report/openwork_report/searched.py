"""The searches of a run as they were sent, as a part of a document."""

from __future__ import annotations

from collections.abc import Iterator

from openwork_contracts.answer import AnswerDocument

from openwork_report.markdown import escaped
from openwork_report.review.words import track_words
from openwork_report.tables import SearchRow, outcome_of, readable, search_rows
from openwork_report.whole.parts import Bullets, Cell, Grid, Section

_COLUMNS = ("Source", "Date", "Step", "Query as sent", "Hits", "Read", "Kept")
_KEPT = "“Kept”: works that this source gave, alone or with others, after duplicates were joined."


def searched_section(document: AnswerDocument, track: str | None = None) -> Iterator[Section]:
    """The search log after PRISMA-S; nothing where the document has no record.

    Args:
        track: of this track alone; `None` = of all.
    """
    rows = [row for row in search_rows(document) if track is None or row.search.track == track]
    if rows:
        several = len({row.search.track for row in rows}) > 1
        grid = Grid("Searches, after PRISMA-S", _COLUMNS, tuple(_search(row, several=several) for row in rows))
        yield Section("searches", "Searches as they were sent", (grid, Bullets((_KEPT,))))


def _search(row: SearchRow, *, several: bool) -> tuple[Cell, ...]:
    request = row.request
    outcome = outcome_of(row)
    told = request is not None and not request.not_asked
    sent = readable(request.request) if request is not None and told else ""
    read = str(request.fetched) if request is not None and told else ""
    hits = str(request.hits) if request is not None and told and request.hits is not None else ""
    remark = "" if outcome.startswith("answered") else f"({escaped(outcome)})"
    return (
        _lines(escaped(row.search.source), track_words(row.search.track) if several else ""),
        (row.date or "",),
        _lines(escaped(request.rung or "") if request else ""),
        _lines(escaped(sent), remark),
        (hits,),
        (read,),
        ("" if row.kept is None else str(row.kept),),
    )


def _lines(*lines: str) -> Cell:
    return tuple(filter(None, lines)) or ("not given",)
