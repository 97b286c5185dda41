"""Headers of a published question: the server refuses them, or nobody heeds them (B3, B4)."""

from __future__ import annotations

import asyncio

import pytest
from openwork_bus.bus import REPLAYED_HEADER
from openwork_bus.codec import DEADLINE_HEADER, LARGE_HEADER
from openwork_bus.run_ids import new_run_id, trace_id_of
from openwork_contracts.accounts import ASKER_INBOX, inbox_stream, inbox_subject
from openwork_contracts.end import RunEnded
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.results import RESULT_HEADER
from openwork_contracts.subjects import ASK_SUBJECT, RESULTS_STREAM, STREAM, spec_of
from openwork_gateway.door import OWNER_HEADER

from tests.integration.hostile.world import ALICE, CHEAP, MALLORY, QUESTION, Asker, World

pytestmark = [pytest.mark.nats, pytest.mark.asyncio(loop_scope="module")]

VICTIM = new_run_id()
END = spec_of(RunEnded).subject(VICTIM)
PAST = "@at 2020-01-01T00:00:00Z"

REFUSED: dict[str, dict[str, str]] = {
    "a schedule for an end": {"Nats-Schedule": PAST, "Nats-Schedule-Target": END},
    "a schedule": {"Nats-Schedule": "@every 1s", "Nats-Schedule-Target": inbox_subject(ALICE, VICTIM)},
    "a rollup of all": {"Nats-Rollup": "all"},
    "a rollup of the subject": {"Nats-Rollup": "sub"},
    "a timer of the server": {"Nats-Scheduler": "x"},
    "a schedule that fired": {"Nats-Scheduler": "x", "Nats-Schedule-Next": "purge"},
    "a time to live": {"Nats-TTL": "1s"},
    "a batch": {"Nats-Batch-Id": "x", "Nats-Batch-Sequence": "1"},
    "a committed batch": {"Nats-Batch-Id": "x", "Nats-Batch-Sequence": "1", "Nats-Batch-Commit": "1"},
    "a counter": {"Nats-Incr": "+5"},
    "another stream": {"Nats-Expected-Stream": STREAM},
    "a sequence that is not there": {"Nats-Expected-Last-Sequence": "999999"},
    "a message that is not there": {"Nats-Expected-Last-Msg-Id": "x"},
}
"""By the server, at once."""

IGNORED: dict[str, dict[str, str]] = {
    "copied history": {REPLAYED_HEADER: "1"},
    "a reference": {LARGE_HEADER: "1"},
    "another owner": {OWNER_HEADER: ALICE},
    "a deadline that is over": {DEADLINE_HEADER: "1"},
    "a document": {RESULT_HEADER: "document"},
    "a place in another stream": {"Nats-Stream": STREAM, "Nats-Subject": END, "Nats-Sequence": "1"},
    "an id": {"Nats-Msg-Id": f"document-{VICTIM}-{ALICE}"},
    "nothing on a subject of another": {
        "Nats-Expected-Last-Subject-Sequence": "0",
        "Nats-Expected-Last-Subject-Sequence-Subject": inbox_subject(ALICE, "*"),
    },
    "a trace of another": {"traceparent": f"00-{trace_id_of(VICTIM)}-0000000000000001-01"},
    "garbage for a trace": {"traceparent": "\u202e00-zz--", "tracestate": "=" * 5000, "baggage": "a=" + "b" * 9000},
    "a huge trace": {"traceparent": "0" * 40_000},
    "60 kB": {f"X-{n}": "x" * 1000 for n in range(59)},
}
"""By everybody: the run is the asker's own and ordinary."""


@pytest.mark.parametrize("case", REFUSED)
async def test_a_header_that_would_change_what_is_stored_is_refused(case: str, world: World, bob: Asker) -> None:
    async with world.untouched():
        run_id, error = await bob.publish({"question": CHEAP}, headers=REFUSED[case])
        assert error is not None
        assert (await bob.request("openwork.show", {"run_id": run_id}))["error_type"] == "RunNotFound"
    assert await world.mentioning(VICTIM) == {}


async def test_a_header_that_means_something_among_services_means_nothing_in_an_inbox(
    world: World, alice: Asker, bob: Asker
) -> None:
    """Of each of these runs: its owner, its trace, its end, and the headers of its question."""
    heard = len(alice.results)
    for case, headers in IGNORED.items():
        run_id, error = await bob.publish({"question": CHEAP}, headers=headers)
        assert error is None, (case, error)
        document = await bob.document(run_id)
        assert (document["status"], document["owner"]) == ("rejected", bob.account), case
        assert document["trace_id"] == trace_id_of(run_id), case
        stored = await world.js.get_last_msg(STREAM, spec_of(QuerySubmitted).subject(run_id))
        theirs = stored.headers or {}
        assert {name: theirs.get(name) for name in headers if theirs.get(name) == headers[name]} in (
            {},
            {"Nats-Expected-Last-Subject-Sequence": "0"},  # every event has it
        ), case
        assert theirs[OWNER_HEADER] == bob.account, case
    assert await world.mentioning(VICTIM) == {}
    assert len(alice.results) == heard


async def test_headers_of_a_request_mean_nothing(world: World, bob: Asker) -> None:
    """Requests are no messages of a stream; their headers go nowhere."""
    for headers in (*REFUSED.values(), *IGNORED.values()):
        reply = await bob.answer(ASK_SUBJECT, {"question": CHEAP, "pipeline": "none"}, headers=headers, wait_s=10)
        assert reply is not None, headers
        assert b"no pipeline is called" in reply
    assert await world.mentioning(VICTIM) == {}


async def test_the_servers_traces_of_a_message_go_to_nobody(world: World, alice: Asker, attacker: Asker) -> None:
    """They would say which connections heard it, and be stored where a stream listens."""
    heard = len(alice.results)
    async with world.overheard(VICTIM.encode()) as subjects:
        for target in (END, f"_INBOX_gateway.{VICTIM}", inbox_subject(ALICE, VICTIM), f"openwork.results.{VICTIM}"):
            for only in ({}, {"Nats-Trace-Only": "true"}):
                headers = {"Nats-Trace-Dest": target, **only}
                await attacker.client.publish(ASK_SUBJECT, b"{}", headers=headers)
                await attacker.client.publish(f"{ASKER_INBOX}.{VICTIM}", b"{}", headers=headers)
        await attacker.client.flush()
        await asyncio.sleep(0.3)
    own = (inbox_subject(attacker.account, ""), "openwork.results.v1.", "openwork.out.v1.", "$JS.", "_INBOX_gateway.M")
    assert [s for s in subjects if not s.startswith(own)] == []
    assert set(await world.mentioning(VICTIM)) <= {RESULTS_STREAM, inbox_stream(attacker.account)}
    told = b"".join(m.data for m in attacker.results)
    # With every right in its own account one learns the server's name; of the services' account nothing in either.
    assert not any(word in told for word in (b"openwork-gateway", b'"type":"eg"', b'"type":"js"'))
    assert attacker.account == MALLORY or b'"server"' not in told
    assert len(alice.results) == heard


async def test_the_id_of_anothers_message_does_not_make_it_a_duplicate(alice: Asker, bob: Asker) -> None:
    """Within the duplicate window; neither in an inbox nor in the results."""
    first, second = new_run_id(), new_run_id()
    same = {"Nats-Msg-Id": f"question-{second}"}
    taken = []
    for asker, run_id in ((bob, first), (alice, second)):
        subject = f"{ASKER_INBOX}.{run_id}"
        taken.append(
            await asker.client.jetstream().publish(subject, b'{"question": "%s"}' % CHEAP.encode(), headers=same)
        )
    assert [(ack.stream, bool(ack.duplicate)) for ack in taken] == [(inbox_stream(a), False) for a in ("BOB", ALICE)]
    documents = await asyncio.gather(bob.document(first), alice.document(second))
    assert [document["status"] for document in documents] == ["rejected", "rejected"]


async def test_an_id_of_ones_own_hides_nothing_but_ones_own(alice: Asker, bob: Asker) -> None:
    """The id by which the gateway stores a document once, used in an inbox: the document comes all the same."""
    run_id = new_run_id()
    await bob.publish({"question": CHEAP}, headers={"Nats-Msg-Id": f"document-{run_id}-{ALICE}"})
    await bob.publish({"question": CHEAP}, headers={"Nats-Msg-Id": f"document-{run_id}-BOB"})
    await alice.publish({"question": QUESTION}, run_id)
    assert (await alice.document(run_id))["status"] == "answered"
