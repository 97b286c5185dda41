"""A sentence put to the gate beside one source, for the tests of its checks."""

from __future__ import annotations

from openwork_contracts.verdict import ClaimVerdict, EvidenceItem, ReasonCode
from openwork_verifier.domain.gate import verify_claim


def judged(text: str, source: str | EvidenceItem, title: str = "") -> ClaimVerdict:
    """The verdict for a sentence that cites one source, its text or the whole item."""
    item = source if isinstance(source, EvidenceItem) else EvidenceItem(n=1, title=title, text=source)
    return verify_claim(text, (1,), [item])


def codes(found: ClaimVerdict) -> set[ReasonCode]:
    """The codes of a verdict's reasons."""
    return {reason.code for reason in found.reasons}
