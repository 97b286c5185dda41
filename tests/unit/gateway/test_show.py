"""`openwork.show`: a run over, at work, refused or waiting, for whoever asked it and for nobody else."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from openwork_bus.memory import MemoryBus
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.progress import Progress
from openwork_contracts.results import ResultKind, RunResult
from openwork_gateway.domain.waiting import WAITS, waiting_document
from openwork_gateway.requests import answer_events
from openwork_gateway.results import put_document
from openwork_gateway.watch import EndWatch

from tests.builders import QUESTION
from tests.memory_results import MemoryResults
from tests.requesting import bus_with, listed, refusal, show, status_of, with_document
from tests.run_events import AT, RUN, completed, concluded, failed, planned, rejected, submitted

WAIT_S = 30
"""The longest that anybody may wait."""
AT_ONCE_S = 25
"""Less than that, and more than a busy machine takes: who waits to the end is late."""


async def test_a_run_at_work_is_shown_as_far_as_it_has_come() -> None:
    running = await show(await bus_with(submitted(), planned()))
    assert (status_of(running), running.rendered) == (RunStatus.RUNNING, None)


async def test_a_run_that_is_over_is_shown_when_its_events_are_gone() -> None:
    bus = await bus_with(submitted(), planned(), concluded(), completed())
    done = await show(MemoryBus(), await with_document(bus), rendered=True)
    assert done.rendered is not None
    assert (status_of(done), len(done.rendered.references)) == (RunStatus.ANSWERED, 1)
    assert done.rendered.markdown.startswith(f"# {QUESTION}")
    assert any("1 of 1 sentences passed the check" in line for line in done.rendered.method)


async def test_progress_is_no_document() -> None:
    results = MemoryResults()
    await results.put_progress(Progress(run_id=RUN, service="gap", step="x", at=AT), "local")
    assert status_of(await show(await bus_with(submitted()), results)) is RunStatus.RUNNING


async def test_a_run_that_is_not_stored_is_told_at_once_even_to_who_would_wait() -> None:
    async with asyncio.timeout(AT_ONCE_S):
        reply = await show(MemoryBus(), wait_s=WAIT_S)
    assert (reply.document, reply.error_type) == (None, "RunNotFound")
    assert RUN in (reply.error or "")


@pytest.mark.parametrize("wait_s", [0, 0.05])
async def test_anothers_run_is_not_found(wait_s: float) -> None:
    """Neither that it is at work nor what it came to."""
    bus = await bus_with(submitted(), rejected())
    results = await with_document(bus)
    for account in ("ALICE", "api"):
        assert (await show(bus, results, account=account, wait_s=wait_s)).error_type == "RunNotFound"
    mine = refusal(owner="api/alice")
    await put_document(results, mine)
    assert status_of(await show(MemoryBus(), results, account="api", on_behalf_of="alice")) is RunStatus.REFUSED
    for person in ({"on_behalf_of": "bob"}, {}):
        assert (await show(MemoryBus(), results, account="api", **person)).error_type == "RunNotFound"


async def test_only_the_api_shows_on_behalf_of_persons() -> None:
    reply = await show(await bus_with(submitted()), account="ALICE", on_behalf_of="bob")
    assert reply.error_type == "UsageError"
    assert "'api'" in (reply.error or "")


async def test_who_was_refused_for_anothers_run_id_is_shown_the_refusal_at_once() -> None:
    bus = await bus_with(submitted())
    results = MemoryResults()
    await put_document(results, refusal(owner="BOB", words="taken"))
    async with asyncio.timeout(AT_ONCE_S):
        assert status_of(await show(bus, results, account="BOB", wait_s=WAIT_S)) is RunStatus.REFUSED


async def test_a_run_that_was_refused_and_asked_again_is_shown_as_it_goes_on() -> None:
    bus, results = await bus_with(submitted()), MemoryResults()
    await put_document(results, refusal())
    assert status_of(await show(bus, results)) is RunStatus.RUNNING
    assert status_of(await show(MemoryBus(), results)) is RunStatus.REFUSED


async def test_a_question_that_waits_at_the_door_is_shown_as_running() -> None:
    async def waits(owner: str, run_id: str) -> AnswerDocument | None:
        return waiting_document(run_id, owner, question="Why?", asked_at=AT)

    reply = await show(MemoryBus(), waits=waits, rendered=True)
    assert reply.document is not None
    assert (reply.document.status, reply.document.question) == (RunStatus.RUNNING, "Why?")
    assert reply.document.answer.markdown == WAITS


async def test_a_question_that_is_let_in_between_two_looks_is_found() -> None:
    """It waits, then it is begun: whoever looks in the other order may miss it in both places."""
    bus = MemoryBus()

    async def waits(owner: str, run_id: str) -> AnswerDocument | None:
        await bus.publish(submitted())
        return None

    assert status_of(await show(bus, waits=waits)) is RunStatus.RUNNING


async def test_who_asks_again_after_a_refusal_and_waits_is_not_shown_the_old_one() -> None:
    results = MemoryResults()
    await put_document(results, refusal())

    async def waits(owner: str, run_id: str) -> AnswerDocument | None:
        return waiting_document(run_id, owner)

    assert status_of(await show(MemoryBus(), results, waits=waits, wait_s=0.05)) is RunStatus.RUNNING


async def test_who_waits_gets_the_document_as_soon_as_it_is_there() -> None:
    bus, ends, results = await bus_with(submitted()), EndWatch(), MemoryResults()
    waiting = asyncio.create_task(show(bus, results, ends=ends, wait_s=WAIT_S))
    await asyncio.sleep(0.01)
    await bus.publish(rejected())
    await with_document(bus, results=results)
    ends.tell(RUN)
    assert status_of(await asyncio.wait_for(waiting, AT_ONCE_S)) is RunStatus.REJECTED


async def test_who_waits_in_vain_gets_the_run_as_it_stands() -> None:
    assert status_of(await show(await bus_with(submitted()), wait_s=0.05)) is RunStatus.RUNNING


async def test_a_gateway_that_stops_lets_those_who_wait_ask_another() -> None:
    bus, ends = await bus_with(submitted()), EndWatch()
    waiting = [asyncio.create_task(show(bus, ends=ends, wait_s=WAIT_S)) for _ in range(3)]
    await asyncio.sleep(0.01)
    ends.close()
    waiting.append(asyncio.create_task(show(bus, ends=ends, wait_s=WAIT_S)))
    replies = await asyncio.wait_for(asyncio.gather(*waiting), AT_ONCE_S)
    assert [status_of(reply) for reply in replies] == [RunStatus.RUNNING] * 4
    assert ends._waiting == {}


async def test_an_end_that_nobody_told_of_is_found_by_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    """The subscription may have been away; two looks in a while are no storm."""
    monkeypatch.setattr("openwork_gateway.watch._LOOK_S", 0.02)
    bus, results = await bus_with(submitted(), failed()), MemoryResults()
    waiting = asyncio.create_task(show(bus, results, wait_s=WAIT_S))
    await asyncio.sleep(0.01)
    await with_document(bus, results=results)
    assert status_of(await asyncio.wait_for(waiting, AT_ONCE_S)) is RunStatus.FAILED


async def test_a_thousand_who_wait_look_seldom() -> None:
    looks = 0

    async def look() -> None:
        nonlocal looks
        looks += 1

    ends = EndWatch()
    async with asyncio.timeout(AT_ONCE_S):
        done = await asyncio.gather(*(ends.wait(RUN, look, 0.1) for _ in range(1000)))
    assert not any(done)
    assert looks <= 2000  # at the beginning and at the end; on a busy machine the first is the last
    assert ends._waiting == {}


async def test_control_and_bidirectional_characters_do_not_reach_a_terminal() -> None:
    """Neither those of who asks nor those of who listens to what is told."""
    hostile = "\x1b]0;owned\x07Does \u202eapixaban\u202c\u2066 \x9b31mwork?\r\n\tReally?"
    bus = await bus_with(submitted(hostile), failed("\x1b[2Jno \u202ewords"))
    results = await with_document(bus)
    for reply in (await show(bus, results, rendered=True), await show(bus, rendered=True)):
        assert reply.document is not None
        assert reply.rendered is not None
        assert reply.document.question == "\ufffd]0;owned\ufffdDoes apixaban \u203a31mwork?\n\tReally?"
        assert "\ufffd[2Jno words" in reply.document.answer.markdown
        _assert_steers_nothing(reply.model_dump_json() + reply.rendered.markdown)
    (told,) = results.told["local", RUN]
    _assert_steers_nothing(told.model_dump_json())
    rows = await listed(bus, results)
    assert rows.runs[0].question == "\ufffd]0;owned\ufffdDoes apixaban \u203a31mwork? Really?"
    events = await answer_events("local", json.dumps({"run_id": RUN}).encode(), bus, results, 8 * 2**20)
    _assert_steers_nothing(rows.model_dump_json() + events.model_dump_json())


def _assert_steers_nothing(text: str) -> None:
    assert not any(c in text for c in "\x1b\x07\x9b\u202e\u202c\u2066\r")
    assert not re.search(r"u00(?!0[9a])[01]|u202|u206", text)  # nor as an escape of JSON


async def test_a_notice_is_no_document() -> None:
    results = MemoryResults()
    await results.put(RunResult(run_id=RUN, kind=ResultKind.NOTICE, at=AT, message="not taken"), "local")
    assert status_of(await show(await bus_with(submitted(), rejected()), results)) is RunStatus.REJECTED
