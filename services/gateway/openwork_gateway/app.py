"""Wiring of the gateway: requests of askers, run deadlines, refusals, the server's advisories."""

from __future__ import annotations

from nats.aio.msg import Msg
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.service import Service
from openwork_bus.topology import ADVISORY_CONSUMER
from openwork_contracts.meta import Contract
from openwork_contracts.subjects import (
    ADVISORY_STREAM,
    ASK_SUBJECT,
    CANCEL_SUBJECT,
    EVENTS_SUBJECT,
    LIST_SUBJECT,
    SHOW_SUBJECT,
    consumer_named,
    end_filter,
)

from openwork_gateway import requests
from openwork_gateway.handlers import on_max_deliveries, on_query_submitted, on_run_deadline
from openwork_gateway.settings import Settings
from openwork_gateway.watch import EndWatch


def create_service(settings: Settings | None = None) -> Service:
    """The gateway, not yet started."""
    settings = settings or Settings()
    service = Service("gateway", settings)
    _respond(service, settings)

    async def advisory(body: bytes) -> None:
        await on_max_deliveries(body, service.bus, service.telemetry)

    service.subscribe(consumer_named("gateway-deadlines"), on_run_deadline)
    service.subscribe(consumer_named("gateway-refusals"), on_query_submitted)
    service.subscribe_raw(ADVISORY_STREAM, ADVISORY_CONSUMER, advisory)
    return service


def _respond(service: Service, settings: Settings) -> None:
    ends = EndWatch()

    async def ask(body: bytes) -> bytes:
        return _json(await requests.answer_ask(body, service.bus, settings))

    async def show(body: bytes) -> bytes:
        return _json(await requests.answer_show(body, service.bus, ends))

    async def list_(body: bytes) -> bytes:
        return _json(await requests.answer_list(body, service.bus))

    async def events(body: bytes) -> bytes:
        return _json(await requests.answer_events(body, service.bus, service.bus.connection.max_payload))

    async def cancel(body: bytes) -> bytes:
        return _json(await requests.answer_cancel(body, service.bus, service.telemetry))

    async def listen(bus: JetStreamBus) -> None:
        async def told(message: Msg) -> None:
            ends.tell(message.subject)

        await bus.connection.subscribe(end_filter("*"), cb=told)

    service.respond(ASK_SUBJECT, ask)
    service.respond(SHOW_SUBJECT, show)
    service.respond(LIST_SUBJECT, list_)
    service.respond(EVENTS_SUBJECT, events)
    service.respond(CANCEL_SUBJECT, cancel)
    service.before_start(listen)


def _json(reply: Contract) -> bytes:
    return reply.model_dump_json().encode()
