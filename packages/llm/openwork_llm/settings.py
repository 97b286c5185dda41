"""Settings of language models. The only reader of the environment in this package.

Every setting is `OPENWORK_<NAME>`; a service that asks a model subclasses `ModelSettings` with the same prefix.
"""

from __future__ import annotations

import os
from typing import Literal, Self

from openwork_bus.settings import ServiceSettings
from openwork_contracts.pipelines import ANSWER, pipeline_named
from pydantic import Field, SecretStr, field_validator, model_validator

from openwork_llm.messages import Tier
from openwork_llm.prices import Price, parse_prices, price_of

ProviderName = Literal["gemini", "openai", "none"]

GEMINI_FAST = "gemini-3.8-flash"
"""Stable model for analysis, judgement and verification; ids as served on 2026-11-21."""
GEMINI_SMART = "gemini-3.1-pro-preview"
"""For questions of several parts or evidence that disagrees."""
_KEY_VARIABLES = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
"""Google's own names, in the order in which its kit reads them."""


def _key_of_environment() -> SecretStr | None:
    found = next((value for name in _KEY_VARIABLES if (value := os.environ.get(name, "").strip())), None)
    return SecretStr(found) if found else None


_BUDGETS = pipeline_named(ANSWER).budgets
"""What an answer may take; a deep review has its own row."""


class ModelSettings(ServiceSettings):
    """Which models are asked, how long, and what a run may spend on them."""

    model_provider: Literal["auto", "gemini", "openai", "none"] = "auto"
    """Who is asked: gemini, openai (any server that speaks its chat API: Ollama, vLLM, llama.cpp), none. auto = gemini
    when there is a Gemini key, else none."""
    gemini_api_key: SecretStr | None = Field(default_factory=_key_of_environment)
    """Key for Gemini; GOOGLE_API_KEY and GEMINI_API_KEY are read too, in this order, when this one is absent."""
    model_api_key: SecretStr | None = None
    """Key for the OpenAI-compatible server; `None` = it takes none, and its tokens are counted as free of charge."""
    model_base_url: str | None = None
    """Where the service listens. For openai with its version, e.g. http://127.0.0.1:11434/v1; `None` = Google's own."""
    model_fast: str | None = None
    """Model for analysis, judgement, verification and simple syntheses; `None` = gemini-3.8-flash."""
    model_smart: str | None = None
    """Model for syntheses of complex or conflicting evidence; `None` = gemini-3.1-pro-preview (openai: the fast)."""
    model_prices: str = ""
    """Own prices in USD per million tokens, `model=input/output`, separated by commas; `*=...` for all others."""
    model_structured: Literal["json_schema", "json_object", "prompt"] = "json_schema"
    """How an OpenAI-compatible server is asked for JSON: by schema, as any object, or in the prompt's words alone."""

    model_timeout_s: float = Field(default=30.0, gt=0, le=600)
    """Seconds for one call to a model with all its tries and pauses."""
    model_smart_timeout_s: float = Field(default=60.0, gt=0, le=600)
    """The same for the smart model."""
    model_tries: int = Field(default=3, ge=1, le=10)
    """Tries of one call: after 429, 5xx and network errors, never after another 4xx."""
    model_backoff_s: float = Field(default=0.5, ge=0, le=60)
    """Seconds: before try n+1 a random pause in [0, model_backoff_s * 2^(n-1)], or as long as the service asks for."""
    model_backoff_max_s: float = Field(default=8.0, ge=0, le=300)
    """Seconds above which the random pause does not grow."""
    model_concurrency: int = Field(default=8, ge=1, le=200)
    """Most calls at once in one process."""
    model_max_response_bytes: int = Field(default=2 * 2**20, ge=1024, le=2**27)
    """Bytes of one answer of an OpenAI-compatible server; more is not read."""

    model_budget_tokens: int = Field(default=_BUDGETS.model_tokens, ge=0)
    """Tokens one run may use, in and out together; 0 = no model is asked."""
    model_budget_usd: float = Field(default=_BUDGETS.model_usd, ge=0)
    """US dollars one run may cost; 0 = only models without a price are asked."""
    model_budget_s: float = Field(default=90.0, ge=0, le=3600)
    """Seconds one run may wait for models."""
    model_reserve_s: float = Field(default=5.0, ge=0, le=300)
    """Seconds before the run's deadline from which no model is asked any more: the fallback needs them."""

    model_cache_entries: int = Field(default=256, ge=0, le=100_000)
    """Answers kept in memory by each process; 0 = none."""
    model_cache_shared: bool = True
    """Whether answers are kept in a bucket of the bus too, so that a message delivered twice is paid for once."""

    @field_validator("model_prices")
    @classmethod
    def _readable(cls, value: str) -> str:
        parse_prices(value)
        return value

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.model_provider == "openai" and not (self.model_base_url and self.model_fast):
            raise ValueError(
                "OPENWORK_MODEL_PROVIDER=openai needs OPENWORK_MODEL_BASE_URL (e.g. http://127.0.0.1:11434/v1) and "
                "OPENWORK_MODEL_FAST (the name under which the server knows its model)"
            )
        if self.model_provider == "gemini" and self.gemini_api_key is None:
            raise ValueError("OPENWORK_MODEL_PROVIDER=gemini needs OPENWORK_GEMINI_API_KEY")
        return self

    @property
    def provider(self) -> ProviderName:
        """Who is asked, `auto` resolved."""
        if self.model_provider == "auto":
            return "gemini" if self.gemini_api_key is not None else "none"
        return self.model_provider

    def model_of(self, tier: Tier) -> str:
        """The id of a tier's model."""
        if self.provider == "gemini":
            return (self.model_fast or GEMINI_FAST) if tier is Tier.FAST else (self.model_smart or GEMINI_SMART)
        fast = self.model_fast or ""
        return fast if tier is Tier.FAST else (self.model_smart or fast)

    @property
    def summary(self) -> str:
        """Who is asked and what a run may spend, in one line for people."""
        if self.provider == "none":
            return "no model: every step works by rules"
        return (
            f"{self.provider}: {self.model_of(Tier.FAST)} (fast), {self.model_of(Tier.SMART)} (smart); at most "
            f"{self.model_budget_tokens:,} tokens, ${self.model_budget_usd:.2f}, {self.model_budget_s:.0f} s a run"
        )

    def price_of(self, model: str) -> Price:
        """What a model's tokens cost."""
        billed = self.provider == "gemini" or self.model_api_key is not None
        return price_of(model, parse_prices(self.model_prices), billed=billed)

    def timeout_of(self, tier: Tier) -> float:
        """Seconds for one call of a tier."""
        return self.model_timeout_s if tier is Tier.FAST else self.model_smart_timeout_s
