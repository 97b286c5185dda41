"""The gateway's streams on a real server: results whose last message is the document, inboxes, who waits there."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.run_ids import new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import ensure_inbox
from openwork_contracts.accounts import inbox_stream, inbox_subject
from openwork_contracts.answer import RunStatus
from openwork_contracts.progress import Progress
from openwork_contracts.results import RESULT_HEADER
from openwork_gateway.domain.refused import refused_document
from openwork_gateway.door import Door
from openwork_gateway.inboxes import Inboxes
from openwork_gateway.results import StoredResults, put_document
from openwork_gateway.settings import Settings

from tests.at_the_door import close_door, open_door

pytestmark = pytest.mark.nats


def progress(run_id: str, step: str) -> Progress:
    return Progress(run_id=run_id, service="gap", step=step, at=datetime.now(UTC))


async def kinds(bus: JetStreamBus, run_id: str) -> list[str]:
    """What is stored of a run, in order."""
    pull = await bus.connection.jetstream().pull_subscribe(f"openwork.results.v1.ALICE.{run_id}")
    messages = await pull.fetch((await pull.consumer_info()).num_pending, timeout=30)
    return [(message.headers or {})[RESULT_HEADER] for message in messages]


async def test_progress_is_stored_until_the_document_is_there_and_never_after(bus: JetStreamBus) -> None:
    results, run_id = StoredResults(bus), new_run_id()
    refusal = refused_document(run_id, "busy", owner="ALICE", pipeline="answer")
    await put_document(results, refusal)
    assert await results.put_progress(progress(run_id, "1"), "ALICE")
    assert await results.put_progress(progress(run_id, "2"), "ALICE")
    assert await results.document("ALICE", run_id) is None
    answered = refusal.model_copy(update={"status": RunStatus.FAILED})
    await put_document(results, answered, once=True)
    await put_document(results, answered, once=True)
    assert not await results.put_progress(progress(run_id, "3"), "ALICE")
    assert await results.document("ALICE", run_id) == answered
    assert await results.last("ALICE", run_id) == answered
    assert await results.document("ALICE/bob", run_id) is None
    assert await kinds(bus, run_id) == ["document", "progress", "progress", "document"]


async def test_progress_that_races_the_document_is_not_stored_over_it(bus: JetStreamBus) -> None:
    """It was read that there is no document, and then there was one."""
    results, run_id = StoredResults(bus), new_run_id()
    document = refused_document(run_id, "no", owner="ALICE", pipeline="answer")
    document = document.model_copy(update={"status": RunStatus.FAILED})

    class Slow(StoredResults):
        async def _read(self, message):  # type: ignore[no-untyped-def]
            found = await super()._read(message)
            await put_document(results, document)
            return found

    assert not await Slow(bus).put_progress(progress(run_id, "1"), "ALICE")
    assert await kinds(bus, run_id) == ["document"]


async def until_acknowledged(bus: JetStreamBus, account: str) -> None:
    async with asyncio.timeout(60):
        while (await bus.connection.jetstream().stream_info(inbox_stream(account))).state.messages:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_questions_of_an_inbox_wait_are_let_in_and_leave_it(bus: JetStreamBus, settings: ServiceSettings) -> None:
    js = bus.connection.jetstream(timeout=5)
    results = StoredResults(bus)
    door = Door(bus, results, Settings())
    inboxes = Inboxes(js, door, inbox_prefix=b"_INBOX_test.")
    for account in ("ALICE", "BOB"):
        await ensure_inbox(js, account, settings)
    good, bad = new_run_id(), new_run_id()
    close_door(door)
    await js.publish(inbox_subject("ALICE", good), b'{"question": "Why?"}')
    await js.publish(inbox_subject("BOB", bad), b"garbage")
    inboxes.start()
    try:
        await until_acknowledged(bus, "BOB")
        refused = await results.document("BOB", bad)
        assert refused is not None
        assert refused.status is RunStatus.REFUSED
        async with asyncio.timeout(60):
            while not door.waiting:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert await inboxes.holds("ALICE", good)
        assert not await inboxes.holds("ALICE", bad)
        assert not await inboxes.holds("NOBODY", bad)
        open_door(door)
        await door.turn()
        await until_acknowledged(bus, "ALICE")
        assert not await inboxes.holds("ALICE", good)
        (question,) = [stored.event for stored in await bus.history(good)]
        assert question.meta.owner == "ALICE"
    finally:
        await inboxes.stop()
