"""Settings of the normaliser. The only reader of the environment here."""

from __future__ import annotations

from openwork_bus.settings import ServiceSettings
from pydantic import Field

from openwork_normaliser.domain.normalise import MOST_TITLES


class Settings(ServiceSettings):
    """What the normaliser decides with."""

    title_only_records: int = Field(default=MOST_TITLES, ge=0, le=500)
    """Works without an abstract that live on by their title, beside the others, until their full text is looked for."""
