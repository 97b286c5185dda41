"""The observatory: what stands on it in a good hour and in a bad one, what it links, and who finds the way to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest
from openwork_api.pages.views import observatory as views
from openwork_api.people import Scope
from openwork_api.settings import Settings
from openwork_api.web import create_app
from openwork_contracts.answer import RunStatus
from openwork_contracts.errors import FailureReason
from openwork_contracts.observatory import Window
from openwork_gateway.domain import evaluations
from openwork_gateway.domain.observation import SPANS, observe
from openwork_gateway.domain.run_statistics import ClaimStatistics, RunStatistics
from openwork_gateway.results import put_document

from tests import exports
from tests.memory_asker import MemoryAsker, api_client
from tests.observed_runs import NOW, bad_hour, failed_run, good_hour, observed, run_id
from tests.protected_api import protected_api
from tests.unit.api.pages.made import Read

BROWSER = {"Accept": "text/html"}


def view(*runs: RunStatistics, own: Iterable[str] = (), phoenix: str | None = None) -> views.ObservatoryView:
    return views.observatory_view(observe(runs, Window.HOUR, NOW, own=set(own)), phoenix)


def gauge(found: views.ObservatoryView, key: str) -> views.Gauge:
    return next(one for one in found.gauges if one.key == key)


async def page(asker: MemoryAsker, path: str = "/observatory", settings: Settings | None = None) -> str:
    async with api_client(asker, create_app(asker, settings or Settings())) as client:
        return (await client.get(path, headers=BROWSER)).text


async def filled(runs: Iterable[RunStatistics]) -> MemoryAsker:
    asker = MemoryAsker()
    for one in runs:
        await asker.statistics.put(one)
    return asker


# --- figures ---------------------------------------------------------------------------------------------------------


def test_a_good_hour_has_nothing_wrong() -> None:
    found = view(*good_hour())
    told = {one.key: (one.value, one.off) for one in found.gauges}
    assert told == {
        "answers": ("40", ""),
        "grounding": ("100.0%", ""),
        "withheld": ("0.0%", ""),
        "precision": ("2.5%", ""),
        "seconds": ("4.8 s", ""),
        "cost": ("$0.0100", ""),
        "total-cost": ("$0.4000", ""),
    }
    assert not any(source.fails for source in found.sources)
    assert (found.failures, found.withheld, found.findings) == ((), (), ())


def test_a_bad_hour_says_what_is_wrong_with_each_figure() -> None:
    found = view(*bad_hour())
    off = {one.key: one.off for one in found.gauges if one.off}
    assert off == {
        "answers": "More than one run in ten failed",
        "grounding": "Below 95%",
        "seconds": "Over 15 s",
        "cost": "Over $0.02",
    }
    assert (gauge(found, "grounding").value, gauge(found, "withheld").value) == ("80.0%", "20.0%")
    assert gauge(found, "cost").value == "$0.0633", "what failed runs cost is part of it"
    assert [(row.name, row.n, row.share) for row in found.withheld] == [
        ("Not confirmed", 30, "50.0%"),
        ("Not in the source", 30, "50.0%"),
    ]
    assert found.findings == ("The drug: 30", "The number: 30")
    assert [(row.name, row.n) for row in found.outcomes] == [("Answered", 30), ("The run failed", 10)]
    (pubmed,) = found.sources
    assert (pubmed.name, pubmed.route, pubmed.fails, pubmed.error) == ("PubMed", "", True, "Did not answer in time")
    assert found.services[0].bar == views.WIDTH
    assert found.failures[0].why == "Was not done when the run's time was up"


def test_a_sentence_that_was_shown_unsupported_is_the_first_thing_said_of_what_was_held_back() -> None:
    claims = ClaimStatistics(claims=10, supported=10, shown=10, shown_unsupported=1)
    assert gauge(view(observed(claims=claims)), "withheld").off == "Sentences were shown that did not pass"


def test_what_nothing_is_known_of_is_no_number() -> None:
    """One rejected question: there is no share of nothing, and no percentile of no answer."""
    found = view(observed(status=RunStatus.REJECTED, claims=ClaimStatistics(), cost_usd=0.0, sources=()))
    assert [gauge(found, key).value for key in ("grounding", "withheld", "precision", "seconds", "cost")] == (
        ["none yet"] * 5
    )
    assert gauge(found, "grounding").trend.words == "nothing in this window"
    assert found.sources == ()


def test_a_picture_has_a_bar_for_each_slice_in_which_something_was_and_words() -> None:
    found = view(observed(1, total_s=2.0), observed(2, ago=timedelta(minutes=50), total_s=4.0))
    trend = gauge(found, "seconds").trend
    heights = [bar.height for bar in trend.bars]
    assert heights == [views.HEIGHT, views.HEIGHT / 2]
    assert trend.bars[0].x < trend.bars[1].x < views.WIDTH
    assert trend.words == "by 5 minutes: newest none, highest 4.00 s"


@pytest.mark.parametrize("reason", [*FailureReason, FailureReason("of_a_newer_service")])
def test_every_failure_is_told_in_words(reason: FailureReason) -> None:
    (row,) = view(failed_run(1, failure=reason)).failures
    assert re.fullmatch(r"[A-Z][a-z].+[a-z)]", row.why)
    assert "_" not in row.why


def test_a_failure_leads_to_ones_own_run_and_to_phoenix_where_that_is_known() -> None:
    trace = failed_run(1).trace_id
    (nothing,) = view(failed_run(1)).failures
    (own,) = view(failed_run(1), own=[run_id(1)], phoenix="https://traces.example.org/").failures
    assert (nothing.run, nothing.trace, nothing.trace_id) == ("", "", trace)
    assert own.run == f"/runs/{run_id(1)}"
    assert own.trace == f"https://traces.example.org/redirects/traces/{trace}"


def test_goals_and_windows_are_those_of_the_services() -> None:
    assert pytest.approx(evaluations.MOST_UNSUPPORTED) == 1 - views.LEAST_GROUNDING
    assert (views.MOST_LATENCY_S, views.MOST_COST_USD) == (evaluations.MOST_LATENCY_S, evaluations.MOST_COST_USD)
    assert set(views.WINDOWS) == set(SPANS) == set(Window)


# --- the page --------------------------------------------------------------------------------------------------------


async def test_a_window_is_chosen_by_its_address_and_every_figure_has_its_definition() -> None:
    asker = await filled(bad_hour(now=datetime.now(UTC)))
    html = await page(asker, "/observatory?window=hour")
    read = Read(html)
    assert [one["href"] for one in read.all("a") if one.get("aria-current") == "true"] == ["/observatory?window=hour"]
    for one in view(*bad_hour()).gauges:
        assert one.name in read.text
        assert one.means in " ".join(read.text.split())
    assert "Not in the source" in read.text
    assert len([one for one in read.all("svg") if one.get("role") == "img" and one.get("aria-label")]) == 7


async def test_where_no_run_has_ended_there_is_no_table_and_a_way_to_ask() -> None:
    read = Read(await page(MemoryAsker()))
    assert "No run has ended in this time" in read.text
    assert read.all("table") == []
    assert "Ask a question" in read.text


async def test_links_of_failures_stand_on_the_page() -> None:
    now = datetime.now(UTC)
    asker = await filled((failed_run(1, now=now), failed_run(2, now=now, ago=timedelta(minutes=1))))
    document = exports.document().model_copy(update={"run_id": run_id(1), "owner": "local", "status": RunStatus.FAILED})
    await put_document(asker.results, document)
    html = await page(asker, settings=Settings(api_traces_url="https://traces.example.org"))
    links = [str(one["href"]) for one in Read(html).all("a")]
    assert f"/runs/{run_id(1)}" in links
    assert f"/runs/{run_id(2)}" not in html
    assert len([one for one in links if one.startswith("https://traces.example.org/redirects/traces/")]) == 2
    assert f'<code class="ident">{failed_run(2).trace_id}' in await page(asker)


async def test_runs_that_are_gone_are_said_to_be() -> None:
    asker = await filled(good_hour(4, now=datetime.now(UTC)))
    assert "oldest of this window" not in await page(asker)
    asker.statistics.complete_from = datetime.now(UTC) - timedelta(minutes=1)
    assert "oldest of this window" in await page(asker)


async def test_who_may_not_observe_finds_no_link_and_a_closed_door() -> None:
    async with protected_api() as api:
        key, operators = await api.key("alice"), await api.key("ops", scopes=[Scope.OBSERVE, Scope.READ])
        async with api.program(key) as alice, api.program(operators) as ops:
            closed = await alice.get("/observatory", headers=BROWSER)
            assert closed.status_code == 403
            assert "observe" in closed.text
            assert "/observatory" not in (await alice.get("/history", headers=BROWSER)).text
            assert 'href="/observatory"' in (await ops.get("/history", headers=BROWSER)).text
            assert (await ops.get("/observatory", headers=BROWSER)).is_success
        async with api.program() as nobody:
            assert (await nobody.get("/observatory", headers=BROWSER)).status_code == 303
