"""Lists, events and cancelling: what a reply holds, whose it may be, and that there always is one."""

from __future__ import annotations

import asyncio
import json

import pytest
from openwork_bus.codec import pack
from openwork_bus.memory import MemoryBus
from openwork_bus.run_ids import new_run_id
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.subjects import end_filter
from openwork_gateway.deleting import answer_delete
from openwork_gateway.listing import answer_list
from openwork_gateway.requests import (
    MOST_BYTES,
    answer_ask,
    answer_cancel,
    answer_events,
    answer_show,
    events_page,
)
from openwork_gateway.results import put_document
from openwork_gateway.watch import EndWatch, watch

from tests.at_the_door import a_door
from tests.memory_results import MemoryResults
from tests.requesting import END, OTHER, bus_with, listed, of, refusal, show, status_of, with_document
from tests.run_events import RUN, completed, concluded, drafted, failed, planned, rejected, stored, submitted


async def test_runs_are_listed_newest_first_whether_over_or_at_work() -> None:
    bus = await bus_with(submitted(), rejected(), of(submitted("Newer? " * 60), OTHER))
    results = await with_document(bus)
    runs = (await listed(bus, results)).runs
    assert [(r.run_id, r.status.value, r.pipeline, r.owner) for r in runs] == [
        (OTHER, "running", "answer", "local"),
        (RUN, "rejected", "answer", "local"),
    ]
    assert len(runs[0].question) == 200
    assert [r.run_id for r in (await listed(bus, results, limit=1)).runs] == [OTHER]


async def test_only_ones_own_runs_are_listed() -> None:
    bus = await bus_with(submitted(), of(submitted(), OTHER, owner="ALICE"))
    results = MemoryResults()
    await put_document(results, refusal(new_run_id(), owner="BOB"))
    assert [r.owner for r in (await listed(bus, results)).runs] == ["local"]
    assert [r.owner for r in (await listed(bus, results, account="ALICE")).runs] == ["ALICE"]
    assert [r.owner for r in (await listed(bus, results, account="BOB")).runs] == ["BOB"]
    assert (await listed(bus, results, account="CAROL")).runs == ()


async def test_a_person_of_the_api_has_a_list_of_their_own() -> None:
    """However many runs of others are newer, up to a bound, after which the page ends."""
    results, hers = MemoryResults(), new_run_id()
    await put_document(results, refusal(hers, owner="api/alice"))
    for _ in range(100):
        await put_document(results, refusal(new_run_id(), owner="api/bob"))
    runs = (await listed(MemoryBus(), results, account="api", on_behalf_of="alice")).runs
    assert [r.run_id for r in runs] == [hers]
    assert len((await listed(MemoryBus(), results, account="api", on_behalf_of="bob", limit=500)).runs) == 100
    assert (await listed(MemoryBus(), results, account="api")).runs == ()


async def test_a_list_of_a_person_reads_a_bounded_number_of_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openwork_gateway.listing.MOST_READ", 64)
    n_read = 0

    class Counted(MemoryResults):
        async def last(self, account: str, run_id: str) -> AnswerDocument | None:
            nonlocal n_read
            n_read += 1
            return await super().last(account, run_id)

    results = Counted()
    for _ in range(200):
        await put_document(results, refusal(new_run_id(), owner="api/bob"))
    page = await listed(MemoryBus(), results, account="api", on_behalf_of="alice")
    assert (page.runs, n_read) == ((), 64)
    assert page.next == sorted(await results.run_ids("api"))[-64], "the next page goes on where this one ended"


async def test_what_was_refused_under_no_run_id_does_not_break_the_list() -> None:
    bus = await bus_with(submitted())
    results = MemoryResults()
    for odd in ("hello", "zzz", RUN.lower()):
        await put_document(results, refusal(odd))
    assert [r.run_id for r in (await listed(bus, results)).runs] == [RUN]


# --- events --------------------------------------------------------------------------------------------------------


async def test_a_history_comes_in_pages_that_fit_a_message() -> None:
    bus = await bus_with(submitted(), planned(), *(concluded(track=f"t{n}", text="x" * 90_000) for n in range(6)))
    names: list[str] = []
    after, pages = 0, 0
    while True:
        body = json.dumps({"run_id": RUN, "after": after}).encode()
        reply = await answer_events("local", body, bus, MemoryResults(), 8 * 2**20)
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
    page = events_page(stored([submitted(), concluded(text="x" * 90_000), failed()]), 64_000)
    assert [(row.name, row.body is None) for row in page.events] == [
        ("query-submitted", False),
        ("answer-concluded", True),
        ("end", False),
    ]
    assert [row.in_words for row in page.events] == [None, "answered", "failed"]


async def test_of_a_draft_that_nobody_verified_only_where_it_comes_from_is_told() -> None:
    bus = await bus_with(submitted(), drafted(), concluded())
    reply = await answer_events("local", json.dumps({"run_id": RUN}).encode(), bus, MemoryResults(), 2**20)
    bodies = {row.name: json.loads(row.body or "{}") for row in reply.events}
    assert bodies["answer-drafted"].keys() == {"meta"}
    assert "question" in bodies["query-submitted"]


async def test_anothers_events_are_not_found() -> None:
    bus = await bus_with(submitted())
    reply = await answer_events("ALICE", json.dumps({"run_id": RUN}).encode(), bus, MemoryResults(), 2**20)
    assert (reply.events, reply.error_type) == ((), "RunNotFound")


# --- cancel --------------------------------------------------------------------------------------------------------


async def test_a_run_is_cancelled_with_the_reason_and_who_wished_it() -> None:
    bus = await bus_with(submitted(), planned())
    reply = await answer_cancel("local", json.dumps({"run_id": RUN, "reason": "asked *twice*"}).encode(), bus)
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


async def test_why_a_run_was_cancelled_is_told_without_what_steers_a_terminal() -> None:
    bus = await bus_with(submitted(), planned())
    await answer_cancel("local", json.dumps({"run_id": RUN, "reason": "\x1b]0;x\x07 \u202etwice"}).encode(), bus)
    document = (await show(bus)).document
    assert document is not None
    assert document.answer.markdown == "The run was cancelled: \ufffd]0;x\ufffd twice."


async def test_a_run_that_has_ended_stays_as_it_ended() -> None:
    bus = await bus_with(submitted(), rejected())
    reply = await answer_cancel("local", json.dumps({"run_id": RUN}).encode(), bus)
    assert (reply.cancelled, reply.error) == (False, None)
    assert len(await bus.subjects(end_filter(RUN))) == 1
    assert status_of(await show(bus)) is RunStatus.REJECTED


@pytest.mark.parametrize("account", ["ALICE", "api"])
async def test_nobody_cancels_anothers_run(account: str) -> None:
    bus = await bus_with(submitted())
    reply = await answer_cancel(account, json.dumps({"run_id": RUN}).encode(), bus)
    assert (reply.cancelled, reply.error_type) == (False, "RunNotFound")
    assert await bus.subjects(end_filter(RUN)) == frozenset()


async def test_cancelling_what_is_not_stored_is_told() -> None:
    reply = await answer_cancel("local", json.dumps({"run_id": RUN}).encode(), MemoryBus())
    assert (reply.cancelled, reply.error_type) == (False, "RunNotFound")


# --- every request -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"run_id": "../x", "limit": 0}',
        b'{"run_id": 7, "limit": "many"}',
        b'{"run_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "on_behalf_of": "a.b.>"}',
        pack(b" " * (MOST_BYTES + 1)),
        b"\x28\xb5\x2f\xfd and then nothing",
        b" " * (MOST_BYTES + 1),
    ],
)
async def test_every_bad_request_gets_words(body: bytes) -> None:
    bus, results = MemoryBus(), MemoryResults()
    replies = [
        await answer_show("local", body, bus, results, EndWatch()),
        await answer_cancel("local", body, bus),
        await answer_events("local", body, bus, results, 1_000_000),
        await answer_list("local", body, bus, results),
        await answer_delete("local", body, bus, results),
        await answer_ask("local", body, a_door(), _no_inbox),
    ]
    assert {reply.error_type for reply in replies} == {"UsageError"}  # type: ignore[attr-defined]
    assert all("Send JSON such as" in (reply.error or "") for reply in replies)  # type: ignore[attr-defined]


async def _no_inbox(*_: object) -> bool:
    raise AssertionError("nothing is to be published")


async def test_a_fault_of_ours_is_a_reply_too_and_tells_nothing_of_the_inside() -> None:
    class Broken(MemoryBus):
        async def subjects(self, pattern: str) -> frozenset[str]:
            raise RuntimeError("/secret/path")

    reply = await answer_list("local", b"{}", Broken(), MemoryResults())
    assert reply.error == "The gateway failed unexpectedly (RuntimeError)."


async def test_a_bus_that_is_away_is_told_as_such() -> None:
    reply = await show(await bus_with(submitted()), MemoryResults(away=True))
    assert reply.error_type == "BusUnavailable"


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
