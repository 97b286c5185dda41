"""Wiring of the gateway: the door with its inboxes, requests of askers, deadlines, ends, the server's advisories."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from nats.aio.msg import Msg
from openwork_bus.buckets import open_key_value
from openwork_bus.codec import pack, to_json
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.service import Service
from openwork_bus.tasks import end_tasks
from openwork_bus.topology import ADVISORY_CONSUMER
from openwork_contracts.accounts import account_of, inbox_stream, inbox_subject, out_subject
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.buckets import STATISTICS
from openwork_contracts.errors import ContractViolation
from openwork_contracts.meta import Contract
from openwork_contracts.patterns import progress_pattern, publish_pattern
from openwork_contracts.question import AskRequest, QuerySubmitted
from openwork_contracts.results import RESULT_HEADER, ResultKind
from openwork_contracts.subjects import (
    ADVISORY_STREAM,
    ASK_SUBJECT,
    CANCEL_SUBJECT,
    DEAD_LETTER_STREAM,
    DELETE_SUBJECT,
    EVENTS_SUBJECT,
    LIST_SUBJECT,
    OBSERVE_SUBJECT,
    RESULTS_STREAM,
    SHOW_SUBJECT,
    TIMERS_STREAM,
    consumer_named,
    parse_subject,
    spec_of,
)

from openwork_gateway import requests
from openwork_gateway.deleting import answer_delete
from openwork_gateway.domain.waiting import waiting_document
from openwork_gateway.door import OWNER_HEADER, Asked, Door
from openwork_gateway.handlers import on_max_deliveries, on_run_deadline, on_run_ended
from openwork_gateway.inboxes import Inboxes
from openwork_gateway.listing import Lines, answer_list
from openwork_gateway.metrics import WAITING, begin_runs
from openwork_gateway.observing import answer_observe
from openwork_gateway.pace import Pace
from openwork_gateway.relay import ProgressRelay
from openwork_gateway.results import StoredResults
from openwork_gateway.settings import Settings
from openwork_gateway.statistics import StoredStatistics
from openwork_gateway.sweep import sweep_always
from openwork_gateway.watch import EndWatch


def create_service(settings: Settings | None = None) -> Service:
    """The gateway, not yet started."""
    settings = settings or Settings()
    service = Service("gateway", settings)
    gateway = Gateway(service, settings)

    async def advisory(body: bytes) -> None:
        await on_max_deliveries(body, service.bus, service.telemetry, service.figures)

    service.subscribe(consumer_named("gateway-deadlines"), on_run_deadline)
    service.subscribe(consumer_named("gateway-results"), on_run_ended)
    service.subscribe_raw(ADVISORY_STREAM, ADVISORY_CONSUMER, advisory)
    service.watch_storage(RESULTS_STREAM, TIMERS_STREAM, DEAD_LETTER_STREAM, ADVISORY_STREAM)
    begin_runs(service.figures, settings.source_names)
    service.before_start(gateway.open)
    service.before_stop(gateway.close)
    service.respond(ASK_SUBJECT, gateway.ask)
    service.respond(SHOW_SUBJECT, gateway.show)
    # A list of an account with 10,000 runs is half a second of work: 128 at once held up others' questions for 27 s.
    service.respond(LIST_SUBJECT, gateway.list, at_once=2, queued=32)
    service.respond(EVENTS_SUBJECT, gateway.events)
    service.respond(CANCEL_SUBJECT, gateway.cancel)
    service.respond(DELETE_SUBJECT, gateway.delete)
    service.respond(OBSERVE_SUBJECT, gateway.observe, at_once=2, queued=32)
    return service


class Gateway:
    """What the requests, the door and the handlers of one gateway share."""

    def __init__(self, service: Service, settings: Settings) -> None:
        self._service = service
        self._settings = settings
        self._ends = EndWatch()
        self._lines = Lines()
        self._tasks: list[asyncio.Task[None]] = []
        self._inboxes: Inboxes | None = None

    async def open(self, bus: JetStreamBus) -> None:
        """Begin to read inboxes and to listen."""
        js = bus.connection.jetstream(timeout=5)
        await open_key_value(js, STATISTICS)
        self._bus = bus
        self._results = StoredResults(bus, events_hours=self._settings.events_hours)
        self._statistics = StoredStatistics(bus)
        self._service.provide(results=self._results, statistics=self._statistics)
        self._relay = ProgressRelay(self._results)
        figures = self._service.figures
        self._door = door = Door(bus, self._results, self._settings, on_begun=self._on_begun_here, figures=figures)
        figures.before_reading(lambda: figures.set(WAITING, value=len(door.waiting)))
        self._inboxes = inboxes = Inboxes(js, self._door, inbox_prefix=self._service.inbox_prefix)
        await bus.connection.subscribe(out_subject("*"), cb=self._on_result)
        await bus.connection.subscribe(publish_pattern(spec_of(QuerySubmitted)), cb=self._on_begun)
        await bus.connection.subscribe(progress_pattern(), cb=self._relay.hear)
        pace = Pace(js, self._door)
        for work in (pace.run(), pace.keep(), self._relay.run()):
            self._spawn(work)
        self._spawn(sweep_always(bus, self._settings.sweep_s, self._service.telemetry))
        inboxes.start()

    async def close(self) -> None:
        """Take nothing new, and let those who wait ask another gateway."""
        if self._inboxes is not None:  # it was opened
            await self._inboxes.stop()
        self._ends.close()
        await end_tasks(self._tasks)

    async def ask(self, account: str, body: bytes) -> bytes:
        """`openwork.ask`."""
        return _json(await requests.answer_ask(account, body, self._door, self._to_inbox))

    async def show(self, account: str, body: bytes) -> bytes:
        """`openwork.show`."""
        return _json(await requests.answer_show(account, body, self._bus, self._results, self._ends, self._waits))

    async def list(self, account: str, body: bytes) -> bytes:
        """`openwork.list`."""
        self._lines.connected(self._bus.connection.stats["reconnects"])
        return _json(await answer_list(account, body, self._bus, self._results, self._lines))

    async def events(self, account: str, body: bytes) -> bytes:
        """`openwork.events`."""
        most_bytes = self._bus.connection.max_payload
        return _json(await requests.answer_events(account, body, self._bus, self._results, most_bytes))

    async def cancel(self, account: str, body: bytes) -> bytes:
        """`openwork.cancel`."""
        return _json(await requests.answer_cancel(account, body, self._bus, self._service.telemetry, door=self._door))

    async def delete(self, account: str, body: bytes) -> bytes:
        """`openwork.delete`."""
        return _json(await answer_delete(account, body, self._bus, self._results, self._waits))

    async def observe(self, account: str, body: bytes) -> bytes:
        """`openwork.observe`."""
        self._lines.connected(self._bus.connection.stats["reconnects"])
        return _json(await answer_observe(account, body, self._statistics, self._results, self._lines))

    async def _to_inbox(self, account: str, run_id: str, request: AskRequest) -> bool:
        body = pack(to_json(request), over_bytes=self._settings.compress_over_bytes)
        return await self._bus.publisher.store(inbox_stream(account), inbox_subject(account, run_id), body, {})

    async def _waits(self, owner: str, run_id: str) -> AnswerDocument | None:
        """A question that waits here, or at another gateway, which keeps to itself what it says."""
        account = account_of(owner)
        if held := self._door.waiting.find(account, run_id):
            request = held.request
            told = waiting_document(
                run_id, owner, question=request.question, pipeline=request.pipeline, asked_at=held.asked_at
            )
            return told if held.owner == owner else None
        unknown = self._inboxes is not None and await self._inboxes.holds(account, run_id)
        return waiting_document(run_id, owner) if unknown else None

    async def _on_result(self, message: Msg) -> None:
        kind = (message.headers or {}).get(RESULT_HEADER)
        account, run_id = message.subject.split(".")[-2:]
        if kind in (ResultKind.DELETED.value, ResultKind.DOCUMENT.value):
            self._lines.forget(account, run_id)
        if kind == ResultKind.DOCUMENT.value:
            self._relay.over(run_id, account)
            self._ends.tell(run_id)

    def _on_begun_here(self, asked: Asked) -> None:
        self._relay.follow(asked.run_id, asked.owner, asked.within_s)

    async def _on_begun(self, message: Msg) -> None:
        """A question was published by whichever gateway; all count the same."""
        owner = (message.headers or {}).get(OWNER_HEADER)
        if owner is None:
            return  # a stored run that is taken up anew
        try:
            run_id = parse_subject(message.subject).run_id
        except ContractViolation:
            return
        self._door.quota.began(account_of(owner), run_id, self._door.clock())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work))


def _json(reply: Contract) -> bytes:
    return reply.model_dump_json().encode()
