"""No answer is led by, or rests in its first section on, a work that nobody could look up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.answer import AnswerSection, SectionKind
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.verdict import ClaimVerdict
from openwork_evidence.findable import is_findable


@dataclass(frozen=True, slots=True)
class Led:
    """Sections as they may be printed, and what was taken out of them."""

    sections: tuple[AnswerSection, ...]
    dropped: tuple[ClaimVerdict, ...] = ()

    @property
    def note(self) -> str | None:
        """For the method section."""
        if not self.dropped:
            return None
        n = len(self.dropped)
        return f"Left out, since only a work without any identifier or address bears it out: {n} of the sentences."


def led_by_findable(sections: Sequence[AnswerSection], documents: Sequence[EvidenceCandidate]) -> Led:
    """The sections without the claims that rest on unfindable works alone, where they would lead or be the answer.

    Behind a claim that a reader can look up such a work may be named, in any section but the direct answer.

    Args:
        documents: the n-th (from 1) has citation number n.
    """
    findable = {n for n, document in enumerate(documents, start=1) if is_findable(document.identifiers)}
    kept: list[AnswerSection] = []
    dropped: list[ClaimVerdict] = []
    has_lead = False
    for section in sections:
        claims = []
        for claim in section.claims:
            stands = bool(findable & set(claim.citations))
            if claim.citations and not stands and (not has_lead or section.kind is SectionKind.DIRECT_ANSWER):
                dropped.append(claim)
                continue
            has_lead = has_lead or stands
            claims.append(claim)
        if claims:
            kept.append(section.model_copy(update={"claims": tuple(claims)}))
    return Led(tuple(kept), tuple(dropped))
