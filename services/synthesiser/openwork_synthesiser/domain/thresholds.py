"""How much an extractive answer says, and where it draws its lines."""

from __future__ import annotations

from openwork_contracts.answer import MAX_ANSWER_WORDS
from pydantic import BaseModel, ConfigDict, Field


class SynthesisLimits(BaseModel):
    """Words are counted as the contract counts them: without headings and citation marks."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    max_words: int = Field(default=MAX_ANSWER_WORDS - 20, ge=100, le=MAX_ANSWER_WORDS)
    """Twenty below the contract's limit: a revision may replace a sentence by a longer one."""
    direct_claims: int = Field(default=3, ge=1, le=4)
    direct_words: int = Field(default=135, ge=40)
    """Three sentences of 45 words, the longest that abstracts use for a result with its interval."""
    evidence_words: int = Field(default=230, ge=40)
    conflict_words: int = Field(default=100, ge=0)
    limitation_words: int = Field(default=110, ge=0)
    max_claim_words: int = Field(default=65, ge=20)
    """A longer sentence holds several results and is read by nobody."""
    min_claim_words: int = Field(default=6, ge=3)
    duplicate: float = Field(default=0.6, ge=0, le=1)
    """Overlap (shared words / words of the shorter) from which two sentences of one source say the same."""
    duplicate_elsewhere: float = Field(default=0.8, ge=0, le=1)
    """The same for two sources: agreement of independent sources is worth a sentence, an echo is not."""
    diversity: float = Field(default=0.25, ge=0, le=1)
    """Weight of likeness to what is already said against relevance (maximal marginal relevance,
    10.1145/290941.291025)."""
    direct_diversity: float = Field(default=0.1, ge=0, le=1)
    """The same within the direct answer: there a main result that confirms another is worth more than an aside."""
    min_relevance: float = Field(default=0.35, ge=0, le=1)
    """Below it a sentence is about something else."""
