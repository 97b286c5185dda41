"""How much an extractive answer says, where it draws its lines, and what makes a sentence relevant.

Plain values, so that the domain reads no environment; the service's are a field of its settings.
"""

from __future__ import annotations

from openwork_contracts.answer import MAX_ANSWER_WORDS
from pydantic import BaseModel, ConfigDict, Field

_CONFIG = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class RelevanceWeights(BaseModel):
    """What a sentence's relevance is made of: weights of parts that lie in [0, 1] (people in [-1, 1]).

    Set by hand on the development questions of `tests/eval/answers/thirteen.yaml`, where only the order of sentences
    counts; a fit needs labelled answers, which no public set has. Credits are for what a sentence does not say itself.
    """

    model_config = _CONFIG

    treatment: float = Field(default=0.24, ge=0, le=1)
    """Names the treatment asked about; of two compared ones, both."""
    population: float = Field(default=0.15, ge=0, le=1)
    """Speaks of the people asked about, or stands in a document that does."""
    outcome: float = Field(default=0.14, ge=0, le=1)
    """Speaks of the outcome asked about."""
    clinical_outcome: float = Field(default=0.08, ge=0, le=1)
    """Where no outcome is asked for: speaks of what matters to patients, with its figures."""
    words: float = Field(default=0.16, ge=0, le=1)
    """Holds the question's own words."""
    level: float = Field(default=0.15, ge=0, le=1)
    """Level of evidence of its source."""
    role: float = Field(default=0.08, ge=0, le=1)
    """Result or recommendation rather than an aside."""
    recency: float = Field(default=0.06, ge=0, le=1)
    """0 for 1995 and before, 1 for 2025 and after."""
    passage: float = Field(default=0.08, ge=0, le=1)
    """Score of its passage."""
    people: float = Field(default=0.12, ge=0, le=1)
    """Its figures for age, kidney or heart function are those asked about; taken off when they are others."""
    place: float = Field(default=0.10, ge=0, le=1)
    """First of its passage's results: the primary outcome's; a half for the second, a third for the next."""
    first_choice: float = Field(default=0.10, ge=0, le=1)
    """Says what comes first, where the question asks that."""
    only_defines: float = Field(default=0.15, ge=0, le=1)
    """Taken off a definition that nobody asked for."""
    other_drugs: float = Field(default=0.15, ge=0, le=1)
    """Taken off a sentence about a drug that is not asked about."""
    sum_of_weights: float = Field(default=1.3, gt=0, le=5)
    """Of all that can add up, so that no two good sentences are cut to the same 1.0."""

    in_title: float = Field(default=0.8, ge=0, le=1)
    """Credit for a term that title or MeSH headings speak of and the sentence does not repeat."""
    in_document: float = Field(default=0.35, ge=0, le=1)
    """Credit for a term that is named elsewhere in the document."""
    one_arm: float = Field(default=0.4, ge=0, le=1)
    """Credit for a sentence on one of two compared treatments."""
    by_class: float = Field(default=0.4, ge=0, le=1)
    """Credit for a sentence that names only the class of a treatment asked about."""
    guideline_aside: float = Field(default=0.3, ge=0, le=1)
    """Weight of a guideline's sentence that recommends nothing."""

    other_people: float = Field(default=-0.5, ge=-1, le=1)
    """Agreement at or below which a sentence is about other people than those asked about."""
    min_population: float = Field(default=0.5, ge=0, le=1)
    """Mean credit for the population's terms from which a sentence may answer directly."""
    min_population_on_topic: float = Field(default=0.4, ge=0, le=1)
    """The same from which it may stand in the answer at all."""
    min_shared_words: float = Field(default=0.4, ge=0, le=1)
    """Of a question of which treatment or population is not known: share of its words that sentence and title must
    hold."""


class SynthesisLimits(BaseModel):
    """Words are counted as the contract counts them: without headings and citation marks."""

    model_config = _CONFIG

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
    conflict_outcome_share: float = Field(default=0.5, ge=0, le=1)
    """Share of the outcome's words that a sentence must hold to show a disagreement about it."""
    own_limitations: int = Field(default=3, ge=0, le=10)
    """Most limitations that sources state of themselves."""
    relevance: RelevanceWeights = RelevanceWeights()
    """What makes a sentence relevant."""


LIMITS = SynthesisLimits()
