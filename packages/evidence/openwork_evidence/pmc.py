"""Which full-text request of a round asks PMC, and for which works along with its own: PMC is asked in few calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.meta import EventMeta
from openwork_contracts.ranking import FulltextRequested

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


def fulltext_requests(
    wanted: Mapping[str, EvidenceCandidate], due: datetime, calls: int, meta: Callable[[str], EventMeta]
) -> list[FulltextRequested]:
    """A request for the text of each work. PMC is asked by the first that it may have, for all of them.

    Args:
        wanted: works by their part of the run, best first.
        calls: of PMC that the run may make; 0 = it is asked for none.
        meta: of the request of a part.
    """
    shares = pmc_shares({part: work.identifiers.pmcid for part, work in wanted.items()}, calls)
    return [
        FulltextRequested(
            meta=meta(part),
            candidate_id=work.candidate_id,
            identifiers=work.identifiers,
            title=work.title,
            deadline_at=due,
            pmc_batch=shares[part].batch,
            pmc_part=shares[part].part,
        )
        for part, work in wanted.items()
    ]
