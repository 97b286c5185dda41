"""`openwork.observe`: who is answered, what is told of failed runs, and what it says when it cannot."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.requests import ObserveReply
from openwork_gateway.listing import Lines
from openwork_gateway.observing import answer_observe
from openwork_gateway.results import put_document

from tests import exports
from tests.memory_results import MemoryResults
from tests.memory_statistics import MemoryStatistics
from tests.observed_runs import failed_run, observed, run_id


def now() -> datetime:
    return datetime.now(UTC)


async def kept(*owners: str) -> tuple[MemoryStatistics, MemoryResults]:
    """A failed run of each owner, the first the newest."""
    statistics, results = MemoryStatistics(), MemoryResults()
    for n, owner in enumerate(owners, 1):
        await statistics.put(failed_run(n, now=now(), ago=timedelta(minutes=n)))
        await put_document(results, _failed(n, owner))
    return statistics, results


def _failed(n: int, owner: str) -> AnswerDocument:
    changes = {"run_id": run_id(n), "owner": owner, "status": RunStatus.FAILED}
    return exports.document().model_copy(update=changes)


async def ask(
    statistics: MemoryStatistics,
    results: MemoryResults,
    body: bytes = b"{}",
    account: str = "api",
    lines: Lines | None = None,
) -> ObserveReply:
    return await answer_observe(account, body, statistics, results, lines)


async def test_the_account_of_the_api_gets_the_figures() -> None:
    statistics, results = await kept("api/alice")
    await statistics.put(observed(9, now=now()))
    reply = await ask(statistics, results, b'{"window": "hour"}')
    assert reply.error is None
    assert reply.observation is not None
    assert (reply.observation.window.value, reply.observation.runs) == ("hour", 2)


@pytest.mark.parametrize("account", ["local", "ALICE", "nobody"])
async def test_no_other_account_is_answered(account: str) -> None:
    reply = await ask(*await kept("api/alice"), account=account)
    assert (reply.observation, reply.error_type) == (None, "UsageError")
    assert "'api'" in (reply.error or "")


@pytest.mark.parametrize(
    ("reader", "named"),
    [("api/alice", [1]), ("api/bob", [2]), ("local", [3]), ("api/carol", []), ("", []), ("api", [])],
)
async def test_a_reader_is_named_their_own_failed_runs_alone(reader: str, named: list[int]) -> None:
    statistics, results = await kept("api/alice", "api/bob", "local")
    lines = Lines()
    for _ in range(2):  # as it is, and as it is known
        reply = await ask(statistics, results, b'{"reader": "%s"}' % reader.encode(), lines=lines)
        assert reply.observation is not None
        failures = reply.observation.failures
        assert [one.run_id for one in failures if one.run_id] == [run_id(n) for n in named]
        assert len(failures) == 3
        assert all(one.trace_id for one in failures)


async def test_nobody_is_named_in_what_is_told() -> None:
    statistics, results = await kept("api/alice", "local")
    told = (await ask(statistics, results)).model_dump_json()
    assert [words for words in ("alice", "local", exports.document().question) if words in told] == []


async def test_a_run_that_was_deleted_is_counted_and_leads_nowhere() -> None:
    statistics, results = await kept("local")
    await results.delete("local", run_id(1))
    reply = await ask(statistics, results, b'{"reader": "local"}')
    assert reply.observation is not None
    assert (reply.observation.runs, reply.observation.failures[0].run_id) == (1, None)


@pytest.mark.parametrize(
    ("body", "words"),
    [(b'{"window": "year"}', "hour, day, week"), (b'{"window": 7}', "window"), (b"{", "JSON such as"), (b"[]", "JSON")],
)
async def test_what_cannot_be_answered_is_said_in_words(body: bytes, words: str) -> None:
    reply = await ask(MemoryStatistics(), MemoryResults(), body)
    assert reply.error_type == "UsageError"
    assert words in (reply.error or "")


async def test_figures_that_cannot_be_read_are_no_empty_ones() -> None:
    reply = await ask(MemoryStatistics(away=True), MemoryResults())
    assert (reply.observation, reply.error_type) == (None, "BusUnavailable")
