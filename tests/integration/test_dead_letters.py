"""Dead letters on a real server with every service: listed, shown, their questions asked again, deleted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from openwork_bus.bus import REPLAYED_HEADER
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.run import Run
from openwork_bus.run_ids import new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import ensure_inbox
from openwork_contracts.accounts import API_ACCOUNT
from openwork_contracts.answer import AnswerDocument, AnswerDrafted
from openwork_contracts.plan import RetrievalRequested
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import DEAD_LETTER_STREAM, end_filter, question_filter, spec_of
from openwork_gateway.door import OWNER_HEADER
from openwork_gateway.results import StoredResults
from openwork_laptop import dead
from openwork_laptop.commands.dead import app
from openwork_laptop.logins import Logins
from openwork_laptop.stack import Stack, client, prepare
from typer.testing import CliRunner

from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats

QUESTION = "Do omega-3 fatty acids reduce major cardiovascular events?"
DRAFTED = spec_of(AnswerDrafted)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[OpenServer]:
    """A server with every service on it."""
    found = OpenServer(tmp_path / "nats")
    await found.start()
    await prepare(found.url)
    async with client(found.url) as trusted:
        await ensure_inbox(trusted.connection.jetstream(timeout=5), API_ACCOUNT, ServiceSettings())
    services = Stack(found.asker_url, logins=found.logins)
    await services.start()
    yield found
    await services.stop()
    await found.stop()


@pytest.fixture
async def trusted(server: OpenServer) -> AsyncIterator[JetStreamBus]:
    """Who may do all."""
    async with client(server.url) as bus:
        yield bus


@pytest.fixture
async def operator(server: OpenServer) -> AsyncIterator[JetStreamBus]:
    """Who runs the system, with the rights of one."""
    async with client(server.asker_url, server.logins) as bus:
        yield bus


async def failed_run(bus: JetStreamBus, *, owner: str = "local", body: bytes = b'{"meta": "\x1b[31mno') -> str:
    """A run that failed on a malformed draft; its question is there and acted on by nobody."""
    run = Run(new_run_id(), bus=bus, service="test", cause=None, owner=owner)
    meta = run.meta(QuerySubmitted)
    await bus.publish(QuerySubmitted(meta=meta, question=QUESTION), headers={REPLAYED_HEADER: run.id})
    await malformed_draft(bus, run.id, body)
    return run.id


async def malformed_draft(bus: JetStreamBus, run_id: str, body: bytes = b"{") -> None:
    """A draft that the verifier cannot read, which ends its run."""
    js = bus.connection.jetstream()
    n = (await js.stream_info(DEAD_LETTER_STREAM)).state.messages
    await js.publish(DRAFTED.subject(run_id, track="affirmative", round_=1), body)
    async with asyncio.timeout(60):
        while (await js.stream_info(DEAD_LETTER_STREAM)).state.messages == n or not await bus.subjects(  # noqa: ASYNC110
            end_filter(run_id)
        ):
            await asyncio.sleep(0.05)


async def document(bus: JetStreamBus, owner: str, run_id: str) -> AnswerDocument:
    async with asyncio.timeout(60):
        while (found := await StoredResults(bus).document(owner, run_id)) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    return found


async def test_a_letter_is_listed_and_shown_with_what_it_holds(trusted: JetStreamBus, operator: JetStreamBus) -> None:
    first, second = await failed_run(trusted), await failed_run(trusted, body=b'{"question": "a\\u202eb"}')
    js = operator.connection.jetstream()
    assert [letter.run_id for letter in await dead.letters(js)] == [second, first]
    assert [letter.run_id for letter in await dead.letters(js, limit=1)] == [second]
    assert await dead.letters(js, consumer="gap") == []
    (letter,) = await dead.letters(js, run_id=first, consumer="verifier")
    assert (letter.event, letter.error) == ("answer-drafted", "ContractViolation")
    assert letter.subject == DRAFTED.subject(first, track="affirmative", round_=1)
    assert "\x1b" not in await dead.body_of(operator, letter)
    (shown,) = await dead.letters(js, run_id=second)
    assert await dead.body_of(operator, shown) == '{\n  "question": "ab"\n}'


@pytest.mark.parametrize("owner", ["local", "api/kim"])
async def test_a_question_is_asked_again_once_for_the_same_owner(
    trusted: JetStreamBus, operator: JetStreamBus, owner: str
) -> None:
    """Twice is once; --again is one more. The letter stays."""
    run_id = await failed_run(trusted, owner=owner)
    js = operator.connection.jetstream()
    (letter,) = await dead.letters(js)
    done = await dead.redrive(operator, letter)
    assert done.new_run_id == dead.successor_of(run_id)
    answer = await document(trusted, owner, done.new_run_id)
    assert (answer.status.value, answer.owner, answer.question) == ("answered", owner, QUESTION)
    repeated = await dead.redrive(operator, letter)
    assert repeated.new_run_id is None
    assert done.new_run_id in repeated.words
    once_more = await dead.redrive(operator, letter, again=True)
    assert once_more.new_run_id not in (None, run_id, done.new_run_id)
    assert (await document(trusted, owner, once_more.new_run_id)).status.value == "answered"
    assert len(await dead.letters(js)) == 1


async def test_what_cannot_be_asked_again_is_told_why(trusted: JetStreamBus, operator: JetStreamBus) -> None:
    """A question that was never readable; a run that ended well without the message."""
    js = trusted.connection.jetstream()
    unreadable = new_run_id()
    await js.publish(spec_of(QuerySubmitted).subject(unreadable), b"{")
    async with asyncio.timeout(60):
        while not (found := await dead.letters(js, run_id=unreadable)):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert "cannot be read" in (await dead.redrive(operator, found[0])).words

    run = Run(new_run_id(), bus=trusted, service="gateway", cause=None)
    question = QuerySubmitted(meta=run.meta(QuerySubmitted), question=QUESTION)
    await trusted.publish(question, headers={OWNER_HEADER: "local"})
    await document(trusted, "local", run.id)
    subject = spec_of(RetrievalRequested).subject(run.id, route="library", track="affirmative", round_=1)
    headers = {"Dead-Subject": subject, "Dead-Consumer": "retriever-library", "Dead-Error": "SourceChanged"}
    await js.publish("openwork.dead.retriever-library", b"{}", headers=headers)
    (late,) = await dead.letters(js, run_id=run.id)
    done = await dead.redrive(operator, late)
    assert done.new_run_id is None
    assert "was completed" in done.words
    assert not await trusted.subjects(question_filter(dead.successor_of(run.id)))


async def test_letters_are_deleted_by_their_numbers_and_gaps_are_passed_over(
    trusted: JetStreamBus, operator: JetStreamBus
) -> None:
    js = operator.connection.jetstream()
    runs = [await failed_run(trusted) for _ in range(3)]
    numbers = [letter.sequence for letter in await dead.letters(js)]
    assert await dead.drop(js, [numbers[1], 999]) == 1
    assert [letter.run_id for letter in await dead.letters(js)] == [runs[2], runs[0]]
    assert await dead.drop(js, [numbers[0], numbers[2]]) == 2
    assert await dead.letters(js) == []


async def test_the_command_works_with_the_login_of_the_environment(
    trusted: JetStreamBus, server: OpenServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = await failed_run(trusted)
    for name, value in Logins(server.logins.passwords).variables_of("operator").items():
        monkeypatch.setenv(name, value)

    async def run(*arguments: str) -> str:
        done = await asyncio.to_thread(CliRunner().invoke, app, [*arguments, "--server", server.asker_url])
        assert done.exit_code == 0, (done.output, done.exception)
        return done.stdout

    (row,) = json.loads(await run("list", "--json"))
    assert (row["run_id"], row["consumer"]) == (run_id, "verifier")
    assert run_id in await run("list", "--run", run_id.lower())
    assert "no dead letter" in await run("list", "--consumer", "gap")
    shown = await run("show", str(row["sequence"]))
    assert "Dead-Reason" in shown
    assert "\x1b" not in shown
    new_run_id = json.loads(await run("redrive", str(row["sequence"]), "--json"))[0]["new_run_id"]
    assert (await document(trusted, "local", new_run_id)).status.value == "answered"
    assert await run("drop", "--all", "--yes") == "1 deleted\n"
