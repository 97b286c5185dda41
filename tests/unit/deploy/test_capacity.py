"""The capacity model: complete, in proportion, and what docs/capacity.md says."""

from __future__ import annotations

import re

import pytest

from deploy.registry import ROOT, services
from tests.capacity import NATS_CPU_MS, RUN_CPU_MS, Wanted, answers_a_second, need

DOC = (ROOT / "docs" / "capacity.md").read_text(encoding="utf-8")


def wanted(hourly: float, **changes: float) -> Wanted:
    return Wanted(hourly, **{"events_hours": 48.0, "results_days": 90.0, **changes})  # type: ignore[arg-type]


def test_every_service_has_its_processor_time() -> None:
    assert set(RUN_CPU_MS) == {spec.name for spec in services()}


def test_the_document_has_the_models_constants() -> None:
    told = re.search(r"\| processor time, ms \| (.*) \|", DOC)
    assert told
    assert [float(cell) for cell in told[1].split(" | ")] == [*RUN_CPU_MS.values(), NATS_CPU_MS]


@pytest.mark.parametrize("hourly", [10, 1000, 100_000])
def test_the_document_has_the_models_results(hourly: int) -> None:
    column = [10, 1000, 100_000].index(hourly)
    row = next(line for line in DOC.splitlines() if line.startswith("| vCPU"))
    assert float(row.split("|")[2 + column]) == pytest.approx(need(wanted(hourly)).vcpu, abs=0.05)


def test_what_is_kept_twice_as_long_needs_twice_the_store() -> None:
    one, two = (need(wanted(1000, results_days=days)) for days in (90.0, 180.0))
    assert two.store_gb * two.partitions == pytest.approx(2 * one.store_gb * one.partitions)


def test_dollars_are_the_readers_prices_times_what_is_needed() -> None:
    found = need(wanted(10))
    assert found.dollars_a_month(0.0, 0.0, 1.0, replicas=3) == pytest.approx(3 * found.store_gb * found.partitions)
    assert found.dollars_a_month(1.0, 0.0, 0.0, replicas=1) == pytest.approx(730 * found.vcpu)


@pytest.mark.parametrize(("cores", "measured"), [(1.84, 23.0), (1.49, 20.3), (1.30, 15.9)])
def test_the_model_meets_the_measured_points_within_an_eighth(cores: float, measured: float) -> None:
    assert answers_a_second(cores) == pytest.approx(measured, rel=0.13)
