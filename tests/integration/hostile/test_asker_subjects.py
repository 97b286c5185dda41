"""Where an asker can publish to and what it can hear: its inbox, its results, and nothing of anybody else (B3, B4)."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from nats.aio.msg import Msg
from openwork_bus.connection import taken_by_server
from openwork_bus.run_ids import new_run_id
from openwork_contracts.accounts import (
    API_ACCOUNT,
    ASKER_INBOX,
    ASKER_RESULTS,
    inbox_stream,
    inbox_subject,
    out_subject,
    results_subject,
)
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import FailureReason
from openwork_contracts.meta import EventMeta
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.requests import API_REQUESTS, REQUESTS
from openwork_contracts.results import RESULT_HEADER
from openwork_contracts.subjects import (
    DEAD_PREFIX,
    EVENTS,
    PROGRESS_PREFIX,
    RESULTS_STREAM,
    SHOW_SUBJECT,
    VERIFY_SUBJECT,
    served_subject,
    spec_of,
    timer_subject,
)

from tests.integration.hostile.world import ALICE, BOB, QUESTION, Asker, World
from tests.waiting import until

pytestmark = [pytest.mark.nats, pytest.mark.asyncio(loop_scope="module")]


def forged_end(run_id: str) -> bytes:
    """The end of a run, as a service would write it."""
    meta = EventMeta(
        event_id=spec_of(RunEnded).subject(run_id),
        run_id=run_id,
        contract_version=1,
        occurred_at=datetime.now(UTC),
        producer="verifier",
    )
    ended = RunEnded(meta=meta, kind=EndKind.FAILED, failure=FailureReason.INTERNAL, message="forged")
    return ended.model_dump_json().encode()


def victims(run_id: str) -> list[str]:
    """Subjects that mean something to services, to the server or to other accounts."""
    due = spec_of(DeadlineReached).subject(run_id, route="run")
    return [
        *(spec.subject(run_id, route="library" if spec.route == "source" else "all") for spec in EVENTS),
        due,
        timer_subject(due),
        results_subject(ALICE, run_id),
        results_subject(BOB, run_id),
        out_subject(ALICE, run_id),
        f"{PROGRESS_PREFIX}.{run_id}",
        f"{DEAD_PREFIX}.gap",
        f"$KV.openwork-limits.rate.{run_id}",
        f"$KV.openwork-answers.{run_id}",
        f"$O.openwork-blobs.C.{run_id}.0",
        f"_R_.{run_id}",
        f"_INBOX_gateway.{run_id}",
        f"_INBOX_topology.{run_id}",
        inbox_subject(ALICE, run_id),
        f"openwork.inbox.v1.{ALICE}.{run_id}",
        f"openwork.inbox.{ALICE}.{run_id}",
        *(served_subject(subject, ALICE) for _, subject, _ in REQUESTS),
        *(subject for _, subject, _ in API_REQUESTS),
        *(served_subject(subject, account) for _, subject, _ in API_REQUESTS for account in (ALICE, API_ACCOUNT)),
        f"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.OPENWORK_EVENTS.gap.{run_id}",
        "$JS.API.STREAM.PURGE.OPENWORK_EVENTS",
        f"$SRV.PING.{run_id}",
    ]


async def test_nothing_published_elsewhere_is_stored_or_heard(world: World, alice: Asker, attacker: Asker) -> None:
    """Events, ends, timers, results, progress, dead letters, buckets, replies, another's inbox."""
    run_id = new_run_id()
    body = forged_end(run_id)
    async with world.untouched(), world.overheard(run_id.encode()) as subjects:
        heard = len(alice.results)
        for subject in victims(run_id):
            await attacker.client.publish(subject, body)
            await attacker.client.publish(subject, body, headers={"Nats-Schedule": "@every 1s", "Nats-Rollup": "all"})
        answers = await asyncio.gather(*(attacker.answer(subject, body) for subject in victims(run_id)))
        await attacker.client.flush()
    assert subjects == []
    assert await world.mentioning(run_id) == {}
    assert len(alice.results) == heard
    assert all(answer is None or json.loads(answer)["error"]["err_code"] == 10039 for answer in answers)
    await alice.answered()


async def test_an_askers_user_is_denied_whatever_is_not_its_inbox_or_a_request(bob: Asker) -> None:
    """Each denial is told to who tried: no test of the others passes by a slip of the template."""
    run_id = new_run_id()
    wanted = [*victims(run_id), f"{ASKER_RESULTS}.{run_id}", f"{ASKER_INBOX}.a.b", "openwork", "_INBOX.x", "x"]
    for subject in wanted:
        await bob.client.publish(subject, b"{}")
    await bob.client.flush()

    def untold() -> list[str]:
        told = " ".join(bob.denied).lower()
        return [subject for subject in wanted if f'publish to "{subject}"'.lower() not in told]

    with suppress(TimeoutError):
        await until(lambda: not untold())
    assert untold() == []


async def test_a_reply_subject_leads_nowhere_but_into_the_askers_own_account(
    world: World, alice: Asker, attacker: Asker
) -> None:
    """B4: the server's acknowledgement and the services' replies stay there, wherever they are said to go."""
    run_ids = [new_run_id() for _ in range(2)]
    heard = len(alice.results)
    targets = [*victims(run_ids[0]), *(subject for _, subject, _ in REQUESTS), f"{ASKER_INBOX}.{run_ids[1]}"]
    word = f"word-{run_ids[0]}"
    async with (
        world.untouched(but=(inbox_stream(attacker.account), RESULTS_STREAM)),
        world.overheard(word.encode()) as subjects,
    ):
        bodies = {subject: json.dumps({"text": word, "run_id": word}).encode() for _, subject, _ in REQUESTS}
        for target in targets:
            for subject, body in bodies.items():
                await attacker.client.publish(subject, body, reply=target)
            await attacker.client.publish(f"{ASKER_INBOX}.{word}", b"{}", reply=target)
        await attacker.client.flush()
        await asyncio.sleep(0.5)
        await attacker.document(word)
        await world.drained(attacker.account)
    own = attacker.account
    # A reply that was sent to `openwork.inbox.*` is stored there, with who sent it. The rest: what is delivered to
    # a consumer, what is replied, what the gateway reads, what the server tells of our own looking.
    allowed = (inbox_subject(own, ""), results_subject(own, ""), out_subject(own, ""), "_INBOX_gateway.", "_R_.")
    allowed += ("$JS.ACK.", "$JS.EVENT.ADVISORY.API", "$JS.API.DIRECT.GET.", "$JS.API.STREAM.INFO.")
    served = {served_subject(subject, own) for _, subject, _ in REQUESTS}
    assert [s for s in subjects if not s.startswith(allowed) and s not in served] == []
    assert set(await world.mentioning(run_ids[0])) <= {RESULTS_STREAM}
    assert len(alice.results) == heard
    await alice.answered()


WIDE = (
    ">", "openwork.>", "openwork.results.>", "_INBOX.>", "$JS.>", "_R_.>", "$SYS.>", "*.*.*", "openwork.inbox.>",
    "openwork.out.v1.*.*", "openwork.results.v1.*.*", "_INBOX_gateway.>", "openwork.progress.>", "$KV.>",
    "openwork.ask", f"openwork.ask.{ALICE}", "$O.>", "openwork.dead.>", "openwork.due.>",
)  # fmt: skip


async def test_a_wide_subscription_hears_nothing_of_anybody_else(world: World, alice: Asker, attacker: Asker) -> None:
    """While another account asks, is told, and reads; a question that services hear is not taken from them either."""
    heard: list[Msg] = []

    async def hear(message: Msg) -> None:
        heard.append(message)

    for subject in WIDE:
        await attacker.client.subscribe(subject, cb=hear)
        await attacker.client.subscribe(subject, queue="gateway", cb=hear)
    await taken_by_server(attacker.client)
    document = await alice.answered()
    inbox_run, error = await alice.publish({"question": QUESTION})
    assert error is None
    await alice.document(inbox_run)
    await attacker.client.flush()
    assert [m.subject for m in heard if document["run_id"] in m.subject or inbox_run in m.subject] == []
    assert not [m for m in heard if document["run_id"].encode() in m.data or inbox_run.encode() in m.data]
    assert not [m for m in heard if ALICE.encode() in m.data or b"omega" in m.data]
    own = await attacker.ask()  # and hears its own
    await attacker.document(own)


async def test_two_connections_of_one_account_cannot_tell_each_other_forged_results(world: World, bob: Asker) -> None:
    """Publishing there is denied; a reply that is sent there has no header by which anybody would take it for one."""
    run_id = new_run_id()
    async with world.asker(BOB) as watching:
        forged = json.dumps({"run_id": run_id, "kind": "document"}).encode()
        await bob.client.publish(f"{ASKER_RESULTS}.{run_id}", forged, headers={RESULT_HEADER: "document"})
        for subject in (SHOW_SUBJECT, VERIFY_SUBJECT):
            await bob.client.publish(
                subject, forged, reply=f"{ASKER_RESULTS}.{run_id}", headers={RESULT_HEADER: "document"}
            )
        await bob.client.publish(f"{ASKER_INBOX}.x", forged, reply=f"{ASKER_RESULTS}.{run_id}")
        await bob.client.flush()
        await watching.document("x")

        def told() -> list[Msg]:
            return [message for message in watching.results if message.subject.endswith(run_id)]

        await until(told)
        await asyncio.sleep(0.2)  # for what else might come
    assert told()
    assert [m.data for m in told() if (m.headers or {}).get(RESULT_HEADER)] == []
    assert any(f'publish to "{ASKER_RESULTS}.{run_id}"'.lower() in line.lower() for line in bob.denied)


async def test_each_of_an_accounts_runs_is_told_to_that_account_alone(alice: Asker, bob: Asker) -> None:
    """Both at the same time, also where a run id differs in one character."""
    first = new_run_id()
    second = first[:-1] + ("0" if first[-1] != "0" else "1")
    await asyncio.gather(alice.publish({"question": QUESTION}, first), bob.publish({"question": QUESTION}, second))
    theirs = await asyncio.gather(alice.document(first), bob.document(second))
    assert [document["owner"] for document in theirs] == [ALICE, BOB]
    assert not [m for m in alice.results if m.subject.endswith(second)]
    assert not [m for m in bob.results if m.subject.endswith(first)]


async def test_a_forged_deadline_ends_nobodys_run(world: World, alice: Asker, attacker: Asker) -> None:
    """B4: neither by a timer of its own, nor by asking under another's run id with a deadline of nearly nothing."""
    run_id = await alice.ask()
    due = spec_of(DeadlineReached).subject(run_id, route="run")
    soon = (datetime.now(UTC) - timedelta(seconds=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    schedule = {"Nats-Schedule": f"@at {soon}", "Nats-Schedule-Target": due}
    await attacker.client.publish(timer_subject(due), b"{}", headers=schedule)
    _, error = await attacker.publish({"question": QUESTION}, headers=schedule)
    assert error is not None
    for pipeline in ("answer", "review", "check"):
        short = {"question": QUESTION, "run_id": run_id, "pipeline": pipeline, "options": {"deadline_s": 0.001}}
        assert (await attacker.request("openwork.ask", short))["error_type"] == "UsageError"
        await attacker.publish({**short, "run_id": None}, run_id)
    assert (await alice.document(run_id))["status"] == "answered"
    assert await world.subjects("OPENWORK_TIMERS", f"openwork.*.v1.run.{run_id}.*") != frozenset()
