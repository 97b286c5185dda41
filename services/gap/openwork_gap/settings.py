"""Settings of the gap analysis. The only reader of the environment here; judgement's are the field `gap`."""

from __future__ import annotations

from openwork_llm.settings import ModelSettings
from pydantic import Field
from pydantic_settings import SettingsConfigDict

from openwork_gap.domain.thresholds import THRESHOLDS, GapThresholds


class Settings(ModelSettings):
    """What a further round may ask, and when evidence is enough."""

    model_config = SettingsConfigDict(env_nested_delimiter="__")

    gap_literature: str = "pubmed,europepmc"
    """Sources of the first round that a further one asks again, for what was missing and never for the same, by route,
    separated by commas; empty = only those of `gap_sources`. One that failed in the first round is not asked again."""
    gap_least_s: float = Field(default=10.0, ge=0, le=600)
    """Seconds of the run that must be left for a further round."""
    gap_records: int = Field(default=20, ge=1, le=500)
    """Most records asked of each of them."""

    gap: GapThresholds = THRESHOLDS
    """Where the gap analysis draws its lines; bounds and reasons are in `domain/thresholds.py`."""

    @property
    def gap_source_names(self) -> tuple[str, ...]:
        """`gap_sources`, those that have a retriever."""
        return self._with_retriever(self.gap_sources)

    @property
    def gap_literature_names(self) -> tuple[str, ...]:
        """`gap_literature`, those that have a retriever."""
        return self._with_retriever(self.gap_literature)

    def _with_retriever(self, listed: str) -> tuple[str, ...]:
        wanted = (part.strip() for part in listed.split(","))
        return tuple(name for name in wanted if name in self.source_names)
