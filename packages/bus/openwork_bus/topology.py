"""The shape of the bus on the server: streams and durable consumers, made from the contracts' table.

One owner: this module, run as a job before the services (`python -m openwork_bus.topology`), and by the laptop app.
Services declare nothing. Idempotent: running it again updates what differs and leaves messages alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence

from nats.aio.client import Client as NatsClient
from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DeliverPolicy,
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)
from nats.js.errors import NotFoundError
from openwork_contracts.subjects import (
    ADVISORY_STREAM,
    DEAD_LETTER_STREAM,
    DEAD_PREFIX,
    STREAM,
    ConsumerSpec,
    fixed_consumers,
    lanes,
    retriever_consumer,
    stream_subjects,
)

from openwork_bus.buckets import ensure_buckets
from openwork_bus.connection import connect
from openwork_bus.settings import ServiceSettings

log = logging.getLogger(__name__)

ADVISORY_SUBJECT = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>"
ADVISORY_CONSUMER = ConsumerSpec("gateway-advisories", "gateway", (), max_deliver=20)
"""Reads the server's notices of messages that were delivered too often."""


def stream_configs(settings: ServiceSettings) -> tuple[StreamConfig, ...]:
    """The three streams. Subjects, limits and features are written out, none is left to a default that may change."""
    age_s = settings.history_days * 86_400
    events = StreamConfig(
        name=STREAM,
        subjects=list(stream_subjects()),
        retention=RetentionPolicy.LIMITS,
        storage=StorageType.FILE,
        discard=DiscardPolicy.OLD,
        num_replicas=settings.replicas,
        max_age=age_s,
        duplicate_window=120,
        allow_direct=True,  # bodies are fetched by direct get; whether they exist is asked of the leader
        allow_atomic=True,  # a fan-out and its timer are stored together or not at all
        allow_msg_schedules=True,  # deadlines live in the stream, not in a process
    )
    dead = StreamConfig(
        name=DEAD_LETTER_STREAM,
        subjects=[f"{DEAD_PREFIX}.>"],
        retention=RetentionPolicy.LIMITS,
        storage=StorageType.FILE,
        num_replicas=settings.replicas,
        max_age=age_s,
    )
    advisories = StreamConfig(
        name=ADVISORY_STREAM,
        subjects=[ADVISORY_SUBJECT],
        retention=RetentionPolicy.LIMITS,
        storage=StorageType.FILE,
        num_replicas=settings.replicas,
        max_age=age_s,
    )
    return events, dead, advisories


def consumer_config(spec: ConsumerSpec, *, replicas: int) -> ConsumerConfig:
    """A durable pull consumer as the server has it. Everything that matters is written out."""
    config = ConsumerConfig(
        name=spec.durable,
        durable_name=spec.durable,
        ack_policy=AckPolicy.EXPLICIT,
        deliver_policy=DeliverPolicy.ALL,
        ack_wait=spec.ack_wait_s,
        max_deliver=spec.max_deliver,
        max_ack_pending=spec.max_ack_pending,
        num_replicas=replicas,
    )
    if len(spec.filters) == 1:
        config.filter_subject = spec.filters[0]
    elif spec.filters:
        config.filter_subjects = list(spec.filters)
    return config


def all_consumers(sources: Iterable[str]) -> tuple[ConsumerSpec, ...]:
    """Every durable on the event stream: the fixed ones and one per source, a lane for each pipeline."""
    return (*fixed_consumers(), *lanes(retriever_consumer(source) for source in sources))


async def ensure_topology(
    js: JetStreamContext, settings: ServiceSettings, sources: Sequence[str] | None = None
) -> None:
    """Create or update streams and consumers.

    Args:
        js: a connection that may manage the streams.
        settings: limits and replicas.
        sources: sources that need a retriever's consumer; those of the settings when left out.
    """
    for config in stream_configs(settings):
        await _ensure_stream(js, config)
    for spec in all_consumers(settings.source_names if sources is None else sources):
        await js.add_consumer(STREAM, consumer_config(spec, replicas=settings.replicas))
    await js.add_consumer(ADVISORY_STREAM, consumer_config(ADVISORY_CONSUMER, replicas=settings.replicas))
    await ensure_buckets(js, replicas=settings.replicas)


async def _ensure_stream(js: JetStreamContext, config: StreamConfig) -> None:
    assert config.name is not None
    try:
        await js.stream_info(config.name)
    except NotFoundError:
        await js.add_stream(config)
        log.info("stream created", extra={"stream": config.name})
    else:
        await js.update_stream(config)


async def _main() -> None:
    from openwork_bus.logs import configure_logging

    settings = ServiceSettings()
    configure_logging("topology", settings)
    connection: NatsClient = await connect(settings, name="topology")
    try:
        await ensure_topology(connection.jetstream(timeout=10), settings)
        log.info("the bus is ready", extra={"sources": list(settings.source_names)})
    finally:
        await connection.close()


if __name__ == "__main__":
    asyncio.run(_main())
