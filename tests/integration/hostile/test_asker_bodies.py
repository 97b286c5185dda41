"""Bodies and run ids that nobody expects: each ends in words within seconds, and nothing crashes (B3, B8, B10)."""

from __future__ import annotations

import asyncio
import json

import pytest
import zstandard
from openwork_bus.run_ids import new_run_id
from openwork_contracts.accounts import API_ACCOUNT, ASKER_INBOX, inbox_stream
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.requests import REQUESTS
from openwork_contracts.subjects import LIST_SUBJECT, RESULTS_STREAM, STREAM, spec_of

from tests.integration.hostile.world import ALICE, BOB, CHEAP, QUESTION, Asker, World

pytestmark = [pytest.mark.nats, pytest.mark.asyncio(loop_scope="module")]

VICTIM = new_run_id()


def squeezed(body: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=19).compress(body)


def bomb(n_bytes: int) -> bytes:
    """A frame that says nothing of its size."""
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    chunk = b" " * 2**20
    return b"".join(packer.compress(chunk) for _ in range(n_bytes // 2**20)) + packer.flush()


NO_QUESTIONS: dict[str, bytes] = {
    "7,000 sources": json.dumps({"question": CHEAP, "options": {"sources": [f"s{n}" for n in range(7_000)]}}).encode(),
    "nothing": b"",
    "white space": b" \n",
    "no JSON": b"who are you?",
    "half of JSON": b'{"question": "Do',
    "null": b"null",
    "a list": b"[]",
    "a text": b'"question"',
    "a number": b"1",
    "no question": b"{}",
    "a question that is none": b'{"question": {"question": "x"}}',
    "deep lists": b"[" * 30_000,
    "deep lists, closed": b'{"question": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "deep objects": b'{"question":' * 5_000 + b"1" + b"}" * 5_000,
    "deep lists where nobody looks": b'{"question": "x", "more": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "20,001 characters": json.dumps({"question": "x" * 20_001}).encode(),
    "bytes that are no text": b'{"question": "\xff\xfe\xc0\x80"}',
    "bytes that are no text at all": bytes(range(256)),
    "a lone surrogate, escaped": b'{"question": "What is the capital of France?", "x": "\\ud800"}',
    "a lone surrogate in the question": b'{"question": "What is the capital of \\udfff?"}',
    "UTF-16": json.dumps({"question": CHEAP}).encode("utf-16"),
    "a number of 10,000 digits": b'{"question": "x", "options": {"deadline_s": ' + b"9" * 10_000 + b"}}",
    "not a number": b'{"question": "x", "options": {"deadline_s": NaN}}',
    "infinity": b'{"question": "x", "options": {"deadline_s": Infinity}}',
    "too much": b'{"question": "x", "options": {"deadline_s": 1e999}}',
    "no time": b'{"question": "x", "options": {"deadline_s": 0}}',
    "a turn of 10,000 digits": b'{"question": "x", "context": {"turn": ' + b"9" * 10_000 + b"}}",
    "a source that is a wildcard": b'{"question": "x", "options": {"sources": ["*"]}}',
    "a source of two tokens": b'{"question": "x", "options": {"sources": ["a.b"]}}',
    "a pipeline that is a wildcard": b'{"question": "x", "pipeline": ">"}',
    "a pipeline that nobody has": b'{"question": "x", "pipeline": "check"}',
    "somebody else": b'{"question": "x", "on_behalf_of": "somebody"}',
    "somebody else's account": b'{"question": "x", "on_behalf_of": "../ALICE"}',
    "a frame that is none": b"\x28\xb5\x2f\xfd" + b"x" * 100,
    "a frame that is cut off": squeezed(json.dumps({"question": QUESTION * 20}).encode())[:-20],
    "only the mark of a frame": b"\x28\xb5\x2f\xfd",
    "a bomb": bomb(512 * 2**20),
    "a bomb in a text": squeezed(b'{"question": "' + b"x" * 60 * 2**20 + b'"}'),
    "deep lists in a frame": squeezed(b"[" * 10_000_000),
}
"""In an inbox."""

QUESTIONS: dict[str, bytes] = {
    "forged meta": json.dumps(
        {
            "question": CHEAP,
            "owner": ALICE,
            "meta": {"owner": ALICE, "run_id": VICTIM, "deadline_at": "2000-01-01T00:00:00Z", "parent_ids": [VICTIM]},
            "deadline_at": "2000-01-01T00:00:00Z",
            "parent_ids": [VICTIM],
        }
    ).encode(),
    "NUL": b'{"question": "What is the capital\\u0000 of France?"}',
    "the same key twice": b'{"question": "Does aspirin help?", "question": "What is the capital of France?"}',
    "bidirectional text": '{"question": "What is the capital of \u202eecnarF\u202c? \x9b31m"}'.encode(),
    "60 kB of nothing": json.dumps({"question": CHEAP, "more": "x" * 60_000}).encode(),
    "a squeezed one": squeezed(json.dumps({"question": CHEAP, "more": "x" * 400_000}).encode()),
    "20,000 characters": json.dumps({"question": "x" * 20_000}).encode(),
    "a huge conversation": json.dumps({"question": CHEAP, "context": {"conversation_id": "x" * 60_000}}).encode(),
}
"""In an inbox: taken, and the asker's own."""


async def test_what_is_no_question_ends_in_words(world: World, bob: Asker) -> None:
    """All at once, within seconds; no run, no event."""
    async with world.untouched(but=(inbox_stream(BOB), RESULTS_STREAM)):
        async with asyncio.timeout(30):
            for case, body in NO_QUESTIONS.items():
                run_id, error = await bob.publish(body)
                assert error is None, case
                document = await bob.document(run_id)
                assert (document["status"], document["owner"]) == ("refused", BOB), (case, document)
                words = document["answer"]["markdown"]
                assert 10 < len(words) < 1000, (case, words)
                assert words.isprintable(), (case, words)
    assert await world.mentioning(VICTIM) == {}


async def test_what_stands_beside_a_question_does_not_count(world: World, bob: Asker) -> None:
    """Its owner, its run and its deadline are those of the account and the subject."""
    for case, body in QUESTIONS.items():
        run_id, error = await bob.publish(body)
        assert error is None, case
        document = await bob.document(run_id)
        assert (document["status"], document["owner"]) == ("rejected", BOB), (case, document)
        stored = await world.js.get_last_msg(STREAM, spec_of(QuerySubmitted).subject(run_id))
        assert VICTIM.encode() not in (stored.data or b"") + str(stored.headers).encode(), case
    assert await world.mentioning(VICTIM) == {}


async def test_a_message_over_the_limit_is_refused_at_once(world: World, bob: Asker) -> None:
    async with world.untouched():
        _, error = await bob.publish(json.dumps({"question": "x", "more": "x" * 70_000}))
        assert error is not None
        assert error.err_code == 10054


@pytest.mark.parametrize("subject", [subject for _, subject, _ in REQUESTS])
async def test_a_request_that_cannot_be_read_has_a_reply_in_words(subject: str, world: World, bob: Asker) -> None:
    """Of every kind; also where it is larger than a question may be."""
    bodies = {
        **NO_QUESTIONS,
        "2 MB": json.dumps({"question": "x" * 2_000_000, "text": "x" * 2_000_000, "run_id": "x" * 2_000_000}).encode(),
        "7 MB of lists": b"[" * 7_000_000,
        "a run id of another form": b'{"run_id": "*", "question": "x", "text": 1, "on_behalf_of": "*"}',
        "a run id in small letters": json.dumps({"run_id": VICTIM.lower(), "question": "x", "text": 1}).encode(),
        "a limit of 10,000 digits": b'{"run_id": 1, "limit": ' + b"9" * 10_000 + b"}",
    }
    async with world.untouched():
        for case, body in bodies.items():
            reply = json.loads(await bob.answer(subject, body, wait_s=20) or b"null")
            assert isinstance(reply, dict), (case, reply)
            if reply.get("error") is None:  # a list needs nothing in its body
                assert subject == LIST_SUBJECT, (case, reply)
                continue
            assert reply["error_type"] in ("UsageError", "RunNotFound"), (case, reply)
            assert len(reply["error"]) < 1000, case
            assert reply["error"].isprintable(), (case, reply)


async def test_only_the_api_asks_on_behalf_of_persons(world: World, bob: Asker) -> None:
    """Not by any request; and a person whose name is an account's is no account."""
    for _, subject, _ in REQUESTS[:-1]:
        asked = {"question": CHEAP, "run_id": VICTIM, "ids": ["1"], "on_behalf_of": "alice"}
        reply = await bob.request(subject, asked)
        assert (reply["error_type"], API_ACCOUNT in reply["error"]) == ("UsageError", True), subject


async def test_a_run_id_in_the_body_that_is_not_the_subjects_is_refused(bob: Asker) -> None:
    run_id, error = await bob.publish({"question": CHEAP, "run_id": VICTIM})
    assert error is None
    document = await bob.document(run_id)
    assert (document["run_id"], document["status"]) == (run_id, "refused")


ODD_IDS = (
    "x",
    "0",
    VICTIM.lower(),
    VICTIM + "0",
    "8" + VICTIM[1:],
    "X" * 200,
    "x" * 64,
    "-",
    "_",
    "$x",
    "%2A",
    "~",
    "!",
    "*",
    ">",
    "ALICE",
    "Ünïcödé",
    "\u202e\u202e",
    "\x9b31m",
    "{{1}}",
    "run\x01id",
    "';--",
    '"',
    "\\",
    "x" * 3000,
)
NO_SUBJECTS = ("a.b", "a b", "", ".", "a\tb", "\u2028 x", "*.*", "x\r\nPUB openwork.ask 2\r\n{}")


async def test_an_odd_run_id_is_one_accounts_own_business(world: World, alice: Asker, bob: Asker) -> None:
    """B8: `openwork.list` goes on for everybody, the one who published it too, and the inbox is empty again."""
    before = await alice.request(LIST_SUBJECT, {})
    body = b'{"question": "%s"}' % CHEAP.encode()
    async with world.untouched(but=(inbox_stream(BOB), RESULTS_STREAM, STREAM)):
        for token in (*ODD_IDS, *NO_SUBJECTS):
            # One connection each: the server closes those that speak no protocol.
            subject = f"{ASKER_INBOX}.{token}".encode()
            await world.say(BOB, b"PUB %s %d\r\n%s\r\n" % (subject, len(body), body))
        await world.drained(BOB)
        assert (await bob.document("x"))["status"] == "refused"
    run_id = await bob.ask(CHEAP)
    await bob.document(run_id)
    for asker in (alice, bob):
        listed = await asker.request(LIST_SUBJECT, {"limit": 500})
        assert listed.get("error") is None
    assert run_id in {run["run_id"] for run in listed["runs"]}
    assert not {run["run_id"] for run in listed["runs"]} & set(ODD_IDS)
    assert await alice.request(LIST_SUBJECT, {}) == before
    await alice.answered()
