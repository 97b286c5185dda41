"""Wiring of the gateway: `openwork.ask`, run deadlines, the server's advisories."""

from __future__ import annotations

from openwork_bus.service import Service
from openwork_bus.topology import ADVISORY_CONSUMER
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.subjects import ADVISORY_STREAM, ASK_SUBJECT, consumer_named

from openwork_gateway.handlers import on_max_deliveries, on_run_deadline
from openwork_gateway.settings import Settings
from openwork_gateway.submit import answer_ask


def create_service(settings: Settings | None = None) -> Service:
    """The gateway, not yet started."""
    settings = settings or Settings()
    service = Service("gateway", settings)

    async def ask(body: bytes) -> bytes:
        reply = await answer_ask(body, service.bus, settings)
        return reply.model_dump_json(exclude_none=True).encode()

    async def advisory(body: bytes) -> None:
        await on_max_deliveries(body, service.bus, service.telemetry)

    service.subscribe(consumer_named("gateway-deadlines"), {DeadlineReached: on_run_deadline})
    service.respond(ASK_SUBJECT, ask)
    service.consume_raw(ADVISORY_STREAM, ADVISORY_CONSUMER, advisory)
    return service
