"""Real processes, really killed: whatever dies, every run ends, and ends once.

One set of processes serves all of it, since starting eight Python processes is what takes the time. The moments of the
kills are random; the seed is printed, so that a failure can be repeated.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_contracts.answer import RunStatus
from openwork_contracts.question import AskRequest
from openwork_contracts.subjects import DEAD_LETTER_STREAM, end_filter
from openwork_gateway.domain.folds import fold
from openwork_laptop.processes import Processes
from openwork_laptop.stack import client, prepare

from tests.asking import submit
from tests.nats_server import OpenServer

pytestmark = [pytest.mark.nats, pytest.mark.processes]

KILLS = 40
QUESTIONS = (
    "Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease",
    "Do SGLT2 inhibitors reduce hospitalisation in heart failure with preserved ejection fraction?",
    "Norepinephrine versus vasopressin in septic shock, is mortality different?",
    "Do omega-3 fatty acids reduce major cardiovascular events?",
)


@asynccontextmanager
async def processes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, replicas: int
) -> AsyncIterator[tuple[JetStreamBus, Processes, OpenServer]]:
    """A server and every service as processes of their own, ready to answer."""
    monkeypatch.setenv("OPENWORK_RETRY_DELAYS_S", "[0.2, 0.5, 1.0]")
    monkeypatch.setenv("OPENWORK_LOG_LEVEL", "ERROR")
    monkeypatch.setenv("OPENWORK_GRACEFUL_TIMEOUT_S", "3")
    server = OpenServer(folder)
    await server.start()
    await prepare(server.url)
    children = Processes(server.asker_url, replicas=replicas, logins=server.logins)
    await children.start()
    try:
        async with client(server.url) as bus:
            await asyncio.wait_for(
                ended(bus, await ask(bus, QUESTIONS[0])), 90
            )  # everything is up when this is answered
            yield bus, children, server
    finally:
        await children.stop(timeout_s=15)
        await server.stop()


async def ask(bus: JetStreamBus, question: str, run_id: str | None = None, pipeline: str = "answer") -> str:
    request = AskRequest(question=question, run_id=run_id, pipeline=pipeline)
    reply = await submit(bus, request, ServiceSettings())
    assert reply.run_id is not None
    return reply.run_id


async def ended(bus: JetStreamBus, run_id: str) -> None:
    """Wait for the terminal event; the server may be away for a while."""
    while True:
        try:
            if await bus.subjects(end_filter(run_id)):
                return
        except Exception:
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.05)


async def test_every_run_ends_once_while_services_and_the_server_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At least 40 SIGKILLs of services at random moments of runs in work, and three restarts of NATS."""
    seed = int(os.environ.get("OPENWORK_TEST_SEED", random.randrange(10**6)))
    print(f"seed {seed}")
    chance = random.Random(seed)
    async with processes(tmp_path / "nats", monkeypatch, replicas=1) as (bus, children, server):
        runs: list[str] = []
        killed: Counter[str] = Counter()
        while sum(killed.values()) < KILLS:
            runs += [await ask(bus, question) for question in chance.sample(QUESTIONS, 2)]
            for _ in range(4):
                await asyncio.sleep(chance.uniform(0, 0.35))
                key = chance.choice(children.keys)
                killed[key] += children.kill(key)
            if len(runs) in (6, 12, 18):
                server.kill()
                await server.start()
        await asyncio.wait_for(asyncio.gather(*(ended(bus, run_id) for run_id in runs)), 150)
        histories = [await bus.history(run_id) for run_id in runs]
        dead = (await bus.connection.jetstream().stream_info(DEAD_LETTER_STREAM)).state.messages
    assert sum(killed.values()) >= KILLS
    assert [sum(s.event.terminal for s in history) for history in histories] == [1] * len(runs)
    documents = [fold(history) for history in histories]
    assert [(one.status, one.answer.markdown) for one in documents if one.status != RunStatus.ANSWERED] == []
    assert dead == 0


async def test_two_replicas_of_every_service_give_one_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the same query event published twice, at once, gives one run."""
    async with processes(tmp_path / "nats", monkeypatch, replicas=2) as (bus, _, _):
        first = await ask(bus, QUESTIONS[1])
        again = await asyncio.gather(*(ask(bus, QUESTIONS[1], first) for _ in range(5)))
        others = [await ask(bus, question) for question in QUESTIONS]
        await asyncio.wait_for(asyncio.gather(*(ended(bus, run_id) for run_id in [first, *others])), 60)
        histories = [await bus.history(run_id) for run_id in [first, *others]]
    assert set(again) == {first}
    for history in histories:
        names = Counter((s.event.event_name, s.subject) for s in history)
        assert max(names.values()) == 1
        assert sum(s.event.terminal for s in history) == 1


async def test_a_review_comes_to_the_same_while_services_and_the_server_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kills at random moments, and a restart of NATS, change nothing of a review but its time."""
    seed = int(os.environ.get("OPENWORK_TEST_SEED", random.randrange(10**6)))
    print(f"seed {seed}")
    chance = random.Random(seed)
    async with processes(tmp_path / "nats", monkeypatch, replicas=1) as (bus, children, server):
        undisturbed = await ask(bus, QUESTIONS[1], pipeline="review")
        await asyncio.wait_for(ended(bus, undisturbed), 90)
        disturbed = await ask(bus, QUESTIONS[1], pipeline="review")
        for place in range(KILLS // 2):
            await asyncio.sleep(chance.uniform(0, 0.3))
            children.kill(chance.choice(children.keys))
            if place == KILLS // 4:
                server.kill()
                await server.start()
        await asyncio.wait_for(ended(bus, disturbed), 150)
        first, second = await bus.history(undisturbed), await bus.history(disturbed)
    assert sum(stored.event.terminal for stored in second) == 1
    one, other = fold(first), fold(second)
    assert one.review is not None
    assert other.review is not None
    assert other.review.model_dump() == one.review.model_dump()
