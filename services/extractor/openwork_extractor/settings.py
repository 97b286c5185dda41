"""Settings of the extractor. The only reader of the environment here."""

from __future__ import annotations

from openwork_bus.settings import ServiceSettings
from pydantic import Field


class Settings(ServiceSettings):
    """What is kept of a study."""

    extracted_results: int = Field(default=25, ge=1, le=500)
    """Most results of one study, those of the asked outcome first."""
