"""Metrics are a contract: named as Prometheus names things, listed, labelled from our own tables; and rules, dashboard
and runbook speak of nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from openwork_bus.figures import SERVICE, Counter, Histogram
from openwork_bus.middleware import Outcome
from openwork_contracts.answer import RunStatus
from openwork_contracts.verdict import Verdict
from openwork_gateway.metrics import Refusal
from openwork_serving.errors import Fault

from deploy import dashboard, metrics
from deploy.registry import ROOT, services

FOLDER = ROOT / "deploy/observability"
RULES = yaml.safe_load((FOLDER / "rules.yml").read_text())
ALERTS: dict[str, dict[str, Any]] = {
    rule["alert"]: rule for group in RULES["groups"] for rule in group["rules"] if "alert" in rule
}
RECORDED: dict[str, str] = {
    rule["record"]: rule["expr"] for group in RULES["groups"] for rule in group["rules"] if "record" in rule
}
SHOWN = [query for row in dashboard.ROWS for panel in row.panels for query, _ in panel.queries]
_SERIES = re.compile(r"\bopenwork_[a-z_0-9]+")
_RECORDED = re.compile(r"\bopenwork:[a-z_0-9:]+")
_MATCHERS = re.compile(r"\b(openwork_[a-z_0-9]+)\{([^}]*)\}")
_OF_PROMETHEUS = {"le", "instance", "job"}


def expressions() -> list[str]:
    """Every question that rules and dashboard ask."""
    return [*RECORDED.values(), *(alert["expr"] for alert in ALERTS.values()), *SHOWN]


def known_series() -> dict[str, frozenset[str]]:
    """Every series there may be, with its labels."""
    return {
        name: frozenset((SERVICE, *metric.labels, *_OF_PROMETHEUS))
        for metric in metrics.all_metrics().values()
        for name in metrics.series_names(metric)
    }


def test_names_keep_to_prometheus_rules() -> None:
    """A prefix, base units, `_total` for what only grows, no unit that is not one."""
    for name, metric in metrics.all_metrics().items():
        assert re.fullmatch(r"openwork_[a-z][a-z_]*[a-z]", name), name
        assert isinstance(metric, Counter) == name.endswith("_total"), name
        assert not re.search(r"_(ms|millis|minutes|percent|kb|mib|dollars|count)(_|$)", name), name
        assert metric.meaning.endswith("."), name
        if isinstance(metric, Histogram):
            assert name.endswith(("_seconds", "_rows")), name
            assert list(metric.bounds) == sorted(set(metric.bounds)), name


def test_no_two_metrics_share_a_name() -> None:
    names = [metric.name for _, found in metrics.groups() for metric in found]
    assert len(names) == len(set(names))


def test_every_label_is_explained_and_none_is_explained_that_is_not_there() -> None:
    used = {label for metric in metrics.all_metrics().values() for label in metric.labels}
    assert used | {SERVICE} == metrics.LABELS.keys()
    assert not used & {"run", "run_id", "question", "owner", "account", "subject", "user", "url", "host", "instance"}


def test_the_values_of_outcome_and_reason_are_told() -> None:
    assert all(f"`{outcome.value}`" in metrics.LABELS["outcome"] for outcome in Outcome)
    assert all(f"`{reason.value}`" in metrics.LABELS["reason"] for reason in Refusal)


def test_every_metrics_module_of_a_service_is_listed() -> None:
    """One that is not in `METRICS` of its module is in no list."""
    listed = set(metrics.all_metrics())
    modules = [*ROOT.glob("services/*/openwork_*/metrics.py"), *ROOT.glob("packages/*/openwork_*/metrics.py")]
    assert len(modules) == len(list(metrics.groups()))
    for module in modules:
        declared = re.findall(r'(?:Counter|Gauge|Histogram)\(\s*"(openwork_\w+)"', module.read_text())
        assert declared, module
        assert set(declared) <= listed, module


def test_metrics_are_declared_nowhere_else() -> None:
    """Domain code knows no Prometheus: a metric stands in a `metrics.py`."""
    own = {"packages/bus/openwork_bus/figures.py"}
    for folder in ("packages", "services", "apps"):
        for path in (ROOT / folder).rglob("*.py"):
            where = str(path.relative_to(ROOT))
            if where not in own:
                assert "prometheus_client" not in path.read_text(), where


def test_rules_and_dashboard_ask_only_for_what_is_there() -> None:
    known = known_series()
    for expression in expressions():
        for name in _SERIES.findall(expression):
            assert name in known, f"{name} in {expression}"
        for name in _RECORDED.findall(expression):
            assert name in RECORDED, f"{name} in {expression}"


def test_rules_and_dashboard_choose_by_labels_that_are_there() -> None:
    known = known_series()
    for expression in expressions():
        for name, matchers in _MATCHERS.findall(expression):
            for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", matchers):
                assert label in known[name], f"{label} of {name} in {expression}"


def test_values_that_rules_choose_by_are_values_of_ours() -> None:
    """A misspelt outcome finds nothing, and an alert on it never fires."""
    ours = set(re.findall(r"`([a-z_]+)`", " ".join(metrics.LABELS.values())))
    ours |= {status.value for status in RunStatus} | {verdict.value for verdict in Verdict}
    ours |= {fault.name.lower() for fault in Fault}
    for expression in expressions():
        for _, matchers in _MATCHERS.findall(expression):
            for values in re.findall(r'"([^"]*)"', matchers):
                assert set(values.split("|")) <= ours, f"{values} in {expression}"


def test_every_metric_is_looked_at_somewhere() -> None:
    """A series that no rule and no panel reads costs memory and tells nobody."""
    asked = {name for expression in expressions() for name in _SERIES.findall(expression)}
    seen = {name for name, metric in metrics.all_metrics().items() if asked & set(metrics.series_names(metric))}
    assert seen == set(metrics.all_metrics())


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_says_how_bad_it_is_what_it_is_and_what_to_do(name: str) -> None:
    alert = ALERTS[name]
    assert alert["labels"]["severity"] in {"critical", "warning", "info"}
    assert alert["annotations"]["summary"]
    assert alert["annotations"]["description"]
    page, _, anchor = alert["annotations"]["runbook"].partition("#")
    assert anchor == name.lower()
    headings = re.findall(r"^### (\w+)$", (ROOT / page).read_text(), re.MULTILINE)
    assert name in headings


def test_the_runbook_has_no_section_of_an_alert_that_is_not_there() -> None:
    assert set(re.findall(r"^### (\w+)$", (ROOT / metrics.PAGE).read_text(), re.MULTILINE)) == set(ALERTS)


def test_every_alert_fires_in_the_bad_hour_that_is_played() -> None:
    played = (FOLDER / "rules_test.yml").read_text()
    assert {name for name in ALERTS if f'alertname="{name}"' in played} == set(ALERTS)


def test_the_rules_say_what_they_are_to_say_in_a_bad_hour_and_in_a_good_one() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not here (Debian: the package prometheus); `make test-rules` needs it too")
    for command in (["check", "rules", "rules.yml"], ["test", "rules", "rules_test.yml"]):
        done = subprocess.run([promtool, *command], cwd=FOLDER, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_dashboard_is_a_file_that_grafana_reads_row_by_row() -> None:
    """Panels lie side by side and do not cover each other; each has a query and a name for its lines."""
    made = json.loads((FOLDER / "dashboard.json").read_text())
    assert made == dashboard.dashboard()
    panels: list[dict[str, Any]] = made["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert place["x"] + place["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells
        if panel["type"] != "row":
            assert all(target["expr"] and target["legendFormat"] for target in panel["targets"]), panel["title"]


def test_prometheus_of_compose_asks_every_container_on_the_port_of_health() -> None:
    config = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    (job,) = (job for job in config["scrape_configs"] if job["job_name"] == "openwork")
    assert job["honor_labels"] is True
    (found,) = job["dns_sd_configs"]
    overlays = {"retrievers-web", "retrievers-scholar"}
    assert {*found["names"]} == {name for service in services() for name in service.container_names} | overlays
    assert found["port"] == 8080
    assert "OPENWORK_HEALTH_PORT=8080" in (ROOT / "deploy/docker/service.Dockerfile").read_text()


def test_the_overlay_mounts_what_is_there_and_publishes_on_loopback_alone() -> None:
    overlay = yaml.safe_load((ROOT / "deploy/compose/metrics.yml").read_text())
    for config in overlay["configs"].values():
        assert Path(ROOT / config["file"]).is_file()
    for service in overlay["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        assert service["read_only"] is True
        assert not service["image"].endswith((":latest", "-}"))
        assert {one["source"] for one in service["configs"]} <= overlay["configs"].keys()
