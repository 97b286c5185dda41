"""Entries of an answer become records; those that cannot be are told to who wants to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceRecord
from openwork_http.jsonbody import JsonObject, text_at, texts_at

_IDS = (
    ("pmid",), ("id",), ("doi",), ("DOI",), ("paperId",), ("url",), ("set_id",), ("safetyreportid",),
    ("protocolSection", "identificationModule", "nctId"),
)  # fmt: skip
"""Where the sources print what they call an entry by."""
_TITLES = (("title",), ("display_name",), ("protocolSection", "identificationModule", "briefTitle"))


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An entry of which no record can be made."""

    own_id: str | None
    title: str | None
    why: str
    """In words."""


def records_of(
    entries: Iterable[JsonObject],
    read: Callable[[JsonObject], EvidenceRecord | None],
    unreadable: list[Unreadable] | None = None,
) -> tuple[EvidenceRecord, ...]:
    """The records of the entries, in their order.

    Args:
        read: gives `None` for an entry without what a record needs.
        unreadable: takes those entries.
    """
    records = []
    for entry in entries:
        record = read(entry)
        if record is not None:
            records.append(record)
        elif unreadable is not None:
            unreadable.append(_told(entry))
    return tuple(records)


def _told(entry: JsonObject) -> Unreadable:
    own_id = next((found for path in _IDS if (found := text_at(entry, *path))), None)
    title = next((found for path in _TITLES for found in texts_at(entry, *path)), None)
    missing = [name for name, value in (("title", title), ("identifier", own_id)) if not value]
    why = (
        f"no {' and no '.join(missing)}" if missing else "without what its source's records have: no record can be made"
    )
    return Unreadable(own_id, title, why)
