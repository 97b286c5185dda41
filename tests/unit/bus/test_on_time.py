"""Work that comes too late: it is dropped before it is decoded, except where the end itself is the work."""

from __future__ import annotations

import logging
from collections import Counter
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from openwork_bus.codec import DEADLINE_HEADER, deadline_header
from openwork_bus.middleware import OnTime
from openwork_bus.service import Service
from openwork_bus.settings import ServiceSettings
from openwork_contracts.subjects import SHARED_CONSUMERS, consumer_named, fixed_consumers

from tests.builders import run_on, submitted
from tests.handling import bus_of_today


class Undecodable:
    """A message that nobody may decode."""

    def __init__(self, headers: dict[str, str] | None, subject: str = "openwork.v1.x") -> None:
        self.raw_message = SimpleNamespace(subject=subject, headers=headers)

    async def decode(self) -> Any:
        raise AssertionError("it was decoded")


async def consume(headers: dict[str, str] | None, *, ended: bool = False, dropped: Counter[str] | None = None) -> bool:
    """Whether the handler is called."""
    called = False

    async def handler(_: Any) -> None:
        nonlocal called
        called = True

    async def has_ended(subject: str) -> bool:
        return ended

    middleware = OnTime(None, context=None, ended=has_ended, dropped=Counter() if dropped is None else dropped)
    await middleware.consume_scope(handler, Undecodable(headers))
    return called


def due_in(seconds: float) -> dict[str, str]:
    run = run_on(bus_of_today())
    run.deadline_at = datetime.now(UTC) + timedelta(seconds=seconds)
    return deadline_header(submitted(run))


async def test_work_of_a_run_that_is_overdue_is_dropped_undecoded() -> None:
    assert not await consume(due_in(-1))
    assert await consume(due_in(60))


async def test_work_of_a_run_that_has_ended_is_dropped_undecoded() -> None:
    assert not await consume(due_in(60), ended=True)
    assert not await consume(None, ended=True)


@pytest.mark.parametrize("header", [None, "", "soon", "-5", "1e3", "9" * 400])
async def test_a_deadline_that_cannot_be_read_drops_nothing(header: str | None) -> None:
    assert await consume({} if header is None else {DEADLINE_HEADER: header})


async def test_what_is_dropped_is_counted_and_told_at_every_power_of_ten(caplog: pytest.LogCaptureFixture) -> None:
    dropped: Counter[str] = Counter()
    with caplog.at_level(logging.WARNING):
        for _ in range(120):
            await consume(due_in(-1), dropped=dropped)
        await consume(None, ended=True, dropped=dropped)
    assert dropped == {"overdue": 120, "ended": 1}
    assert [record.args for record in caplog.records] == [("overdue", n) for n in (1, 10, 100)] + [("ended", 1)]


def test_ends_and_deadlines_of_runs_are_taken_whatever_their_age() -> None:
    """An overdue run is ended by exactly these."""
    late = {spec.durable for spec in fixed_consumers() if spec.whatever_its_age}
    assert late == {"gateway-deadlines", "gateway-results"}
    assert late <= {spec.durable for spec in SHARED_CONSUMERS}


@pytest.mark.parametrize(("durable", "drops"), [("verifier", True), ("gateway-results", False)])
async def test_the_service_drops_late_work_where_the_contracts_say_so(durable: str, drops: bool) -> None:
    service, spec = Service("test", ServiceSettings(otlp_endpoint=None)), consumer_named(durable)

    async def handler(event: Any, run: Any) -> None: ...

    handler.__annotations__["event"] = spec.takes[0].model
    service.subscribe(spec, handler)
    (subscriber, *_) = service.broker.subscribers
    made = [m.func for m in subscriber._broker_middlewares if hasattr(m, "func")]  # type: ignore[attr-defined]
    assert (OnTime in made) is drops
