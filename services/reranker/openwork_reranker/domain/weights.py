"""What ranking weighs, each with its unit and its reason.

Plain values, so that the domain reads no environment; the service's are fields of its settings.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class LexicalWeights(BaseModel):
    """Constants of the lexical scorer; shares are of the BM25 sum's own scale.

    Set on the development halves of public ranking sets and left where the result is flat around them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    k1: float = Field(default=1.2, ge=0, le=5)
    """Saturation of repeated words: the usual value; 0.9 to 1.6 differ by less than the interval of any set."""
    b: float = Field(default=0.75, ge=0, le=1)
    """Length normalisation: the usual value; lower ones favour long texts, which hold more words by chance."""
    title: float = Field(default=2.0, ge=1, le=10)
    """An occurrence in the title counts as so many in the text."""
    prior_texts: int = Field(default=50, ge=0, le=10_000)
    """Texts of an imagined collection that are added to the candidates when word rarity is estimated. Three candidates
    that all hold a drug's name would otherwise make the name worthless."""
    prior_common: float = Field(default=0.5, ge=0, le=1)
    """Share of the imagined texts that hold a common biomedical word such as "patient"."""
    prior_rare: float = Field(default=0.01, ge=0, le=1)
    """Share of the imagined texts that hold any other word."""
    lead_tokens: int = Field(default=12, ge=0, le=1000)
    """Length of the lead: about one sentence without its stop words."""
    lead_share: float = Field(default=0.4, ge=0, le=5)
    """Added for question tokens in the lead."""
    window_tokens: int = Field(default=40, ge=1, le=1000)
    """Length of the window: two to three sentences without their stop words."""
    window_share: float = Field(default=0.4, ge=0, le=5)
    """Added for the densest window."""
    proximity_share: float = Field(default=0.3, ge=0, le=5)
    """Added for neighbouring words of the question that stand close together."""
    proximity_tokens: int = Field(default=5, ge=1, le=20)
    """Words further apart than this are not close; closer ones earn the inverse of their distance."""
    thing_share: float = Field(default=0.4, ge=0, le=5)
    """Added for entities of the question under any of their names."""
    missing_share: float = Field(default=0.1, ge=0, le=1)
    """Taken off, of the whole sum, when none of the question's entities is named; in proportion when some are."""
    aspect_share: float = Field(default=0.25, ge=0, le=5)
    """Added for words in which texts answer what is asked."""
    aspect_tokens: int = Field(default=4, ge=1, le=50)
    """Of an aspect's many words so many, the rarest, make a full match."""
    comparison_share: float = Field(default=0.3, ge=0, le=5)
    """Added for the language of results, when the question compares."""
    comparison_tokens: int = Field(default=5, ge=1, le=50)
    """Distinct words of result language that make a full match."""


LEXICAL_WEIGHTS = LexicalWeights()
