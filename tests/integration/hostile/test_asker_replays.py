"""The same question again, another one under its run id, and the runs of others (B3, B4)."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import pytest
from openwork_bus.run_ids import new_run_id
from openwork_contracts.accounts import inbox_stream
from openwork_contracts.progress import Progress
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.results import ResultKind
from openwork_contracts.subjects import (
    ASK_SUBJECT,
    CANCEL_SUBJECT,
    EVENTS_SUBJECT,
    LIST_SUBJECT,
    PROGRESS_PREFIX,
    RESULTS_STREAM,
    SHOW_SUBJECT,
    STREAM,
    spec_of,
)

from tests.integration.hostile.world import ALICE, BOB, CHEAP, QUESTION, Asker, World

pytestmark = [pytest.mark.nats, pytest.mark.asyncio(loop_scope="module")]

OTHER = "Does dexamethasone lower mortality in hospitalised patients with COVID-19?"


async def test_the_same_question_again_is_the_same_run(world: World, alice: Asker) -> None:
    """While it runs and when it is over, published and asked: one question is stored, and its first answer stays."""
    run_id, error = await alice.publish({"question": QUESTION})
    assert error is None
    await alice.publish({"question": QUESTION}, run_id)  # stored again, or refused while the first waits
    first = await alice.document(run_id)
    async with world.untouched(but=(inbox_stream(ALICE), RESULTS_STREAM)):
        await alice.publish({"question": QUESTION}, run_id)
        again = await alice.request(ASK_SUBJECT, {"question": QUESTION, "run_id": run_id})
        assert (again["run_id"], again["already_known"]) == (run_id, True)
        await world.drained(ALICE)
    shown = (await alice.request(SHOW_SUBJECT, {"run_id": run_id}))["document"]
    assert shown["answer"]["markdown"] == first["answer"]["markdown"]
    assert (shown["status"], shown["submitted_at"]) == (first["status"], first["submitted_at"])


async def test_an_edited_retry_is_told_so_and_changes_nothing(world: World, alice: Asker) -> None:
    """B3: never the first question's answer under the second's words."""
    run_id = (await alice.answered())["run_id"]
    before = (await alice.request(SHOW_SUBJECT, {"run_id": run_id}))["document"]
    edited: dict[str, object] = {"question": OTHER, "run_id": run_id}
    async with world.untouched(but=(inbox_stream(ALICE), RESULTS_STREAM)):
        refused = await alice.request(ASK_SUBJECT, edited)
        assert refused["error_type"] == "UsageError"
        for body in (edited, {**edited, "question": QUESTION, "options": {"deadline_s": 1}}, {"no": "question"}):
            seen = len(alice.results)
            async with asyncio.timeout(60):
                while (await alice.publish(body, run_id))[1] is not None:  # noqa: ASYNC110 - one before is not settled
                    await asyncio.sleep(0.02)
                while not [m for m in alice.results[seen:] if m.subject.endswith(run_id)]:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
        await alice.told(run_id, ResultKind.NOTICE)
        await asyncio.sleep(0.2)
    assert (await alice.request(SHOW_SUBJECT, {"run_id": run_id}))["document"] == before
    assert QUESTION in before["question"]


async def test_an_edit_while_the_first_runs_does_not_come_into_its_answer(alice: Asker) -> None:
    run_id = new_run_id()
    await asyncio.gather(
        alice.publish({"question": QUESTION}, run_id), *(alice.publish({"question": OTHER}, run_id) for _ in range(3))
    )
    await alice.publish({"question": OTHER}, run_id)
    document = await alice.document(run_id)
    shown = await alice.request(SHOW_SUBJECT, {"run_id": run_id, "wait_s": 30})
    assert shown["document"]["status"] == "answered"
    words = ("omega", "dexamethasone") if document["question"] == QUESTION else ("dexamethasone", "omega")
    assert words[0] in shown["document"]["answer"]["markdown"].lower()
    assert words[1] not in shown["document"]["answer"]["markdown"].lower()


async def test_anothers_run_id_ends_for_the_forger_alone(world: World, alice: Asker, bob: Asker) -> None:
    """Asked, published, with garbage; while it runs and after: that run is untouched, and its owner sees his own."""
    run_id = await alice.ask()
    seen = len(bob.results)
    assert (await bob.request(ASK_SUBJECT, {"question": QUESTION, "run_id": run_id}))["error_type"] == "UsageError"
    await bob.publish({"question": QUESTION}, run_id)
    assert (await bob.document(run_id))["status"] == "refused"
    document = await alice.document(run_id)
    assert (document["status"], document["owner"]) == ("answered", ALICE)
    before = await alice.request(SHOW_SUBJECT, {"run_id": run_id})
    n_told = len(alice.results)
    for body in ({"question": QUESTION}, {"question": OTHER}, {"nothing": 1}):
        await bob.publish(body, run_id)
    await world.drained(BOB)
    told = [m for m in bob.results[seen:] if m.subject.endswith(run_id)]
    assert told
    assert not any(b"omega-3" in m.data.lower() and b'"answered"' in m.data for m in told)
    shown = (await bob.request(SHOW_SUBJECT, {"run_id": run_id}))["document"]
    assert (shown["status"], shown["owner"], shown.get("references")) == ("refused", BOB, [])
    assert await alice.request(SHOW_SUBJECT, {"run_id": run_id}) == before
    assert len(alice.results) == n_told
    assert len(await world.subjects(STREAM, spec_of(QuerySubmitted).subject(run_id))) == 1


def without(run_id: str, reply: bytes | None) -> bytes:
    assert reply is not None
    assert run_id.encode() in reply
    return reply.replace(run_id.encode(), b"<id>")


@pytest.mark.parametrize("subject", [SHOW_SUBJECT, EVENTS_SUBJECT, CANCEL_SUBJECT])
async def test_anothers_run_is_told_apart_from_none_by_nothing(subject: str, alice: Asker, bob: Asker) -> None:
    """While it runs, and when it is over: the very same bytes but for the id; and it is not cancelled."""
    running, none = await alice.ask(), new_run_id()
    for state in ("running", "over"):
        for more in ({}, {"wait_s": 0.2, "rendered": True, "record": True}, {"after": 3, "reason": "x"}):
            theirs = await bob.answer(subject, {"run_id": running, **more}, wait_s=20)
            nobodys = await bob.answer(subject, {"run_id": none, **more}, wait_s=20)
            assert without(running, theirs) == without(none, nobodys), state
            assert json.loads(nobodys or b"")["error_type"] == "RunNotFound"
        assert (await alice.document(running))["status"] == "answered"


async def test_a_list_shows_ones_own_runs_alone(alice: Asker, bob: Asker) -> None:
    """Those at work and those that are over."""
    over, theirs = (await alice.answered())["run_id"], await bob.ask(CHEAP)
    at_work = await alice.ask()
    for asker, own, foreign in ((alice, {over, at_work}, {theirs}), (bob, {theirs}, {over, at_work})):
        listed = await asker.request(LIST_SUBJECT, {"limit": 500})
        run_ids = {run["run_id"] for run in listed["runs"]}
        assert own <= run_ids
        assert not run_ids & foreign
        assert {run["owner"] for run in listed["runs"]} == {asker.account}
    await alice.document(at_work)


async def test_a_forger_does_not_stop_anothers_progress(world: World, alice: Asker, bob: Asker) -> None:
    """What is refused under a run id ends nothing of the run that has it."""
    async with world.without("query"):
        run_id = await alice.ask()
        await bob.publish({"question": QUESTION}, run_id)
        assert (await bob.document(run_id))["status"] == "refused"
        await asyncio.sleep(0.1)
        told = Progress(run_id=run_id, service="query", step="analyse the question", at=datetime.now(UTC))
        await world.eyes.publish(f"{PROGRESS_PREFIX}.{run_id}", told.model_dump_json().encode())
        assert (await alice.told(run_id, ResultKind.PROGRESS, wait_s=30))["progress"]["service"] == "query"
    assert (await alice.document(run_id))["status"] == "answered"
