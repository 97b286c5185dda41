"""The account of a run and the kept answers, shared by processes over a real bus."""

from __future__ import annotations

import asyncio

import pytest
from openwork_bus.buckets import ensure_buckets
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_contracts.buckets import LEDGER, MODEL_ANSWERS
from openwork_llm.ledger import CallRecord, SharedLedger
from openwork_llm.stores import open_stores

pytestmark = pytest.mark.nats

CALL = CallRecord(
    service="query", prompt="query.v1", model="m", input_tokens=10, output_tokens=5, cost_usd=0.001, elapsed_s=0.1
)


async def test_what_one_service_spends_the_next_one_sees(bus: JetStreamBus) -> None:
    js = bus.connection.jetstream(timeout=5)
    first = await open_stores(js, max_entries=10, share_answers=True)
    second = await open_stores(js, max_entries=10, share_answers=True)
    await first.ledger.record("run-1", CALL)
    await first.ledger.note("run-1", "said")
    account = await second.ledger.read("run-1")
    assert account.calls == (CALL,)
    assert account.notes == ("said",)
    assert account.asked("query")
    assert (await second.ledger.read("run-2")).calls == ()


async def test_entries_made_at_the_same_time_are_all_kept(bus: JetStreamBus) -> None:
    js = bus.connection.jetstream(timeout=5)
    stores = [await open_stores(js, max_entries=10, share_answers=True) for _ in range(3)]
    await asyncio.gather(*(store.ledger.record("run-1", CALL) for store in stores for _ in range(3)))
    assert len((await stores[0].ledger.read("run-1")).calls) == 9


async def test_an_answer_is_kept_for_the_other_processes(bus: JetStreamBus) -> None:
    js = bus.connection.jetstream(timeout=5)
    first = await open_stores(js, max_entries=10, share_answers=True)
    second = await open_stores(js, max_entries=10, share_answers=True)
    await first.answers.put("a" * 40, "an answer")
    assert await second.answers.get("a" * 40) == "an answer"
    assert await second.answers.get("b" * 40) is None


async def test_answers_stay_in_the_process_when_that_is_wanted(bus: JetStreamBus) -> None:
    js = bus.connection.jetstream(timeout=5)
    first = await open_stores(js, max_entries=10, share_answers=False)
    second = await open_stores(js, max_entries=10, share_answers=True)
    await first.answers.put("a" * 40, "private")
    assert await second.answers.get("a" * 40) is None


async def test_a_bucket_that_is_gone_costs_the_account_its_sharing_and_nothing_else(bus: JetStreamBus) -> None:
    js = bus.connection.jetstream(timeout=5)
    stores = await open_stores(js, max_entries=10, share_answers=True)
    await js.delete_key_value(LEDGER.name)
    await js.delete_key_value(MODEL_ANSWERS.name)
    await stores.ledger.record("run-1", CALL)
    await stores.ledger.note("run-1", "said")
    await stores.answers.put("a" * 40, "here at least")
    assert (await stores.ledger.read("run-1")).calls == (CALL,)
    assert await stores.answers.get("a" * 40) == "here at least"


async def test_buckets_are_made_once(bus: JetStreamBus) -> None:
    js = bus.connection.jetstream(timeout=5)
    await ensure_buckets(js, ServiceSettings())
    await ensure_buckets(js, ServiceSettings())
    assert isinstance((await open_stores(js, max_entries=1, share_answers=True)).ledger, SharedLedger)
