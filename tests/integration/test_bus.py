"""The bus on a real nats-server: what needs one. What both buses do is in tests/contract/test_bus_conformance.py."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from openwork_bus.connection import connect
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import BusUnavailable, EventTooLarge, FailureReason
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.question import RejectionReason
from openwork_contracts.subjects import end_filter

from tests.builders import planned, run_on, submitted
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats


async def test_of_many_endings_published_at_once_exactly_one_is_stored(bus: JetStreamBus) -> None:
    """Completed, rejected and failed exclude each other, whoever comes first."""
    run = run_on(bus)
    await bus.publish(submitted(run))
    endings = [
        lambda: run.fail(FailureReason.INTERNAL, "failed"),
        lambda: run.reject(RejectionReason.EMPTY, "empty"),
        lambda: run.end(RunEnded(meta=run.meta(RunEnded), kind=EndKind.CANCELLED)),
    ] * 5
    await asyncio.gather(*(end() for end in endings))
    assert sum(s.event.terminal for s in await bus.history(run.id)) == 1
    assert len(await bus.subjects(end_filter(run.id))) == 1


async def test_a_timer_fires_on_its_joiner_even_when_the_server_was_killed(
    bus: JetStreamBus, nats_server: OpenServer
) -> None:
    run = run_on(bus)
    due = datetime.now(UTC) + timedelta(seconds=1)
    await run.set_deadline("normaliser", due)
    await run.publish(planned(run, ("a",)))
    nats_server.kill()
    await nats_server.start()
    for _ in range(600):
        fired = await run.read(DeadlineReached, route="normaliser") if bus.connection.is_connected else None
        if fired is not None:
            break
        await asyncio.sleep(0.1)
    assert fired is not None
    assert fired.joiner == "normaliser"


async def test_publishing_survives_a_restart_of_the_server(bus: JetStreamBus, nats_server: OpenServer) -> None:
    run = run_on(bus)
    await nats_server.stop()
    publishing = asyncio.create_task(run.publish(submitted(run)))
    await asyncio.sleep(0.2)
    await nats_server.start()
    assert await publishing
    assert len(await bus.history(run.id)) == 1


async def test_a_large_event_is_compressed_and_read_back(bus: JetStreamBus) -> None:
    run = run_on(bus)
    question = "atrial fibrillation " * 900
    await run.publish(submitted(run, question))
    stored = (await bus.history(run.id))[0]
    assert stored.event.question == question  # type: ignore[attr-defined]


async def test_an_event_over_the_limit_is_refused_in_words_that_help(bus: JetStreamBus) -> None:
    run = run_on(bus)
    bus.connection._max_payload = 5000  # the server's limit as the client was told it
    with pytest.raises(EventTooLarge, match=r"takes 904.*max_payload"):
        await run.publish(submitted(run, "".join(chr(0x4E00 + (i * 7919) % 20000) for i in range(9000))))


async def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(BusUnavailable, match=r"nats://127.0.0.1:1 .*OPENWORK_NATS_URL"):
        await connect(ServiceSettings(nats_url="nats://127.0.0.1:1"), name="test")
