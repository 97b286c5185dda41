"""The bus on a real nats-server: create-only publishing, one end per run, atomic fan-outs, timers, reading back."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from openwork_bus.bus import Bus
from openwork_bus.connection import connect
from openwork_bus.run_ids import new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import AnswerCompleted, AnswerStatus
from openwork_contracts.errors import BusUnavailable, ContractViolation, EventTooLarge, RunNotFound
from openwork_contracts.plan import DeadlineReached, RetrievalCompleted, SearchPlanned
from openwork_contracts.question import QueryRejected, QuerySubmitted, RejectionReason
from openwork_contracts.subjects import TIMER_PREFIX
from openwork_contracts.verdict import VerificationScores
from openwork_laptop.embedded import EmbeddedServer

from tests.builders import completed, failed, planned, run_on, submitted

pytestmark = pytest.mark.nats


async def test_the_second_publish_of_an_event_is_refused_and_changes_nothing(bus: Bus) -> None:
    run = run_on(bus)
    assert await run.publish(submitted(run, "the first"))
    assert not await run.publish(submitted(run, "the second"))
    history = await bus.history(run.id)
    assert [s.event.question for s in history] == ["the first"]


async def test_of_many_endings_published_at_once_exactly_one_is_stored(bus: Bus) -> None:
    """Answered, rejected and failed exclude each other, whoever comes first."""
    run = run_on(bus)
    await run.publish(submitted(run))
    scores = VerificationScores(claims=0, supported=0, unsupported=0, grounding_score=1, citation_coverage=1)
    endings = [
        failed(run),
        AnswerCompleted(meta=run.meta(AnswerCompleted), status=AnswerStatus.TOO_LITTLE_EVIDENCE, verification=scores),
        QueryRejected(meta=run.meta(QueryRejected), question="?", reason=RejectionReason.EMPTY, message="empty"),
    ] * 5
    stored = await asyncio.gather(*(bus.publish_once(event) for event in endings))
    assert sum(stored) == 1
    assert sum(s.event.terminal for s in await bus.history(run.id)) == 1


async def test_a_fan_out_is_stored_whole_or_not_at_all(bus: Bus) -> None:
    run = run_on(bus)
    await run.publish(completed(run, "b"))
    assert not await run.publish_all([planned(run, ("a", "b")), completed(run, "a"), completed(run, "b")])
    assert await run.read(SearchPlanned, "affirmative-1") is None
    assert await run.read(RetrievalCompleted, "affirmative-1", route="a") is None


async def test_an_event_that_a_timer_published_is_not_believed(bus: Bus) -> None:
    """The server publishes a timer to any subject: who may set timers could write in another service's name."""
    run = run_on(bus)
    await run.publish(submitted(run))
    forged = planned(run, ("pubmed",))
    due = (datetime.now(UTC) + timedelta(seconds=0.5)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    headers = {"Nats-Schedule": f"@at {due}", "Nats-Schedule-Target": forged.meta.event_id}
    timer = f"{TIMER_PREFIX}.run.{run.id}.0"
    await bus.connection.jetstream().publish(timer, forged.model_dump_json().encode(), headers=headers)
    async with asyncio.timeout(10):
        while forged.meta.event_id not in await run.stored():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    with pytest.raises(ContractViolation, match="timer"):
        await run.read(SearchPlanned, "affirmative-1")
    assert [type(stored.event) for stored in await bus.history(run.id)] == [QuerySubmitted]


async def test_a_timer_fires_on_its_joiner_even_when_the_server_was_killed(
    bus: Bus, nats_server: EmbeddedServer
) -> None:
    run = run_on(bus)
    due = datetime.now(UTC) + timedelta(seconds=1)
    await run.publish_all([planned(run, ("a",))], [run.timer("normaliser", "affirmative-1", due)])
    nats_server.kill()
    await nats_server.start()
    for _ in range(100):
        fired = (
            await run.read(DeadlineReached, "affirmative-1", route="normaliser")
            if bus.connection.is_connected
            else None
        )
        if fired is not None:
            break
        await asyncio.sleep(0.1)
    assert fired is not None
    assert fired.joiner == "normaliser"


async def test_publishing_survives_a_restart_of_the_server(bus: Bus, nats_server: EmbeddedServer) -> None:
    run = run_on(bus)
    await nats_server.stop()
    publishing = asyncio.create_task(run.publish(submitted(run)))
    await asyncio.sleep(0.2)
    await nats_server.start()
    assert await publishing
    assert len(await bus.history(run.id)) == 1


async def test_a_large_event_is_compressed_and_read_back(bus: Bus) -> None:
    run = run_on(bus)
    question = "atrial fibrillation " * 900
    await run.publish(submitted(run, question))
    stored = (await bus.history(run.id))[0]
    assert stored.event.question == question


async def test_an_event_over_the_limit_is_refused_in_words_that_help(bus: Bus) -> None:
    run = run_on(bus)
    bus.connection._max_payload = 5000  # the server's limit as the client was told it
    with pytest.raises(EventTooLarge, match=r"takes 904.*max_payload"):
        await run.publish(submitted(run, "".join(chr(0x4E00 + (i * 7919) % 20000) for i in range(9000))))


async def test_an_unknown_run_is_not_an_empty_one(bus: Bus) -> None:
    with pytest.raises(RunNotFound, match="runs list"):
        await bus.history(new_run_id())


async def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(BusUnavailable, match=r"nats://127.0.0.1:1 .*OPENWORK_NATS_URL"):
        await connect(ServiceSettings(nats_url="nats://127.0.0.1:1"), name="test")
