"""What is counted of a model server: requests with their rows, and each way in which one fails."""

from __future__ import annotations

import pytest
from openwork_bus.figures import Figures
from openwork_contracts.errors import ModelUnavailable

from tests.reading_figures import samples, value

pytest.importorskip("tritonclient.grpc", reason="the extra openwork-reranker[triton] is not installed")

import grpc  # type: ignore[import-not-found,import-untyped,unused-ignore]
from openwork_serving.client import Columns, ServedModel, TritonOptions

from tests.fakes.triton import FakeTriton, serving

FULL = (grpc.StatusCode.UNAVAILABLE, "Exceeds maximum queue size")
DEAD = (grpc.StatusCode.INTERNAL, "Stub process 'x_0_0' is not healthy.")


def rows(n: int) -> Columns:
    return {"QUERY": ["Why?"] * n, "PASSAGE": ["Since."] * n}


def faults(figures: Figures) -> dict[str, float]:
    shown = (one for one in samples(figures.text()) if one.name == "openwork_triton_faults_total" and one.value)
    return {one.labels["fault"]: one.value for one in shown}


async def test_requests_are_counted_with_their_rows() -> None:
    figures = Figures("reranker")
    async with serving(FakeTriton()) as url:
        model = ServedModel("reranker", TritonOptions(url), figures)
        await model.infer([rows(1), rows(8)], "score")
        await model.close()
    text = figures.text()
    assert value(text, "openwork_triton_batch_rows_sum", model="reranker") == 9
    assert value(text, "openwork_triton_batch_rows_bucket", model="reranker", le="4.0") == 1
    assert value(text, "openwork_triton_request_seconds_count", model="reranker") == 2
    assert faults(figures) == {}


async def test_faults_are_counted_by_kind_those_that_a_retry_mended_too() -> None:
    """Triton itself counts no request that its full queue refused."""
    figures = Figures("reranker")
    async with serving(FakeTriton(misbehave=lambda number, asked: FULL if number < 2 else None)) as url:
        model = ServedModel("reranker", TritonOptions(url), figures)
        await model.infer([rows(1)], "score")
        await model.close()
    assert faults(figures) == {"queue_full": 2}
    dead = FakeTriton(misbehave=lambda number, asked: DEAD)
    async with serving(dead) as url:
        model = ServedModel("reranker", TritonOptions(url), figures)
        with pytest.raises(ModelUnavailable):
            await model.infer([rows(1)], "score")
        await model.close()
    assert faults(figures) == {"queue_full": 2, "model_dead": len(dead.calls)}


def test_a_model_that_has_not_failed_shows_that_it_has_not() -> None:
    figures = Figures("reranker")
    ServedModel("reranker", TritonOptions("127.0.0.1:1"), figures)
    assert value(figures.text(), "openwork_triton_faults_total", model="reranker", fault="model_dead") == 0
