"""Bodies that issue guidelines, as a guideline's record names them."""

from __future__ import annotations

from openwork_contracts.evidence import EvidenceCandidate
from openwork_evidence.text import abstract_text
from openwork_knowledge.bodies import bodies_in


def bodies_of(document: EvidenceCandidate) -> frozenset[str]:
    """The bodies that a guideline is of, as far as its record names them."""
    if document.guideline is not None and document.guideline.bodies:
        return frozenset(document.guideline.bodies)
    return bodies_in(f"{document.title} {document.collective_author or ''} {abstract_text(document)}")
