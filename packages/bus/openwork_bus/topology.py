"""The shape of the bus on the server: streams, buckets and durable consumers, made from the contracts' tables.

One owner: this module, run as a job before the services, and by the laptop app. Services declare nothing. Idempotent:
running it again updates what differs, the inboxes of all accounts too, and leaves messages alone.

python -m openwork_bus.topology                    all of it
python -m openwork_bus.topology --account NAME     the inbox of a new account, and nothing else; --again
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Iterable, Sequence

from nats.aio.client import Client as NatsClient
from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DeliverPolicy,
    DiscardPolicy,
    RePublish,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)
from nats.js.errors import APIError
from openwork_contracts.accounts import API_ACCOUNT, LOCAL_ACCOUNT, check_account, inbox_stream, inbox_subject
from openwork_contracts.errors import OpenWorkError, UsageError
from openwork_contracts.pipelines import PIPELINES
from openwork_contracts.streams import INBOX_CONSUMER, STREAMS, Keeps, StreamSpec, inbox_spec
from openwork_contracts.subjects import (
    ADVISORY_STREAM,
    ConsumerSpec,
    fixed_consumers,
    lanes,
    retriever_consumer,
)

from openwork_bus.buckets import ensure_buckets
from openwork_bus.connection import connect
from openwork_bus.ensure import ensure_stream
from openwork_bus.former import narrow
from openwork_bus.publishing import words_of
from openwork_bus.readiness import differences
from openwork_bus.settings import ServiceSettings
from openwork_bus.wildcards import overlaps

log = logging.getLogger(__name__)

ADVISORY_CONSUMER = ConsumerSpec("gateway-advisories", "gateway", (), max_deliver=20)
"""Reads the server's notices of messages that were delivered too often."""
INBOX = ConsumerSpec(INBOX_CONSUMER, "gateway", (), ack_wait_s=10, max_deliver=6, max_ack_pending=1024)
"""Reads the inbox of one account."""
_MAX_WAITING = 512
"""Fetches that wait at once, of all replicas: the server's own default, which may change."""
_REDELIVERY_S = 3600.0
"""Longer than a message is tried again: tries, their pauses, and a NATS that was away."""


def stream_config(spec: StreamSpec, settings: ServiceSettings) -> StreamConfig:
    """A stream as the server has it. Limits and features are written out, none is left to a default that may change."""
    first_only = spec.keeps in (Keeps.EVENTS, Keeps.QUEUE)
    config = StreamConfig(
        name=spec.name,
        subjects=list(spec.subjects),
        retention=RetentionPolicy.WORK_QUEUE if spec.keeps is Keeps.QUEUE else RetentionPolicy.LIMITS,
        storage=StorageType.FILE,
        num_replicas=settings.replicas,
        max_age=_age_s(spec.keeps, settings),
        max_bytes=spec.max_bytes or round(spec.share * settings.store_bytes),
        max_msgs=spec.max_messages or -1,
        max_msg_size=spec.max_message_bytes,
        max_msgs_per_subject=1 if first_only else spec.max_messages_per_subject or -1,
        max_consumers=spec.max_consumers,
        discard=DiscardPolicy.NEW if first_only else DiscardPolicy.OLD,
        discard_new_per_subject=first_only,
        # A retry of one's own is told apart by its subject; a long window would remember ids of other askers.
        duplicate_window=0.1 if spec.keeps is Keeps.QUEUE else 120,
        # Bodies are fetched by direct get; whether they exist is asked of the leader.
        allow_direct=spec.keeps is not Keeps.QUEUE,
        # A fan-out is stored together or not at all.
        allow_atomic=spec.keeps is Keeps.EVENTS,
        allow_msg_schedules=spec.keeps is Keeps.TIMERS,
        # What is no answer is kept for less than answers are.
        allow_msg_ttl=spec.keeps is Keeps.RESULTS,
        # A run is deleted by one message that takes the place of all on its subject. Only the gateway may write there.
        allow_rollup_hdrs=spec.keeps is Keeps.RESULTS,
    )
    if spec.republish_to:
        source = spec.subjects[0].rsplit(".", 2)[0]
        config.republish = RePublish(src=f"{source}.>", dest=f"{spec.republish_to}.>")
    return config


def _age_s(keeps: Keeps, settings: ServiceSettings) -> float:
    if keeps is Keeps.RESULTS:
        return settings.results_days * 86_400
    # What waits in an inbox is ended by the gateway when its deadline is over; this is the last net.
    return settings.events_hours * 3600


def check_ages(settings: ServiceSettings) -> None:
    """Raise unless an event outlives the run it belongs to: after that, create-only would store it a second time.

    Raises:
        UsageError: `events_hours` is too short.
    """
    longest = max(3600.0, settings.answer_deadline_s, *(pipeline.deadline_s for pipeline in PIPELINES))
    if settings.events_hours * 3600 < longest + _REDELIVERY_S:
        raise UsageError(
            f"OPENWORK_EVENTS_HOURS={settings.events_hours:g} is shorter than the longest deadline ({longest:.0f} s) "
            f"and the time in which a message may be tried again ({_REDELIVERY_S:.0f} s)"
        )


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
        max_waiting=_MAX_WAITING,
        num_replicas=replicas,
    )
    if len(spec.filters) == 1:
        config.filter_subject = spec.filters[0]
    elif spec.filters:
        config.filter_subjects = list(spec.filters)
    return config


def all_consumers(sources: Iterable[str]) -> tuple[ConsumerSpec, ...]:
    """Every durable of the services: the fixed ones and one per source, a lane for each pipeline."""
    return (*fixed_consumers(), *lanes(retriever_consumer(source) for source in sources))


def check_filters(consumer: ConsumerSpec) -> None:
    """Raise unless every filter of a consumer meets a subject of its stream: the server takes it and never delivers.

    Raises:
        UsageError: one meets none.
    """
    subjects = next(spec.subjects for spec in STREAMS if spec.name == consumer.stream)
    for wanted in consumer.filters:
        if not any(overlaps(wanted, subject) for subject in subjects):
            raise UsageError(f"{consumer.durable} would wait for ever: no subject of {consumer.stream} meets {wanted}")


async def ensure_topology(
    js: JetStreamContext,
    settings: ServiceSettings,
    sources: Sequence[str] | None = None,
    *,
    accounts: Iterable[str] = (LOCAL_ACCOUNT, API_ACCOUNT),
) -> None:
    """Create or update streams, buckets, consumers, and the inboxes of all accounts.

    Args:
        js: a connection that may manage the streams.
        settings: limits and replicas.
        sources: sources that need a retriever's consumer; those of the settings when left out.
        accounts: who may ask besides those that have an inbox already.
    Raises:
        UsageError: the settings cannot be used. StorageFull: a share does not fit into the server's store.
    """
    check_ages(settings)
    consumers = all_consumers(settings.source_names if sources is None else sources)
    for consumer in consumers:
        check_filters(consumer)
    await narrow(js)
    # First: those of an older version reserve more of the store, and the streams find room when they reserve less.
    await ensure_buckets(js, settings)
    for spec in STREAMS:
        await _ensure_stream(js, spec, settings)
    for consumer in consumers:
        await _ensure_consumer(js, consumer.stream, consumer, settings)
    await _ensure_consumer(js, ADVISORY_STREAM, ADVISORY_CONSUMER, settings)
    for account in dict.fromkeys((*accounts, *await accounts_with_inbox(js))):
        await ensure_inbox(js, account, settings)


async def ensure_inbox(js: JetStreamContext, account: str, settings: ServiceSettings) -> None:
    """The inbox of an account, and the one consumer that reads it."""
    await _ensure_stream(js, inbox_spec(account), settings)
    await _ensure_consumer(js, inbox_stream(account), INBOX, settings)


async def add_inbox(js: JetStreamContext, account: str, settings: ServiceSettings, *, again: bool = False) -> None:
    """The inbox of a new account.

    Args:
        again: although there was an account of this name, whose runs the new one will be able to read.
    Raises:
        UsageError: it cannot be a name, or was one before.
    """
    if check_account(account) in await accounts_with_inbox(js) and not again:
        raise UsageError(
            f"there was an account {account!r} before; who has the name now reads what is stored for it. If that is "
            "meant: --again"
        )
    await ensure_inbox(js, account, settings)


async def accounts_with_inbox(js: JetStreamContext) -> list[str]:
    """Accounts that have an inbox, by the subjects of the streams."""
    names: list[str] = []
    while True:
        wanted = {"subject": inbox_subject("*"), "offset": len(names)}
        reply = await js._api_request(f"{js._prefix}.STREAM.NAMES", json.dumps(wanted).encode(), timeout=10)
        page = reply.get("streams") or []
        names += page
        if not page or len(names) >= reply.get("total", 0):
            break
    prefix = inbox_stream("")
    return sorted(name.removeprefix(prefix) for name in names if name.startswith(prefix))


async def _ensure_stream(js: JetStreamContext, spec: StreamSpec, settings: ServiceSettings) -> None:
    if await ensure_stream(js, stream_config(spec, settings), spec.share, settings):
        log.info("stream created", extra={"stream": spec.name})


async def _ensure_consumer(js: JetStreamContext, stream: str, spec: ConsumerSpec, settings: ServiceSettings) -> None:
    config = consumer_config(spec, replicas=settings.replicas)
    try:
        try:
            await js.add_consumer(stream, config)
        except APIError:
            await _make_anew(js, stream, config)
    except APIError as error:
        raise UsageError(f"NATS refuses the consumer {spec.durable} of {stream}: {words_of(error)}") from error


async def _make_anew(js: JetStreamContext, stream: str, config: ConsumerConfig) -> None:
    """A consumer that was given what no update takes back is deleted and made again.

    It begins at the oldest message: handlers are safe to run twice, and work of runs that are over is dropped.

    Raises:
        APIError: it has nothing of that kind; what the server refuses is something else.
    """
    durable = config.durable_name or ""
    there = (await js.consumer_info(stream, durable)).config
    if fixed := [str(found) for found in differences(config, there) if found.is_fixed]:
        log.warning("consumer %s of %s is made anew, since %s", durable, stream, "; ".join(fixed))
        await js.delete_consumer(stream, durable)
    await js.add_consumer(stream, config)


async def _main(account: str | None, *, again: bool) -> None:
    from openwork_bus.logs import configure_logging

    settings = ServiceSettings()
    configure_logging("topology", settings)
    connection: NatsClient = await connect(settings, name="topology")
    js = connection.jetstream(timeout=10)
    try:
        if account is not None:
            await add_inbox(js, account, settings, again=again)
            sys.stdout.write(f"{inbox_stream(account)}\n")  # read by who started the job
            return
        await ensure_topology(js, settings)
        log.info("the bus is ready", extra={"sources": list(settings.source_names)})
    finally:
        await connection.close()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m openwork_bus.topology")
    parser.add_argument("--account", metavar="NAME", help="make the inbox of this account and nothing else")
    parser.add_argument("--again", action="store_true", help="although there was an account of this name before")
    return parser.parse_args()


if __name__ == "__main__":
    arguments = _arguments()
    try:
        asyncio.run(_main(arguments.account, again=arguments.again))
    except OpenWorkError as error:
        sys.stdout.write(f"topology: {error}\n")
        sys.exit(1)
