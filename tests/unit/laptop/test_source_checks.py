"""`openwork sources check` and what `openwork doctor` makes of it."""

from __future__ import annotations

import socket

import pytest
from openwork_laptop.checks import judge_sources
from openwork_laptop.sources import check_sources, describe_sources
from openwork_laptop.stack import Stack
from openwork_retrievers.adapters.live import askable_sources, missing_setting
from openwork_retrievers.domain.registry import SOURCES, source
from openwork_retrievers.settings import Settings

from tests.fakes.upstream.app import PATHS, environment, upstream

Row = dict[str, object]


def row(name: str, state: str, reason: str | None = None, detail: str = "as it is") -> Row:
    return {"name": name, "state": state, "detail": detail, "reason": reason}


OK = row("pubmed", "ok")
DOWN = row("openalex", "failed", "unreachable", "openalex cannot be reached")
REFUSED = row("tavily", "failed", "refused", "401")
OFF = row("tavily", "off", None, "OPENWORK_TAVILY_API_KEY is not set")


@pytest.mark.parametrize(
    ("rows", "has_library", "state"),
    [
        ([OK], True, "ok"),
        ([OK, DOWN], True, "ok"),
        ([OK, REFUSED], True, "fault"),
        ([OK, OFF], True, "ok"),
        ([DOWN], True, "off"),
        ([DOWN], False, "fault"),
        ([DOWN, REFUSED], True, "fault"),
        ([], True, "off"),
        ([], False, "fault"),
        ([OFF], True, "off"),
    ],
)
def test_no_network_is_no_fault_while_there_is_the_library(rows: list[Row], has_library: bool, state: str) -> None:
    finding = judge_sources(rows, has_library=has_library)
    assert (finding.name, finding.state) == ("sources", state)
    assert all(str(r["name"]) in finding.detail for r in rows if r["state"] != "ok")


def test_sources_that_fail_alike_are_told_together() -> None:
    rows = [row(name, "failed", "unreachable", f"{name} cannot be reached") for name in ("pubmed", "cochrane")]
    detail = judge_sources(rows, has_library=True).detail
    assert detail == (
        "none of 2 answers, questions are answered from the library: "
        "pubmed, cochrane unreachable (pubmed cannot be reached)"
    )


@pytest.fixture
def closed_port() -> int:
    """A port where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_every_source_that_cannot_be_reached_says_so_plainly(
    monkeypatch: pytest.MonkeyPatch, closed_port: int
) -> None:
    for name in PATHS:
        monkeypatch.setenv(f"OPENWORK_{name}_BASE_URL", f"http://127.0.0.1:{closed_port}/x")
    monkeypatch.setenv("OPENWORK_REACHABILITY_FILE", "")
    monkeypatch.setenv("OPENWORK_SOURCES", "library,pubmed,cochrane,clinicaltrials,tavily")
    monkeypatch.delenv("OPENWORK_TAVILY_API_KEY", raising=False)
    rows = {str(row["name"]): row for row in await check_sources(5.0)}
    assert set(rows) == {"pubmed", "cochrane", "clinicaltrials", "rxnav", "tavily"}
    assert rows["tavily"] == OFF
    for name in ("pubmed", "cochrane", "clinicaltrials", "rxnav"):
        assert rows[name]["state"] == "failed"
        assert rows[name]["reason"] in {"unreachable", "circuit_open"}  # two entries share the circuit of NCBI
        assert "cannot be reached" in str(rows[name]["detail"]) or "was not asked" in str(rows[name]["detail"])


async def test_every_source_that_answers_says_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    routes = ("pubmed", "europepmc-cited", "openalex", "clinicaltrials", "tavily")
    async with upstream(recorded=False) as server:
        for name, value in environment(server.url).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("OPENWORK_REACHABILITY_FILE", "")
        monkeypatch.setenv("OPENWORK_SOURCES", ",".join(routes))
        rows = await check_sources(10.0)
    assert {(row["name"], row["state"]) for row in rows} == {(route, "ok") for route in (*routes, "rxnav")}
    assert all("records in" in str(row["detail"]) for row in rows)


async def test_rxnorm_is_not_asked_where_only_the_library_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENWORK_SOURCES", "library")
    assert await check_sources(1.0) == []
    assert not any(row["on"] for row in describe_sources() if row["name"] == "rxnav")


def test_a_source_is_askable_when_the_setting_it_needs_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENWORK_TAVILY_API_KEY", "OPENWORK_SEARXNG_URL"):
        monkeypatch.delenv(name, raising=False)
    wanted = "library,tavily,google-scholar,pubmed"
    assert askable_sources(Settings(sources=wanted)) == ("library", "pubmed")
    monkeypatch.setenv("OPENWORK_TAVILY_API_KEY", "k")
    monkeypatch.setenv("OPENWORK_SEARXNG_URL", "http://127.0.0.1:8888")
    assert askable_sources(Settings(sources=wanted)) == ("library", "tavily", "google-scholar", "pubmed")


def test_an_empty_key_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENWORK_TAVILY_API_KEY", "")
    assert missing_setting(source("tavily"), Settings()) == "OPENWORK_TAVILY_API_KEY"
    assert missing_setting(source("pubmed"), Settings()) is None


def test_no_service_of_one_process_plans_a_source_without_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENWORK_TAVILY_API_KEY", raising=False)
    monkeypatch.setenv("OPENWORK_SOURCES", "library,tavily")
    for service in Stack("nats://127.0.0.1:1").services:
        assert service.settings.source_names == ("library",)  # type: ignore[attr-defined]


def test_what_is_on_by_default_is_what_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENWORK_SOURCES", raising=False)
    on = {spec.route for spec in SOURCES if spec.default_on}
    assert {"library", *on} == set(Settings().source_names)
    assert not any(source(route).needs for route in on)


def test_a_source_that_is_asked_only_on_a_gap_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two services that plan rounds agree with the registry, which neither of them sees."""
    from openwork_gap.settings import Settings as GapSettings
    from openwork_query.settings import Settings as QuerySettings

    monkeypatch.delenv("OPENWORK_GAP_SOURCES", raising=False)
    monkeypatch.setenv("OPENWORK_SOURCES", "library,pubmed,tavily")
    later = {spec.route for spec in SOURCES if spec.only_on_gap}
    assert GapSettings().gap_source_names == ("tavily",)
    assert set(GapSettings().gap_source_names) == later
    assert QuerySettings().first_round_sources == ("library", "pubmed")
