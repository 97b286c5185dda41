"""Whether a reply holds the record of a run: when it was asked for, of a run at work and of one that is over."""

from __future__ import annotations

import json

import pytest
from openwork_bus.memory import MemoryBus
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.meta import Event
from openwork_gateway.domain.folds import fold
from openwork_gateway.requests import answer_show
from openwork_gateway.results import put_document
from openwork_gateway.watch import EndWatch

from tests.memory_results import MemoryResults
from tests.run_events import RUN, completed, concluded, normalised, planned, stored, submitted

AT_WORK = (submitted(), planned(), normalised())
OVER = (*AT_WORK, concluded(), completed())


async def shown(events: tuple[Event, ...], *, is_stored: bool, **asked: object) -> AnswerDocument:
    bus, results = MemoryBus(), MemoryResults()
    for event in events:
        await bus.publish(event)
    if is_stored:
        await put_document(results, fold(stored(events)))
    body = json.dumps({"run_id": RUN, **asked}).encode()
    reply = await answer_show("local", body, bus, results, EndWatch())
    assert reply.document is not None
    return reply.document


@pytest.mark.parametrize(("events", "is_stored"), [(AT_WORK, False), (OVER, True)])
async def test_a_reply_holds_the_record_when_it_was_asked_for(events: tuple[Event, ...], is_stored: bool) -> None:
    small = await shown(events, is_stored=is_stored)
    whole = await shown(events, is_stored=is_stored, record=True)
    assert small.record is None
    assert whole.record is not None
    assert [one.round for one in whole.record.rounds] == [1]
    assert whole.model_copy(update={"record": None}).method == small.method
