"""What a reading of the figures asks the server: its own consumers and streams, seldom, and never for long."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import ConsumerConfig, ConsumerInfo, StreamConfig, StreamInfo, StreamState
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from openwork_bus.exporting import CountedExporter
from openwork_bus.figures import Figures
from openwork_bus.metrics import ServerLooks, begin
from openwork_bus.topology import consumer_config
from openwork_contracts.subjects import STREAM, consumer_named

from tests.reading_figures import value

GAP = consumer_config(consumer_named("gap"), replicas=1)
WANTED = {"gap": (STREAM, GAP)}


@dataclass
class Server:
    """What of JetStream is asked, and how often it was."""

    pending: int = 3
    used: int = 10
    config: ConsumerConfig = field(default_factory=lambda: GAP)
    hangs: bool = False
    fails: bool = False
    asked: list[str] = field(default_factory=list)

    async def consumer_info(self, stream: str, durable: str) -> ConsumerInfo:
        await self._answer(durable)
        return ConsumerInfo(
            durable, stream, self.config, datetime.now(UTC), num_pending=self.pending, num_ack_pending=2
        )

    async def stream_info(self, stream: str) -> StreamInfo:
        await self._answer(stream)
        state = StreamState(messages=1, bytes=self.used, first_seq=1, last_seq=1, consumer_count=1)
        return StreamInfo(StreamConfig(name=stream, max_bytes=100), state)

    async def _answer(self, what: str) -> None:
        self.asked.append(what)
        if self.fails:
            raise NatsTimeoutError
        if self.hangs:
            await asyncio.Event().wait()


def begun() -> Figures:
    figures = Figures("gap")
    begin(figures, "r1")
    return figures


async def looked(server: Any, figures: Figures, looks: ServerLooks | None = None) -> bytes:
    looks = looks or ServerLooks(figures, patience_s=0.05, look_again_s=0.0)
    await looks.look(server, WANTED, [STREAM])
    return figures.text()


async def test_the_lag_of_its_own_consumers_and_the_streams_are_told() -> None:
    figures = begun()
    text = await looked(Server(), figures)
    assert value(text, "openwork_consumer_pending_messages", consumer="gap") == 3
    assert value(text, "openwork_consumer_unacknowledged_messages", consumer="gap") == 2
    assert value(text, "openwork_stream_used_ratio", stream=STREAM) == 0.1
    assert value(text, "openwork_ready") == 1
    assert value(text, "openwork_build_info", revision="r1") == 1


async def test_a_server_that_does_not_answer_costs_a_moment_and_its_figures() -> None:
    """Absent, and not as they were: a lag of yesterday looks like a quiet bus."""
    figures, server = begun(), Server()
    looks = ServerLooks(figures, patience_s=0.05, look_again_s=0.0)
    await looked(server, figures, looks)
    for trouble in ("hangs", "fails"):
        server.hangs, server.fails = trouble == "hangs", trouble == "fails"
        text = await asyncio.wait_for(looked(server, figures, looks), 60)
        assert value(text, "openwork_consumer_pending_messages") is None
        assert value(text, "openwork_stream_used_ratio") is None
        assert value(text, "openwork_ready") == 0
    server.hangs = server.fails = False
    assert value(await looked(server, figures, looks), "openwork_ready") == 1


async def test_a_consumer_that_was_changed_is_not_ready() -> None:
    figures = begun()
    text = await looked(Server(config=GAP.evolve(max_ack_pending=1)), figures)
    assert value(text, "openwork_ready") == 0
    assert value(text, "openwork_consumer_pending_messages", consumer="gap") == 3


async def test_who_reads_often_does_not_ask_often() -> None:
    """Two Prometheus and a person: the server is asked once."""
    figures, server = begun(), Server()
    looks = ServerLooks(figures)
    await asyncio.gather(*(looked(server, figures, looks) for _ in range(3)))
    assert server.asked == ["gap", STREAM]


async def test_a_stream_that_grows_has_a_time_at_which_it_is_full_and_one_that_does_not_has_none() -> None:
    figures, server = begun(), Server()
    looks = ServerLooks(figures, look_again_s=0.0)
    assert value(await looked(server, figures, looks), "openwork_stream_time_to_full_seconds") is None
    server.used = 90
    left_s = value(await looked(server, figures, looks), "openwork_stream_time_to_full_seconds", stream=STREAM)
    assert left_s is not None
    assert left_s > 0


class Exporter(SpanExporter):
    """Takes spans, refuses them, or breaks."""

    def __init__(self, result: SpanExportResult | Exception) -> None:
        self.result = result

    def export(self, spans: Any) -> SpanExportResult:
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def test_spans_that_are_not_taken_are_lost_and_counted() -> None:
    told: list[tuple[str, int]] = []
    spans: Any = [object(), object()]
    for result in (SpanExportResult.SUCCESS, SpanExportResult.FAILURE):
        CountedExporter(Exporter(result), lambda outcome, n: told.append((outcome, n))).export(spans)
    broken = CountedExporter(Exporter(OSError("away")), lambda outcome, n: told.append((outcome, n)))
    try:
        broken.export(spans)
    except OSError:
        told.append(("raised", 0))
    assert told == [("exported", 2), ("lost", 2), ("lost", 2), ("raised", 0)]
