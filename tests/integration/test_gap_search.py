"""A second round searches for what is missing: told, never the same again, none without need, also without any key."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from openwork_bus.jetstream import JetStreamBus
from openwork_contracts.answer import RunStatus
from openwork_contracts.plan import RetrievalCompleted, SearchPlanned
from openwork_contracts.question import QuestionAnalysis
from openwork_http.client import HttpClient
from openwork_http.limits import BudgetUsedUp
from openwork_http.wiring import monthly_quota
from openwork_language.searching.ladder import strategy_of
from openwork_query.domain.analysis import analyse
from openwork_retrievers.adapters.live import LiveSource, Outside
from openwork_retrievers.domain.registry import source
from openwork_retrievers.domain.source import Search
from openwork_retrievers.settings import Settings

from tests.builders import event_of
from tests.fakes.upstream.app import environment, upstream
from tests.live import QUESTION, Live, running

pytestmark = pytest.mark.nats

UNANSWERED = "Does apixaban lower mortality in patients with kidney transplantation and zoster encephalitis?"


@pytest.fixture
async def with_web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Live]:
    async with running(tmp_path, monkeypatch, ("library", "pubmed", "tavily")) as stack:
        yield stack


async def test_too_little_evidence_is_followed_by_a_web_search_that_the_method_tells_of(with_web: Live) -> None:
    document = await with_web.ask(UNANSWERED)
    assert with_web.server.count("/tavily/search") == 1
    assert [s.name for s in document.method.sources if s.status == "completed"] == ["library", "pubmed", "tavily"]
    assert any(
        note.startswith("a further search, of pubmed, tavily, was made because")
        for note in document.method.degradations
    )
    counts = document.method.counts
    parts = counts["duplicates"] + counts["excluded_notices"] + counts["excluded_no_text"] + counts["screened"]
    assert counts["identified"] == sum(s.found for s in document.method.sources) == parts
    first = await event_of(with_web.bus, SearchPlanned, document.run_id)
    second = await event_of(with_web.bus, SearchPlanned, document.run_id, round_=2)
    assert first is not None
    assert "tavily" not in first.sources
    assert second is not None
    assert second.sources == ("pubmed", "tavily")
    assert second.reason
    assert first.strategy is not None
    assert second.strategy is not None
    assert second.strategy.rungs[0] not in first.strategy.rungs
    searches = [
        {entry.request for entry in found.search_log if "esearch" in entry.request}
        for round_ in (1, 2)
        if (found := await event_of(with_web.bus, RetrievalCompleted, document.run_id, route="pubmed", round_=round_))
    ]
    assert len(searches) == 2
    assert all(searches)
    assert not searches[0] & searches[1], "the same search twice"


async def test_a_web_search_that_fails_leaves_the_first_round(with_web: Live) -> None:
    with_web.server.fault("500", "/tavily/search")
    document = await with_web.ask(UNANSWERED)
    assert document.status in {RunStatus.ANSWERED, RunStatus.TOO_LITTLE_EVIDENCE}
    assert any("tavily could not be reached" in note for note in document.method.degradations)


async def test_no_web_search_where_the_evidence_is_enough(with_web: Live) -> None:
    document = await with_web.ask("Does apixaban reduce stroke compared with warfarin in atrial fibrillation?")
    assert document.status is RunStatus.ANSWERED
    assert with_web.server.count("/tavily") == 0
    assert "tavily" not in {s.name for s in document.method.sources}


async def test_without_a_key_the_literature_is_searched_for_the_gap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {"OPENWORK_TAVILY_API_KEY": ""}
    async with running(tmp_path, monkeypatch, ("library", "pubmed", "tavily"), environ=environ) as stack:
        document = await stack.ask(UNANSWERED)
        second = await event_of(stack.bus, SearchPlanned, document.run_id, round_=2)
    assert second is not None
    assert second.sources == ("pubmed",)
    assert stack.server.count("/tavily") == 0
    assert "tavily" not in {s.name for s in document.method.sources}
    assert not any("tavily" in note for note in document.method.degradations)


async def test_a_month_without_calls_left_is_a_source_that_was_not_asked(
    bus: JetStreamBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quota is taken before anything is sent, so a call too many never reaches the service."""
    async with upstream(recorded=False) as server:
        for name, value in environment(server.url).items():
            monkeypatch.setenv(name, value)
        settings = Settings(reachability_file=None)
        outside = Outside()
        tavily = LiveSource(source("tavily"), settings, outside)
        assert tavily.per_month == 1000
        outside.quotas["tavily"] = await monthly_quota(bus.connection.jetstream(), "tavily.test", 1)
        async with HttpClient(settings) as client:
            outside.open(client)
            found = await tavily.search(web_search(QUESTION))
            assert found.records
            with pytest.raises(BudgetUsedUp, match="1 of 1 calls; it starts anew on"):
                await tavily.search(web_search(UNANSWERED))
        assert server.count("/tavily/search") == 1


def web_search(question: str) -> Search:
    now = datetime.now(UTC)
    analysis = analyse(question, available_sources=["tavily"], current_year=now.year)
    assert isinstance(analysis, QuestionAnalysis)
    due = now + timedelta(seconds=10)
    return Search(
        source="tavily", analysis=analysis, strategy=strategy_of(analysis), limit=20, deadline_at=due, round=2
    )
