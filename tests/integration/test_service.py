"""What the bus package does around a handler: retries, dead letters that end the run, heartbeats, drain, traces."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Annotated, Any

import pytest
from faststream import Context
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.run import Run
from openwork_bus.run_ids import new_run_id, root_span_id_of, trace_id_of
from openwork_bus.service import Service
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import BusUnavailable, SourceUnavailable
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import DEAD_LETTER_STREAM, consumer_named, end_filter, spec_of

from tests.builders import failed, run_on, submitted

pytestmark = pytest.mark.nats

Handler = Callable[..., Awaitable[None]]


@asynccontextmanager
async def running(settings: ServiceSettings, handler: Handler, **kwargs: object) -> AsyncIterator[Service]:
    """A service of one handler on the query consumer."""
    service = Service("query", settings, telemetry=kwargs.get("telemetry"))
    service.subscribe(kwargs.get("consumer", consumer_named("query")), handler)
    await service.start()
    try:
        yield service
    finally:
        await service.stop()


async def wait_for(condition: Callable[[], Awaitable[Any]], timeout_s: float = 60.0) -> Any:
    """Poll until the condition gives something; a test that waits for nothing fails with its own assert."""
    give_up = asyncio.get_running_loop().time() + timeout_s
    while asyncio.get_running_loop().time() < give_up:
        if found := await condition():
            return found
        await asyncio.sleep(0.02)
    return None


async def dead_letters(bus: JetStreamBus) -> list[dict[str, str]]:
    """Headers of what is in the dead-letter stream."""
    js = bus.connection.jetstream()
    n = (await js.stream_info(DEAD_LETTER_STREAM)).state.messages
    return [(await js.get_msg(DEAD_LETTER_STREAM, seq)).headers or {} for seq in range(1, n + 1)]


async def end_of(bus: JetStreamBus, run_id: str) -> RunEnded | None:
    stored = await bus.get(spec_of(RunEnded).subject(run_id))
    return stored.event if stored else None


async def test_a_handler_that_fails_twice_is_tried_again_and_then_succeeds(
    bus: JetStreamBus, settings: ServiceSettings
) -> None:
    tries: list[str] = []

    async def handler(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        tries.append(event.question)
        if len(tries) < 3:
            raise SourceUnavailable("not now")
        await run.end(failed(run, "done"))

    run = run_on(bus)
    async with running(settings, handler):
        await run.publish(submitted(run))
        end = await wait_for(lambda: end_of(bus, run.id))
    assert end is not None
    assert end.message == "done"
    assert len(tries) == 3
    assert await dead_letters(bus) == []


async def test_a_handler_that_always_fails_ends_the_run_and_the_service_goes_on(
    bus: JetStreamBus, settings: ServiceSettings
) -> None:
    """Dead letter with the reason, failed in words without a stack trace, and the next run is served."""

    async def handler(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        if event.question == "bad":
            raise RuntimeError("secret detail /etc/path")
        await run.end(failed(run, "served"))

    bad, good = run_on(bus), run_on(bus)
    async with running(settings, handler):
        await bad.publish(submitted(bad, "bad"))
        await good.publish(submitted(good, "good"))
        bad_end = await wait_for(lambda: end_of(bus, bad.id))
        good_end = await wait_for(lambda: end_of(bus, good.id))
    assert good_end.message == "served"
    assert "RuntimeError" in bad_end.message
    assert "secret" not in bad_end.message
    (letter,) = await dead_letters(bus)
    assert letter["Dead-Subject"] == spec_of(QuerySubmitted).subject(bad.id)
    assert letter["Dead-Deliveries"] == "3"
    assert letter["Dead-Error"] == "RuntimeError"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"not json", "Invalid JSON"),
        (b"\x28\xb5\x2f\xfdbroken", "decompressed"),
        (b'{"meta": 3, "question": "x"}', "meta"),
        (b'{"question": 7}', "question"),
    ],
)
async def test_a_malformed_message_is_dead_lettered_at_once_and_ends_its_run(
    bus: JetStreamBus, settings: ServiceSettings, body: bytes, reason: str
) -> None:
    async def handler(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        raise AssertionError("never called")

    run_id = new_run_id()
    async with running(settings, handler):
        await bus.connection.jetstream().publish(spec_of(QuerySubmitted).subject(run_id), body)
        end = await wait_for(lambda: end_of(bus, run_id))
    assert end is not None
    assert end.failure.value == "contract"
    (letter,) = await dead_letters(bus)
    assert reason in letter["Dead-Reason"]
    assert letter["Dead-Deliveries"] == "1"


async def test_an_unknown_contract_version_is_dead_lettered(bus: JetStreamBus, settings: ServiceSettings) -> None:
    async def handler(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        raise AssertionError("never called")

    run = run_on(bus)
    body = json.loads(submitted(run).model_dump_json())
    body["meta"]["contract_version"] = 9
    async with running(settings, handler):
        subject = spec_of(QuerySubmitted).subject(run.id)
        await bus.connection.jetstream().publish(subject, json.dumps(body).encode())
        end = await wait_for(lambda: end_of(bus, run.id))
    assert "contract version 9" in end.message


async def test_a_message_of_no_run_is_dead_lettered_and_nothing_hangs(
    bus: JetStreamBus, settings: ServiceSettings
) -> None:
    async def handler(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        await run.end(failed(run, "served"))

    run = run_on(bus)
    async with running(settings, handler):
        subject = spec_of(QuerySubmitted).subject("not-a-ulid")
        await bus.connection.jetstream().publish(subject, b'{"question": "x"}')
        await run.publish(submitted(run))
        assert await wait_for(lambda: end_of(bus, run.id))
        assert await wait_for(lambda: dead_letters(bus))


async def test_a_long_handler_is_not_given_to_another_replica(bus: JetStreamBus, settings: ServiceSettings) -> None:
    """Heartbeats keep a message whose handler runs for three times the acknowledgement time."""
    calls: list[str] = []

    async def handler(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        calls.append(event.question)
        await asyncio.sleep(3)
        await run.end(failed(run))

    spec = consumer_named("query")
    quick = replace(spec, ack_wait_s=1.0)
    from openwork_bus.topology import consumer_config
    from openwork_contracts.subjects import STREAM

    await bus.connection.jetstream().add_consumer(STREAM, consumer_config(quick, replicas=1))
    run = run_on(bus)
    async with running(settings, handler, consumer=quick), running(settings, handler, consumer=quick):
        await run.publish(submitted(run))
        assert await wait_for(lambda: end_of(bus, run.id))
    assert len(calls) == 1


async def test_stopping_lets_a_handler_in_work_finish(bus: JetStreamBus, settings: ServiceSettings) -> None:
    started = asyncio.Event()

    async def handler(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        started.set()
        await asyncio.sleep(0.5)
        await run.end(failed(run, "finished"))

    run = run_on(bus)
    async with running(settings, handler):
        await run.publish(submitted(run))
        await asyncio.wait_for(started.wait(), 60)
    assert (await end_of(bus, run.id)).message == "finished"


async def test_a_handler_that_outlasts_the_drain_gives_its_message_back_at_once(
    bus: JetStreamBus, settings: ServiceSettings
) -> None:
    started = asyncio.Event()

    async def slow(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        started.set()
        await asyncio.sleep(60)

    async def quick(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        await run.end(failed(run, "by the other replica"))

    run = run_on(bus)
    impatient = settings.model_copy(update={"graceful_timeout_s": 0.2})
    async with running(impatient, slow):
        await run.publish(submitted(run))
        await asyncio.wait_for(started.wait(), 60)
    async with running(settings, quick):
        end = await wait_for(lambda: end_of(bus, run.id))
    assert end.message == "by the other replica"


async def test_copied_history_is_stored_and_acted_on_by_nobody(bus: JetStreamBus, settings: ServiceSettings) -> None:
    async def handler(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        await run.end(failed(run))

    copied, asked = run_on(bus), run_on(bus)
    async with running(settings, handler):
        await bus.publish(submitted(copied), headers={"Openwork-Replayed": "x"})
        await asked.publish(submitted(asked))
        assert await wait_for(lambda: end_of(bus, asked.id))
    assert not await bus.subjects(end_filter(copied.id))


async def test_a_missing_consumer_is_reported_at_the_start(bus: JetStreamBus, settings: ServiceSettings) -> None:
    await bus.connection.jetstream().delete_consumer("OPENWORK_EVENTS", "query")
    service = Service("query", settings)

    async def handler(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None: ...

    service.subscribe(consumer_named("query"), handler)
    with pytest.raises(BusUnavailable, match=r"'query'.*does not exist.*openwork_bus.topology"):
        await service.start()
    await service.stop()


async def test_spans_of_a_run_hang_below_the_root_that_the_gateway_will_write(
    bus: JetStreamBus, settings: ServiceSettings
) -> None:
    """The trace id is the run id; the root's span id follows from it."""
    exporter = InMemorySpanExporter()
    telemetry = Telemetry("query", settings, exporter)

    async def handler(event: QuerySubmitted, run: Annotated[Run, Context()]) -> None:
        with run.telemetry.span("inner", "CHAIN"):
            await run.end(failed(run))

    run = run_on(bus)
    async with running(settings, handler, telemetry=telemetry):
        await run.publish(submitted(run))
        assert await wait_for(lambda: end_of(bus, run.id))
        await wait_for(lambda: asyncio.sleep(0, len(exporter.get_finished_spans()) >= 2))
    spans = {span.name: span for span in exporter.get_finished_spans()}
    assert {f"{s.context.trace_id:032x}" for s in spans.values()} == {trace_id_of(run.id)}
    assert f"{spans['query query-submitted'].parent.span_id:016x}" == root_span_id_of(run.id)
    assert spans["inner"].parent.span_id == spans["query query-submitted"].context.span_id
