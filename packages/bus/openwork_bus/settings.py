"""Settings that every service has. The only reader of the environment in the bus package.

Every setting is `OPENWORK_<NAME>`; a service adds its own by subclassing `ServiceSettings` with the same prefix.
"""

from __future__ import annotations

from pathlib import Path
from types import NoneType
from typing import Literal, get_args

from openwork_contracts.pipelines import ANSWER, PipelineSpec, pipeline_named
from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

DEFAULT_SOURCES = (
    "library,guidelines,pubmed,europepmc,europepmc-recent,europepmc-cited,openalex,semanticscholar,"
    "clinicaltrials,dailymed"
)
"""The library, and what can be asked without a key."""


class ServiceSettings(BaseSettings):
    """What a service needs to be on the bus and to be seen."""

    model_config = SettingsConfigDict(
        env_prefix="OPENWORK_",
        frozen=True,
        extra="ignore",
        use_attribute_docstrings=True,
        secrets_dir=None,
    )

    nats_url: str = "nats://127.0.0.1:4222"
    """Where NATS listens; several, separated by commas."""
    nats_user: str | None = None
    """User of this service; `None` = no authentication."""
    nats_password: SecretStr | None = None
    """Password of that user."""
    nats_ca_file: Path | None = None
    """Certificates (PEM) the servers are checked against, over TLS; `None` = the system's, where the URL says tls."""
    sources: str = DEFAULT_SOURCES
    """Sources that have a retriever, by route, separated by commas; `openwork sources list` shows all there are."""
    gap_sources: str = "tavily"
    """Sources that no first round asks, only a further one when something is missing, by route, separated by commas.
    Those that `sources` does not name are not asked then either."""
    answer_deadline_s: float = Field(default=pipeline_named(ANSWER).deadline_s, gt=0, le=3600)
    """Seconds after its submission at which an answer run is ended in any case."""
    retrieval_deadline_s: float = Field(default=20.0, gt=0, le=600)
    """Seconds after planning at which the normaliser goes on with what has arrived; where nothing has at all, it waits
    as long once more if the run has the time."""
    fulltext_deadline_s: float = Field(default=15.0, gt=0, le=600)
    """Seconds after the shortlist at which stage 2 goes on with the texts that have arrived."""
    graceful_timeout_s: float = Field(default=100.0, gt=0, le=600)
    """Seconds a service waits for handlers in work when it is told to stop; above the longest handler."""
    publish_timeout_s: float = Field(default=5.0, gt=0, le=60)
    """Seconds to wait for one acknowledgement of the stream; FastStream's own default is 0.5."""
    publish_patience_s: float = Field(default=15.0, gt=0, le=300)
    """Seconds over which a publish is retried: a leader election took 6.6 s when measured."""
    retry_delays_s: tuple[float, ...] = (0.5, 2.0, 8.0)
    """Seconds before the second, third, ... try of a message whose handler failed; then it is a dead letter."""
    compress_over_bytes: int = Field(default=4096, ge=0)
    """Payloads of more bytes are compressed with zstd; smaller ones stay readable for `nats sub`."""
    store_gb: float = Field(default=8.0, gt=0, le=100_000)
    """Gigabytes (10^9 bytes) of the NATS store (`max_file_store`) that the streams may have; they are divided by fixed
    shares and reserved by the server."""
    events_hours: float = Field(default=48.0, ge=2, le=8760)
    """Hours an event is kept: for those who work on its run. Longer than the longest deadline and redelivery."""
    results_days: float = Field(default=90.0, gt=0, le=36500)
    """Days a finished answer is kept for its asker, and a dead letter for its operator."""
    storage_warn_from: float = Field(default=0.6, gt=0, le=1)
    """Share of what a stream may hold from which on readiness and `openwork doctor` warn."""
    storage_fault_from: float = Field(default=0.8, gt=0, le=1)
    """Share from which on it is a fault. The gateway lets nothing in from OPENWORK_ADMIT_BELOW of the events on."""
    replicas: int = Field(default=1, ge=1, le=5)
    """Copies of each stream; 3 on a cluster."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    """Least level of the log lines that are written."""
    log_format: Literal["json", "text"] = "json"
    """json for collectors, text for eyes."""
    otlp_endpoint: str | None = None
    """Base URL of an OTLP/HTTP collector or of Phoenix, e.g. http://127.0.0.1:6006; `None` = no tracing."""
    otlp_headers: SecretStr | None = None
    """`key=value` pairs separated by commas, e.g. the authorization of a collector."""
    trace_project: str = "open-work"
    """Phoenix project that the traces belong to."""
    trace_content: bool = True
    """Whether texts (questions, passages, answers, messages of models) are written into spans. What is recognised as
    personal is masked in any case; off where that is not enough."""
    trace_annotations: bool = True
    """Whether evaluations are written as annotations too, over Phoenix's own interface at the same address; off where
    `otlp_endpoint` is a collector and not Phoenix. They stand in a span of the trace in any case."""
    health_port: int = Field(default=8080, ge=0, le=65535)
    """Port of /healthz, /readyz, /metrics; 0 = any free port, which is logged."""
    revision: str = "unknown"
    """Revision of the code that runs, as its image was built; shown by the metric `openwork_build_info`."""
    health_host: str = "127.0.0.1"
    """Address of the health endpoint; 0.0.0.0 in a container."""

    @field_validator("*", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object, info: ValidationInfo) -> object:
        """Compose and Kubernetes hand on a variable that nobody set as an empty one."""
        optional = NoneType in get_args(cls.model_fields[info.field_name or ""].annotation)
        return None if value == "" and optional else value

    def deadline_s_of(self, pipeline: PipelineSpec) -> float:
        """Seconds within which a run of that kind ends, unless its asker says otherwise."""
        return self.answer_deadline_s if pipeline.name == ANSWER else pipeline.deadline_s

    @property
    def store_bytes(self) -> int:
        """`store_gb` in bytes."""
        return round(self.store_gb * 1e9)

    @property
    def source_names(self) -> tuple[str, ...]:
        """`sources`, taken apart."""
        return tuple(name for name in (part.strip() for part in self.sources.split(",")) if name)
