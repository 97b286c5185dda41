"""A cross-encoder on Triton as judge: its thresholds, its batches, and a server that misbehaves."""

from __future__ import annotations

import asyncio
import math
from datetime import UTC, datetime, timedelta

import pytest
from judging_examples import ITEMS, LISTED, RATES, asked_about, some_run, supported, suspected, unbound
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_contracts.errors import ModelAnswerRejected, ModelUnavailable

pytest.importorskip("tritonclient.grpc", reason="the extra openwork-verifier[triton] is not installed")

import grpc  # type: ignore[import-not-found,import-untyped,unused-ignore]
from openwork_serving.client import TritonOptions
from openwork_verifier.adapters.nli_judge import NliJudge, NliOptions
from openwork_verifier.domain.judging.answers import JudgedAnswer, Judgement

from tests.fakes.triton import FakeTriton, serving
from tests.tracing import broken_promises, seen

ASKED = asked_about(suspected("Major bleeding was 3.1% on warfarin.", unbound("3.1%")))
TWO = asked_about(
    suspected("Major bleeding was 3.1% on warfarin.", unbound("3.1%")), supported("Warfarin brought stroke in 1.9%.")
)
PROBABILITIES = {"weights": "test/nli", "score_kind": "probability"}
Row = tuple[str, ...]


def nli(*, entailed: str = "", contradicted: str = "", share: float = 0.98) -> FakeTriton:
    """A model that knows which premises entail and which contradict: those that are exactly these words."""

    def answer(row: Row) -> float | list[float]:
        rest = (1 - share) / 2
        if row[0] == entailed:
            return [share, rest, rest]
        return [rest, rest, share] if row[0] == contradicted else [rest, share, rest]

    return FakeTriton(answer=answer, output="logits", parameters=PROBABILITIES, max_batch=64)


def judge_at(url: str, *, timeout_s: float = 5.0, batch_tokens: int = 4096, **options: object) -> NliJudge:
    triton = TritonOptions(url, timeout_s=timeout_s, batch_tokens=batch_tokens)
    return NliJudge(triton, NliOptions(**{"model": "nli", **options}))  # type: ignore[arg-type]  # names of its fields


async def answers_of(fake: FakeTriton, **options: object) -> list[JudgedAnswer]:
    """What the judge says of the one claim."""
    async with serving(fake) as url:
        judge = judge_at(url, **options)
        try:
            return list(await judge.judge(ASKED, ITEMS, some_run(), deadline_at=None))
        finally:
            await judge.close()


async def test_the_premise_that_entails_most_is_the_quotation() -> None:
    assert await answers_of(nli(entailed=RATES)) == [JudgedAnswer(1, 1, Judgement.ENTAILED, 1, RATES)]


async def test_a_premise_that_contradicts_decides_where_none_entails() -> None:
    assert await answers_of(nli(contradicted=LISTED)) == [JudgedAnswer(1, 1, Judgement.CONTRADICTED, 1, LISTED)]
    (both,) = await answers_of(nli(entailed=RATES, contradicted=LISTED))
    assert both.verdict is Judgement.ENTAILED


async def test_nothing_that_comes_near_is_not_entailed() -> None:
    (answer,) = await answers_of(nli())
    assert answer.verdict is Judgement.NOT_ENTAILED
    assert answer.quote in ITEMS[0].text


@pytest.mark.parametrize(
    ("share", "options", "verdict"),
    [
        (0.92, {}, Judgement.ENTAILED),
        (0.88, {}, None),
        (0.88, {"entailed": 0.8}, Judgement.ENTAILED),
        (0.92, {"entailed": 0.95}, None),
        (0.4, {"doubted": 0.45}, Judgement.NOT_ENTAILED),
    ],
)
async def test_between_the_thresholds_nothing_is_said(
    share: float, options: dict[str, float], verdict: Judgement | None
) -> None:
    answers = await answers_of(nli(entailed=RATES, share=share), **options)
    assert [a.verdict for a in answers] == ([verdict] if verdict else [])


async def test_contradiction_has_a_threshold_of_its_own() -> None:
    near = nli(contradicted=LISTED, share=0.92)
    assert (await answers_of(near))[0].verdict is Judgement.NOT_ENTAILED
    assert (await answers_of(near, contradicted=0.9))[0].verdict is Judgement.CONTRADICTED


async def test_the_labels_are_in_the_order_that_is_set() -> None:
    (turned,) = await answers_of(nli(entailed=LISTED), labels=("contradiction", "neutral", "entailment"))
    assert (turned.verdict, turned.quote) == (Judgement.CONTRADICTED, LISTED)
    two = FakeTriton(answer=lambda row: [0.99, 0.01], output="logits", parameters=PROBABILITIES)
    (found,) = await answers_of(two, labels=("entailment", "neutral"))
    assert found.verdict is Judgement.ENTAILED


async def test_logits_become_shares() -> None:
    fake = FakeTriton(answer=lambda row: [6.0, 0.0, 0.0] if row[0] == RATES else [0.0, 6.0, 0.0], output="logits")
    (found,) = await answers_of(fake)
    assert (found.verdict, found.quote) == (Judgement.ENTAILED, RATES)


async def test_every_pair_is_asked_once_in_requests_of_at_most_so_many() -> None:
    fake = nli(entailed=RATES)
    async with serving(fake) as url:
        judge = judge_at(url, max_pairs=4, batch_tokens=100_000)
        await judge.judge(TWO, ITEMS, some_run(), deadline_at=None)
        await judge.close()
    pairs = [pair for call in fake.calls for pair in call]
    assert len(pairs) == len(set(pairs))
    assert max(map(len, fake.calls)) == 4
    assert {hypothesis for _, hypothesis in pairs} == {one.claim.text for one in TWO}


async def test_the_models_own_limit_and_the_token_budget_hold_too() -> None:
    fake = nli(entailed=RATES)
    fake.max_batch = 2
    await answers_of(fake)
    assert max(map(len, fake.calls)) == 2
    fake = nli(entailed=RATES)
    await answers_of(fake, batch_tokens=1)
    assert {len(call) for call in fake.calls} == {1}


async def test_claims_without_any_sentence_to_compare_are_not_sent() -> None:
    nowhere = asked_about(suspected("Qwertz uiop.", unbound("3.1%"), citations=(7,)))
    fake = nli()
    async with serving(fake) as url:
        judge = judge_at(url)
        assert await judge.judge(nowhere, ITEMS, some_run(), deadline_at=None) == []
        await judge.close()
    assert fake.calls == []


@pytest.mark.parametrize(
    ("fake", "words"),
    [
        (FakeTriton(answer=lambda row: [math.nan, 0.0, 0.0], output="logits"), "not finite"),
        (FakeTriton(answer=lambda row: [0.1, 0.2], output="logits"), "2 numbers per pair, not 3"),
        (FakeTriton(answer=lambda row: 0.5, output="logits"), "1 numbers per pair"),
        (FakeTriton(answer=lambda row: [0.1, 0.2, 0.3], output="logits", drop_rows=1), "rows were asked for"),
        (FakeTriton(answer=lambda row: [0.9, 0.9, 0.9], output="logits", parameters=PROBABILITIES), "sum up to 1"),
        (FakeTriton(answer=lambda row: [1.5, 0.0, -0.5], output="logits", parameters=PROBABILITIES), "outside"),
        (FakeTriton(answer=lambda row: [0.1, 0.2, 0.3], output="score"), "nothing"),
    ],
    ids=["nan", "two labels", "one number", "a row short", "no shares", "over 1", "another output"],
)
async def test_answers_that_cannot_be_labels_are_rejected(fake: FakeTriton, words: str) -> None:
    with pytest.raises(ModelAnswerRejected, match=words):
        await answers_of(fake)


async def test_a_model_that_is_not_served_says_nothing_of_the_server() -> None:
    missing = (grpc.StatusCode.NOT_FOUND, "Request for unknown model: 'nli' is not found in /opt/models")
    with pytest.raises(ModelUnavailable, match="does not serve this model") as raised:
        await answers_of(FakeTriton(output="logits", misbehave=lambda number, rows: missing))
    assert "/opt" not in str(raised.value)


async def test_a_slow_server_is_given_up_then_left_alone_then_asked_for_a_sign_of_life() -> None:
    fake = nli(entailed=RATES)
    fake.delay_s = 30
    async with serving(fake) as url:
        judge = judge_at(url, timeout_s=0.2, retry_after_s=0.3)
        with pytest.raises(ModelUnavailable, match="in time"):
            await judge.judge(ASKED, ITEMS, some_run(), deadline_at=None)
        fake.delay_s, n_calls = 0.0, len(fake.calls)
        with pytest.raises(ModelUnavailable, match="left alone"):
            await judge.judge(ASKED, ITEMS, some_run(), deadline_at=None)
        assert len(fake.calls) == n_calls
        await asyncio.sleep(0.35)
        assert await judge.judge(ASKED, ITEMS, some_run(), deadline_at=None)
        assert fake.calls[n_calls][0][0].startswith("Sign of life")
        await judge.close()


async def test_no_model_is_asked_when_the_run_is_about_to_end_and_none_longer_than_it_lasts() -> None:
    fake = nli(entailed=RATES)
    async with serving(fake) as url:
        judge = judge_at(url, timeout_s=60.0, reserve_s=5.0)
        soon = datetime.now(UTC) + timedelta(seconds=4)
        with pytest.raises(ModelUnavailable, match="too little time"):
            await judge.judge(ASKED, ITEMS, some_run(), deadline_at=soon)
        later = datetime.now(UTC) + timedelta(seconds=15)
        assert await judge.judge(ASKED, ITEMS, some_run(), deadline_at=later)
        await judge.close()
    assert 0 < max(fake.timeouts_us) <= 10_000_000


async def test_it_names_itself_and_is_asked_anew_in_the_second_round() -> None:
    judge = judge_at("127.0.0.1:1")
    assert "'nli'" in judge.name
    assert not await judge.has_judged(some_run())
    await judge.close()


async def test_a_judgement_is_a_span_without_the_words_that_were_judged() -> None:
    exporter = InMemorySpanExporter()
    run = some_run()
    run.telemetry = Telemetry("verifier", ServiceSettings(), exporter)
    async with serving(nli(entailed=RATES)) as url:
        judge = judge_at(url)
        await judge.judge(ASKED, ITEMS, run, deadline_at=None)
        await judge.close()
    (span,) = map(seen, exporter.get_finished_spans())
    assert span.name == "judge claims"
    assert broken_promises([span]) == []
    assert "Major bleeding" not in span
