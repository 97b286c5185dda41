"""The dashboard for Grafana, deploy/observability/dashboard.json: rows of panels, each with what it asks Prometheus.

Written by `python -m deploy.generate`; change it here, or import the file and change a copy in Grafana.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

Json = dict[str, object]

_COLUMNS = 24
_HEIGHT = 8
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture."""

    title: str
    queries: tuple[tuple[str, str], ...]
    """What is asked, and how a line is called."""
    unit: str = "short"
    """As Grafana names units: s, percentunit, reqps, currencyUSD, ops."""
    stacked: bool = False
    width: int = 8
    """Of 24."""
    about: str = ""
    """What a reader cannot see from the title."""


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under one heading."""

    title: str
    panels: tuple[Panel, ...]


def _one(title: str, query: str, legend: str, unit: str = "short", **more: object) -> Panel:
    return Panel(title, ((query, legend),), unit, **more)  # type: ignore[arg-type]


def _rate(metric: str, by: str, window: str = "5m") -> str:
    return f"sum by ({by}) (rate({metric}[{window}]))"


def _quantile(quantile: float, metric: str, by: str) -> str:
    return f"histogram_quantile({quantile}, sum by ({by}, le) (rate({metric}_bucket[5m])))"


_ANSWERS = Row(
    "Answers",
    (
        _one(
            "Runs a minute, by outcome", _rate("openwork_runs_total", "outcome") + " * 60", "{{outcome}}", stacked=True
        ),
        Panel(
            "Seconds to an answer",
            tuple((f"openwork:run_seconds:{p}_10m", f"{p} {{{{pipeline}}}}") for p in ("p50", "p95", "p99")),
            "s",
            about="Answers and honest 'too little evidence'; the goal is 15 s for 95 % of them.",
        ),
        _one(
            "Seconds until each step (p95)",
            _quantile(0.95, "openwork_run_step_seconds", "step"),
            "{{step}}",
            "s",
            about="From the question to the event of that name.",
        ),
        _one("Share of runs that fail", "openwork:runs_failed:ratio15m", "{{pipeline}}", "percentunit"),
        Panel(
            "At the door, a minute",
            (
                (_rate("openwork_questions_admitted_total", "pipeline") + " * 60", "let in: {{pipeline}}"),
                (_rate("openwork_admission_refusals_total", "reason") + " * 60", "refused: {{reason}}"),
                ("sum(openwork_questions_waiting)", "waiting now"),
            ),
        ),
        _one(
            "Full texts a minute, by origin",
            _rate("openwork_full_texts_total", "origin") + " * 60",
            "{{origin}}",
            stacked=True,
        ),
    ),
)
_TRUST = Row(
    "Trust",
    (
        Panel(
            "Claims proved wrong, and withheld",
            (
                ("openwork:claims_disproved:ratio30m", "hallucination rate"),
                ("openwork:claims_withheld:ratio30m", "withheld"),
            ),
            "percentunit",
            about="Of the claims in drafts, over 30 minutes. The alert is at 5 %. Readers see neither.",
        ),
        _one(
            "Claims a minute, by draft and verdict",
            _rate("openwork_claims_total", "draft, verdict") + " * 60",
            "{{draft}} {{verdict}}",
            stacked=True,
        ),
        _one(
            "What is found against claims",
            f"topk(12, {_rate('openwork_findings_total', 'kind, code', '30m')} * 60)",
            "{{kind}}: {{code}}",
            about="Suspicions and proofs a minute, the twelve most frequent.",
        ),
    ),
)
_LATENCY = Row(
    "Latency of each service",
    tuple(
        _one(f"Handlers, {p}", f"openwork:handler_seconds:{p}_5m", "{{service}}", "s") for p in ("p50", "p95", "p99")
    ),
)
_BUS = Row(
    "The bus",
    (
        _one("Waiting messages", "openwork:consumer_pending_messages:max > 0", "{{consumer}}"),
        _one("Lag", "openwork:consumer_lag_seconds:max", "{{consumer}}", "s"),
        Panel(
            "In work",
            (
                ("sum by (consumer) (openwork_messages_in_flight) > 0", "{{consumer}}"),
                ("max by (consumer) (openwork_consumer_unacknowledged_messages) > 0", "not acknowledged: {{consumer}}"),
            ),
        ),
        _one("Messages by outcome", _rate("openwork_messages_total", "outcome"), "{{outcome}}", "ops", stacked=True),
        _one("Redeliveries", _rate("openwork_message_redeliveries_total", "consumer") + " > 0", "{{consumer}}", "ops"),
        _one(
            "Dead letters in the last hour",
            "sum by (consumer) (increase(openwork_dead_letters_total[1h])) > 0",
            "{{consumer}}",
        ),
        _one("Streams: used", "max by (stream) (openwork_stream_used_ratio)", "{{stream}}", "percentunit"),
        _one(
            "Streams: seconds until full", "min by (stream) (openwork_stream_time_to_full_seconds)", "{{stream}}", "s"
        ),
        Panel(
            "Ready",
            (("min by (service) (openwork_ready)", "{{service}}"),),
            about="1 = every process of the service could work now.",
        ),
    ),
)
_SOURCES = Row(
    "Sources",
    (
        _one(
            "Searches a minute",
            _rate("openwork_searches_total", "source, outcome") + " * 60",
            "{{source}} {{outcome}}",
            stacked=True,
        ),
        _one("Share of searches that fail", "openwork:search_failures:ratio10m", "{{source}}", "percentunit"),
        _one("Seconds of a search (p95)", _quantile(0.95, "openwork_search_seconds", "source"), "{{source}}", "s"),
        _one(
            "Records per search",
            "sum by (source) (rate(openwork_search_records_total[15m]))"
            ' / sum by (source) (rate(openwork_searches_total{outcome="completed"}[15m]))',
            "{{source}}",
        ),
        Panel(
            "What came to nothing, a minute",
            (
                (_rate("openwork_search_errors_total", "source, kind") + " * 60 > 0", "{{source}} {{kind}}"),
                (_rate("openwork_source_errors_total", "provider, kind") + " * 60 > 0", "{{provider}} {{kind}}"),
            ),
        ),
        Panel(
            "Requests to providers",
            (
                (_rate("openwork_source_requests_total", "provider, outcome"), "{{provider}} {{outcome}}"),
                (_rate("openwork_source_tries_total", "provider"), "{{provider}} tries"),
            ),
            "reqps",
        ),
        _one("Share of requests that fail", "openwork:source_errors:ratio10m", "{{provider}}", "percentunit"),
        _one(
            "Seconds of a request (p95)",
            _quantile(0.95, "openwork_source_request_seconds", "provider"),
            "{{provider}}",
            "s",
        ),
        _one(
            "Circuits that are not closed",
            'max by (provider, state) (openwork_source_circuit_state{state!="closed"}) > 0',
            "{{provider}} {{state}}",
        ),
        Panel(
            "Rate budgets used",
            (("openwork:source_budget_used:ratio5m", "{{budget}}"),),
            "percentunit",
            about="Of what all replicas together allow themselves to ask.",
        ),
        _one("Waiting for a slot", _rate("openwork_source_budget_wait_seconds_total", "budget"), "{{budget}}", "s"),
        Panel(
            "Caches: share of hits; calls left this month",
            (
                ("openwork:cache_hits:ratio15m", "{{cache}}"),
                ("min by (source) (openwork_source_month_calls_left)", "{{source}}: calls left"),
            ),
        ),
    ),
)
_MODELS = Row(
    "Language models",
    (
        _one(
            "Calls a minute",
            _rate("openwork_model_calls_total", "model, outcome") + " * 60",
            "{{model}} {{outcome}}",
            stacked=True,
        ),
        _one("Seconds of a call (p95)", _quantile(0.95, "openwork_model_call_seconds", "model"), "{{model}}", "s"),
        _one("Tokens a minute", _rate("openwork_model_tokens_total", "kind") + " * 60", "{{kind}}"),
        Panel(
            "Dollars an hour",
            (
                ("openwork:model_cost_usd:per_hour15m", "now"),
                ("openwork:model_cost_usd:per_hour1d", "mean of the last day"),
            ),
            "currencyUSD",
        ),
        _one("Dollars for an answer", "openwork:run_cost_usd:mean1h", "{{pipeline}}", "currencyUSD"),
        _one(
            "Dollars by model, last day",
            "sum by (model) (increase(openwork_model_cost_usd_total[1d]))",
            "{{model}}",
            "currencyUSD",
        ),
    ),
)
_TRITON = Row(
    "Triton",
    (
        _one(
            "Seconds of a request (p95)", _quantile(0.95, "openwork_triton_request_seconds", "model"), "{{model}}", "s"
        ),
        _one(
            "Rows in a request (mean)",
            "sum by (model) (rate(openwork_triton_batch_rows_sum[5m]))"
            " / sum by (model) (rate(openwork_triton_batch_rows_count[5m]))",
            "{{model}}",
        ),
        _one("Faults", _rate("openwork_triton_faults_total", "model, fault") + " > 0", "{{model}} {{fault}}", "ops"),
    ),
)
_WEB = Row(
    "Web app, traces, what runs",
    (
        _one("Requests", _rate("openwork_api_requests_total", "status"), "{{status}}", "reqps", stacked=True),
        _one("Seconds of a request (p95)", _quantile(0.95, "openwork_api_request_seconds", "route"), "{{route}}", "s"),
        _one("Readers of live runs", "sum(openwork_api_stream_readers)", "readers"),
        _one("Spans", _rate("openwork_spans_total", "outcome"), "{{outcome}}", "ops"),
        _one(
            "What runs",
            "count by (service, version, revision) (openwork_build_info)",
            "{{service}} {{version}} {{revision}}",
            width=16,
        ),
    ),
)
ROWS = (_ANSWERS, _TRUST, _LATENCY, _BUS, _SOURCES, _MODELS, _TRITON, _WEB)


def render() -> str:
    """The file."""
    return json.dumps(dashboard(), indent=2, ensure_ascii=False) + "\n"


def dashboard() -> Json:
    """The dashboard as Grafana imports it."""
    return {
        "uid": "openwork",
        "title": "Open Work",
        "description": "Made by deploy/dashboard.py. Series: docs/metrics.md.",
        "tags": ["openwork"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {
            "list": [{"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Prometheus"}]
        },
        "panels": list(_placed()),
    }


def _placed() -> Iterator[Json]:
    """Rows and panels with their places, from left to right and from the top."""
    y = number = 0
    for row in ROWS:
        number += 1
        yield {
            "id": number,
            "type": "row",
            "title": row.title,
            "collapsed": False,
            "gridPos": {"x": 0, "y": y, "w": _COLUMNS, "h": 1},
            "panels": [],
        }
        x, y = 0, y + 1
        for panel in row.panels:
            if x + panel.width > _COLUMNS:
                x, y = 0, y + _HEIGHT
            number += 1
            yield {"id": number, **_panel(panel), "gridPos": {"x": x, "y": y, "w": panel.width, "h": _HEIGHT}}
            x += panel.width
        y += _HEIGHT


def _panel(panel: Panel) -> Json:
    drawn: Json = {"stacking": {"mode": "normal"}, "fillOpacity": 30} if panel.stacked else {"fillOpacity": 5}
    return {
        "type": "timeseries",
        "title": panel.title,
        "description": panel.about,
        "datasource": _SOURCE,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0, "custom": drawn}, "overrides": []},
        "options": {
            "legend": {"displayMode": "list", "placement": "bottom"},
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
        "targets": [
            {"refId": chr(ord("A") + i), "datasource": _SOURCE, "expr": query, "legendFormat": legend}
            for i, (query, legend) in enumerate(panel.queries)
        ],
    }
