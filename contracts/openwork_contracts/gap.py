"""The gap analysis: is the evidence enough, what is missing, what conflicts. Owner: gap.

Event `synthesis-requested`; read by the synthesiser. Too little evidence goes straight to `answer-concluded`.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from openwork_contracts.conclusion import Conclusion
from openwork_contracts.enums import OpenEnum
from openwork_contracts.meta import Contract, Event
from openwork_contracts.text import Text, Texts


class Assessment(OpenEnum):
    """Whether the evidence answers the question."""

    SUFFICIENT = "sufficient"
    PARTIAL = "partial"
    INSUFFICIENT = "insufficient"


class GapRecommendation(OpenEnum):
    """What to do next."""

    PROCEED = "proceed"
    SEARCH_RECENT = "search_recent"
    SEARCH_SPECIFIC_GAP = "search_specific_gap"


class AspectCoverage(Contract):
    """One aspect of the question (a PICO slot's term, a compared arm) and the evidence that speaks of it."""

    slot: Text
    """population, intervention, comparison, outcome, comparison_pair, setting."""
    term: Text
    covered: bool
    citations: tuple[int, ...] = ()
    """Citation numbers of the documents that speak of it."""


class QualityDistribution(Contract):
    """Documents per kind of evidence. Sums to the number of documents."""

    guidelines: int = Field(default=0, ge=0)
    meta_analyses: int = Field(default=0, ge=0)
    """Meta-analyses and systematic reviews."""
    rcts: int = Field(default=0, ge=0)
    observational: int = Field(default=0, ge=0)
    reviews: int = Field(default=0, ge=0)
    labels: int = Field(default=0, ge=0)
    other: int = Field(default=0, ge=0)


class Contradiction(Contract):
    """Two documents that report opposite directions for the same comparison and outcome."""

    first: int = Field(ge=1)
    second: int = Field(ge=1)
    comparison: Text
    outcome: Text
    summary: Text
    """"[1] reports ..., while [3] reports ..."."""


class GapAssessment(Contract):
    """What the evidence covers and what it does not. Counts and years are computed by code."""

    assessment: Assessment
    coverage: float = Field(ge=0, le=1)
    """Share of aspects that some document speaks of."""
    aspects: tuple[AspectCoverage, ...] = ()
    recency_concern: bool
    """True when every document is older than 3 years."""
    oldest_year: int | None = None
    newest_year: int | None = None
    quality: QualityDistribution
    contradictions: tuple[Contradiction, ...] = ()
    missing_elements: Texts = ()
    """Plain words, e.g. "direct comparison of apixaban and rivaroxaban in a randomised trial"."""
    recommendation: GapRecommendation
    method: Text = "code"
    """"code" or "model"."""


class SynthesisRequested(Event):
    """Write the answer from the passages of the `evidence-ranked` of the same track and round, from nothing else."""

    event_name: ClassVar[str] = "synthesis-requested"

    gap: GapAssessment
    conclusion: Conclusion | None = None
    """What the evidence says to the question, before any prose; `None` in events from before there were conclusions."""
    message: Text | None = None
    """Where nothing found is of the question: what the run ends with, beside which only the nearest results of
    `conclusion` are told; `None` = an answer is to be written."""
