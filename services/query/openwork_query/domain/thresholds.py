"""Where the query service draws its lines. Pure values, set by hand; none is fitted to data."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class QueryThresholds(BaseModel):
    """Lines of the analysis of a question."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    recent_years: int = Field(default=5, ge=1, le=20)
    """What "latest" and "recent" mean when no number is given: guidelines are usually renewed within five years."""
    most_names: int = Field(default=4, ge=0, le=20)
    """Names looked up in RxNorm for one question; each costs a request."""
    most_capitals: float = Field(default=0.5, ge=0, le=1)
    """Share of words with a capital from which a question is a title, and a capital says nothing."""
    enough_words: int = Field(default=2, ge=1, le=10)
    """Words of the field from which a question that also reads like another task is still one of medicine."""
    shortest_with_ending: int = Field(default=7, ge=3, le=20)
    """Letters from which an ending tells anything: "roses" and "moses" end like "psychoses"."""
    most_members: int = Field(default=30, ge=1, le=100)
    """Drugs of a class, all ever marketed, up to which labels are asked for: "statins" still, "antibiotics" no more."""
    max_context_words: int = Field(default=8, ge=1, le=30)
    """Words of the question besides its entities in one wording: engines that require all words find less with each."""


class ComplexityWeights(BaseModel):
    """What `complexity_of` adds up.

    Our own weights, set so that the bands of the design ("one topic" below 0.5, "a comparison" below 0.8, "several
    fields") come out apart; not fitted to data.
    """

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    base: float = Field(default=0.2, ge=0, le=1)
    per_entity: float = Field(default=0.1, ge=0, le=1)
    """For each entity after the first, at most four times."""
    per_kind: float = Field(default=0.05, ge=0, le=1)
    """For each further kind of entity."""
    per_disease: float = Field(default=0.05, ge=0, le=1)
    """For each disease after the first, at most twice."""
    comparison: float = Field(default=0.15, ge=0, le=1)
    qualifier: float = Field(default=0.1, ge=0, le=1)
    """For each number that says who is meant, at most twice."""
    outcome: float = Field(default=0.05, ge=0, le=1)
    guidance: float = Field(default=0.1, ge=0, le=1)
    """Where a country or a body is named."""
    long: float = Field(default=0.1, ge=0, le=1)
    long_words: int = Field(default=30, ge=1, le=200)
    """Words from which a question is long."""


THRESHOLDS = QueryThresholds()
COMPLEXITY = ComplexityWeights()
