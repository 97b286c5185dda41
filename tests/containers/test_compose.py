"""The Compose file for real: a question through containers, replicas that share work, kills and restarts."""

from __future__ import annotations

import asyncio
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext

import httpx
import openwork
import pytest
from openwork.errors import BusUnavailable, Busy
from openwork_bus.jetstream import JetStreamBus
from openwork_contracts.answer import RunStatus
from openwork_gateway.domain.folds import fold
from openwork_gateway.watch import watch
from openwork_laptop.accounts import proof, work
from openwork_laptop.accounts.compose import ComposePlace
from openwork_laptop.accounts.places import Address
from openwork_laptop.logins import Logins
from openwork_laptop.stack import OPERATOR, client

from tests.containers.conftest import COMPOSE_FILE, ROOT, Compose, up_script

pytestmark = pytest.mark.containers

QUESTIONS = (
    "Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease",
    "Norepinephrine versus vasopressin in septic shock, is mortality different?",
    "Do omega-3 fatty acids reduce major cardiovascular events?",
)


@asynccontextmanager
async def watching(compose: Compose) -> AsyncIterator[JetStreamBus]:
    """Sees every event, with the development password of docker-compose.yml."""
    async with client(compose.url, Logins({OPERATOR: f"development-{OPERATOR}"})) as bus:
        yield bus


async def asked(compose: Compose, question: str) -> str:
    """A run started as anybody would, without credentials; asked again while NATS or the gateway is away or busy."""
    while True:
        try:
            async with openwork.connect(compose.url) as asker:
                reply = await asker.submit(question)
                return str(reply.run_id)
        except (BusUnavailable, Busy):
            await asyncio.sleep(0.2)


async def outcome(compose: Compose, bus: JetStreamBus, question: str, run_id: str) -> tuple[str, int, int]:
    """Status of a run, its terminal events, and the most events on one subject: ("answered", 1, 1) when all is well.

    Who waited at the door and was refused in words asks again: a machine that stood still takes less than was asked.
    """
    while (await ended(compose, run_id)) == RunStatus.REFUSED:
        run_id = await asked(compose, question)
    history = [stored async for stored in watch(bus, run_id)]
    subjects = Counter(stored.subject for stored in history)
    return fold(history).status.value, sum(stored.event.terminal for stored in history), max(subjects.values())


async def ended(compose: Compose, run_id: str) -> str:
    """The status of a run at its end."""
    async with openwork.connect(compose.url) as asker:
        async for told in asker.watch(run_id):
            if isinstance(told, openwork.Answer):
                return told.status
    raise AssertionError(f"run {run_id} has no end")


async def outcomes_of(compose: Compose, bus: JetStreamBus, runs: Sequence[str]) -> Counter[tuple[str, int, int]]:
    """How many ended how; the n-th run is of the n-th question, over and over."""
    ends = (outcome(compose, bus, QUESTIONS[i % 3], run_id) for i, run_id in enumerate(runs))
    return Counter(await asyncio.gather(*ends))


async def test_a_question_is_answered_through_containers(compose: Compose) -> None:
    async with watching(compose) as bus:
        async with asyncio.timeout(60):
            assert await outcomes_of(compose, bus, [await asked(compose, QUESTIONS[0])]) == {("answered", 1, 1): 1}


async def test_a_question_is_answered_over_http_and_seen_by_a_terminal(compose: Compose) -> None:
    """Without a key, as the account `local`; by another name than this machine's nobody is let in."""
    async with httpx.AsyncClient(base_url=compose.http_url, timeout=60) as client:
        begun = (await client.post("/api/v1/runs", json={"question": QUESTIONS[0]})).raise_for_status().json()
        async with client.stream("GET", begun["links"]["events"]) as told:
            assert "event: document" in [line async for line in told.aiter_lines()]
        document = (await client.get(begun["links"]["self"])).raise_for_status().json()
        assert document["status"] == "answered"
        assert (await client.get("/api/v1/runs", headers={"Host": "elsewhere.example"})).status_code >= 400
    async with openwork.connect(compose.url) as asker:
        assert (await asker.show(begun["run_id"])).status == "answered"


def containers_of(compose: Compose) -> dict[str, str]:
    """Container -> service."""
    lines = compose("ps", "--format", "{{.ID}} {{.Service}}").splitlines()
    return dict(line.split() for line in lines)


def environ_of(container: str) -> str:
    """A container's environment, as JSON."""
    command = ["docker", "inspect", "--format", "{{json .Config.Env}}", container]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_starting_again_builds_nothing_and_replaces_nothing(compose: Compose) -> None:
    before = containers_of(compose)
    assert "images: nothing to build" in up_script("up", **compose.environ, COMPOSE_FILE=COMPOSE_FILE)
    assert containers_of(compose) == before


async def test_replicas_share_the_work_and_give_one_answer_per_question(compose: Compose) -> None:
    """After `make scale` every replica works, no question is answered twice, all have the overlays of what runs."""
    before = containers_of(compose)
    await asyncio.to_thread(up_script, "scale", "reranker=2", "retrievers-library=3", **compose.environ)
    await asyncio.to_thread(up_script, "up", **compose.environ, COMPOSE_FILE=COMPOSE_FILE)
    after = containers_of(compose)
    assert before.items() <= after.items()
    more = Counter(after.values()) - Counter(before.values())
    assert more == {"reranker": 1, "retrievers-library": 2}
    assert all(
        '"OPENWORK_SOURCES=library,guidelines"' in environ_of(container) for container in after.keys() - before.keys()
    )
    async with watching(compose) as bus:
        async with asyncio.timeout(120):
            runs = await asyncio.gather(*(asked(compose, QUESTIONS[i % 3]) for i in range(24)))
            outcomes = await outcomes_of(compose, bus, runs)
    assert outcomes == {("answered", 1, 1): 24}


async def test_runs_end_once_when_containers_die_and_nats_restarts(compose: Compose) -> None:
    """What a killed process had in work comes back when its acknowledgement is overdue: half a minute to a minute."""
    async with watching(compose) as bus:
        runs = [await asked(compose, QUESTIONS[i % 3]) for i in range(12)]
        for service in ("synthesiser", "verifier", "gap"):
            await asyncio.to_thread(compose.kill_process, service)
        runs += [await asked(compose, QUESTIONS[i % 3]) for i in range(12)]
        await asyncio.to_thread(compose, "restart", "nats")
        runs += [await asked(compose, QUESTIONS[i % 3]) for i in range(6)]
        async with asyncio.timeout(300):
            outcomes = await outcomes_of(compose, bus, runs)
    assert outcomes == {("answered", 1, 1): 30}


def test_containers_run_as_nobody_on_a_read_only_file_system(compose: Compose) -> None:
    for container in compose("ps", "-q", "gap", "reranker", "retrievers-library").split():
        script = "id -u; touch /app/x 2>/dev/null && echo written; true"
        done = subprocess.run(
            ["docker", "exec", container, "sh", "-c", script], capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == ["10001"]


async def test_an_account_is_added_while_the_containers_run(compose: Compose) -> None:
    """Written into the server's volume, told by the signal, its inbox made by the topology's image; then it asks."""

    async def run(command: Sequence[str], stdin: str | None = None) -> str:
        return await asyncio.to_thread(compose, *command[2:], stdin=stdin)

    class Place(ComposePlace):
        def reached(self) -> nullcontext[Address]:
            return nullcontext(Address(compose.url))

    place = Place(ROOT, run)
    added = await work.add(place, "ALICE")
    assert added.gateway_answered
    await asyncio.to_thread(compose, "restart", "nats")
    async with proof.logged_in(Address(compose.url), added.seed) as connection:
        await proof.prove_inbox(connection, "ALICE", place.reload)
    await work.remove(place, "ALICE")
