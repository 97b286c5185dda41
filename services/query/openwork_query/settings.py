"""Settings of the query service. The only reader of the environment here."""

from __future__ import annotations

from openwork_chassis.models.settings import ModelSettings
from pydantic import Field


class Settings(ModelSettings):
    """What the query service decides with."""

    records_per_source: int = Field(default=120, ge=1, le=500)
    """Most records asked of each source for an answer."""
    records_per_source_review: int = Field(default=500, ge=1, le=500)
    """Most records asked of each source and track for a deep review."""
    gap_sources: str = "tavily"
    """Sources that are only asked when the gap analysis wants a further round, by route, separated by commas."""

    @property
    def first_round_sources(self) -> tuple[str, ...]:
        """Sources that may be asked in round 1."""
        later = {name.strip() for name in self.gap_sources.split(",")}
        return tuple(name for name in self.source_names if name not in later)
