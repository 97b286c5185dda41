"""The flow of records of whole runs on the memory bus: what the services counted and what became of each work agree."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from openwork_bus.memory import MemoryBus
from openwork_contracts.evidence import AbstractPart, EvidenceRecord, Identifiers, SourcePolicy
from openwork_contracts.plan import SearchRequestLog
from openwork_evidence.library.record import load_shipped
from openwork_gateway.domain.folds import fold
from openwork_query.settings import Settings as QuerySettings
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.domain.source import Found, Search

from tests.adding_up import assert_adds_up
from tests.builders import run_on, submitted
from tests.flow import services

QUESTIONS = (
    "Does dexamethasone reduce mortality in hospitalised patients with COVID-19?",
    "Do omega-3 fatty acids reduce major cardiovascular events?",
    "Does apixaban lower stroke in atrial fibrillation compared with warfarin?",
    "Does ketamine cure hiccups in astronauts?",
)
AT = datetime(2026, 1, 2, tzinfo=UTC)


class Mixed:
    """A source with a duplicate of the library's, a notice, a work without anything to read, and a retracted one."""

    route = "pubmed"
    policy = SourcePolicy()

    async def search(self, request: Search) -> Found:
        shipped = next(one.to_evidence() for one in load_shipped() if one.topic == "covid-19" and one.pmid)
        again = self.record(
            1, shipped.title, "Dexamethasone and mortality.", Identifiers(pmid=shipped.identifiers.pmid)
        )
        others = (
            self.record(10, "Dexamethasone in COVID-19: a cohort", "Dexamethasone and mortality in COVID-19."),
            self.record(11, "Dexamethasone in COVID-19: withdrawn data", "", Identifiers()),
            self.record(12, "Retraction: dexamethasone in COVID-19", "", types=("Retraction Notice",)),
            self.record(13, "Apixaban or warfarin", "", Identifiers(pmid="4", pmcid="PMC4")),
        )
        log = SearchRequestLog(request="mixed", hits=4, fetched=4)
        return Found(records=(again, *others), search_log=(log,))

    def record(
        self,
        n: int,
        title: str,
        text: str,
        ids: Identifiers | None = None,
        *,
        types: tuple[str, ...] = ("Journal Article",),
    ) -> EvidenceRecord:
        return EvidenceRecord(
            source="pubmed",
            source_id=str(n),
            identifiers=ids or Identifiers(pmid=str(900 + n)),
            title=title,
            abstract=(AbstractPart(text=text),) if text else (),
            year=2020,
            publication_types=types,
            retrieved_at=AT,
        )


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_flow_of_a_run_of_the_library_adds_up(question: str) -> None:
    bus = MemoryBus()
    run = run_on(bus)
    await bus.publish(submitted(run, question))
    await services(bus).drain()
    flow = assert_adds_up(fold(await bus.history(run.id)))
    assert flow.steps[0].n == sum(flow.found.values())


async def test_the_flow_of_a_run_with_duplicates_notices_and_works_without_text_adds_up() -> None:
    bus = MemoryBus()
    run = run_on(bus)
    await bus.publish(submitted(run, QUESTIONS[0]))
    sources = {"library": LibrarySource(), "pubmed": Mixed()}
    await services(bus, sources=sources, query=QuerySettings(sources="library,pubmed")).drain()
    flow = assert_adds_up(fold(await bus.history(run.id)))
    assert flow.steps[0].n == sum(flow.found.values())
    assert len(flow.steps[0].left_out) == 3, "duplicates, notices and works without anything to read"
