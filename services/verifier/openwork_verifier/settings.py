"""Settings of the verifier. The only reader of the environment here."""

from __future__ import annotations

from openwork_llm.settings import ModelSettings
from pydantic_settings import SettingsConfigDict

from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds


class Settings(ModelSettings):
    """What every service that asks a model has, and where the gate draws its lines."""

    model_config = SettingsConfigDict(env_nested_delimiter="__")

    gate: GateThresholds = THRESHOLDS
    """Thresholds of the checks by code; their bounds and reasons are in `domain/thresholds.py`."""
