"""Where the gap analysis draws its lines.

Plain values, so that the domain reads no environment; the service's are a field of its settings.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class GapThresholds(BaseModel):
    """Counts are of documents (works), not of passages."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    recent_years: int = Field(default=3, ge=1, le=20)
    """Recency is a concern when every document is older than this; half of systematic reviews need an update after some
    5.5 years and a quarter within 2 (10.7326/0003-4819-147-4-200708210-00179)."""
    enough_documents: int = Field(default=5, ge=1)
    """With fewer on the topic, a further search for the gap is worth its time."""
    enough_high_quality: int = Field(default=2, ge=0)
    """Guidelines, meta-analyses, systematic reviews, randomised trials on the topic; fewer are worth a search."""
    plenty_high_quality: int = Field(default=5, ge=0)
    """With so many, an aspect that is still uncovered is unlikely to be found by searching again."""
    sufficient_coverage: float = Field(default=0.75, ge=0, le=1)
    """Share of the question's aspects that must be spoken of for "sufficient"."""
    min_on_topic: int = Field(default=1, ge=1)
    """Fewer documents that speak of the question's own disease and drug: insufficient. A ranking always has a first
    place, so that there are passages says nothing."""
    min_free_text_share: float = Field(default=0.5, ge=0, le=1)
    """Share of the question's telling words that a document must hold to be on its topic: one shared disease or drug is
    not enough, and synonyms make 1 unreachable."""
    same_outcome: float = Field(default=0.6, ge=0, le=1)
    """Share of common words (Jaccard) from which two outcomes are taken for one when results are compared."""
    composite_words: int = Field(default=5, ge=1, le=20)
    """Words from which an outcome is taken for a composite, whose parts may differ a little between trials."""
    max_contradictions: int = Field(default=3, ge=0, le=20)
    """A reader of 500 words can weigh no more; the widest gaps are kept."""
    model_insufficient_below: float = Field(default=0.5, ge=0, le=1)
    """Coverage by code from which a model's "insufficient" counts as "partial": it must not end a run that has
    evidence."""


THRESHOLDS = GapThresholds()
