"""Settings of the query service. The only reader of the environment here."""

from __future__ import annotations

from openwork_http.settings import HttpSettings
from openwork_llm.settings import ModelSettings
from pydantic import Field

from openwork_query.domain.sources import STORED


class Settings(ModelSettings, HttpSettings):
    """What the query service decides with."""

    records_per_source: int | None = Field(default=None, ge=1, le=500)
    """Most records asked of each source; `None` = what the pipeline has for it (200 for an answer; most sources give
    less)."""

    review_retrieval_deadline_s: float = Field(default=60.0, gt=0, le=600)
    """Seconds for the searches of each track of a review; `retrieval_deadline_s` is an answer's."""
    drug_names: bool = True
    """Whether RxNorm is asked about drug names in the question that the lexicon does not have; never where only the
    library is searched."""
    drug_names_s: float = Field(default=2.0, gt=0, le=30)
    """Seconds for that, in all."""
    rxnav_base_url: str | None = None
    """Another address that speaks RxNav's API; `None` = its own."""

    @property
    def asks_rxnorm(self) -> bool:
        """Whether there is anything outside to be asked at all."""
        return self.drug_names and any(name not in STORED for name in self.source_names)

    @property
    def first_round_sources(self) -> tuple[str, ...]:
        """Sources that may be asked in round 1."""
        later = {name.strip() for name in self.gap_sources.split(",")}
        return tuple(name for name in self.source_names if name not in later)
