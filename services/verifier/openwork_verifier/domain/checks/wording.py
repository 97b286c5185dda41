"""What is left when no other check has found anything: are the claim's words the source's, or writers' words?"""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.verdict import ReasonCode

from openwork_verifier.domain.checks.names import check_outcomes
from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.naming import as_printed
from openwork_verifier.domain.passages import Passage
from openwork_verifier.domain.support import Support
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds


def check_wording(
    text: str, support: Support, passages: Sequence[Passage], thresholds: GateThresholds = THRESHOLDS
) -> tuple[Finding, ...]:
    """A suspicion for a claim of which too little is in the cited passages."""
    if support.sentences and support.sentences[0].share >= thresholds.restated_share:
        return ()
    outcomes = check_outcomes(text, passages)
    if outcomes:
        return outcomes
    if support.share >= thresholds.partly_share:
        return ()
    missing = as_printed(support.missing, text) if support.missing else ""
    where = f"; not there: {missing}" if missing else ""
    best = support.sentences[0] if support.sentences else None
    return (
        Finding(
            ReasonCode.CONTENT_NOT_FOUND,
            f"{support.share:.0%} of what it says is in the cited passages{where}",
            passage=best.passage if best else None,
            sentence=best.sentence if best else None,
        ),
    )
