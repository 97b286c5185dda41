"""Settings of the screener. The only reader of the environment here; every setting is `OPENWORK_<NAME>`."""

from __future__ import annotations

from pathlib import Path

from openwork_contracts.pipelines import REVIEW, pipeline_named
from openwork_llm.settings import ModelSettings
from openwork_screening.choose import MAX_STUDIES, MOST_STUDIES
from pydantic import Field

_BUDGETS = pipeline_named(REVIEW).budgets


class Settings(ModelSettings):
    """What may be changed about screening; of models, with what a review may spend."""

    model_budget_tokens: int = Field(default=_BUDGETS.model_tokens, ge=0)
    """Tokens that one review may use, input and output together; what is over it is screened by rules."""
    model_budget_usd: float = Field(default=_BUDGETS.model_usd, ge=0)
    """Dollars that one review may cost."""
    model_budget_s: float = Field(default=600.0, ge=0, le=3600)
    """Seconds of model calls of one review, in all."""

    fulltext: bool = True
    """Whether full texts are asked for; off where no full-text service runs."""
    screening_batch: int = Field(default=25, ge=1, le=100)
    """Records of one batch: what is decided, and lost by a crash, together."""
    screening_deadline_s: float = Field(default=120.0, gt=0, le=3600)
    """Seconds for the decisions on a track; a batch that is not in by then counts as unsure."""
    extraction_deadline_s: float = Field(default=300.0, gt=0, le=3600)
    """Seconds for reading and extracting the chosen studies; at most half of what the run has left."""
    max_studies: int = Field(default=MAX_STUDIES, ge=1, le=MOST_STUDIES)
    """Most studies that are read in full, where the asker does not say."""
    screening_criteria: Path | None = None
    """A file of criteria in place of the published ones (`openwork_screening/criteria.toml` shows the form)."""
