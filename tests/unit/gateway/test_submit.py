"""`openwork.ask`: a question becomes one run, or waits, or the reply says what to send instead and when."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from openwork_bus.codec import pack
from openwork_bus.run_ids import new_run_id
from openwork_contracts.errors import BusUnavailable, StorageFull
from openwork_contracts.question import AskReply, AskRequest
from openwork_gateway.door import OTHER_QUESTION, Door
from openwork_gateway.requests import answer_ask

from tests.at_the_door import Watched, a_door, asked_of, close_door, questions
from tests.memory_results import MemoryResults


class AnInbox:
    """Takes one question per run id."""

    def __init__(self, error: Exception | None = None) -> None:
        self.questions: dict[str, AskRequest] = {}
        self.error = error

    async def __call__(self, account: str, run_id: str, request: AskRequest) -> bool:
        if self.error:
            raise self.error
        return self.questions.setdefault(run_id, request) is request


async def ask(door: Door, inbox: AnInbox | None = None, *, account: str = "ALICE", **request: object) -> AskReply:
    body = json.dumps({"question": "Why?", **request}).encode()
    return await answer_ask(account, body, door, inbox or AnInbox())


async def test_a_question_is_let_in_and_the_reply_says_where_its_results_are() -> None:
    door = a_door()
    reply = await ask(door, options={"deadline_s": 60})
    (event,) = await questions(door.bus)
    assert (reply.run_id, reply.error) == (event.meta.run_id, None)
    assert reply.results == f"openwork.results.{reply.run_id}"
    assert (reply.deadline_s, reply.waiting, reply.already_known) == (60, False, False)
    assert event.meta.owner == "ALICE"


async def test_a_question_may_be_compressed() -> None:
    door = a_door()
    reply = await answer_ask("ALICE", pack(b'{"question": "Why?", "tomorrow": true}'), door, AnInbox())
    assert reply.error is None
    assert len(await questions(door.bus)) == 1


async def test_asking_again_with_the_same_run_id_is_the_same_run() -> None:
    door, run_id = a_door(), new_run_id()
    replies = [await ask(door, run_id=run_id) for _ in range(3)]
    assert [r.already_known for r in replies] == [False, True, True]
    door.stopped_because = "full"  # what is known is not judged
    assert (await ask(door, run_id=run_id)).already_known
    assert len(await questions(door.bus)) == 1


@pytest.mark.parametrize("account", ["ALICE", "BOB"])
async def test_an_edited_question_or_anothers_under_a_run_id_that_is_taken_is_refused(account: str) -> None:
    """An answer would stand under words that it was not made for."""
    door, run_id = a_door(), new_run_id()
    await ask(door, run_id=run_id)
    reply = await ask(door, account=account, question="Other?", run_id=run_id)
    assert (reply.run_id, reply.error, reply.error_type) == (None, OTHER_QUESTION, "UsageError")
    assert [event.question for event in await questions(door.bus)] == ["Why?"]
    assert isinstance(door.results, MemoryResults)
    assert door.results.told == {}


async def test_who_is_slower_with_the_same_run_id_is_told_that_it_is_taken() -> None:
    """Both looked before either was stored."""
    door, run_id = a_door(), new_run_id()

    class Late(Watched):
        async def get_all(self, subjects: object) -> list[object]:  # type: ignore[override]
            return []

    late = Late(now=datetime.now(UTC))
    late._messages = door.bus._messages  # type: ignore[attr-defined]
    await ask(door, run_id=run_id)
    reply = await ask(Door(late, door.results, door.settings), question="Other?", run_id=run_id)
    assert reply.error_type == "UsageError"


async def test_a_question_that_has_to_wait_goes_to_the_inbox_of_its_account() -> None:
    door, inbox = a_door(), AnInbox()
    close_door(door)
    reply = await ask(door, inbox)
    assert (reply.waiting, reply.already_known, reply.error) == (True, False, None)
    assert [*inbox.questions] == [reply.run_id]
    assert await questions(door.bus) == []


async def test_what_waits_already_is_known() -> None:
    """Here, or at whichever gateway: then its run id is taken in the inbox."""
    door, inbox, run_id = a_door(), AnInbox(), new_run_id()
    close_door(door)
    assert not (await ask(door, inbox, run_id=run_id)).already_known
    reply = await ask(door, inbox, run_id=run_id)
    assert (reply.waiting, reply.already_known) == (True, True)
    await door.take(asked_of(door, run_id=run_id))
    door.stopped_because = "full"
    reply = await ask(door, inbox, run_id=run_id)
    assert (reply.waiting, reply.already_known, reply.error) == (True, True, None)
    assert (await ask(door, inbox, question="Other?", run_id=run_id)).error == OTHER_QUESTION


async def test_who_is_refused_is_told_when_to_come_again() -> None:
    door = a_door()
    door.stopped_because = "The store is nearly full."
    reply = await ask(door)
    assert (reply.run_id, reply.error, reply.error_type) == (None, "The store is nearly full.", "Busy")
    assert reply.retry_after_s == 60


async def test_an_inbox_that_is_full_is_told_as_busy() -> None:
    door = a_door()
    close_door(door)
    reply = await ask(door, AnInbox(StorageFull("maximum messages exceeded")))
    assert (reply.error_type, reply.retry_after_s) == ("Busy", 10)


async def test_a_run_id_that_no_ulid_has_is_a_usage_error() -> None:
    reply = await ask(a_door(), run_id="../../etc")
    assert reply.error_type == "UsageError"
    assert "run_id" in (reply.error or "")


@pytest.mark.parametrize("pipeline", ["check", "from-next-year"])
async def test_a_pipeline_that_is_not_installed_is_refused_with_those_that_are(pipeline: str) -> None:
    door = a_door()
    reply = await ask(door, pipeline=pipeline)
    assert (reply.run_id, reply.error_type) == (None, "UsageError")
    assert pipeline in (reply.error or "")
    assert "answer: a short, cited answer within seconds" in (reply.error or "")
    assert await questions(door.bus) == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "Invalid JSON"),
        (b'{"question": 7}', "question"),
        (b'{"question": "x", "pipeline": "a.b"}', "pipeline"),
        (b'{"question": "x", "options": {"sources": ["a.b.>"]}}', "options.sources.0"),
        (b'{"question": "x", "options": {"deadline_s": -1}}', "options.deadline_s"),
        (json.dumps({"question": "x" * 20_001}).encode(), "20000 characters"),
    ],
)
async def test_a_request_that_cannot_be_read_starts_no_run_and_is_answered(body: bytes, words: str) -> None:
    door = a_door()
    reply = await answer_ask("ALICE", body, door, AnInbox())
    assert (reply.run_id, reply.error_type) == (None, "UsageError")
    assert words in (reply.error or "")
    assert await questions(door.bus) == []


async def test_an_error_does_not_repeat_what_was_asked() -> None:
    reply = await ask(a_door(), run_id="my private words")
    assert "my private words" not in (reply.error or "")


async def test_the_longest_question_there_may_be_is_taken() -> None:
    door = a_door()
    longest = "\U0001f600" * 20_000  # escaped in JSON as 12 bytes each
    reply = await ask(door, question=longest, context={"standalone_question": longest})
    assert reply.error is None


async def test_without_the_stream_an_asker_is_told_so() -> None:
    bus = Watched(now=datetime.now(UTC), broken=BusUnavailable("the stream gave no acknowledgement"))
    reply = await ask(a_door(bus))
    assert (reply.run_id, reply.error_type) == (None, "BusUnavailable")
    assert reply.error
