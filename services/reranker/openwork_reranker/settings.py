"""Settings of the reranker. The only reader of the environment here; every setting is `OPENWORK_<NAME>`."""

from __future__ import annotations

from openwork_chassis.settings import ChassisSettings
from pydantic import Field

from openwork_reranker.documents import SHORTLIST_LENGTH
from openwork_reranker.passages import OVERLAP_CHARS, PASSAGE_CHARS
from openwork_reranker.scoring import MIN_SEPARATION, TIE_BREAKER_WEIGHT
from openwork_reranker.selection import DIVERSITY, MAX_PER_DOCUMENT, N_PASSAGES
from openwork_reranker.sources import MINIMUM_SCORE


class Settings(ChassisSettings):
    """What may be changed about ranking; the defaults are the constants that the domain modules explain."""

    fulltext: bool = True
    """Whether full texts are asked for; off where no full-text service runs. Works that only the library gave are never
    asked for: what it holds is a summary, and without a network it must answer at once."""
    shortlist_length: int = Field(default=SHORTLIST_LENGTH, ge=1, le=500)
    """Documents that stage 1 passes on."""
    minimum_score: float = Field(default=MINIMUM_SCORE, ge=0, le=1)
    """Least stage-1 score of an article; other sources take their share of it. Belongs to the scorer in use."""
    passages: int = Field(default=N_PASSAGES, ge=1, le=100)
    """Passages of the evidence pack."""
    passages_per_document: int = Field(default=MAX_PER_DOCUMENT, ge=1, le=20)
    """Most passages of one work in the pack."""
    passage_chars: int = Field(default=PASSAGE_CHARS, ge=200, le=8000)
    """Aimed-at length of a passage, in characters."""
    passage_overlap_chars: int = Field(default=OVERLAP_CHARS, ge=0, le=1000)
    """Most characters repeated from one passage to the next."""
    passage_diversity: float = Field(default=DIVERSITY, ge=0, le=1)
    """Weight of dissimilarity when passages are chosen; 0 = score alone."""
    tie_breaker_separation: float = Field(default=MIN_SEPARATION, ge=0, le=1)
    """Scores spread less than this are blended with lexical ones."""
    tie_breaker_weight: float = Field(default=TIE_BREAKER_WEIGHT, ge=0, le=1)
    """Share of the lexical score in that blend."""
