"""From the former layout, one stream for events and timers, to this one and back, on a real server.

The former layout is built by hand, as its last version made it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, ObjectStoreConfig, StreamConfig
from nats.js.errors import APIError
from openwork_bus.codec import LARGE_HEADER, large, pack, to_json
from openwork_bus.connection import connect
from openwork_bus.former import FORMER_STREAM, former_subjects, narrow, roll_back
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.run_ids import new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_contracts.buckets import BLOBS, TEXTS
from openwork_contracts.errors import UsageError
from openwork_contracts.meta import BlobRef, Event
from openwork_contracts.requests import ListRequest
from openwork_contracts.subjects import STREAM, question_filter
from openwork_gateway.listing import newest_runs
from openwork_gateway.results import StoredResults
from openwork_gateway.upgrade import UPGRADED, is_due, take_over
from openwork_laptop.stack import client, prepare

from tests import run_events as made
from tests.builders import run_on, submitted
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats

WHOLE = (
    made.submitted(),
    made.planned(),
    made.normalised(),
    made.shortlisted(),
    made.ranked(),
    made.drafted(),
    made.concluded(),
    made.completed(),
)
UNDER_WAY = WHOLE[:4]
ODD = "openwork.v1.query-submitted.answer.all.not-a-run.all.0.0"


@pytest.fixture
async def js(nats_server: OpenServer) -> AsyncIterator[JetStreamContext]:
    """Who may do all, on a server with the former layout and nothing in it."""
    async with client(nats_server.url) as bus:
        found = bus.connection.jetstream(timeout=5)
        await found.add_stream(
            StreamConfig(
                name=FORMER_STREAM,
                subjects=list(former_subjects()),
                max_age=30 * 86_400,
                duplicate_window=120,
                allow_direct=True,
                allow_atomic=True,
                allow_msg_schedules=True,
            )
        )
        await found.add_consumer(
            FORMER_STREAM, ConsumerConfig(durable_name="query", filter_subject=question_filter("*"))
        )
        for bucket in (TEXTS, BLOBS):  # they reserved half of the store
            await found.create_object_store(bucket.name, config=ObjectStoreConfig(max_bytes=2 * 2**30))
        yield found


@asynccontextmanager
async def as_user(server: OpenServer, user: str) -> AsyncIterator[JetStreamBus]:
    """A connection with the rights of a service."""
    settings = server.logins.settings_of(user, ServiceSettings(nats_url=server.asker_url))
    connection = await connect(settings, name=user)
    try:
        yield JetStreamBus(connection, settings)
    finally:
        await connection.close()


@pytest.fixture
async def gateway(js: JetStreamContext, nats_server: OpenServer) -> AsyncIterator[JetStreamBus]:
    """A connection of the gateway, once topology has run."""
    await prepare(nats_server.asker_url, nats_server.logins)
    async with as_user(nats_server, "gateway") as bus:
        yield bus


async def store(js: JetStreamContext, *events: Event) -> str:
    """A run of the former layout: its events, and the deadlines that stood among them, one reached, one waiting."""
    run_id = new_run_id()
    for event in events:
        subject = event.meta.event_id.replace(made.RUN, run_id)
        await js.publish(subject, pack(to_json(event).replace(made.RUN.encode(), run_id.encode()), over_bytes=4096))
    reached = f"openwork.v1.deadline-reached.answer.normaliser.{run_id}.affirmative.1.0"
    waits = f"openwork.v1.timer.answer.run.{run_id}.all.0.0"
    await js.publish(reached, b'{"meta": {}, "joiner": "normaliser"}')
    schedule = {
        "Nats-Schedule": "@at 2099-01-01T00:00:00Z",
        "Nats-Schedule-Target": waits.replace("timer", "deadline-reached"),
    }
    await js.publish(waits, b"{}", headers=schedule)
    return run_id


async def test_runs_are_taken_over_as_they_ended_and_those_at_work_end_in_words(
    js: JetStreamContext, nats_server: OpenServer
) -> None:
    """By `prepare`, as `openwork up` and `openwork ask` do it: with the rights of topology and gateway."""
    answered, rejected = await store(js, *WHOLE), await store(js, made.submitted(), made.rejected())
    at_work, unreadable = await store(js, *UNDER_WAY), await store(js, made.failed())
    await js.publish(ODD, b"{}")
    n_before = (await js.stream_info(FORMER_STREAM)).state.messages
    await prepare(nats_server.asker_url, nats_server.logins)
    async with client(nats_server.url) as bus:
        results = StoredResults(bus)
        found = {run.run_id: run.status.value for run in (await newest_runs(bus, results, "local", ListRequest())).runs}
        whole, cut = await results.document("local", answered), await results.document("local", at_work)
    assert found == {answered: "answered", rejected: "rejected", at_work: "failed", unreadable: "failed"}
    assert whole is not None
    assert whole.answer.markdown == "Apixaban lowered stroke [1]. From stored records; not searched live."
    assert "deadline-reached" not in whole.timings.steps
    assert cut is not None
    assert cut.answer.markdown == UPGRADED
    assert cut.method.sources
    assert cut.timings.total_s < 60
    former = await js.stream_info(FORMER_STREAM)
    assert former.state.messages == n_before + 1  # the note
    assert (await js.stream_info(STREAM)).state.messages == 0
    assert "violation" not in (nats_server.folder / "nats-server.log").read_text().lower()


async def test_it_is_done_once_and_again_only_for_what_came_since(
    js: JetStreamContext, nats_server: OpenServer, gateway: JetStreamBus
) -> None:
    """Nothing was there; then the former version worked once more."""
    results = StoredResults(gateway)
    assert not await is_due(js)
    await roll_back(js)
    first = await store(js, *WHOLE)
    await prepare(nats_server.asker_url, nats_server.logins)
    assert not await is_due(js)
    assert not await take_over(gateway, results)

    await roll_back(js)
    second = await store(js, *UNDER_WAY)
    assert await is_due(js)
    with pytest.raises(UsageError, match="topology"):
        await take_over(gateway, results)
    await narrow(js)
    counted = await take_over(gateway, results)
    assert dict(counted) == {"already": 1, "interrupted": 1}
    assert await results.run_ids("local") == {first, second}
    sequence = (await js.stream_info("OPENWORK_RESULTS")).state.last_seq
    assert not await take_over(gateway, results)
    assert (await js.stream_info("OPENWORK_RESULTS")).state.last_seq == sequence == 2


async def test_the_former_version_gets_its_subjects_back_and_this_one_takes_them_again(
    js: JetStreamContext, nats_server: OpenServer
) -> None:
    """Back with the rights of topology; what was asked in between stays."""
    await prepare(nats_server.asker_url, nats_server.logins)
    async with client(nats_server.url) as bus:
        run = run_on(bus)
        await run.publish(submitted(run))
        async with as_user(nats_server, "topology") as topology:
            assert await roll_back(topology.connection.jetstream(timeout=5)) == former_subjects()
        # What the former version's topology job does.
        former = (await js.stream_info(FORMER_STREAM)).config
        await js.update_stream(former.evolve(subjects=list(former_subjects())))
        run_id = await store(js, *WHOLE)
        assert (await js.consumer_info(FORMER_STREAM, "query")).num_pending == 1
        objects = await js.object_store(BLOBS.name)
        await objects.put("name", b"x" * 300_000)
        assert len((await objects.get("name")).data or b"") == 300_000

        await prepare(nats_server.asker_url, nats_server.logins)
        assert await StoredResults(bus).run_ids("local") == {run_id}
        assert len(await bus.history(run.id)) == 1
        again = run_on(bus)
        assert await again.publish(submitted(again))
        with pytest.raises(APIError):
            await js.update_stream(former.evolve(subjects=list(former_subjects())))  # they are taken


async def test_an_event_whose_body_is_gone_is_left_out_and_counted(
    js: JetStreamContext, nats_server: OpenServer, gateway: JetStreamBus
) -> None:
    """Bodies of more than 256 KiB lay in an object store of NATS, which this layout does not read."""
    await roll_back(js)
    run_id = await store(js, *(event for event in WHOLE if event.event_name != "evidence-normalised"))
    gone = made.normalised()
    ref = BlobRef(bucket=BLOBS.name, name="a" * 64, sha256="a" * 64, size=300_000)
    body = large(gone, ref).replace(made.RUN.encode(), run_id.encode())
    await js.publish(gone.meta.event_id.replace(made.RUN, run_id), body, headers={LARGE_HEADER: "1"})
    await narrow(js)
    counted = await take_over(gateway, StoredResults(gateway))
    assert dict(counted) == {"taken": 1, "left_out": 1}
    document = await StoredResults(gateway).document("local", run_id)
    assert document is not None
    assert document.status.value == "answered"
    assert document.method.sources == ()


async def test_without_a_former_stream_there_is_nothing_to_take_over_or_to_go_back_to(
    nats_server: OpenServer, bus: JetStreamBus
) -> None:
    js = bus.connection.jetstream(timeout=5)
    assert not await is_due(js)
    with pytest.raises(UsageError, match="nothing to go back to"):
        await roll_back(js)
