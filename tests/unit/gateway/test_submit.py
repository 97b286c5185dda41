"""Asking: a question becomes one run with a deadline, or the reply says what to send instead."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest
from openwork_bus.bus import Timer
from openwork_bus.memory import MemoryBus
from openwork_bus.run_ids import new_run_id, trace_id_of
from openwork_bus.settings import ServiceSettings
from openwork_contracts.errors import BusUnavailable, UsageError
from openwork_contracts.meta import Event
from openwork_contracts.question import AskContext, AskOptions, AskRequest, QuerySubmitted
from openwork_contracts.subjects import question_filter, run_filter
from openwork_gateway.requests import answer_ask
from openwork_gateway.submit import submit

SETTINGS = ServiceSettings()


class Recorded(MemoryBus):
    """A memory bus that shows which timers were set."""

    def __init__(self) -> None:
        super().__init__()
        self.set_with: list[Timer] = []

    async def publish_all(
        self, events: Sequence[Event], timers: Sequence[Timer] = (), *, headers: Mapping[str, str] | None = None
    ) -> bool:
        self.set_with += timers
        return await super().publish_all(events, timers, headers=headers)


@pytest.fixture
def bus() -> Recorded:
    return Recorded()


async def questions(bus: MemoryBus) -> list[QuerySubmitted]:
    found = [await bus.get(subject) for subject in await bus.subjects(question_filter("*"))]
    return [stored.event for stored in found if stored and isinstance(stored.event, QuerySubmitted)]


async def test_a_question_is_stored_with_its_options_its_owner_and_its_deadline(bus: Recorded) -> None:
    options = AskOptions(sources=("library",), deadline_s=60)
    request = AskRequest(question="Why?", options=options, context=AskContext(conversation_id="c"))
    reply = await submit(bus, request, SETTINGS, producer="test")
    (event,) = await questions(bus)
    assert (event.question, event.options, event.context) == ("Why?", options, request.context)
    assert reply.run_id is not None
    assert event.meta.event_id == f"openwork.v1.query-submitted.answer.all.{reply.run_id}.all.0.0"
    assert (event.meta.owner, event.meta.producer) == ("local", "test")
    assert event.meta.trace_id == trace_id_of(reply.run_id)
    (timer,) = bus.set_with
    assert timer.event.meta.event_id == f"openwork.v1.deadline-reached.answer.run.{reply.run_id}.all.0.0"
    assert (timer.event.due_at - event.meta.occurred_at).total_seconds() == 60
    assert (reply.deadline_s, reply.already_known) == (60, False)
    assert reply.history == run_filter(reply.run_id)
    assert reply.end == f"openwork.v1.end.answer.all.{reply.run_id}.all.0.0"
    assert reply.progress == f"openwork.progress.v1.{reply.run_id}"


async def test_without_a_deadline_of_the_asker_the_setting_counts(bus: Recorded) -> None:
    reply = await submit(bus, AskRequest(question="Why?"), ServiceSettings(answer_deadline_s=33))
    assert reply.deadline_s == 33


async def test_asking_again_with_the_same_run_id_is_the_same_run(bus: Recorded) -> None:
    request = AskRequest(question="First?", run_id=new_run_id())
    first = await submit(bus, request, SETTINGS)
    again = await submit(bus, request, SETTINGS)
    elsewhere = await submit(bus, request, SETTINGS, producer="another door")
    assert [r.already_known for r in (first, again, elsewhere)] == [False, True, True]
    assert len(await questions(bus)) == 1


async def test_an_edited_question_under_the_same_run_id_is_refused(bus: Recorded) -> None:
    """An answer would stand under words that it was not made for."""
    run_id = new_run_id()
    await submit(bus, AskRequest(question="First?", run_id=run_id), SETTINGS)
    with pytest.raises(UsageError, match="another question"):
        await submit(bus, AskRequest(question="Second?", run_id=run_id), SETTINGS)
    (event,) = await questions(bus)
    assert event.question == "First?"


async def test_a_run_id_that_no_ulid_has_is_a_usage_error(bus: Recorded) -> None:
    request = AskRequest(question="x").model_copy(update={"run_id": "*"})
    with pytest.raises(UsageError, match="is not a run id"):
        await submit(bus, request, SETTINGS)


@pytest.mark.parametrize("pipeline", ["review", "check", "from-next-year"])
async def test_a_pipeline_that_is_not_installed_is_refused_with_those_that_are(bus: Recorded, pipeline: str) -> None:
    reply = await answer_ask(json.dumps({"question": "Why?", "pipeline": pipeline}).encode(), bus, SETTINGS)
    assert reply.run_id is None
    assert reply.error_type == "UsageError"
    assert pipeline in (reply.error or "")
    assert "answer: a short, cited answer within seconds" in (reply.error or "")
    assert await questions(bus) == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "Invalid JSON"),
        (b"\xff\xfe", "Invalid JSON"),
        (b"[]", "body"),
        (b"null", "body"),
        (b'{"question": 7}', "question"),
        (b'{"question": "x", "pipeline": "a.b"}', "pipeline"),
        (b'{"question": "x", "run_id": "../../etc"}', "run_id"),
        (b'{"question": "x", "options": {"sources": ["a.b.>"]}}', "options.sources.0"),
        (b'{"question": "x", "options": {"deadline_s": -1}}', "options.deadline_s"),
        (json.dumps({"question": "x" * 20_001}).encode(), "20000 characters"),
        (b"[" * 100_000, "Invalid JSON"),
    ],
)
async def test_a_request_that_cannot_be_read_starts_no_run_and_is_answered(
    bus: Recorded, body: bytes, words: str
) -> None:
    reply = await answer_ask(body, bus, SETTINGS)
    assert (reply.run_id, reply.error_type) == (None, "UsageError")
    assert words in (reply.error or "")
    assert await questions(bus) == []


async def test_an_error_does_not_repeat_what_was_asked(bus: Recorded) -> None:
    reply = await answer_ask(b'{"question": "x", "run_id": "my private words"}', bus, SETTINGS)
    assert "my private words" not in (reply.error or "")


async def test_fields_of_a_newer_client_are_passed_over(bus: Recorded) -> None:
    reply = await answer_ask(b'{"question": "x", "tomorrow": true}', bus, SETTINGS)
    assert reply.error is None
    assert reply.run_id is not None


async def test_without_the_stream_an_asker_is_told_so() -> None:
    class Away(MemoryBus):
        async def publish_all(
            self, events: Sequence[Event], timers: Sequence[Timer] = (), *, headers: Mapping[str, str] | None = None
        ) -> bool:
            raise BusUnavailable("the stream gave no acknowledgement")

    reply = await answer_ask(b'{"question": "x"}', Away(), SETTINGS)
    assert (reply.run_id, reply.error_type) == (None, "BusUnavailable")
    assert reply.error
