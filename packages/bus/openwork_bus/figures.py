"""Figures for Prometheus: what a metric is, and the figures of one service.

A metric is declared once, in the `metrics.py` of whoever counts it, and docs/metrics.md is made from the declarations.
Several services may share a process, so each has a registry of its own, and every series says which service it is of.

    REQUESTS = Counter("openwork_source_requests_total", ("provider", "outcome"), "Requests to outside services.")
    figures.count(REQUESTS, "ncbi", "answered")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import prometheus_client
from prometheus_client import CollectorRegistry, disable_created_metrics
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

disable_created_metrics()  # type: ignore[no-untyped-call]  # when a series began: twice as many series, and Prometheus makes nothing of them

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
SERVICE = "service"
"""The label that every series has."""
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0)
"""Bounds of a time: from a handler that only joins to the longest wait for a language model; 15 s is the goal of an
answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """One metric: a family of series with the same name."""

    name: str
    """As Prometheus shows it; ends in its unit, or in `_total`."""
    labels: tuple[str, ...]
    """Besides `service`. What they say is bounded: never a run, a question, an asker, a subject or an address."""
    meaning: str
    """A sentence for whoever reads the series."""


@dataclass(frozen=True, slots=True, eq=False)
class Counter(Metric):
    """Only grows, until its process ends."""


@dataclass(frozen=True, slots=True, eq=False)
class Gauge(Metric):
    """Goes up and down."""


@dataclass(frozen=True, slots=True, eq=False)
class Histogram(Metric):
    """How many values there were up to each bound, and their sum."""

    bounds: tuple[float, ...] = SECONDS


class Figures:
    """The figures of one service: what it counts, and what is asked for when somebody reads them."""

    def __init__(self, service: str) -> None:
        self.service = service
        self._registry = CollectorRegistry()
        self._families: dict[Metric, Any] = {}
        self._hooks: list[Callable[[], None]] = []

    def begin(self, metric: Metric, *labels: str) -> None:
        """Let a series begin at 0: Prometheus sees no growth in one that begins with what it should have told of."""
        self._series(metric, labels)

    def count(self, metric: Counter, *labels: str, n: float = 1.0) -> None:
        """So many more, n >= 0."""
        self._series(metric, labels).inc(n)

    def observe(self, metric: Histogram, *labels: str, value: float) -> None:
        """One more value."""
        self._series(metric, labels).observe(value)

    def set(self, metric: Gauge, *labels: str, value: float) -> None:
        """What it is now."""
        self._series(metric, labels).set(value)

    def add(self, metric: Gauge, *labels: str, n: float) -> None:
        """So many more than before; below 0, fewer."""
        self._series(metric, labels).inc(n)

    def show(self, metric: Gauge, values: Mapping[tuple[str, ...], float]) -> None:
        """These series and no others: what is not known any more is not shown."""
        self._family(metric).clear()
        for labels, value in values.items():
            self.set(metric, *labels, value=value)

    def before_reading(self, hook: Callable[[], None]) -> None:
        """Call this before the figures are read: for what is looked at rather than counted."""
        self._hooks.append(hook)

    def text(self) -> bytes:
        """All of them in Prometheus' text format."""
        for hook in self._hooks:
            hook()
        return generate_latest(self._registry)

    def _series(self, metric: Metric, labels: tuple[str, ...]) -> Any:
        return self._family(metric).labels(self.service, *labels)

    def _family(self, metric: Metric) -> Any:
        family = self._families.get(metric)
        if family is None:
            family = self._families[metric] = _registered(metric, self._registry)
        return family


def _registered(metric: Metric, registry: CollectorRegistry) -> Any:
    names = (SERVICE, *metric.labels)
    if isinstance(metric, Histogram):
        return prometheus_client.Histogram(metric.name, metric.meaning, names, buckets=metric.bounds, registry=registry)
    if isinstance(metric, Counter):
        return prometheus_client.Counter(metric.name, metric.meaning, names, registry=registry)
    return prometheus_client.Gauge(metric.name, metric.meaning, names, registry=registry)


def merged(texts: Iterable[bytes]) -> bytes:
    """The figures of several services as one text: each metric is described once, as the format wants it."""
    families: dict[bytes, list[bytes]] = {}
    for text in texts:
        samples: list[bytes] = []
        for line in text.splitlines(keepends=True):
            if line.startswith(b"# HELP "):
                samples = families.setdefault(line, [])
            elif not (line.startswith(b"# TYPE ") and samples):
                samples.append(line)
    return b"".join(part for head, samples in families.items() for part in (head, *samples))
