"""Showing, listing and cancelling runs: what a reply holds, and that there always is one."""

from __future__ import annotations

import asyncio
import json
import re
import time

import pytest
from openwork_bus.codec import decode
from openwork_bus.memory import MemoryBus
from openwork_contracts.answer import RunStatus
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.meta import Event
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.requests import ShowReply
from openwork_contracts.subjects import end_filter
from openwork_gateway.requests import answer_cancel, answer_events, answer_list, answer_show, events_page
from openwork_gateway.watch import EndWatch, watch

from tests.builders import QUESTION
from tests.run_events import RUN, completed, concluded, failed, planned, rejected, stored, submitted

OTHER = "01BX5ZZKBKACTAV9WEVGEMMVRZ"
END = "openwork.v1.end.answer.all.{}.all.0.0"


async def bus_with(*events: Event) -> MemoryBus:
    bus = MemoryBus()
    for event in events:
        await bus.publish(event)
    return bus


async def show(bus: MemoryBus, **request: object) -> ShowReply:
    return await answer_show(json.dumps({"run_id": RUN, **request}).encode(), bus, EndWatch())


async def test_a_run_is_shown_as_far_as_it_has_come() -> None:
    running = await show(await bus_with(submitted(), planned()))
    assert running.document is not None
    assert (running.document.status, running.rendered) == (RunStatus.RUNNING, None)
    done = await show(await bus_with(submitted(), planned(), concluded(), completed()), rendered=True)
    assert done.document is not None
    assert done.rendered is not None
    assert (done.document.status, len(done.rendered.references)) == (RunStatus.ANSWERED, 1)
    assert done.rendered.markdown.startswith(f"# {QUESTION}")
    assert any("1 of 1 claims supported" in line for line in done.rendered.method)


async def test_a_run_that_is_not_stored_is_told_at_once_even_to_who_would_wait() -> None:
    began = time.monotonic()
    reply = await show(MemoryBus(), wait_s=20)
    assert (reply.document, reply.error_type) == (None, "RunNotFound")
    assert RUN in (reply.error or "")
    assert time.monotonic() - began < 1


async def test_who_waits_gets_the_document_as_soon_as_the_run_has_ended() -> None:
    bus, ends = await bus_with(submitted()), EndWatch()
    waiting = asyncio.create_task(answer_show(json.dumps({"run_id": RUN, "wait_s": 20}).encode(), bus, ends))
    await asyncio.sleep(0.01)
    ends.tell(END.format(RUN))  # heard before it is stored
    await bus.publish(rejected())
    reply = await asyncio.wait_for(waiting, 1)
    assert reply.document is not None
    assert reply.document.status is RunStatus.REJECTED


async def test_who_waits_in_vain_gets_the_run_as_it_stands() -> None:
    reply = await show(await bus_with(submitted()), wait_s=0.05)
    assert reply.document is not None
    assert reply.document.status is RunStatus.RUNNING


async def test_an_end_that_nobody_told_of_is_found_by_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    """The subscription may have been away; two looks in a while are no storm."""
    monkeypatch.setattr("openwork_gateway.watch._LOOK_S", 0.02)
    bus = await bus_with(submitted())
    waiting = asyncio.create_task(EndWatch().wait(bus, RUN, 5))
    await asyncio.sleep(0.01)
    await bus.publish(failed())
    assert await asyncio.wait_for(waiting, 1)


async def test_a_thousand_who_wait_look_seldom() -> None:
    class Counted(MemoryBus):
        looks = 0

        async def subjects(self, pattern: str) -> frozenset[str]:
            self.looks += 1
            return await super().subjects(pattern)

    bus, ends = Counted(), EndWatch()
    async with asyncio.timeout(5):
        done = await asyncio.gather(*(ends.wait(bus, RUN, 0.1) for _ in range(1000)))
    assert not any(done)
    assert bus.looks <= 2000  # at the beginning and at the end; on a busy machine the first is the last
    assert ends._waiting == {}


async def test_control_and_bidirectional_characters_do_not_reach_a_terminal() -> None:
    hostile = "\x1b]0;owned\x07Does \u202eapixaban\u202c\u2066 \x9b31mwork?\r\n\tReally?"
    bus = await bus_with(submitted(hostile), failed("\x1b[2Jno \u202ewords"))
    shown = await show(bus, rendered=True)
    assert shown.document is not None
    assert shown.rendered is not None
    listed = await answer_list(b"{}", bus)
    (run,) = listed.runs
    told = await answer_events(json.dumps({"run_id": RUN}).encode(), bus, 8 * 2**20)
    printed = shown.model_dump_json() + shown.rendered.markdown + listed.model_dump_json() + told.model_dump_json()
    assert not any(c in printed for c in "\x1b\x07\x9b\u202e\u202c\u2066\r")
    assert not re.search(r"u00(?!0[9a])[01]|u202|u206", printed)  # nor as an escape of JSON
    assert shown.document.question == "�]0;owned�Does apixaban ›31mwork?\n\tReally?"
    assert run.question == "�]0;owned�Does apixaban ›31mwork? Really?"
    assert "�[2Jno words" in shown.document.answer.markdown


async def test_a_question_that_a_client_stored_itself_enters_when_it_is_read() -> None:
    """The bytes in the stream are the client's; every reader of them is behind the door."""
    body = json.dumps({"question": "Does \u202eapixaban\x1b[31m work?"}).encode()
    subject = submitted().meta.event_id
    event = decode(subject, body, stored_at=submitted().meta.occurred_at, headers={})
    assert isinstance(event, QuerySubmitted)
    assert event.question == "Does apixaban�[31m work?"


async def test_why_a_run_was_cancelled_is_told_without_what_steers_a_terminal() -> None:
    bus = await bus_with(submitted(), planned())
    await answer_cancel(json.dumps({"run_id": RUN, "reason": "\x1b]0;x\x07 \u202etwice"}).encode(), bus)
    document = (await show(bus)).document
    assert document is not None
    assert document.answer.markdown == "The run was cancelled: �]0;x� twice."


async def test_runs_are_listed_newest_first_with_how_they_stand() -> None:
    def of(run_id: str, event: Event) -> Event:
        meta = event.meta.model_copy(update={"run_id": run_id, "event_id": event.meta.event_id.replace(RUN, run_id)})
        return event.model_copy(update={"meta": meta})

    bus = await bus_with(submitted(), planned(), concluded(), completed(), of(OTHER, submitted("Newer? " * 60)))
    runs = (await answer_list(b"{}", bus)).runs
    assert [(r.run_id, r.status.value, r.pipeline, r.owner) for r in runs] == [
        (OTHER, "running", "answer", "local"),
        (RUN, "answered", "answer", "local"),
    ]
    assert len(runs[0].question) == 200
    assert [r.run_id for r in (await answer_list(b'{"limit": 1}', bus)).runs] == [OTHER]
    await bus.publish(of(OTHER, rejected()))
    assert (await answer_list(b"{}", bus)).runs[0].status is RunStatus.REJECTED


async def test_a_run_is_cancelled_with_the_reason_and_who_wished_it() -> None:
    bus = await bus_with(submitted(), planned())
    reply = await answer_cancel(json.dumps({"run_id": RUN, "reason": "asked *twice*"}).encode(), bus)
    assert (reply.run_id, reply.cancelled, reply.error) == (RUN, True, None)
    end = await bus.get(END.format(RUN))
    assert end is not None
    assert isinstance(end.event, RunEnded)
    assert (end.event.kind, end.event.cancelled_by) == (EndKind.CANCELLED, "local")
    document = (await show(bus)).document
    assert document is not None
    assert (document.status, document.answer.markdown) == (
        RunStatus.CANCELLED,
        "The run was cancelled: asked \\*twice\\*.",
    )


async def test_a_run_that_has_ended_stays_as_it_ended() -> None:
    bus = await bus_with(submitted(), rejected())
    reply = await answer_cancel(json.dumps({"run_id": RUN}).encode(), bus)
    assert (reply.cancelled, reply.error) == (False, None)
    assert len(await bus.subjects(end_filter(RUN))) == 1
    document = (await show(bus)).document
    assert document is not None
    assert document.status is RunStatus.REJECTED


async def test_cancelling_what_is_not_stored_is_told() -> None:
    reply = await answer_cancel(json.dumps({"run_id": RUN}).encode(), MemoryBus())
    assert (reply.cancelled, reply.error_type) == (False, "RunNotFound")


async def test_a_history_comes_in_pages_that_fit_a_message() -> None:
    bus = await bus_with(submitted(), planned(), *(concluded(track=f"t{n}", text="x" * 90_000) for n in range(6)))
    names: list[str] = []
    after, pages = 0, 0
    while True:
        reply = await answer_events(json.dumps({"run_id": RUN, "after": after}).encode(), bus, 8 * 2**20)
        assert len(reply.model_dump_json()) < 300_000
        names += [row.name for row in reply.events]
        pages += 1
        if reply.next is None:
            break
        after = reply.next
    assert names == ["query-submitted", "search-planned", *["answer-concluded"] * 6]
    assert pages > 1
    assert json.loads(reply.events[-1].body or "")["meta"]["run_id"] == RUN


def test_an_event_that_fits_no_message_is_told_of_without_its_body() -> None:
    page = events_page(stored([submitted(), concluded(text="x" * 90_000), failed()])[0:], 64_000)
    assert [(row.name, row.body is None) for row in page.events] == [
        ("query-submitted", False),
        ("answer-concluded", True),
        ("end", False),
    ]
    assert [row.in_words for row in page.events] == [None, "answered", "failed"]


@pytest.mark.parametrize("body", [b"", b"null", b'{"run_id": "../x"}', b'{"run_id": 7}', b'{"limit": -1}'])
async def test_every_bad_request_gets_words(body: bytes) -> None:
    bus = MemoryBus()
    replies = [
        await answer_show(body, bus, EndWatch()),
        await answer_cancel(body, bus),
        await answer_events(body, bus, 1_000_000),
    ]
    assert {reply.error_type for reply in replies} == {"UsageError"}
    assert all("Send JSON such as" in (reply.error or "") for reply in replies)
    assert (await answer_list(b'{"limit": 0}', bus)).error_type == "UsageError"


async def test_a_fault_of_ours_is_a_reply_too_and_tells_nothing_of_the_inside() -> None:
    class Broken(MemoryBus):
        async def subjects(self, pattern: str) -> frozenset[str]:
            raise RuntimeError("/secret/path")

    reply = await answer_list(b"{}", Broken())
    assert reply.error == "The gateway failed unexpectedly (RuntimeError)."


async def test_who_follows_a_run_sees_its_events_in_order_until_its_end() -> None:
    bus = await bus_with(submitted())

    async def more() -> None:
        for event in (planned(), concluded(), completed()):
            await asyncio.sleep(0.02)
            await bus.publish(event)

    task = asyncio.create_task(more())
    names = [found.event.event_name async for found in watch(bus, RUN, within_s=5)]
    await task
    assert names == ["query-submitted", "search-planned", "answer-concluded", "end"]
