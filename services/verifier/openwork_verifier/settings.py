"""Settings of the verifier. The only reader of the environment here."""

from __future__ import annotations

from typing import Self

from openwork_llm.settings import ModelSettings
from openwork_serving.availability import RETRY_AFTER_S
from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds

_LABELS = frozenset({"entailment", "neutral", "contradiction"})


class Settings(ModelSettings):
    """What every service that asks a model has, where the gate draws its lines, and who else may judge."""

    model_config = SettingsConfigDict(env_nested_delimiter="__")

    gate: GateThresholds = THRESHOLDS
    """Thresholds of the checks by code; their bounds and reasons are in `domain/thresholds.py`."""
    triton_url: str | None = None
    """host:port of a Triton server's gRPC; `None` = no model server."""
    nli_model: str | None = None
    """A cross-encoder for natural language inference on that server, by its name there, e.g. nli; `None` = none. It
    judges where no language model is configured."""
    nli_labels: str = "entailment,neutral,contradiction"
    """What its numbers mean, in their order, separated by commas: `id2label` of the model's config.json says it, and it
    differs between models. A label called not_entailment is neutral."""
    nli_entailed: float = Field(default=0.9, ge=0.5, le=1)
    """Share of entailment from which a sentence of a source dispels a suspicion. High, since a wrong sentence would be
    shown; not calibrated: no model is chosen."""
    nli_contradicted: float = Field(default=0.95, ge=0.5, le=1)
    """Share of contradiction from which a claim that nothing entails is called contradicted. Higher still: such models
    call sentences about something else contradictions."""
    nli_doubted: float = Field(default=0.1, ge=0, le=0.5)
    """Where no sentence of a source has more than this share of entailment, a claim is not entailed; between this and
    nli_entailed nothing is said and the code's verdict stands."""
    nli_sentences: int = Field(default=5, ge=1, le=50)
    """Sentences of the cited sources that are read for a claim, each alone and with either neighbour."""
    nli_max_pairs: int = Field(default=32, ge=1, le=1024)
    """Most pairs of one request; fewer where the model takes fewer."""
    nli_batch_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    """Tokens per request, padding included; `None` = the parameter batch_tokens of the model's config on the server."""
    nli_timeout_s: float = Field(default=8.0, gt=0, le=600)
    """Seconds for all requests of one draft; then its verdicts are the code's."""
    nli_max_in_flight: int = Field(default=16, ge=1, le=512)
    """Requests of one draft that wait for an answer at the same time."""
    triton_retry_after_s: float = Field(default=RETRY_AFTER_S, ge=0, le=600)
    """Seconds for which a server that failed is left alone."""

    @property
    def nli_label_order(self) -> tuple[str, ...]:
        """The labels one by one."""
        names = [label.strip().lower() for label in self.nli_labels.split(",")]
        return tuple("neutral" if name == "not_entailment" else name for name in names)

    @model_validator(mode="after")
    def _nli_complete(self) -> Self:
        labels = self.nli_label_order
        if "entailment" not in labels or len(set(labels)) < len(labels) or not set(labels) <= _LABELS:
            raise ValueError(
                "OPENWORK_NLI_LABELS names entailment, and neutral (or not_entailment) and contradiction where the "
                f"model knows them, each once; not {self.nli_labels!r}"
            )
        if self.nli_model and not self.triton_url:
            raise ValueError("OPENWORK_NLI_MODEL needs OPENWORK_TRITON_URL, the server that has the model")
        return self
