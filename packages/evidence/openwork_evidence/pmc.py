"""Which full-text request of a round asks PMC, and for which works along with its own: PMC is asked in few calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TEXTS_PER_CALL = 20
"""PMCIDs in one EFetch: a text has some 200 KB, and one answer of 4 MB still arrives within its time."""


@dataclass(frozen=True, slots=True)
class PmcShare:
    """PMC's part in one request."""

    batch: tuple[str, ...] = ()
    """The works that it asks PMC for; empty = it asks for none."""
    part: str | None = None
    """The part that asks for its own work; `None` = PMC is not asked for it."""


def pmc_shares(pmcids: Mapping[str, str | None], calls: int) -> dict[str, PmcShare]:
    """The share of each request.

    Args:
        pmcids: part -> PMCID of its work, best first; `None` = it has none.
        calls: that may be made; works beyond them are looked for elsewhere.
    """
    own = [(part, pmcid) for part, pmcid in pmcids.items() if pmcid][: calls * TEXTS_PER_CALL]
    shares = {part: PmcShare() for part in pmcids}
    for first in range(0, len(own), TEXTS_PER_CALL):
        group = own[first : first + TEXTS_PER_CALL]
        leader = group[0][0]
        for part, _ in group:
            shares[part] = PmcShare(part=leader)
        shares[leader] = PmcShare(tuple(dict.fromkeys(pmcid for _, pmcid in group)), leader)
    return shares
