"""Every metric there is, from the code: the tables of docs/metrics.md; rules and dashboard are checked against it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator

import openwork_bus.metrics
import openwork_http.metrics
import openwork_llm.metrics
import openwork_serving.metrics
from openwork_bus.figures import SERVICE, Counter, Gauge, Histogram, Metric

from deploy.compose import containers
from deploy.registry import ROOT, services

PAGE = "docs/metrics.md"
LABELS = {
    SERVICE: "the service that counts, as its folder is called",
    "budget": "a rate budget, by whom it is with: `ncbi`, `europepmc`; several providers' hosts may share one",
    "cache": "`source_answers` (HTTP), `model_answers`, `scores`, `full_texts`",
    "code": "one of `ReasonCode` of the contracts: which check found it",
    "consumer": "a durable consumer of the contracts' table",
    "draft": "`first`, `revised`",
    "event": "an event's name in the contracts' table; `other` = none that its consumer takes",
    "fault": "how a model server failed: `queue_full`, `timeout`, `model_dead`, ... (`openwork_serving.errors.Fault`)",
    "kind": "of a failure: one of `FailureReason` of the contracts, or `bus` where our own bus did not answer; of a "
    "finding: `proof`, `suspicion`, `judged`; of tokens: `input`, `cached_input`, `output`, `thinking`",
    "method": "an HTTP method, or `(other)`",
    "model": "a model's id as the settings name it, or its name on the model server",
    "origin": "`pmc`, `europepmc`, `unpaywall`, `abstract`",
    "outcome": "of a message: `handled`, `overdue` and `ended` (dropped unread), `retried`, `dead`, `returned` (the "
    "service stops), `unsettled`; of a search: `completed`, `failed`, `not_asked` (our own budget, or the time, was "
    "used up); of a request to a provider: `answered`, `refused` (4xx), `failed`, `not_asked`; of a model: "
    "`answered`, `unavailable`, `refused`, `unusable`, `over_budget`; of a run: `RunStatus` of the contracts; of "
    "a span: `exported`, `lost`; of a cache: `hit`, `miss`",
    "pipeline": "a kind of run that is installed: `answer`",
    "prompt": "a prompt with its version, e.g. `query.v1`",
    "provider": "whom we ask over HTTP: `ncbi`, `europepmc`, `unpaywall`, `rxnorm`, ...; `other` = a host without an "
    "entry of its own",
    "reason": "why a question was not let in: `busy`, `quota`, `store_full`, `inbox_full`, `too_late`, `taken`, "
    "`invalid`",
    "revision": "`OPENWORK_REVISION`, else `unknown`",
    "route": "a route's pattern, never an address; `(none)` = there is no such route",
    "source": "a source's route: `pubmed`, `europepmc-recent`, ...",
    "state": "`closed`, `open`, `half_open`",
    "status": "an HTTP status",
    "step": "an event's name in the contracts' table",
    "stream": "a stream of the contracts' table; inboxes of accounts are not among them",
    "verdict": "one of `Verdict` of the contracts",
    "version": "of the package `openwork-bus`",
}
"""What each label says. Every value is from a table or a setting of ours."""
_UNITS = (
    ("_requests_per_second", "requests/s"),
    ("_usd_total", "US dollars"),
    ("_seconds_total", "seconds"),
    ("_seconds", "seconds"),
    ("_ratio", "share, 0 to 1"),
    ("_rows", "texts or pairs"),
    ("_tokens_total", "tokens"),
    ("_messages", "messages"),
    ("_ready", "0 or 1"),
    ("_info", "1"),
    ("_state", "0 or 1"),
    ("_messages_in_flight", "messages"),
)


def groups() -> Iterator[tuple[str, tuple[Metric, ...]]]:
    """Who has them, and the metrics."""
    yield "Every service on the bus", openwork_bus.metrics.METRICS
    yield "Services that ask others over HTTP", openwork_http.metrics.METRICS
    yield "Services that may ask a language model", openwork_llm.metrics.METRICS
    yield "Services that may ask a model server", openwork_serving.metrics.METRICS
    for service in services():
        folder = str(ROOT / "services" / service.name)
        if folder not in sys.path:  # of a service that was made just now and is not installed yet
            sys.path.append(folder)
        if importlib.util.find_spec(f"{service.package}.metrics") is not None:
            yield f"The service `{service.name}`", importlib.import_module(f"{service.package}.metrics").METRICS


def all_metrics() -> dict[str, Metric]:
    """By name."""
    return {metric.name: metric for _, metrics in groups() for metric in metrics}


def series_names(metric: Metric) -> tuple[str, ...]:
    """Names under which Prometheus has its series."""
    if isinstance(metric, Histogram):
        return tuple(f"{metric.name}{suffix}" for suffix in ("_bucket", "_sum", "_count"))
    return (metric.name,)


def kind_of(metric: Metric) -> str:
    """counter, gauge or histogram."""
    return next(kind.__name__.lower() for kind in (Counter, Gauge, Histogram) if isinstance(metric, kind))


def unit_of(metric: Metric) -> str:
    """What one of it is, by the end of its name."""
    return next((unit for end, unit in _UNITS if metric.name.endswith(end)), "count")


def regions() -> dict[str, dict[str, str]]:
    """The tables of docs/metrics.md, and whom Prometheus asks in Compose (deploy/regions.py)."""
    scraped = "\n".join(f"- {name}" for _, name, _ in containers())
    return {
        PAGE: {"metrics": _metrics_tables(), "labels": _labels_table()},
        "deploy/observability/prometheus.yml": {"services": scraped},
    }


def _metrics_tables() -> str:
    blocks = []
    for title, metrics in groups():
        rows = [
            f"| `{metric.name}` | {kind_of(metric)} | {_listed(metric.labels)} | {unit_of(metric)} | {metric.meaning} |"
            for metric in metrics
        ]
        blocks.append(
            "\n".join((f"**{title}**", "", "| name | type | labels | unit | meaning |", "|---|---|---|---|---|", *rows))
        )
    return "\n\n".join(blocks)


def _labels_table() -> str:
    rows = [f"| `{name}` | {meaning} |" for name, meaning in LABELS.items()]
    return "\n".join(("| label | values |", "|---|---|", *rows))


def _listed(labels: tuple[str, ...]) -> str:
    return ", ".join(f"`{label}`" for label in labels) or "-"
