"""What has become of a publication: one order from best to worst, and which works no longer count as evidence."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from openwork_contracts.evidence import EvidenceStatus

from openwork_knowledge.tables import table

STATUS_ORDER = tuple(EvidenceStatus(name) for name in table("publication_statuses").words("order"))
"""From best to worst known; the worst over all records of a work is its status."""
VOID = frozenset(EvidenceStatus(name) for name in table("publication_statuses").words("void"))
"""Retracted or withdrawn: shown to a reader, never used as evidence."""


def is_void(status: str | None) -> bool:
    """Whether a work with that status must not be used as evidence: retracted or withdrawn.

    Args:
        status: an `EvidenceStatus`, or its value as text in any case; `None` = nothing is known.
    """
    return status is not None and status.casefold() in VOID


def worst_status(statuses: Collection[EvidenceStatus]) -> EvidenceStatus:
    """The worst of what is known; `NOT_CHECKED` when nothing is."""
    return max(statuses, key=STATUS_ORDER.index, default=EvidenceStatus.NOT_CHECKED)


@cache
def status_names(group: str) -> dict[str, str]:
    """Name -> status or kind of notice, of one group of `publication_statuses.tsv`.

    Raises:
        KeyError: there is no such group.
    """
    listed = table("publication_statuses")
    return {row[1]: row[2] for row in listed.rows if row[0] == group} or dict.fromkeys(listed.words(group), "")
