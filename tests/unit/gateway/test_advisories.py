"""What the gateway does when a message kept killing its service: the server says so in an advisory."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from nats.js.errors import NotFoundError
from openwork_bus.figures import Figures
from openwork_bus.memory import MemoryBus
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_contracts.end import EndKind
from openwork_contracts.errors import FailureReason
from openwork_contracts.plan import RetrievalRequested
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import ADVISORY_STREAM, DEAD_LETTER_STREAM, STREAM
from openwork_gateway.handlers import on_max_deliveries

from tests.builders import requested, run_on, submitted
from tests.handling import end_of


@dataclass
class WithStream(MemoryBus):
    """A memory bus whose messages can be read by sequence; keeps what went to other streams."""

    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def connection(self) -> WithStream:
        return self

    def jetstream(self, **options: Any) -> Any:
        async def get_msg(stream: str, sequence: int) -> SimpleNamespace:
            found = next((m for m in self._messages if m.sequence == sequence), None)
            if found is None:
                raise NotFoundError
            return SimpleNamespace(subject=found.subject, data=found.data)

        async def publish(subject: str, data: bytes, **sent: Any) -> None:
            self.sent.append((subject, sent))

        return SimpleNamespace(get_msg=get_msg, publish=publish)


async def advise(bus: WithStream, consumer: str, *, stream: str = STREAM, sequence: int = 1) -> None:
    notice = {"stream": stream, "consumer": consumer, "stream_seq": sequence, "deliveries": 8}
    given = {"bus": bus, "telemetry": Telemetry("gateway", ServiceSettings(otlp_endpoint=None))}
    given["figures"] = Figures("gateway")
    wanted = inspect.signature(on_max_deliveries).parameters
    await on_max_deliveries(json.dumps(notice).encode(), **{k: v for k, v in given.items() if k in wanted})


async def stored(bus: WithStream, event: QuerySubmitted | RetrievalRequested) -> str:
    await bus.publish(event)
    return event.meta.run_id


async def test_a_message_that_kept_killing_its_service_is_a_dead_letter_and_ends_its_run() -> None:
    bus = WithStream()
    run_id = await stored(bus, submitted(run_on(bus)))
    await advise(bus, "query")
    ((subject, sent),) = bus.sent
    assert (subject, sent["stream"]) == ("openwork.dead.query", DEAD_LETTER_STREAM)
    assert sent["headers"]["Dead-Subject"].startswith("openwork.v1.query-submitted")
    assert sent["headers"]["Dead-Deliveries"] == "8"
    end = await end_of(bus, run_id)
    assert end is not None
    assert (end.kind, end.failure, end.stage) == (EndKind.FAILED, FailureReason.INTERNAL, "query")


@pytest.mark.parametrize("stream", [ADVISORY_STREAM, DEAD_LETTER_STREAM, "SOMEBODY_ELSES"])
async def test_an_advisory_of_another_stream_is_none_of_ours(stream: str) -> None:
    """Its sequence numbers are of that stream: ours of the same number would be somebody's healthy run."""
    bus = WithStream()
    run_id = await stored(bus, submitted(run_on(bus)))
    await advise(bus, "query", stream=stream)
    assert bus.sent == []
    assert await end_of(bus, run_id) is None


@pytest.mark.parametrize("consumer", ["retriever-pubmed", "fulltext"])
async def test_a_run_goes_on_without_a_source_or_a_text_that_kills_its_service(consumer: str) -> None:
    bus = WithStream()
    run_id = await stored(bus, requested(run_on(bus), "pubmed"))
    await advise(bus, consumer)
    assert [subject for subject, _ in bus.sent] == [f"openwork.dead.{consumer}"]
    assert await end_of(bus, run_id) is None


async def test_a_message_that_is_gone_by_now_is_left_alone() -> None:
    bus = WithStream()
    run_id = await stored(bus, submitted(run_on(bus)))
    await advise(bus, "query", sequence=99)
    assert bus.sent == []
    assert await end_of(bus, run_id) is None


async def test_a_message_on_a_subject_of_no_event_ends_no_run() -> None:
    bus = WithStream()
    await bus.put_raw("openwork.v1.odd", b"x")
    await advise(bus, "query")
    assert len(bus.sent) == 1
