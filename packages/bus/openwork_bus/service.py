"""A service: handlers on durable consumers, one connection, one tracer. What `app.py` of every service builds.

FastStream subscribes, decodes, injects what handlers ask for, runs the middlewares and calls the handlers
(docs/adr/0007-what-faststream-does.md). A handler is a typed function:

    async def on_evidence_ranked(event: EvidenceRanked, run: Annotated[Run, Context()]) -> None
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import Any, get_args, get_type_hints

from faststream import AckPolicy, ContextRepo
from faststream.nats import JStream, NatsBroker, NatsMessage, NatsRouter, PullSub
from faststream.security import BaseSecurity, SASLPlaintext
from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import ConsumerConfig
from openwork_contracts.errors import BusUnavailable, ContractViolation, FailureReason, OpenWorkError
from openwork_contracts.meta import Event
from openwork_contracts.subjects import STREAM, ConsumerSpec, parse_subject, served_subject
from pydantic import ValidationError

from openwork_bus.bus import StoredEvent
from openwork_bus.codec import event_named_in
from openwork_bus.connection import ConnectionLog, connect, connect_options, server_list, taken_by_server, tls_of
from openwork_bus.ends import EndsHeard
from openwork_bus.figures import Figures
from openwork_bus.fullness import Limits, StorageWatch
from openwork_bus.jetstream import JetStreamBus, stored_at_of
from openwork_bus.metrics import DEAD_LETTERS, SPANS, ServerLooks, begin, begin_consumer
from openwork_bus.middleware import Counted, DeadLetter, Heartbeat, InRun, OnTime, Settle
from openwork_bus.readiness import check_consumer
from openwork_bus.respond import AT_ONCE, QUEUED, Answers, Responder
from openwork_bus.run import Run
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_bus.topology import consumer_config

log = logging.getLogger(__name__)

Handler = Callable[..., Awaitable[None]]
"""Takes an event, its run, and what it asks for by name; publishes what comes next. Safe to run twice."""
OnExhausted = Callable[[Event | None, Run, Exception], Awaitable[None]]
"""What becomes of a run whose message no retry will help; ending it as failed is the default."""

_PATIENT_S = 15.0
"""In which NATS answers when a service starts: where all start in one process on a busy machine, three were too few."""


class Service:
    """Subscriptions and what they share. Start it, stop it; `subscribe` before the start."""

    def __init__(self, name: str, settings: ServiceSettings, *, telemetry: Telemetry | None = None) -> None:
        self.name = name
        self.settings = settings
        self.figures = Figures(name)
        """What is counted for Prometheus; handlers may ask for it by this name."""
        begin(self.figures, settings.revision)
        self.telemetry = telemetry or Telemetry(name, settings, told=self._count_spans)
        self._connection_log = ConnectionLog(name)
        self._options = connect_options(name, self._connection_log)
        self.broker = NatsBroker(
            server_list(settings),
            graceful_timeout=settings.graceful_timeout_s,
            security=_security(settings),
            logger=None,
            context=ContextRepo(),  # of its own: several services may share a process
            **self._options,
        )
        self._consumers: list[tuple[str, ConsumerSpec]] = []
        """Each with its stream."""
        self._storage = StorageWatch((STREAM,), Limits(settings.storage_warn_from, settings.storage_fault_from))
        self._answers: list[Answers] = []
        self._hooks: list[Callable[[JetStreamBus], Awaitable[None]]] = []
        self._stop_hooks: list[Callable[[], Awaitable[None]]] = []
        self._bus: JetStreamBus | None = None
        self._asked: NatsClient | None = None
        self._asked_log = ConnectionLog(f"{name}, requests")
        self._ends = EndsHeard()
        self._looks = ServerLooks(self.figures)
        self.dropped: Counter[str] = Counter()
        """Messages that were not handled, by why: "overdue", "ended"."""
        self._stack = AsyncExitStack()
        self.provide(figures=self.figures)

    @property
    def bus(self) -> JetStreamBus:
        """The bus of the started service."""
        if self._bus is None:
            raise RuntimeError(f"service {self.name!r} is not started")
        return self._bus

    @property
    def resources(self) -> AsyncExitStack:
        """What to close when the service stops: HTTP clients, model clients."""
        return self._stack

    def provide(self, **context: object) -> None:
        """What handlers may ask for by name: `scorer: Annotated[Scorer, Context()]`."""
        for name, value in context.items():
            self.broker.context.set_global(name, value)

    def subscribe(self, consumer: ConsumerSpec, *handlers: Handler, on_exhausted: OnExhausted | None = None) -> None:
        """Handle the events of one durable consumer, each by the handler whose first parameter takes it.

        Everything that decides about loss and repetition is written out here: the stream and the durable exist already
        (`topology.py`), nothing is declared; an exception never acknowledges; one message is fetched at a time by each
        of `concurrency` loops, since a message that waits in memory for a free worker has no heartbeat.

        Raises:
            TypeError: an event of the consumer has no handler, or a handler an event that the consumer does not take.
        """
        takers = _takers(consumer, handlers)
        exhausted = partial(self._retries_exhausted, on_exhausted or end_in_failure)
        on_time = partial(OnTime, ended=self._ends.has_ended, dropped=self.dropped)
        self._consumers.append((consumer.stream, consumer))
        begin_consumer(self.figures, consumer.durable, takers)
        middlewares = (
            partial(Counted, figures=self.figures, durable=consumer.durable, events=frozenset(takers)),
            partial(
                Settle,
                durable=consumer.durable,
                delays_s=self.settings.retry_delays_s,
                exhausted=exhausted,
                dead_letter=self._keep_dead_letter,
            ),
            *(() if consumer.whatever_its_age else (on_time,)),
            partial(Heartbeat, every_s=consumer.ack_wait_s / 3),
            partial(InRun, run_of=self._run_of),
        )
        router = NatsRouter(middlewares=middlewares)
        for _ in range(consumer.concurrency):
            subscriber = self._pull(router, consumer.stream, consumer, decoder=self._decode)
            for event_name, handler in takers.items():
                subscriber(handler, filter=_takes(event_name))
        self.broker.include_router(router)

    def respond(self, subject: str, handler: Responder, *, at_once: int = AT_ONCE, queued: int = QUEUED) -> None:
        """Answer requests of askers: `handler` is told the account, which the server itself wrote into the subject.

        Args:
            at_once: requests of one account in work; few where they do not wait but work.
            queued: how many may wait behind them.
        """
        self._answers.append(Answers(served_subject(subject), self.name, handler, at_once=at_once, queued=queued))

    def subscribe_raw(self, stream: str, consumer: ConsumerSpec, handler: Callable[[bytes], Awaitable[None]]) -> None:
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
        self._consumers.append((stream, consumer))
        counted = partial(Counted, figures=self.figures, durable=consumer.durable, events=frozenset())
        router = NatsRouter(middlewares=(counted, settle, partial(Heartbeat, every_s=consumer.ack_wait_s / 3)))
        self._pull(router, stream, consumer, decoder=_undecoded)(consume)
        self.broker.include_router(router)

    def before_start(self, hook: Callable[[JetStreamBus], Awaitable[None]]) -> None:
        """Call this when the bus is there and before anything is consumed: to open what needs the bus."""
        self._hooks.append(hook)

    def before_stop(self, hook: Callable[[], Awaitable[None]]) -> None:
        """Call this first when the service is to stop: nothing new is to be taken."""
        self._stop_hooks.append(hook)

    @property
    def inbox_prefix(self) -> bytes:
        """Where replies to this service come: what a subscription of one's own must be made with."""
        return str(self._options["inbox_prefix"]).encode() + b"."

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
        await self._connection_log.on_connected()
        self._bus = JetStreamBus(connection, self.settings)
        await self.check_consumers(within_s=_PATIENT_S)
        for hook in self._hooks:
            await hook(self._bus)
        await self._ends.listen(self._bus)
        await self.broker.start()
        if self._answers:
            # A connection of their own: who sends more than can be read has the server cut it, and no run with it.
            self._asked = await connect(self.settings, name=self.name, events=self._asked_log)
            for answers in self._answers:
                await answers.start(self._asked)
            with suppress(NatsError, OSError):  # the connection mends itself, and subscribes again
                await taken_by_server(self._asked)  # before anybody is told that this service is ready
        log.info("started", extra={"service_name": self.name, "consumers": [c.durable for _, c in self._consumers]})

    async def check_consumers(self, within_s: float = 3.0) -> None:
        """Whether every consumer of this service is there, as the contracts say, each told within `within_s`.

        Raises:
            BusUnavailable: one is missing or was changed, or NATS does not answer.
        """
        js = self.bus.connection.jetstream(timeout=within_s)
        for stream, wanted in self._wanted().values():
            await check_consumer(js, stream, wanted)

    async def storage_warnings(self) -> list[str]:
        """What is to be said of the streams that this service looks at; nothing while there is room."""
        return await self._storage.warnings(self.bus.connection.jetstream(timeout=3))

    async def metrics(self) -> bytes:
        """Its figures in Prometheus' text format. What the server does not tell at once is left out."""
        if self._bus is not None:
            js = self._bus.connection.jetstream(timeout=3)
            await self._looks.look(js, self._wanted(), self._storage.streams)
        return self.figures.text()

    def watch_storage(self, *streams: str) -> None:
        """Look at these streams besides that of the events: the service has the right to ask for them."""
        self._storage.streams += streams

    async def stop(self) -> None:
        """Stop consuming, let handlers in work finish within `graceful_timeout_s`, close everything."""
        self._connection_log.closing = self._asked_log.closing = True
        if self._bus is not None:
            for hook in self._stop_hooks:
                await hook()
        await asyncio.gather(*(answers.stop() for answers in self._answers))
        if self._asked is not None:
            with suppress(NatsError, OSError):
                await taken_by_server(self._asked)  # the last replies
            await self._asked.close()
        await self.broker.stop()
        await self._stack.aclose()
        await asyncio.to_thread(self.telemetry.shutdown)

    # --- inside ----------------------------------------------------------------------------------------------------

    def _wanted(self) -> dict[str, tuple[str, ConsumerConfig]]:
        """Its consumers by name: the stream of each, and what it should be."""
        replicas = self.settings.replicas
        return {one.durable: (stream, consumer_config(one, replicas=replicas)) for stream, one in self._consumers}

    def _count_spans(self, outcome: str, n: int) -> None:
        self.figures.count(SPANS, outcome, n=n)

    async def _keep_dead_letter(self, raw: Msg, durable: str, error: Exception) -> None:
        await DeadLetter(self.bus.connection.jetstream().publish)(raw, durable, error)
        self.figures.count(DEAD_LETTERS, durable)

    def _pull(self, router: NatsRouter, stream: str, consumer: ConsumerSpec, *, decoder: Any) -> Any:
        return router.subscriber(
            stream=JStream(stream, declare=False),
            durable=consumer.durable,
            pull_sub=PullSub(batch_size=1, timeout=5),
            ack_policy=AckPolicy.NACK_ON_ERROR,  # FastStream's default on NATS would discard the message
            # Only so that nats-py does not ask for a subject; the consumer exists and is not changed.
            config=ConsumerConfig(filter_subjects=list(consumer.filters)),
            inbox_prefix=self.inbox_prefix,
            decoder=decoder,
        )

    async def _decode(self, msg: NatsMessage) -> Event:
        raw = msg.raw_message
        headers = raw.headers or {}
        if (known := self.bus.known.get(raw.subject)) is not None:
            return known.event
        event = await self.bus.decode(raw.subject, raw.data, headers=headers)
        stored = StoredEvent(raw.metadata.sequence.stream, raw.subject, stored_at_of(raw), event)
        self.bus.known.keep(stored, len(raw.data))
        return event

    def _run_of(self, event: Event, raw: Msg) -> Run:
        return Run(
            event.meta.run_id,
            bus=self.bus,
            telemetry=self.telemetry,
            service=self.name,
            cause=event,
            stored_at=stored_at_of(raw),
            sequence=raw.metadata.sequence.stream,
            redelivered=(raw.metadata.num_delivered or 1) > 1,
        )

    async def _retries_exhausted(self, on_exhausted: OnExhausted, raw: Msg, error: Exception) -> None:
        try:
            where = parse_subject(raw.subject)
        except ContractViolation:
            return
        try:
            event: Event | None = await self.bus.decode(raw.subject, raw.data, headers=raw.headers or {})
        except ContractViolation:
            event = None
        run = Run(
            where.run_id,
            bus=self.bus,
            telemetry=self.telemetry,
            service=self.name,
            cause=event,
            pipeline=where.pipeline,
        )
        try:
            await on_exhausted(event, run, error)
        except ValidationError:
            # The subject's run id is not a ULID: there is no run that could be ended.
            log.error("%s belongs to no run; it is in the dead-letter stream", raw.subject)


def event_taken_by(handler: Handler) -> tuple[type[Event], ...]:
    """The events that a handler's first parameter takes: one class, or a union of several.

    Raises:
        TypeError: it is annotated with something else.
    """
    bare: Any = handler.func if isinstance(handler, partial) else handler
    hints = get_type_hints(bare)
    first = next((hint for name, hint in hints.items() if name != "return"), None)
    models = get_args(first) or (first,)
    if not all(isinstance(model, type) and issubclass(model, Event) for model in models):
        raise TypeError(f"the first parameter of {bare.__name__} takes {first!r}, which is no event")
    return tuple(models)


def _takers(consumer: ConsumerSpec, handlers: tuple[Handler, ...]) -> Mapping[str, Handler]:
    takers = {model.event_name: handler for handler in handlers for model in event_taken_by(handler)}
    wanted = {taken.model.event_name for taken in consumer.takes}
    used = {name: handler for name, handler in takers.items() if name in wanted}
    # A joiner is one handler for what arrives and for the deadline, which come by two consumers.
    if wanted != used.keys() or {id(h) for h in used.values()} != {id(h) for h in handlers}:
        raise TypeError(f"{consumer.durable} takes {sorted(wanted)}; its handlers take {sorted(takers)}")
    return used


def _takes(event_name: str) -> Callable[[NatsMessage], Awaitable[bool]]:
    async def takes(msg: NatsMessage) -> bool:
        return event_named_in(msg.raw_message.subject) == event_name

    return takes


async def _undecoded(msg: NatsMessage) -> bytes:
    return msg.body


def _security(settings: ServiceSettings) -> BaseSecurity | None:
    tls = tls_of(settings)
    if settings.nats_user:
        password = settings.nats_password.get_secret_value() if settings.nats_password else ""
        return SASLPlaintext(settings.nats_user, password, ssl_context=tls, use_ssl=tls is not None)
    return BaseSecurity(ssl_context=tls, use_ssl=True) if tls else None


async def end_in_failure(event: Event | None, run: Run, error: Exception) -> None:
    """End a run whose message could not be handled, in words fit for its asker."""
    reason = error.reason if isinstance(error, OpenWorkError) else FailureReason.INTERNAL
    await run.fail(reason, public_message(run.service, error))


def public_message(service: str, error: Exception) -> str:
    """An error in words for the asker: our own errors speak for themselves, of others only the kind is told."""
    if isinstance(error, OpenWorkError):
        return str(error)
    kind = type(error).__name__
    return f"The {service} step failed unexpectedly ({kind}); the message is kept in the dead-letter stream."


__all__ = [
    "Handler",
    "OnExhausted",
    "Service",
    "end_in_failure",
    "event_taken_by",
    "public_message",
]
