"""Where the facts of a starter library's summary were confirmed, in words short enough to stand beside a reference."""

from __future__ import annotations

from functools import cache

from openwork_evidence.library.record import Confirmation, load_shipped

_MOST_CHARS = 80
"""Of a place's name; cut behind a word."""
_OF_THE_RECORD = ("pubmed", "pmc", "pubmed central", "clinicaltrials.gov")
"""Places that hold the publication's own record come first."""
_AT_SECOND_HAND = ("secondary source", "repository")
"""Places that only restate it come last."""


@cache
def confirmed_at(record_id: str) -> str | None:
    """The place nearest to the publication and how many others; `None` = no record of the starter library.

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
    return {
        record.key: tuple({(one.reference, one.url): one for one in record.confirmed_in}.values())
        for record in load_shipped()
    }


def _distance(place: Confirmation) -> int:
    name = place.reference.casefold()
    if any(word in name for word in _AT_SECOND_HAND):
        return 2
    return 0 if name.startswith(_OF_THE_RECORD) else 1


def _shortened(name: str) -> str:
    name = name.strip().rstrip(".")
    return name if len(name) <= _MOST_CHARS else f"{name[:_MOST_CHARS].rsplit(' ', 1)[0]} ..."
