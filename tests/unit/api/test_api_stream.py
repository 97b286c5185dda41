"""Following a run: nothing told twice, nothing missed, whatever was lost on the way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from nats.aio.msg import Msg
from openwork_api.api.stream import events_of
from openwork_api.hub import MOST_WAITING, Hub, Told
from openwork_api.people import LOCAL
from openwork_bus.codec import pack
from openwork_contracts.progress import Progress
from openwork_contracts.results import ResultKind, RunResult
from openwork_gateway.results import put_document
from sse_starlette import ServerSentEvent

from tests.memory_asker import MemoryAsker, api_client
from tests.requesting import bus_with, refusal, with_document
from tests.run_events import AT, RUN, rejected, submitted


def _progress(step: str) -> Progress:
    return Progress(run_id=RUN, service="reranker", step=step, at=AT)


def _message(result: RunResult, sequence: int) -> Msg:
    headers = {"Openwork-Result": result.kind.value, "Nats-Sequence": str(sequence)}
    body = pack(result.model_dump_json().encode(), over_bytes=100)
    return Msg(None, f"openwork.results.{RUN}", data=body, headers=headers)  # type: ignore[arg-type]


def _told(sequence: int, step: str) -> Msg:
    return _message(
        RunResult(run_id=RUN, kind=ResultKind.PROGRESS, at=datetime.now(UTC), progress=_progress(step)), sequence
    )


async def _next(events: AsyncIterator[ServerSentEvent]) -> tuple[str, str, dict[str, object]]:
    event = await asyncio.wait_for(anext(events), 60)
    return str(event.id), str(event.event), json.loads(str(event.data))


async def test_what_was_told_last_comes_first_and_what_is_told_then_after_it() -> None:
    asker = MemoryAsker(await bus_with(submitted()))
    await asker.results.put_progress(_progress("search"), "local")
    events = events_of(asker, LOCAL, RUN, 0)
    identity, kind, body = await _next(events)
    assert (identity, kind, body["progress"]["step"]) == ("1", "progress", "search")  # type: ignore[index]
    await asker.hub.hear(_told(2, "rank"))
    assert (await _next(events))[0] == "2"
    await events.aclose()  # type: ignore[attr-defined]
    assert len(asker.hub) == 0


async def test_who_comes_again_hears_only_what_is_new() -> None:
    asker = MemoryAsker(await bus_with(submitted()))
    await asker.results.put_progress(_progress("search"), "local")
    events = events_of(asker, LOCAL, RUN, 1)
    waiting = asyncio.ensure_future(_next(events))
    await asyncio.sleep(0)
    await asyncio.sleep(0.01)
    await asker.hub.hear(_told(1, "search"))
    await asker.hub.hear(_told(2, "rank"))
    assert (await waiting)[0] == "2"


async def test_a_stream_ends_with_its_run() -> None:
    asker = MemoryAsker(await bus_with(submitted()))
    events = events_of(asker, LOCAL, RUN, 0)
    waiting = asyncio.ensure_future(_next(events))
    await asyncio.sleep(0.01)
    result = RunResult(run_id=RUN, kind=ResultKind.DOCUMENT, at=AT, document=refusal())
    await asker.hub.hear(_message(result, 7))
    assert (await waiting)[:2] == ("7", "document")
    with pytest.raises(StopAsyncIteration):
        await anext(events)


async def test_an_end_that_was_told_while_the_connection_was_away_is_asked_for() -> None:
    asker = MemoryAsker(await bus_with(submitted()))
    events = events_of(asker, LOCAL, RUN, 0)
    waiting = asyncio.ensure_future(_next(events))
    await asyncio.sleep(0.01)
    await asker.bus.publish(rejected())
    await with_document(asker.bus, results=asker.results)
    asker.hub.lost_sight()
    _, kind, body = await waiting
    assert (kind, body["status"]) == ("document", "rejected")


async def test_an_end_that_nobody_told_is_found_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openwork_api.api.stream.PING_S", 0.05)
    asker = MemoryAsker(await bus_with(submitted()))
    events = events_of(asker, LOCAL, RUN, 0)
    waiting = asyncio.ensure_future(_next(events))
    await asyncio.sleep(0.01)
    await asker.bus.publish(rejected())
    await with_document(asker.bus, results=asker.results)
    assert (await waiting)[1] == "document"


async def test_a_run_that_is_deleted_while_it_is_followed_ends_the_stream() -> None:
    asker = MemoryAsker(await bus_with(submitted()))
    events = events_of(asker, LOCAL, RUN, 0)
    waiting = asyncio.ensure_future(_next(events))
    await asyncio.sleep(0.01)
    await asker.results.delete("local", RUN)
    asker.hub.lost_sight()
    assert (await waiting)[1] == "deleted"


async def test_a_reader_who_does_not_keep_up_asks_for_what_was_missed() -> None:
    hub = Hub()
    with hub.follow(RUN) as told:
        for sequence in range(1, MOST_WAITING + 2):
            await hub.hear(_told(sequence, "search"))
        assert told.get_nowait() is None
        assert told.empty()


async def test_a_result_that_cannot_be_read_is_asked_for() -> None:
    hub = Hub()
    with hub.follow(RUN) as told:
        await hub.hear(Msg(None, f"openwork.results.{RUN}", data=b"{", headers={}))  # type: ignore[arg-type]
        assert told.get_nowait() is None


async def test_a_message_is_read_once_for_all_its_readers_and_not_at_all_for_none() -> None:
    hub = Hub()
    await hub.hear(Msg(None, f"openwork.results.{RUN}", data=b"{", headers={}))  # type: ignore[arg-type]
    with hub.follow(RUN) as first, hub.follow(RUN) as second:
        await hub.hear(_told(1, "search"))
        one, other = first.get_nowait(), second.get_nowait()
    assert isinstance(one, Told)
    assert one is other


async def test_a_process_that_stops_lets_its_readers_go() -> None:
    asker = MemoryAsker(await bus_with(submitted()))
    events = events_of(asker, LOCAL, RUN, 0)
    waiting = asyncio.ensure_future(_next(events))
    await asyncio.sleep(0.01)
    asker.hub.end()
    with pytest.raises(StopAsyncIteration):
        await waiting


async def test_over_http_the_end_of_a_run_is_one_event_and_then_no_more() -> None:
    bus = await bus_with(submitted(), rejected())
    asker = MemoryAsker(bus, await with_document(bus))
    async with api_client(asker) as client:
        first = await client.get(f"/api/v1/runs/{RUN}/events")
        again = await client.get(f"/api/v1/runs/{RUN}/events", headers={"Last-Event-ID": "1"})
    assert first.headers["content-type"].startswith("text/event-stream")
    assert first.headers["cache-control"] == "no-store"
    assert "id: 1\r\nevent: document" in first.text
    assert again.status_code == 204


@pytest.mark.parametrize("last", ["", "x", "-1", "1.5", "²", "9" * 5000])
async def test_a_last_event_id_that_is_none_is_as_if_it_was_not_there(last: str) -> None:
    asker = MemoryAsker()
    await put_document(asker.results, refusal())
    async with api_client(asker) as client:
        headers = {b"Last-Event-ID": last.encode()}
        assert "event: document" in (await client.get(f"/api/v1/runs/{RUN}/events", headers=headers)).text
