"""A service killed after each single publication of a run, and before each: the run ends once and in the same way."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from openwork_bus.memory import MemoryBus
from openwork_bus.run import Run
from openwork_contracts.answer import AnswerConcluded, AnswerStatus
from openwork_contracts.end import RunEnded
from openwork_contracts.evidence import SourcePolicy
from openwork_gap.settings import Settings as GapSettings
from openwork_query.settings import Settings as QuerySettings
from openwork_retrievers.adapters.library import LibrarySource
from openwork_retrievers.domain.source import Found, Search

from tests.builders import run_on, submitted
from tests.flow import services
from tests.handling import stored_of
from tests.killing import Deadly, Redelivering

ANSWERED = "Does dexamethasone reduce mortality in hospitalised patients with COVID-19?"
NOT_ANSWERED = "Does zanolixumab reduce mortality in patients with mycosis fungoides?"
"""Of which the library has nothing."""


LIBRARY = LibrarySource()


class Web:
    """The source of further rounds; it finds nothing."""

    route = "tavily"
    policy = SourcePolicy()

    async def search(self, request: Search) -> Found:
        return Found()


async def run_through(bus: Deadly, question: str, further: str) -> tuple[list[str], AnswerConcluded]:
    """Subjects of the run's events without its id, and its outcome."""
    run, runner = await started(bus, question, further)
    await runner.drain()
    assert len(await stored_of(bus, run.id, RunEnded)) == 1
    (outcome,) = await stored_of(bus, run.id, AnswerConcluded)
    return [s.subject.replace(run.id, "RUN") for s in await bus.history(run.id)], outcome


async def started(bus: Deadly, question: str, further: str) -> tuple[Run, Redelivering]:
    """A run whose question was asked, and the services that take it up."""
    run = run_on(bus)
    await MemoryBus.publish_all(bus, [submitted(run, question)])
    runner = services(
        bus,
        sources={"library": LIBRARY, "tavily": Web()},
        query=QuerySettings(sources=f"library,{further}", gap_sources=further),
        gap=GapSettings(sources=f"library,{further}", gap_sources=further),
    )
    return run, Redelivering(bus, runner.handlers)


CASES = pytest.mark.parametrize(
    ("question", "further", "status"),
    [
        (ANSWERED, "", AnswerStatus.ANSWERED),
        (ANSWERED, "tavily", AnswerStatus.ANSWERED),
        (NOT_ANSWERED, "", AnswerStatus.TOO_LITTLE_EVIDENCE),
        (NOT_ANSWERED, "tavily", AnswerStatus.TOO_LITTLE_EVIDENCE),
    ],
    ids=["answered", "answered, two rounds", "too little", "too little, two rounds"],
)


@CASES
@pytest.mark.parametrize("stored", [True, False], ids=["after it was stored", "before"])
async def test_a_service_killed_at_any_publication_changes_nothing_of_the_run(
    question: str, further: str, status: AnswerStatus, stored: bool
) -> None:
    undisturbed = Deadly(now=datetime.now(UTC))
    subjects, outcome = await run_through(undisturbed, question, further)
    assert outcome.status is status
    assert any(".affirmative.2." in subject for subject in subjects) is bool(further)
    for place in range(1, undisturbed.n_publications + 1):
        bus = Deadly(now=datetime.now(UTC), kills_at=place, stored=stored)
        again, same = await run_through(bus, question, further)
        assert again == subjects, place
        assert (same.status, same.sections, same.message) == (outcome.status, outcome.sections, outcome.message)


@CASES
async def test_every_message_delivered_again_after_the_end_changes_nothing(
    question: str, further: str, status: AnswerStatus
) -> None:
    bus = Deadly(now=datetime.now(UTC))
    run, runner = await started(bus, question, further)
    await runner.drain()
    before = await bus.history(run.id)
    for message in before:
        await runner.redeliver(message.subject)
        assert await bus.history(run.id) == before, message.subject
    (outcome,) = await stored_of(bus, run.id, AnswerConcluded)
    assert outcome.status is status
