"""Works of a review by their id, whichever track found them."""

from __future__ import annotations

from collections.abc import Iterable

from openwork_contracts.evidence import EvidenceCandidate, EvidenceNormalised
from openwork_evidence.library.references import resolved_candidate


def works_in(found: Iterable[EvidenceNormalised], wanted: Iterable[str]) -> dict[str, EvidenceCandidate]:
    """Candidates by id, in the order wanted, with what the library has of them; of several tracks the first's.

    Raises:
        KeyError: no track has one that is wanted.
    """
    by_id: dict[str, EvidenceCandidate] = {}
    for normalised in found:
        for one in normalised.candidates:
            by_id.setdefault(one.candidate_id, one)
    return {name: resolved_candidate(by_id[name]) for name in wanted}
