"""A service: handlers on durable consumers, one connection, one tracer. What `app.py` of every service builds."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from faststream import AckPolicy
from faststream.nats import JStream, NatsBroker, NatsMessage, NatsRouter, PullSub
from faststream.security import BaseSecurity, SASLPlaintext
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.errors import NotFoundError
from openwork_contracts.answer import RunFailed
from openwork_contracts.errors import BusUnavailable, ContractViolation, FailureReason, OpenWorkError
from openwork_contracts.meta import Event
from openwork_contracts.subjects import STREAM, ConsumerSpec, parse_subject
from pydantic import ValidationError

from openwork_bus.bus import REPLAYED_HEADER, Bus
from openwork_bus.codec import decode
from openwork_bus.connection import ConnectionLog, connect_options, server_list, tls_of
from openwork_bus.logs import log_fields
from openwork_bus.middleware import DeadLetter, Heartbeat, Settle
from openwork_bus.run import Run
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Attribute, Telemetry

log = logging.getLogger(__name__)

Handler = Callable[[Any, Run], Awaitable[None]]
"""Takes an event and its run; publishes what comes next. Safe to run twice."""
LastResort = Callable[[Event | None, Run, Exception], Awaitable[None]]
"""What becomes of a run whose message no retry will help; ending it in `run-failed` is the default."""


async def _undecoded(msg: NatsMessage) -> bytes:
    return msg.body


def _security(settings: ServiceSettings) -> BaseSecurity | None:
    tls = tls_of(settings)
    if settings.nats_user:
        password = settings.nats_password.get_secret_value() if settings.nats_password else ""
        return SASLPlaintext(settings.nats_user, password, ssl_context=tls, use_ssl=tls is not None)
    return BaseSecurity(ssl_context=tls, use_ssl=True) if tls else None


class Service:
    """Subscriptions and what they share. Start it, stop it; `subscribe` before the start."""

    def __init__(self, name: str, settings: ServiceSettings, *, telemetry: Telemetry | None = None) -> None:
        self.name = name
        self.settings = settings
        self.telemetry = telemetry or Telemetry(name, settings)
        security = _security(settings)
        self._connection_log = ConnectionLog(name)
        self._options = connect_options(name, self._connection_log)
        self.broker = NatsBroker(
            server_list(settings),
            graceful_timeout=settings.graceful_timeout_s,
            security=security,
            logger=None,
            **self._options,
        )
        self._consumers: list[ConsumerSpec] = []
        self._hooks: list[Callable[[Bus], Awaitable[None]]] = []
        self._bus: Bus | None = None
        self._stack = AsyncExitStack()

    @property
    def bus(self) -> Bus:
        """The bus of the started service."""
        if self._bus is None:
            raise RuntimeError(f"service {self.name!r} is not started")
        return self._bus

    @property
    def resources(self) -> AsyncExitStack:
        """What to close when the service stops: HTTP clients, model clients."""
        return self._stack

    def subscribe(
        self, consumer: ConsumerSpec, handlers: Mapping[type[Event], Handler], *, last_resort: LastResort | None = None
    ) -> None:
        """Handle the events of one durable consumer.

        Everything that decides about loss and repetition is written out here: the stream and the durable exist already
        (`topology.py`), nothing is declared; an exception never acknowledges; one message is fetched at a time by each
        of `concurrency` loops, since a message that waits in memory for a free worker has no heartbeat.
        """
        self._consumers.append(consumer)
        exhausted = partial(self._exhausted, last_resort or end_in_failure)
        dead_letter = DeadLetter(lambda *a, **k: self.bus.connection.jetstream().publish(*a, **k))
        middlewares = (
            partial(
                Settle,
                durable=consumer.durable,
                delays_s=self.settings.retry_delays_s,
                exhausted=exhausted,
                dead_letter=dead_letter,
            ),
            partial(Heartbeat, every_s=consumer.ack_wait_s / 3),
        )
        stream = JStream(STREAM, declare=False)
        inbox = str(self._options["inbox_prefix"]).encode() + b"."

        async def consume(msg: NatsMessage) -> None:
            await self._handle(consumer, handlers, msg.raw_message)

        router = NatsRouter(middlewares=middlewares)
        for _ in range(consumer.concurrency):
            router.subscriber(
                stream=stream,
                durable=consumer.durable,
                pull_sub=PullSub(batch_size=1, timeout=5),
                ack_policy=AckPolicy.NACK_ON_ERROR,  # FastStream's default on NATS would discard the message
                config=_filters(consumer),
                inbox_prefix=inbox,
                decoder=_undecoded,
            )(consume)
        self.broker.include_router(router)

    def respond(self, subject: str, handler: Callable[[bytes], Awaitable[bytes]]) -> None:
        """Answer core NATS requests, shared among the replicas of this service."""

        async def reply(msg: NatsMessage) -> bytes:
            return await handler(msg.body)

        self.broker.subscriber(subject, queue=self.name, decoder=_undecoded)(reply)

    def consume_raw(self, stream: str, consumer: ConsumerSpec, handler: Callable[[bytes], Awaitable[None]]) -> None:
        """Consume a stream whose messages are not our events: the server's advisories."""

        async def consume(msg: NatsMessage) -> None:
            await handler(msg.body)

        async def give_up(raw: Msg, error: Exception) -> None:
            log.error("a message of %s was left alone: %r", stream, error)

        async def no_dead_letter(raw: Msg, durable: str, error: Exception) -> None:
            """What is told about dead letters does not become one."""

        settle = partial(
            Settle,
            durable=consumer.durable,
            delays_s=self.settings.retry_delays_s,
            exhausted=give_up,
            dead_letter=no_dead_letter,
        )
        router = NatsRouter(middlewares=(settle, partial(Heartbeat, every_s=consumer.ack_wait_s / 3)))
        router.subscriber(
            stream=JStream(stream, declare=False),
            durable=consumer.durable,
            pull_sub=PullSub(batch_size=1, timeout=5),
            ack_policy=AckPolicy.NACK_ON_ERROR,
            config=_filters(consumer),
            inbox_prefix=str(self._options["inbox_prefix"]).encode() + b".",
            decoder=_undecoded,
        )(consume)
        self.broker.include_router(router)

    def before_start(self, hook: Callable[[Bus], Awaitable[None]]) -> None:
        """Call this when the bus is there and before anything is consumed: to open what needs the bus."""
        self._hooks.append(hook)

    async def start(self) -> None:
        """Connect, check that the consumers exist, begin to consume.

        Raises:
            BusUnavailable: NATS cannot be reached, refuses the user, or lacks a consumer.
        """
        try:
            connection = await self.broker.connect()
        except (NatsError, OSError) as error:
            raise BusUnavailable(
                f"{self.name}: NATS at {self.settings.nats_url} cannot be used ({type(error).__name__}: {error})"
            ) from error
        self._bus = Bus(connection, self.settings)
        await self.check_consumers()
        for hook in self._hooks:
            await hook(self._bus)
        await self.broker.start()
        log.info("started", extra={"service_name": self.name, "consumers": [c.durable for c in self._consumers]})

    async def check_consumers(self) -> None:
        """Whether the stream and every consumer of this service are there: what readiness asks.

        Raises:
            BusUnavailable: one is missing, or NATS does not answer.
        """
        js = self.bus.connection.jetstream(timeout=3)
        for consumer in self._consumers:
            try:
                await js.consumer_info(STREAM, consumer.durable)
            except NotFoundError as error:
                raise BusUnavailable(
                    f"consumer {consumer.durable!r} of stream {STREAM} does not exist; run "
                    "`python -m openwork_bus.topology` before the services"
                ) from error
            except (NatsError, OSError) as error:
                raise BusUnavailable(f"NATS does not answer for consumer {consumer.durable!r}: {error!r}") from error

    async def stop(self) -> None:
        """Stop consuming, let handlers in work finish within `graceful_timeout_s`, close everything."""
        self._connection_log.closing = True
        await self.broker.stop()
        await self._stack.aclose()
        self.telemetry.shutdown()

    async def _handle(self, consumer: ConsumerSpec, handlers: Mapping[type[Event], Handler], raw: Msg) -> None:
        headers = raw.headers or {}
        if headers.get(REPLAYED_HEADER):
            return
        meta = raw.metadata
        event = decode(raw.subject, raw.data, stored_at=meta.timestamp, headers=headers)
        handler = handlers.get(type(event))
        if handler is None:
            raise ContractViolation(f"{consumer.durable} has no handler for {raw.subject}")
        attributes: dict[str, Attribute] = {
            "messaging.system": "nats",
            "messaging.destination.name": raw.subject,
            "messaging.nats.delivery_count": meta.num_delivered or 1,
            "openwork.service": self.name,
        }
        run = Run(
            event.meta.run_id,
            bus=self.bus,
            telemetry=self.telemetry,
            service=self.name,
            cause=event,
            stored_at=meta.timestamp,
        )
        name = f"{self.name} {event.event_name}"
        with (
            self.telemetry.message_span(
                name, run_id=run.id, traceparent=headers.get("traceparent"), attributes=attributes
            ),
            log_fields(run_id=run.id, trace_id=event.meta.trace_id or ""),
        ):
            await handler(event, run)

    async def _exhausted(self, last_resort: LastResort, raw: Msg, error: Exception) -> None:
        try:
            where = parse_subject(raw.subject)
        except ContractViolation:
            return
        try:
            event = decode(raw.subject, raw.data, stored_at=raw.metadata.timestamp, headers=raw.headers or {})
        except ContractViolation:
            event = None
        run = Run(where.run_id, bus=self.bus, telemetry=self.telemetry, service=self.name, cause=event)
        try:
            await last_resort(event, run, error)
        except ValidationError:
            # The subject's run id is not a ULID: there is no run that could be ended.
            log.error("%s belongs to no run; it is in the dead-letter stream", raw.subject)


def _filters(consumer: ConsumerSpec) -> Any:
    from nats.js.api import ConsumerConfig

    # Only so that nats-py does not ask for a subject; the consumer exists and is not changed.
    return ConsumerConfig(filter_subjects=list(consumer.filters))


async def end_in_failure(event: Event | None, run: Run, error: Exception) -> None:
    """End a run whose message could not be handled, in words fit for its asker."""
    await run.end(
        RunFailed(
            meta=run.meta(RunFailed),
            reason=error.reason if isinstance(error, OpenWorkError) else FailureReason.INTERNAL,
            stage=run.service,
            message=public_message(run.service, error),
        )
    )


def public_message(service: str, error: Exception) -> str:
    """An error in words for the asker: our own errors speak for themselves, of others only the kind is told."""
    if isinstance(error, OpenWorkError):
        return str(error)
    kind = type(error).__name__
    return f"The {service} step failed unexpectedly ({kind}); the message is kept in the dead-letter stream."
