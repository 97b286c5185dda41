"""Figures as Prometheus reads them: the text format taken apart."""

from __future__ import annotations

from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample


def families(text: bytes) -> list[Metric]:
    """Every metric with its samples."""
    return list(text_string_to_metric_families(text.decode()))


def samples(text: bytes) -> list[Sample]:
    """Every sample of every metric."""
    return [sample for family in families(text) for sample in family.samples]


def value(text: bytes, name: str, **labels: str) -> float | None:
    """The one series of that name with these labels among its own; `None` = there is none.

    Raises:
        AssertionError: there are several.
    """
    found = [one.value for one in samples(text) if one.name == name and labels.items() <= one.labels.items()]
    assert len(found) <= 1, f"{name} {labels} has {len(found)} series"
    return found[0] if found else None
