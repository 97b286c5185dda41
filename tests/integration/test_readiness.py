"""Readiness on a real server: a changed durable is named, and topology mends it; a stream that fills is told of."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from nats.js.api import AckPolicy, DeliverPolicy, ReplayPolicy
from openwork_bus.fullness import Level, Limits
from openwork_bus.health import health_app
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.service import Service
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import ensure_topology
from openwork_contracts.accounts import inbox_stream
from openwork_contracts.errors import BusUnavailable
from openwork_contracts.streams import INBOX_CONSUMER
from openwork_contracts.subjects import DEAD_LETTER_STREAM, STREAM
from openwork_gap.app import create_service
from openwork_gap.settings import Settings
from openwork_laptop import running
from openwork_laptop.running import changed_consumers, fullness
from openwork_laptop.stack import client, prepare

from tests.builders import run_on, submitted
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats

DURABLE = "gap"
LIMITS = Limits(warn_from=0.6, fault_from=0.8)
CHANGES: tuple[tuple[str, object], ...] = (
    ("filter_subject", "openwork.v1.end.answer.all.*.all.0.0"),
    ("ack_policy", AckPolicy.NONE),
    ("ack_wait", 3.0),
    ("max_deliver", 1),
    ("max_ack_pending", 1),
    ("deliver_subject", "openwork.ask"),
    ("deliver_policy", DeliverPolicy.NEW),
    ("headers_only", True),
    ("replay_policy", ReplayPolicy.ORIGINAL),
    ("inactive_threshold", 3600.0),
    ("max_waiting", 1),
)


@pytest.fixture
async def gap(bus: JetStreamBus, nats_server: OpenServer) -> AsyncIterator[Service]:
    """The service that reads the durable, as its own user."""
    settings = nats_server.logins.settings_of("gap", Settings(nats_url=nats_server.asker_url))
    service = create_service(settings)
    await service.start()
    yield service
    await service.stop()


async def ready(service: Service) -> tuple[int, dict[str, Any]]:
    """What /readyz says."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await health_app(service)({"type": "http", "path": "/readyz"}, None, send)
    return sent[0]["status"], json.loads(sent[1]["body"])


@pytest.mark.parametrize(("field", "value"), CHANGES, ids=[field for field, _ in CHANGES])
async def test_a_durable_that_was_changed_is_named_with_both_values_and_mended_by_topology(
    bus: JetStreamBus, gap: Service, nats_server: OpenServer, field: str, value: object
) -> None:
    """As somebody who may do all changes it; topology mends it with its own rights."""
    js = bus.connection.jetstream(timeout=5)
    before = (await js.consumer_info(STREAM, DURABLE)).config
    assert await ready(gap) == (200, {"status": "ready", "service": "gap", "warnings": []})
    await js.delete_consumer(STREAM, DURABLE)
    limit = {"max_waiting": None} if field == "deliver_subject" else {}
    await js.add_consumer(STREAM, before.evolve(**limit, **{field: value}))
    status, body = await ready(gap)
    assert status == 503
    told = "filters" if field == "filter_subject" else field
    plain = str(getattr(value, "value", value))
    for words in (f"consumer '{DURABLE}'", told, plain, "python -m openwork_bus.topology"):
        assert words in body["reason"]
    await prepare(nats_server.asker_url, nats_server.logins)
    assert await ready(gap) == (200, {"status": "ready", "service": "gap", "warnings": []})


async def test_a_durable_that_is_made_anew_gives_out_what_is_not_acknowledged(
    bus: JetStreamBus, settings: ServiceSettings
) -> None:
    js = bus.connection.jetstream(timeout=5)
    run = run_on(bus)
    await run.publish(submitted(run))
    config = (await js.consumer_info(STREAM, "query")).config
    await js.delete_consumer(STREAM, "query")
    await js.add_consumer(STREAM, config.evolve(deliver_policy=DeliverPolicy.NEW))
    assert (await js.consumer_info(STREAM, "query")).num_pending == 0
    await ensure_topology(js, settings)
    assert (await js.consumer_info(STREAM, "query")).num_pending == 1


async def test_a_stream_that_fills_is_a_warning_and_the_service_stays_ready(
    bus: JetStreamBus, settings: ServiceSettings
) -> None:
    service = Service("query", settings)
    await service.start()
    js = bus.connection.jetstream(timeout=5)
    try:
        assert await service.storage_warnings() == []
        run = run_on(bus)
        await run.publish(submitted(run, "x" * 3000))
        info = await js.stream_info(STREAM)
        await js.update_stream(info.config.evolve(max_bytes=round(info.state.bytes / 0.7)))
        status, body = await ready(service)
        assert status == 200
        (line,) = body["warnings"]
        assert f"{STREAM} is 70% full" in line
        await js.update_stream(info.config.evolve(max_bytes=round(info.state.bytes / 0.9)))
        assert "90% full" in (await service.storage_warnings())[0]
    finally:
        await service.stop()


async def test_the_doctor_sees_every_stream_and_every_durable_with_an_operators_rights(
    bus: JetStreamBus, nats_server: OpenServer
) -> None:
    js = bus.connection.jetstream(timeout=5)
    await prepare(nats_server.asker_url, nats_server.logins)
    async with client(nats_server.asker_url, nats_server.logins) as operator:
        asked = operator.connection.jetstream(timeout=5)
        level, words = await fullness(asked, LIMITS, looks_s=0.01)
        assert level is Level.OK
        assert "the fullest is" in words
        assert await changed_consumers(asked) == []

        for stream, durable in ((STREAM, "retriever-library"), (inbox_stream("local"), INBOX_CONSUMER)):
            config = (await js.consumer_info(stream, durable)).config
            await js.add_consumer(stream, config.evolve(max_ack_pending=1))
        await js.delete_consumer(STREAM, "verifier")
        inbox, retriever, verifier = sorted(await changed_consumers(asked))
    assert inbox.startswith(f"{INBOX_CONSUMER} of {inbox_stream('local')}: max_ack_pending is 1")
    assert retriever.startswith("retriever-library of")
    assert verifier == f"verifier of {STREAM} does not exist"


async def test_the_doctor_names_what_fills_and_how_long_it_lasts(
    bus: JetStreamBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    js = bus.connection.jetstream(timeout=5)
    info = await js.stream_info(DEAD_LETTER_STREAM)
    await js.update_stream(info.config.evolve(max_bytes=10_000))
    await js.publish("openwork.dead.gap", b"x" * 7000)

    look = running._looks

    async def fill_after_a_look(*seen: Any) -> Any:
        found = await look(*seen)
        await js.publish("openwork.dead.gap", b"x" * 1000)
        return found

    monkeypatch.setattr(running, "_looks", fill_after_a_look)
    level, words = await fullness(js, LIMITS, looks_s=0.5)
    assert level is Level.FAULT
    assert f"{DEAD_LETTER_STREAM} is 8" in words
    assert "at the present rate" in words
    assert "OPENWORK_STORE_GB" in words


async def test_who_may_not_look_is_told_as_whom_to_log_in(bus: JetStreamBus, nats_server: OpenServer) -> None:
    async with client(nats_server.asker_url) as nobody:
        with pytest.raises(BusUnavailable, match="`operator`"):
            await fullness(nobody.connection.jetstream(timeout=1), LIMITS, looks_s=0.01)
