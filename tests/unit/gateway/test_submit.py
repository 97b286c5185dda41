"""Asking: what starts a run, what is refused, and what a client is told."""

from __future__ import annotations

import json

import pytest
from openwork_bus.bus import Bus
from openwork_bus.run_ids import new_run_id, trace_id_of
from openwork_bus.settings import ServiceSettings
from openwork_contracts.errors import BusUnavailable, UsageError
from openwork_contracts.question import AskOptions, AskRequest, Mode, QuerySubmitted
from openwork_contracts.subjects import run_filter
from openwork_gateway.submit import answer_ask, submit

pytestmark = pytest.mark.nats


async def test_a_question_is_stored_with_its_options_its_mode_and_its_trace(
    bus: Bus, settings: ServiceSettings
) -> None:
    request = AskRequest(question="Why?", mode=Mode.REVIEW, options=AskOptions(sources=("library",), deadline_s=60))
    reply = await submit(bus, request, settings, producer="test")
    assert reply.run_id is not None
    (stored,) = [s for s in await bus.history(reply.run_id) if isinstance(s.event, QuerySubmitted)]
    assert isinstance(stored.event, QuerySubmitted)
    assert (stored.event.question, stored.event.mode, stored.event.options) == ("Why?", Mode.REVIEW, request.options)
    assert stored.subject == f"openwork.v1.query-submitted.review.{reply.run_id}.0"
    assert (stored.event.meta.producer, stored.event.meta.trace_id) == ("test", trace_id_of(reply.run_id))
    assert (reply.history, reply.live) == (run_filter(reply.run_id), f"openwork.live.{reply.run_id}")


async def test_asking_again_with_the_same_run_id_stores_nothing(bus: Bus, settings: ServiceSettings) -> None:
    """Not even when the question is another one: the first stays."""
    run_id = new_run_id()
    first = await submit(bus, AskRequest(question="First?", run_id=run_id), settings, producer="test")
    again = await submit(bus, AskRequest(question="Second?", run_id=run_id), settings, producer="test")
    assert (first.already_known, again.already_known) == (False, True)
    (event,) = [s.event for s in await bus.history(run_id) if isinstance(s.event, QuerySubmitted)]
    assert event.question == "First?"


async def test_a_run_id_that_no_ulid_has_is_a_usage_error(bus: Bus, settings: ServiceSettings) -> None:
    request = AskRequest(question="x").model_copy(update={"run_id": "*"})
    with pytest.raises(UsageError, match="is not a run id"):
        await submit(bus, request, settings, producer="test")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "Invalid JSON"),
        (b"\xff\xfe", "Invalid JSON"),
        (b"[]", "body"),
        (b"null", "body"),
        (b'{"question": 7}', "question"),
        (b'{"question": "x", "mode": "shout"}', "answer, review"),
        (b'{"question": "x", "run_id": "../../etc"}', "run_id"),
        (b'{"question": "x", "options": {"sources": ["a.b.>"]}}', "options.sources.0"),
        (b'{"question": "x", "options": {"deadline_s": -1}}', "options.deadline_s"),
        (json.dumps({"question": "x" * 20_001}).encode(), "20000 characters"),
        (b"[" * 100_000, "Invalid JSON"),
    ],
)
async def test_a_request_that_cannot_be_read_starts_no_run_and_is_answered(
    bus: Bus, settings: ServiceSettings, body: bytes, words: str
) -> None:
    reply = await answer_ask(body, bus, settings)
    assert reply.run_id is None
    assert words in (reply.error or "")
    assert (await bus.connection.jetstream().stream_info("OPENWORK")).state.messages == 0


async def test_an_error_does_not_repeat_what_was_asked(bus: Bus, settings: ServiceSettings) -> None:
    reply = await answer_ask(b'{"question": "x", "mode": "my private words"}', bus, settings)
    assert "my private words" not in (reply.error or "")


async def test_fields_of_a_newer_client_are_passed_over(bus: Bus, settings: ServiceSettings) -> None:
    reply = await answer_ask(b'{"question": "x", "tomorrow": true}', bus, settings)
    assert reply.error is None
    assert reply.run_id is not None


async def test_without_the_stream_a_client_is_told_so_and_does_not_wait_for_ever(
    bus: Bus, settings: ServiceSettings
) -> None:
    short = settings.model_copy(update={"publish_timeout_s": 0.2, "publish_patience_s": 0.4})
    impatient = Bus(bus.connection, short)
    await bus.connection.jetstream().delete_stream("OPENWORK")
    with pytest.raises(BusUnavailable):
        await submit(impatient, AskRequest(question="x"), settings, producer="test")
    reply = await answer_ask(b'{"question": "x"}', impatient, settings)
    assert reply.run_id is None
    assert reply.error
