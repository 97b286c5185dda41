"""What the pinned server answers to a publish that it does not store, on our streams, and what the bus makes of it.

One test for each row of the table that `openwork_bus.storage` reads answers by; another server version that answers
otherwise fails here and not in a full store.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from nats.js import JetStreamContext
from nats.js.api import StreamConfig
from nats.js.errors import APIError
from openwork_bus.connection import connect
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.publishing import EXPECTED
from openwork_bus.run_ids import new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import ensure_topology
from openwork_contracts.accounts import LOCAL_ACCOUNT, inbox_stream, inbox_subject, results_subject
from openwork_contracts.errors import StorageFull, SubjectTaken
from openwork_contracts.subjects import RESULTS_STREAM, STREAM
from openwork_laptop import embedded

from tests.builders import failed, planned, requested, run_on, submitted
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats

CREATE_ONLY = {EXPECTED: "0"}
THERE = (503, 10077, "maximum messages per subject exceeded")
FULL = (503, 10077, "maximum bytes exceeded")


@pytest.fixture
def settings(nats_server: OpenServer) -> ServiceSettings:
    """Those who publish give up soon."""
    return ServiceSettings(nats_url=nats_server.url, publish_patience_s=0.3)


async def answer(bus: JetStreamBus, subject: str, headers: Mapping[str, str] | None = None) -> tuple[int, int, str]:
    """What the server answers to one message: code, error code, words; (0, 0, "") when it is stored."""
    told = json.loads((await bus.connection.request(subject, b"{}", headers=dict(headers or {}), timeout=5)).data)
    error = told.get("error")
    return (error["code"], error["err_code"], error["description"]) if error else (0, 0, "")


async def fill(bus: JetStreamBus, stream: str = STREAM) -> None:
    """Let a stream have no more bytes than it holds."""
    js = bus.connection.jetstream()
    info = await js.stream_info(stream)
    await js.update_stream(replace(info.config, max_bytes=max(1, info.state.bytes)))


async def n_stored(bus: JetStreamBus, stream: str = STREAM) -> int:
    return int((await bus.connection.jetstream().stream_info(stream)).state.messages)


async def test_a_repeat_without_the_header_is_there_already(bus: JetStreamBus) -> None:
    event = submitted(run_on(bus))
    assert await bus.publish(event)
    assert await answer(bus, event.meta.event_id) == THERE
    assert await bus.publisher.store(STREAM, event.meta.event_id, b"other", {}) is False
    stored = await bus.get(event.meta.event_id)
    assert stored is not None
    assert stored.event == event


async def test_a_repeat_with_the_header_is_there_already(bus: JetStreamBus) -> None:
    """One's own is False, another's an error."""
    run = run_on(bus)
    assert await bus.publish(submitted(run))
    code, err_code, words = await answer(bus, submitted(run).meta.event_id, CREATE_ONLY)
    assert (code, err_code, words.split(":")[0]) == (400, 10071, "wrong last sequence")
    assert await bus.publish(submitted(run)) is False
    with pytest.raises(SubjectTaken):
        await bus.publish(submitted(run, "another question"))
    assert await n_stored(bus) == 1


@pytest.mark.parametrize("headers", [{}, CREATE_ONLY])
async def test_a_new_subject_into_a_full_stream_finds_no_room(bus: JetStreamBus, headers: dict[str, str]) -> None:
    """And nothing old goes for it."""
    assert await bus.publish(submitted(run_on(bus)))
    await fill(bus)
    event = submitted(run_on(bus))
    assert await answer(bus, event.meta.event_id, headers) == FULL
    with pytest.raises(StorageFull):
        await bus.publisher.store(STREAM, event.meta.event_id, b"{}", headers)
    with pytest.raises(StorageFull):
        await bus.publish(event)
    assert await n_stored(bus) == 1


async def test_a_repeat_into_a_full_stream_is_there_already(bus: JetStreamBus) -> None:
    run = run_on(bus)
    assert await bus.publish(submitted(run))
    await fill(bus)
    assert (await answer(bus, submitted(run).meta.event_id, CREATE_ONLY))[1] == 10071
    assert await answer(bus, submitted(run).meta.event_id) in (THERE, FULL)
    assert await bus.publish(submitted(run)) is False


async def test_a_batch_into_a_full_stream_leaves_nothing_of_itself(bus: JetStreamBus) -> None:
    """Also where its first message would fit."""
    assert await bus.publish(submitted(run_on(bus)))
    js = bus.connection.jetstream()
    info = await js.stream_info(STREAM)
    await js.update_stream(replace(info.config, max_bytes=info.state.bytes + 2500))
    run = run_on(bus)
    sources = [f"s{n}" for n in range(10)]
    with pytest.raises(StorageFull) as refused:
        await bus.publish_all([planned(run, ("library",)), *(requested(run, source) for source in sources)])
    assert "maximum bytes exceeded (10077)" in str(refused.value)
    assert await n_stored(bus) == 1
    await js.update_stream(replace(info.config))
    assert await bus.publish_all([planned(run, ("library",)), *(requested(run, source) for source in sources)])
    assert await n_stored(bus) == 12


async def test_a_repeated_batch_is_there_already_and_a_mixed_one_leaves_nothing(bus: JetStreamBus) -> None:
    run = run_on(bus)
    plan, library, pubmed = planned(run, ("library",)), requested(run, "library"), requested(run, "pubmed")
    assert await bus.publish_all([plan, library])
    assert await bus.publish_all([plan, library]) is False
    assert await bus.publish_all([plan, library, pubmed]) is False
    assert await n_stored(bus) == 2


async def test_of_those_who_race_for_a_subject_one_wins(bus: JetStreamBus, settings: ServiceSettings) -> None:
    """Over two connections; who loses is told 10071, or 10164 where the other is being stored."""
    connection = await connect(settings, name="other")
    other, codes = JetStreamBus(connection, settings), set()
    try:
        for _ in range(40):
            run_id = new_run_id()
            subject = failed(run_on(bus, run_id)).meta.event_id
            told = await asyncio.gather(*(answer(each, subject, CREATE_ONLY) for each in (bus, other) * 4))
            assert [code for _, code, _ in told].count(0) == 1
            codes |= {code for _, code, _ in told}
            runs = [run_on(each, new_run_id_) for each in (bus, other) * 2 for new_run_id_ in (run_id[:-2] + "ZZ",)]
            stored = await asyncio.gather(*(run.bus.publish(submitted(run)) for run in runs))
            assert stored.count(True) == 1
    finally:
        await connection.close()
    assert codes <= {0, 10071, 10164}


async def test_a_full_inbox_refuses_and_a_repeat_is_there_already(bus: JetStreamBus) -> None:
    first, second = (inbox_subject(LOCAL_ACCOUNT, new_run_id()) for _ in range(2))
    stream, js = inbox_stream(LOCAL_ACCOUNT), bus.connection.jetstream()
    assert await bus.publisher.store(stream, first, b"{}", {})
    assert await answer(bus, first) == THERE
    assert await bus.publisher.store(stream, first, b"{}", {}) is False
    info = await js.stream_info(stream)
    await js.update_stream(replace(info.config, max_msgs=1))
    assert await answer(bus, second) == (503, 10077, "maximum messages exceeded")
    with pytest.raises(StorageFull):
        await bus.publisher.store(stream, second, b"{}", {})
    await js.update_stream(replace(info.config, max_bytes=info.state.bytes))
    assert await answer(bus, second) == FULL


async def test_full_results_drop_the_oldest(bus: JetStreamBus) -> None:
    first, second = (results_subject("ALICE", new_run_id()) for _ in range(2))
    assert await bus.publisher.store(RESULTS_STREAM, first, b"{}", {})
    await fill(bus, RESULTS_STREAM)
    assert await bus.publisher.store(RESULTS_STREAM, second, b"{}", {})
    state = (await bus.connection.jetstream().stream_info(RESULTS_STREAM, subjects_filter=">")).state
    assert set(state.subjects or ()) == {second}


@pytest.fixture
async def small_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[JetStreamBus]:
    """A bus on a server with a store of 100 MB, half of which is its streams'."""
    monkeypatch.setattr(embedded, "_CONFIG", embedded._CONFIG.replace("max_file_store: 8GB", "max_file_store: 100MB"))
    server = OpenServer(tmp_path / "small")
    await server.start()
    settings = ServiceSettings(nats_url=server.url, publish_patience_s=0.3, store_gb=0.05)
    connection = await connect(settings, name="test")
    await ensure_topology(connection.jetstream(timeout=10), settings)
    yield JetStreamBus(connection, settings)
    await connection.close()
    await server.stop()


async def use_up(js: JetStreamContext) -> None:
    for _ in range(60):
        await js.publish("other", bytes(2_000_000))


async def test_a_used_up_store_of_the_server_is_full_and_heals_with_room(small_store: JetStreamBus) -> None:
    """Another stream, of no limit, took all there is; a stream with room of its own is refused too."""
    bus = small_store
    js = bus.connection.jetstream(timeout=10)
    await js.add_stream(StreamConfig(name="OTHER", subjects=["other"]))
    with pytest.raises(APIError) as refused:
        await use_up(js)
    assert (refused.value.code, refused.value.err_code) == (503, 10023)
    event = submitted(run_on(bus))
    assert await answer(bus, event.meta.event_id, CREATE_ONLY) == (503, 10023, "insufficient resources")
    with pytest.raises(StorageFull):
        await bus.publish(event)
    await js.purge_stream("OTHER")
    assert await bus.publish(event)


async def test_a_share_that_does_not_fit_is_told_in_words(small_store: JetStreamBus) -> None:
    """The server reserves what streams may have: 10047, which is no subject that is taken."""
    settings = ServiceSettings(store_gb=0.5)
    with pytest.raises(StorageFull, match=r"needs \d+ MiB of the store \(.* OPENWORK_STORE_GB=0.5\)"):
        await ensure_topology(small_store.connection.jetstream(timeout=10), settings)
