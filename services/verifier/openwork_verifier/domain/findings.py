"""What a check says of a claim: a proof, which is final, or a suspicion, which somebody has to look at."""

from __future__ import annotations

from dataclasses import dataclass

from openwork_contracts.verdict import FindingKind, ReasonCode, VerdictReason

from openwork_verifier.domain.passages import Passage, PassageSentence


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault, or what looks like one. Without `proof` it is a suspicion."""

    code: ReasonCode
    detail: str
    proof: bool = False
    otherwise: bool = False
    """Of a proof: the source has something else in this place, and not only nothing."""
    passage: Passage | None = None
    sentence: PassageSentence | None = None
    """Beside which the claim is to be laid."""

    @property
    def reason(self) -> VerdictReason:
        """As the contract says it."""
        span = None
        if self.passage is not None and self.sentence is not None:
            span = self.passage.span(self.sentence.text, self.sentence.start, self.sentence.end)
        kind = FindingKind.PROOF if self.proof else FindingKind.SUSPICION
        return VerdictReason(code=self.code, kind=kind, detail=self.detail, look_at=span)
