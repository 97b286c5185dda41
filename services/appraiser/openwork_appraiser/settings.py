"""Settings of the appraiser. The only reader of the environment here."""

from __future__ import annotations

from openwork_bus.settings import ServiceSettings
from pydantic import Field


class Settings(ServiceSettings):
    """What is printed of a table."""

    confidence_level: float = Field(default=0.95, ge=0.5, le=0.9999)
    """Of every interval that is computed, a share of one."""
    tabulated_outcomes: int = Field(default=20, ge=1, le=200)
    """Most outcomes in the table, those that were asked about first."""
