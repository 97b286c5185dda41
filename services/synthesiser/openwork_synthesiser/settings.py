"""Settings of the synthesiser. The only reader of the environment here."""

from __future__ import annotations

from openwork_llm.settings import ModelSettings


class Settings(ModelSettings):
    """Nothing beyond what every service that asks a model has."""
