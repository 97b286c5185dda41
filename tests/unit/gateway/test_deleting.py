"""Deleting a run, and finding runs by their words."""

from __future__ import annotations

import json

import pytest
from openwork_bus.memory import MemoryBus
from openwork_bus.run_ids import new_run_id
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.requests import DeleteReply
from openwork_gateway.deleting import answer_delete
from openwork_gateway.listing import Lines, answer_list
from openwork_gateway.refusals import put_refusal, stored_question
from openwork_gateway.requests import answer_events
from openwork_gateway.results import Results, put_document

from tests.memory_results import MemoryResults
from tests.requesting import OTHER, bus_with, listed, of, refusal, show, with_document
from tests.run_events import RUN, rejected, submitted


async def _delete(bus: MemoryBus, results: Results, account: str = "local", **request: object) -> DeleteReply:
    return await answer_delete(account, json.dumps({"run_id": RUN, **request}).encode(), bus, results)


async def test_a_deleted_run_is_nowhere_any_more() -> None:
    """Neither its document nor, while they last, the events from which it could be made again."""
    bus = await bus_with(submitted(), rejected())
    results = await with_document(bus)
    assert (await _delete(bus, results)).deleted
    assert (await show(bus, results)).error_type == "RunNotFound"
    assert (await listed(bus, results)).runs == ()
    body = json.dumps({"run_id": RUN}).encode()
    assert (await answer_events("local", body, bus, results, 2**20)).error_type == "RunNotFound"
    assert (await _delete(bus, results)).error_type == "RunNotFound"


async def test_a_run_that_goes_on_is_to_be_cancelled_first() -> None:
    bus = await bus_with(submitted())
    reply = await _delete(bus, MemoryResults())
    assert (reply.deleted, reply.error_type) == (False, "UsageError")
    assert "cancel it first" in (reply.error or "")


async def test_anothers_run_cannot_be_deleted() -> None:
    bus = await bus_with(submitted(), rejected())
    results = await with_document(bus)
    assert (await _delete(bus, results, account="ALICE")).error_type == "RunNotFound"
    assert (await listed(bus, results)).runs


async def test_a_person_of_the_api_deletes_only_their_own() -> None:
    results, hers = MemoryResults(), new_run_id()
    await put_document(results, refusal(hers, owner="api/alice"))
    reply = await _delete(MemoryBus(), results, account="api", run_id=hers, on_behalf_of="bob")
    assert reply.error_type == "RunNotFound"
    assert (await _delete(MemoryBus(), results, account="api", run_id=hers, on_behalf_of="alice")).deleted


async def test_what_is_listed_is_forgotten_when_it_is_deleted() -> None:
    bus = await bus_with(submitted(), rejected())
    results, lines = await with_document(bus), Lines()
    assert (await answer_list("local", b"{}", bus, results, lines)).runs
    await _delete(bus, results)
    lines.forget("local", RUN)  # as the gateway hears it from the stream
    assert (await answer_list("local", b"{}", bus, results, lines)).runs == ()


async def test_runs_are_found_by_the_words_of_their_question_at_work_or_over() -> None:
    bus = await bus_with(submitted("Does apixaban prevent stroke?"), rejected(), of(submitted("Statins?"), OTHER))
    results = await with_document(bus)
    for query, found in (("STROKE apix", [RUN]), ("statin", [OTHER]), ("apixaban statins", []), ("", [OTHER, RUN])):
        assert [run.run_id for run in (await listed(bus, results, query=query)).runs] == found, query


async def test_a_page_begins_behind_the_last_run_of_the_one_before() -> None:
    bus = await bus_with(submitted(), rejected(), of(submitted(), OTHER))
    results = await with_document(bus)
    assert [run.run_id for run in (await listed(bus, results, before=OTHER)).runs] == [RUN]
    assert (await listed(bus, results, before=RUN)).runs == ()
    assert [(await listed(bus, results, limit=limit)).next for limit in (1, 2, 3)] == [OTHER, None, None]


class Counted(MemoryResults):
    """Counts what is read."""

    n_read = 0

    async def last(self, account: str, run_id: str) -> AnswerDocument | None:
        self.n_read += 1
        return await super().last(account, run_id)


async def test_what_a_run_came_to_is_read_once_for_all_lists() -> None:
    bus = await bus_with(submitted(), rejected())
    results, lines = Counted(told=(await with_document(bus)).told), Lines()
    await put_document(results, refusal(OTHER))
    await put_document(results, refusal(gone := new_run_id()))
    await results.delete("local", gone)
    for _ in range(3):
        runs = (await answer_list("local", b"{}", bus, results, lines)).runs
    assert [run.status for run in runs] == [RunStatus.REFUSED, RunStatus.REJECTED]
    assert results.n_read == 3


async def test_a_run_that_was_refused_and_asked_again_is_listed_as_what_it_came_to() -> None:
    """Also where it ends while it is being read."""
    results, lines = MemoryResults(), Lines()

    class Ending(MemoryResults):
        async def last(self, account: str, run_id: str) -> AnswerDocument | None:
            before = await results.last(account, run_id)
            await put_document(results, refusal(words="busy again"))
            lines.forget(account, run_id)  # as the gateway hears it from the stream
            return before

    await put_document(results, refusal())
    await lines.read(Ending(), "local", RUN)
    assert not lines.has("local", RUN)
    await lines.read(results, "local", RUN)
    lines.connected(0)
    assert lines.has("local", RUN)
    lines.connected(1)
    assert not lines.has("local", RUN), "what was to be heard meanwhile was not"


async def test_a_run_is_deleted_only_once_its_document_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that were stored after the mark would take its place."""

    async def at_once(_: float) -> None:
        return

    monkeypatch.setattr("openwork_gateway.deleting.asyncio.sleep", at_once)
    bus, results = await bus_with(submitted(), rejected()), MemoryResults()
    reply = await _delete(bus, results)
    assert (reply.deleted, reply.error_type, reply.retry_after_s) == (False, "Busy", 2.0)
    assert (await _delete(bus, await with_document(bus, results=results))).deleted


async def test_what_is_refused_under_the_id_of_a_deleted_run_does_not_bring_it_back() -> None:
    bus = await bus_with(submitted(), rejected())
    results = await with_document(bus)
    await _delete(bus, results)
    begun = await stored_question(bus, RUN)
    await put_refusal(bus, results, refusal(), begun=begun, notice="another question")
    assert results.kinds("local", RUN) == ["deleted"]
