"""What is counted of the gate: claims of drafts by verdict, and what was found against them."""

from __future__ import annotations

from collections.abc import Iterable

from openwork_bus.figures import Counter, Figures
from openwork_contracts.verdict import ClaimVerdict, Verdict

CLAIMS = Counter(
    "openwork_claims_total",
    ("draft", "verdict"),
    "Sentences of drafts that were judged, by verdict. Those of a revised draft are counted again.",
)
FINDINGS = Counter(
    "openwork_findings_total",
    ("kind", "code"),
    "What was found against sentences of drafts: proofs, suspicions, and what a judge said.",
)
METRICS = (CLAIMS, FINDINGS)

FIRST, REVISED = "first", "revised"
"""The draft as it was written, and its one revision."""


def begin_claims(figures: Figures) -> None:
    """Every verdict there is: a share of what never occurred is 0, and not unknown."""
    for draft in (FIRST, REVISED):
        for verdict in Verdict:
            figures.begin(CLAIMS, draft, verdict.value)


def count_claims(figures: Figures, claims: Iterable[ClaimVerdict], *, revision: int) -> None:
    """The claims of one draft as they were judged."""
    draft = REVISED if revision else FIRST
    for claim in claims:
        figures.count(CLAIMS, draft, claim.verdict.value)
        for reason in claim.reasons:
            figures.count(FINDINGS, reason.kind.value if reason.kind else "unknown", reason.code.value)
