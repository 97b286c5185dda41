"""The bus on a real server: made once, made again without harm, changed where the table changed."""

from __future__ import annotations

import pytest
from nats.js.api import ConsumerInfo
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import all_consumers, consumer_config, ensure_topology
from openwork_contracts.subjects import ADVISORY_STREAM, DEAD_LETTER_STREAM, STREAM, consumer_named

from tests.builders import run_on, submitted

pytestmark = pytest.mark.nats


async def consumers(bus: JetStreamBus) -> dict[str, ConsumerInfo]:
    return {info.name: info for info in await bus.connection.jetstream().consumers_info(STREAM)}


async def test_doing_it_twice_changes_nothing_and_keeps_messages(bus: JetStreamBus, settings: ServiceSettings) -> None:
    js = bus.connection.jetstream(timeout=10)
    run = run_on(bus)
    await run.publish(submitted(run))
    before = {name: (await js.stream_info(name)).config for name in (STREAM, DEAD_LETTER_STREAM, ADVISORY_STREAM)}
    before_consumers = {name: info.config for name, info in (await consumers(bus)).items()}
    await ensure_topology(js, settings)
    assert {name: (await js.stream_info(name)).config for name in before} == before
    assert {name: info.config for name, info in (await consumers(bus)).items()} == before_consumers
    assert (await js.stream_info(STREAM)).state.messages == 1
    assert len(await bus.history(run.id)) == 1


async def test_every_consumer_of_the_table_is_there_with_its_filters(
    bus: JetStreamBus, settings: ServiceSettings
) -> None:
    there = await consumers(bus)
    for spec in all_consumers(settings.source_names):
        if spec.stream != STREAM:
            continue
        config = there[spec.durable].config
        filters = config.filter_subjects or [config.filter_subject or ""]
        assert sorted(filters) == sorted(spec.filters)
        assert (config.ack_wait, config.max_deliver) == (spec.ack_wait_s, spec.max_deliver)


async def test_an_existing_consumer_takes_over_a_changed_ack_wait(bus: JetStreamBus, settings: ServiceSettings) -> None:
    """What an earlier version made with other limits is brought up to date."""
    js = bus.connection.jetstream(timeout=10)
    spec = consumer_named("gap")
    old = consumer_config(spec, replicas=1)
    old.ack_wait, old.max_ack_pending = 7.0, 3
    await js.add_consumer(STREAM, old)
    assert (await consumers(bus))["gap"].config.ack_wait == 7.0
    await ensure_topology(js, settings)
    config = (await consumers(bus))["gap"].config
    assert (config.ack_wait, config.max_ack_pending) == (spec.ack_wait_s, spec.max_ack_pending)


async def test_a_shorter_history_is_taken_over_by_the_stream(bus: JetStreamBus, settings: ServiceSettings) -> None:
    js = bus.connection.jetstream(timeout=10)
    await ensure_topology(js, settings.model_copy(update={"events_hours": 24.0}))
    assert (await js.stream_info(STREAM)).config.max_age == 86_400


async def test_a_source_added_later_gets_its_consumer_and_the_others_stay(
    bus: JetStreamBus, settings: ServiceSettings
) -> None:
    before = set(await consumers(bus))
    await ensure_topology(bus.connection.jetstream(timeout=10), settings, ["pubmed"])
    assert set(await consumers(bus)) == before | {"retriever-pubmed", "retriever-pubmed-review"}
