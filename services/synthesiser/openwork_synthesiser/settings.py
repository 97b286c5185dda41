"""Settings of the synthesiser. The only reader of the environment here."""

from __future__ import annotations

from openwork_llm.settings import ModelSettings
from pydantic_settings import SettingsConfigDict

from openwork_synthesiser.domain.thresholds import LIMITS, SynthesisLimits


class Settings(ModelSettings):
    """What every service that asks a model has, how much an answer says, and what makes a sentence relevant."""

    model_config = SettingsConfigDict(env_nested_delimiter="__")

    synthesis: SynthesisLimits = LIMITS
    """How much an extractive answer says; bounds and reasons are in `domain/thresholds.py`."""
