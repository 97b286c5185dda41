"""The Compose file for real: a question through containers, replicas that share work, kills and restarts."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections import Counter

import pytest
from nats.errors import Error as NatsError
from openwork_bus.jetstream import JetStreamBus
from openwork_contracts.subjects import ASK_SUBJECT
from openwork_gateway.domain.folds import fold
from openwork_gateway.watch import watch
from openwork_laptop.stack import client

from tests.containers.conftest import Compose

pytestmark = pytest.mark.containers

QUESTIONS = (
    "Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease",
    "Norepinephrine versus vasopressin in septic shock, is mortality different?",
    "Do omega-3 fatty acids reduce major cardiovascular events?",
)


async def asked(bus: JetStreamBus, question: str) -> str:
    """A run started as anybody would: a request to `openwork.ask`, asked again while NATS or the gateway is away."""
    while True:
        try:
            body = json.dumps({"question": question}).encode()
            reply = await bus.connection.request(ASK_SUBJECT, body, timeout=10)
            return str(json.loads(reply.data)["run_id"])
        except NatsError:
            await asyncio.sleep(0.2)


async def outcome(bus: JetStreamBus, run_id: str) -> tuple[str, int, int]:
    """Status of a run, its terminal events, and the most events on one subject: ("answered", 1, 1) when all is well."""
    history = [stored async for stored in watch(bus, run_id)]
    subjects = Counter(stored.subject for stored in history)
    return fold(history).status.value, sum(stored.event.terminal for stored in history), max(subjects.values())


async def test_a_question_is_answered_through_containers(compose: Compose) -> None:
    async with client(compose.url) as bus:
        async with asyncio.timeout(60):
            assert await outcome(bus, await asked(bus, QUESTIONS[0])) == ("answered", 1, 1)


async def test_replicas_share_the_work_and_give_one_answer_per_question(compose: Compose) -> None:
    """`--scale reranker=2 --scale retrievers-library=3`: every replica works, no question is answered twice."""
    scales = ("--scale", "reranker=2", "--scale", "retrievers-library=3")
    await asyncio.to_thread(compose, "up", "--detach", "--no-recreate", *scales, "--wait", "--wait-timeout", "120")
    async with client(compose.url) as bus:
        async with asyncio.timeout(120):
            runs = await asyncio.gather(*(asked(bus, QUESTIONS[i % 3]) for i in range(24)))
            outcomes = Counter(await asyncio.gather(*(outcome(bus, run_id) for run_id in runs)))
    assert outcomes == {("answered", 1, 1): 24}
    assert len(compose("ps", "-q", "reranker").split()) == 2
    assert len(compose("ps", "-q", "retrievers-library").split()) == 3


async def test_runs_end_once_when_containers_die_and_nats_restarts(compose: Compose) -> None:
    """What a killed process had in work comes back when its acknowledgement is overdue: half a minute to a minute."""
    async with client(compose.url) as bus:
        runs = [await asked(bus, QUESTIONS[i % 3]) for i in range(12)]
        for service in ("synthesiser", "verifier", "gap"):
            await asyncio.to_thread(compose.kill_process, service)
        runs += [await asked(bus, QUESTIONS[i % 3]) for i in range(12)]
        await asyncio.to_thread(compose, "restart", "nats")
        runs += [await asked(bus, QUESTIONS[i % 3]) for i in range(6)]
        async with asyncio.timeout(150):
            outcomes = Counter(await asyncio.gather(*(outcome(bus, run_id) for run_id in runs)))
    assert outcomes == {("answered", 1, 1): 30}


def test_containers_run_as_nobody_on_a_read_only_file_system(compose: Compose) -> None:
    for container in compose("ps", "-q", "gap", "reranker", "retrievers-library").split():
        script = "id -u; touch /app/x 2>/dev/null && echo written; true"
        done = subprocess.run(
            ["docker", "exec", container, "sh", "-c", script], capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == ["10001"]
