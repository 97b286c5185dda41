"""Requests of askers on a memory bus, and runs and results for them to ask about."""

from __future__ import annotations

import json

from openwork_bus.memory import MemoryBus
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.meta import Event
from openwork_contracts.requests import ListReply, ShowReply
from openwork_gateway.domain.folds import fold
from openwork_gateway.domain.refused import refused_document
from openwork_gateway.listing import answer_list
from openwork_gateway.requests import Waits, answer_show
from openwork_gateway.results import Results, put_document
from openwork_gateway.watch import EndWatch

from tests.memory_results import MemoryResults
from tests.run_events import AT, RUN

OTHER = "01BX5ZZKBKACTAV9WEVGEMMVRZ"
END = "openwork.v1.end.answer.all.{}.all.0.0"


async def bus_with(*events: Event) -> MemoryBus:
    bus = MemoryBus()
    for event in events:
        await bus.publish(event)
    return bus


def of(event: Event, run_id: str = RUN, *, owner: str = "local") -> Event:
    """The event in another run, or of another owner."""
    changes = {"run_id": run_id, "event_id": event.meta.event_id.replace(RUN, run_id), "owner": owner}
    return event.model_copy(update={"meta": event.meta.model_copy(update=changes)})


async def with_document(bus: MemoryBus, run_id: str = RUN, results: MemoryResults | None = None) -> MemoryResults:
    """Results that hold what the run came to."""
    results = results or MemoryResults()
    await put_document(results, fold(await bus.history(run_id)))
    return results


def refusal(run_id: str = RUN, owner: str = "local", words: str = "busy") -> AnswerDocument:
    return refused_document(run_id, words, owner=owner, pipeline="answer", question="Refused?", asked_at=AT)


async def show(
    bus: MemoryBus,
    results: Results | None = None,
    *,
    account: str = "local",
    ends: EndWatch | None = None,
    waits: Waits | None = None,
    **request: object,
) -> ShowReply:
    body = json.dumps({"run_id": RUN, **request}).encode()
    return await answer_show(account, body, bus, results or MemoryResults(), ends or EndWatch(), waits)


async def listed(bus: MemoryBus, results: Results, *, account: str = "local", **request: object) -> ListReply:
    return await answer_list(account, json.dumps(request).encode(), bus, results)


def status_of(reply: ShowReply) -> RunStatus:
    assert reply.document is not None, reply.error
    return reply.document.status
