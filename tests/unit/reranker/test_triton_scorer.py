"""The client of the cross-encoder against a server that misbehaves in every way a real one was seen to."""

from __future__ import annotations

import asyncio
import math

import pytest
from openwork_contracts.errors import ModelAnswerRejected, ModelUnavailable
from openwork_reranker.adapters.triton.embedder import TritonEmbedder
from openwork_reranker.adapters.triton.scorer import TritonScorer
from openwork_reranker.domain.policies import minimum_score_of
from openwork_serving.client import TritonOptions
from openwork_serving.numbers import sigmoid
from triton_examples import FOCUS, texts_of_lengths

pytest.importorskip("tritonclient.grpc", reason="the extra openwork-reranker[triton] is not installed")

import grpc  # type: ignore[import-not-found,import-untyped,unused-ignore]

from tests.fakes.triton import FakeTriton, length_logit, serving

FULL = (grpc.StatusCode.UNAVAILABLE, "Exceeds maximum queue size")
TRACEBACK = (grpc.StatusCode.INTERNAL, "Traceback: File '/opt/models/1/model.py', line 3, in execute")


async def test_scores_are_sigmoids_in_the_order_of_the_texts() -> None:
    """Sorting and splitting for the server leave no mark on what the caller gets."""
    texts = texts_of_lengths(900, 40, 400, 41, 1500, 39, 700)
    async with serving(FakeTriton()) as url:
        scorer = TritonScorer(TritonOptions(url, batch_tokens=256))
        result = await scorer.score_and_report(FOCUS, texts)
        await scorer.close()
    expected = [sigmoid(length_logit((t.whole,))) for t in texts]
    assert result.scores == pytest.approx(expected, abs=1e-6)
    assert (result.identity.name, result.identity.model, result.identity.version) == (
        "triton",
        "test/cross-encoder",
        "3",
    )
    assert sum(result.batch_sizes) == len(texts)
    assert len(result.batch_sizes) > 1


@pytest.mark.parametrize(
    ("config", "setting", "sizes"),
    [
        ({}, None, {4}),  # 100 tokens each: 512 hold four or five
        ({"batch_tokens": "512"}, None, {4}),
        ({"batch_tokens": "16384"}, None, {40}),
        ({"batch_tokens": "16384"}, 512, {4}),
    ],
)
async def test_the_models_config_says_how_much_goes_together_unless_a_setting_does(
    config: dict[str, str], setting: int | None, sizes: set[int]
) -> None:
    """A GPU that gets what suits a CPU waits most of the time."""
    fake = FakeTriton(max_batch=64, parameters={"score_kind": "logit", **config})
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url, batch_tokens=setting))
        result = await scorer.score_and_report(FOCUS, texts_of_lengths(*[400] * 40))
        await scorer.close()
    assert set(result.batch_sizes) == sizes


async def test_a_config_with_words_for_a_number_is_refused() -> None:
    fake = FakeTriton(parameters={"batch_tokens": "many"})
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url))
        with pytest.raises(ModelAnswerRejected, match="many"):
            await scorer.score(FOCUS, texts_of_lengths(50))
        await scorer.close()


@pytest.mark.parametrize(
    ("config", "setting", "least"),
    [({}, None, 0.0), ({"minimum_score": "0.02"}, None, 0.02), ({"minimum_score": "0.02"}, 0.3, 0.3), ({}, 0.3, 0.3)],
)
async def test_the_least_score_is_the_models_own_unless_a_setting_says_another(
    config: dict[str, str], setting: float | None, least: float
) -> None:
    """What was calibrated for one model means nothing for another."""
    fake = FakeTriton(parameters={"score_kind": "logit", **config})
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url))
        result = await scorer.score_and_report(FOCUS, texts_of_lengths(50))
        await scorer.close()
    assert minimum_score_of(result.identity, setting) == least


async def test_no_text_asks_nothing() -> None:
    fake = FakeTriton()
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url))
        assert await scorer.score(FOCUS, []) == []
        await scorer.close()
    assert fake.calls == []


async def test_requests_are_in_flight_together_up_to_the_limit() -> None:
    fake = FakeTriton(delay_s=0.05, max_batch=1)
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url, max_in_flight=3))
        await scorer.score(FOCUS, texts_of_lengths(*range(50, 62)))
        await scorer.close()
    assert len(fake.calls) == 12
    assert fake.most_in_flight == 3


async def test_requests_tell_the_server_when_nobody_waits_any_more() -> None:
    fake = FakeTriton()
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url, timeout_s=5))
        await scorer.score(FOCUS, texts_of_lengths(50))
        await scorer.close()
    assert 0 < fake.timeouts_us[0] <= 5_000_000


async def test_probabilities_are_not_put_through_the_sigmoid_again() -> None:
    fake = FakeTriton(answer=lambda row: 0.25, parameters={"score_kind": "probability"})
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url))
        assert await scorer.score(FOCUS, texts_of_lengths(50)) == [0.25]
        await scorer.close()


async def test_full_queue_is_waited_for_and_counted() -> None:
    fake = FakeTriton(misbehave=lambda number, rows: FULL if number < 3 else None)
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url))
        result = await scorer.score_and_report(FOCUS, texts_of_lengths(50))
        await scorer.close()
    assert result.queue_full == 3
    assert len(result.scores) == 1


async def test_batch_over_the_models_limit_is_sent_in_halves() -> None:
    """The limit may shrink between the reading of the config and the request."""
    too_many = (grpc.StatusCode.INVALID_ARGUMENT, "inference request batch-size must be <= 2 for 'reranker'")
    fake = FakeTriton(misbehave=lambda number, rows: too_many if len(rows) > 2 else None)
    texts = texts_of_lengths(50, 60, 70, 80, 90)
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url))
        scores = await scorer.score(FOCUS, texts)
        await scorer.close()
    assert scores == pytest.approx([sigmoid(length_logit((t.whole,))) for t in texts], abs=1e-6)


@pytest.mark.parametrize(
    ("error", "n_calls"),
    [
        (TRACEBACK, 2),
        ((grpc.StatusCode.INTERNAL, "Stub process 'reranker_0_0' is not healthy."), 3),
        ((grpc.StatusCode.NOT_FOUND, "Request for unknown model: 'reranker' is not found"), 1),
        ((grpc.StatusCode.NOT_FOUND, "'reranker' has no available versions"), 4),
        ((grpc.StatusCode.UNAVAILABLE, "Request timeout expired"), 1),
    ],
)
async def test_failures_are_tried_again_only_where_that_is_safe(
    error: tuple[grpc.StatusCode, str], n_calls: int
) -> None:
    """And what the server says of itself goes no further, not even as the cause of our error."""
    fake = FakeTriton(misbehave=lambda number, rows: error)
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url))
        with pytest.raises(ModelUnavailable) as raised:
            await scorer.score(FOCUS, texts_of_lengths(50))
        await scorer.close()
    assert len(fake.calls) == n_calls
    assert "/opt" not in str(raised.value)
    assert raised.value.__suppress_context__


async def test_refused_request_is_never_repeated() -> None:
    refusal = (grpc.StatusCode.INVALID_ARGUMENT, "expected 2 inputs but got 1 inputs for model 'reranker'")
    fake = FakeTriton(misbehave=lambda number, rows: refusal)
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url))
        with pytest.raises(ModelAnswerRejected):
            await scorer.score(FOCUS, texts_of_lengths(50))
        await scorer.close()
    assert len(fake.calls) == 1


async def test_exception_in_the_model_that_does_not_come_back_is_mended() -> None:
    fake = FakeTriton(misbehave=lambda number, rows: TRACEBACK if number == 0 else None)
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url))
        assert len(await scorer.score(FOCUS, texts_of_lengths(50))) == 1
        await scorer.close()


@pytest.mark.parametrize(
    "fake",
    [
        FakeTriton(answer=lambda row: math.nan),
        FakeTriton(answer=lambda row: math.inf),
        FakeTriton(answer=lambda row: [0.1, 0.2]),
        FakeTriton(drop_rows=1),
        FakeTriton(output="logits"),
        FakeTriton(answer=lambda row: 1.5, parameters={"score_kind": "probability"}),
    ],
    ids=["nan", "infinite", "two numbers", "a row short", "another output", "probability over 1"],
)
async def test_answers_that_cannot_be_scores_are_rejected(fake: FakeTriton) -> None:
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url))
        with pytest.raises(ModelAnswerRejected):
            await scorer.score(FOCUS, texts_of_lengths(50, 60))
        await scorer.close()


async def test_slow_server_is_given_up_at_the_deadline() -> None:
    async with serving(FakeTriton(delay_s=30)) as url:
        scorer = TritonScorer(TritonOptions(url, timeout_s=0.2))
        with pytest.raises(ModelUnavailable, match="in time"):
            await scorer.score(FOCUS, texts_of_lengths(50))
        await scorer.close()


async def test_absent_server_is_unavailable_and_used_once_it_is_there() -> None:
    """The client finds a server that starts after it, without being made anew."""
    async with serving(FakeTriton()) as url:
        port = int(url.rsplit(":", 1)[1])
    scorer = TritonScorer(TritonOptions(url, timeout_s=1))
    with pytest.raises(ModelUnavailable):
        await scorer.score(FOCUS, texts_of_lengths(50))
    async with serving(FakeTriton(), port):
        for _ in range(50):
            try:
                scores = await scorer.score(FOCUS, texts_of_lengths(50))
                break
            except ModelUnavailable:
                await asyncio.sleep(0.1)
    await scorer.close()
    assert len(scores) == 1


async def test_check_is_an_inference_and_fails_when_the_models_process_has_ended() -> None:
    """A dead process leaves every readiness check green, so nothing less than an inference shows it."""
    fake = FakeTriton()
    async with serving(fake) as url:
        scorer = TritonScorer(TritonOptions(url))
        await scorer.check()
        assert len(fake.calls) == 1
        fake.misbehave = lambda number, rows: (grpc.StatusCode.INTERNAL, "Stub process 'x' is not healthy.")
        with pytest.raises(ModelUnavailable):
            await scorer.check()
        await scorer.close()


async def test_embedder_compares_unit_vectors_and_rejects_others() -> None:
    vectors = {"question": [1.0, 0.0], "same": [1.0, 0.0], "other": [0.0, 1.0], "broken": [3.0, 4.0]}
    fake = FakeTriton(answer=lambda row: vectors[row[0]], output="embedding")
    async with serving(fake) as url:
        embedder = TritonEmbedder(TritonOptions(url))
        assert await embedder.similarities("question", ["other", "same"]) == [0.0, 1.0]
        with pytest.raises(ModelAnswerRejected, match="length 5"):
            await embedder.similarities("question", ["broken"])
        await embedder.close()


def test_sigmoid_has_no_overflow() -> None:
    assert sigmoid(0) == 0.5
    assert sigmoid(-1e4) == 0
    assert sigmoid(1e4) == 1
