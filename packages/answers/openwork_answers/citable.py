"""Which of the works that were found may be cited."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.evidence import EvidenceCandidate
from openwork_evidence.findable import is_findable
from openwork_knowledge.statuses import is_void


def citable(documents: Sequence[EvidenceCandidate]) -> list[tuple[int, EvidenceCandidate]]:
    """Those that may be cited, each with its place (from 1)."""
    return [(n, d) for n, d in enumerate(documents, 1) if not is_void(d.status) and is_findable(d.identifiers)]
