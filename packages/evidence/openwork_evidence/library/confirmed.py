"""Where the facts of a summary of ours were confirmed, in words short enough to stand beside a reference."""

from __future__ import annotations

from functools import cache

from openwork_evidence.guidelines.record import starter
from openwork_evidence.library.record import Confirmation, load_shipped

_MOST_CHARS = 80
"""Of a place's name; cut behind a word."""
_OF_THE_RECORD = ("pubmed", "pmc", "pubmed central", "clinicaltrials.gov")
"""Places that hold the publication's own record come first."""
_AT_SECOND_HAND = ("secondary source", "repository")
"""Places that only restate it come last."""


@cache
def confirmed_at(record_id: str) -> str | None:
    """The place nearest to the publication and how many others; `None` = no record that comes with Open Work.

    All places, each with the facts that were confirmed there, stand in the library's record.
    """
    places = _places().get(record_id)
    if not places:
        return None
    first = min(places, key=_distance)
    n_others = len(places) - 1
    others = f" and {n_others} other place{'s' if n_others > 1 else ''}" if n_others else ""
    return f"{_shortened(first.reference)}{others}"


@cache
def _places() -> dict[str, tuple[Confirmation, ...]]:
    """Of each record, each place once."""
    of_guidelines = ((g.key, [c for r in g.recommendations for c in r.confirmed_in]) for g in starter())
    of_records = ((record.key, list(record.confirmed_in)) for record in load_shipped())
    return {
        key: tuple({(one.reference, one.url): one for one in places}.values())
        for key, places in (*of_guidelines, *of_records)
    }


def _distance(place: Confirmation) -> int:
    name = place.reference.casefold()
    if any(word in name for word in _AT_SECOND_HAND):
        return 2
    return 0 if name.startswith(_OF_THE_RECORD) else 1


def _shortened(name: str) -> str:
    name = name.strip().rstrip(".")
    return name if len(name) <= _MOST_CHARS else f"{name[:_MOST_CHARS].rsplit(' ', 1)[0]} ..."
