"""Verdicts: what the verification gate says of each claim. Owner: verifier.

Also the contract of `openwork verify`: evidence in, verdicts out, no bus.
"""

from __future__ import annotations

from pydantic import Field

from openwork_contracts.enums import OpenEnum
from openwork_contracts.evidence import TextOrigin
from openwork_contracts.meta import Contract
from openwork_contracts.text import Text


class Verdict(OpenEnum):
    """Whether the cited passages support the claim."""

    SUPPORTED = "supported"
    PARTLY_SUPPORTED = "partly_supported"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    UNCITED = "uncited"
    NOT_A_CLAIM = "not_a_claim"
    """A heading, a sentence about the method, a statement about the evidence set itself."""


class ReasonCode(OpenEnum):
    """What a check found; a closed set, one per rule."""

    CITATION_MISSING = "citation_missing"
    CITATION_UNKNOWN = "citation_unknown"
    NUMBER_NOT_FOUND = "number_not_found"
    NUMBER_NOT_BOUND = "number_not_bound"
    """The number stands in the passage, but for another arm, outcome or time point."""
    UNIT_MISMATCH = "unit_mismatch"
    INTERVAL_MISMATCH = "interval_mismatch"
    DRUG_NOT_FOUND = "drug_not_found"
    DISEASE_NOT_FOUND = "disease_not_found"
    POPULATION_NOT_FOUND = "population_not_found"
    OUTCOME_NOT_FOUND = "outcome_not_found"
    ARMS_SWAPPED = "arms_swapped"
    DIRECTION_REVERSED = "direction_reversed"
    CERTAINTY_OVERSTATED = "certainty_overstated"
    CONTENT_NOT_FOUND = "content_not_found"
    """Too little of what the claim says is in the cited passage."""
    ADVICE_LANGUAGE = "advice_language"
    RETRACTED_SOURCE = "retracted_source"
    NOT_ENTAILED = "not_entailed"
    """A model read both and found no support."""


class VerdictReason(Contract):
    """One finding, with the words it is about."""

    code: ReasonCode
    detail: Text
    """Plain words: what (`!r`), where, what was found instead."""


class EvidenceSpan(Contract):
    """The words a claim rests on: `quote` is exactly [start, end) of passage text of evidence item n."""

    n: int = Field(ge=1)
    quote: Text
    start: int = Field(ge=0)
    end: int = Field(ge=1)
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    """Whose words the quote is."""
    passage_id: Text | None = None
    """In an answer: the passage; `start` and `end` then count in the text of that passage's section."""


class ClaimVerdict(Contract):
    """One sentence of an answer and what the gate says of it."""

    text: Text
    """The sentence without its citation marks."""
    citations: tuple[int, ...] = ()
    verdict: Verdict
    reasons: tuple[VerdictReason, ...] = ()
    evidence: tuple[EvidenceSpan, ...] = ()


class EvidenceItem(Contract):
    """One numbered text that an answer may cite. The input of `openwork verify`.

    Spans count in the text as it entered (`text.py`), which for a file may be shorter than what the file holds.
    """

    n: int = Field(ge=1)
    title: Text = ""
    text: Text
    pmid: Text | None = None
    doi: Text | None = None
    nct_id: Text | None = None
    year: int | None = None
    status: Text | None = None
    """As `EvidenceStatus`; unknown words are taken as not checked."""


class VerificationScores(Contract):
    """The gate's summary of one text: of an answer, its last draft, the claims that were removed from it included."""

    claims: int = Field(ge=0)
    """Sentences that claim something."""
    supported: int = Field(ge=0)
    unsupported: int = Field(ge=0)
    """Claims with any verdict but `supported`."""
    removed: int = Field(default=0, ge=0)
    grounding_score: float = Field(ge=0, le=1)
    """supported / claims; 1.0 when there is no claim."""
    citation_coverage: float = Field(ge=0, le=1)
    """Claims with at least one existing citation / claims; 1.0 when there is no claim."""


class VerificationReport(Contract):
    """What the gate says of one text."""

    claims: tuple[ClaimVerdict, ...]
    scores: VerificationScores
