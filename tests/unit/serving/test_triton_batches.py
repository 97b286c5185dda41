"""Which texts are sent together, and what the server's errors mean."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.errors import ModelAnswerRejected, ModelUnavailable
from openwork_serving.batching import estimate_tokens, plan_batches
from openwork_serving.errors import Fault, error_of, fault_of

LENGTHS = st.lists(st.integers(1, 600), max_size=60)


@given(LENGTHS, st.integers(1, 2000), st.integers(1, 64))
def test_every_text_is_in_one_batch_that_keeps_to_budget_and_size(lengths: list[int], budget: int, most: int) -> None:
    """Only a text that is longer than the budget by itself may go over it, and it goes alone."""
    batches = plan_batches(lengths, batch_tokens=budget, max_texts=most)
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        assert 0 < len(batch) <= most
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= budget


@given(LENGTHS)
def test_texts_of_one_batch_are_neighbours_in_length(lengths: list[int]) -> None:
    """The shortest of a batch is no shorter than the longest of the next."""
    batches = plan_batches(lengths, batch_tokens=512, max_texts=64)
    for one, following in pairwise(batches):
        assert min(lengths[i] for i in one) >= max(lengths[i] for i in following)


def test_token_estimate_has_a_floor_and_a_ceiling() -> None:
    assert estimate_tokens("", limit=512) >= 1
    assert estimate_tokens("word " * 10_000, limit=512) == 512


SEEN = [
    ("StatusCode.NOT_FOUND", "Request for unknown model: 'nope' is not found", Fault.UNKNOWN_MODEL),
    ("StatusCode.NOT_FOUND", "Request for unknown model: 'reranker' has no available versions", Fault.DRAINING),
    ("StatusCode.INVALID_ARGUMENT", "expected 2 inputs but got 1 inputs for model 'reranker'", Fault.REFUSED),
    ("StatusCode.INVALID_ARGUMENT", "inference request batch-size must be <= 64 for 'reranker'", Fault.TOO_MANY),
    ("StatusCode.UNAVAILABLE", "[request id: <id_unknown>] Exceeds maximum queue size", Fault.QUEUE_FULL),
    ("StatusCode.UNAVAILABLE", "Request timeout expired", Fault.EXPIRED),
    ("StatusCode.UNAVAILABLE", "failed to connect to all addresses", Fault.UNREACHABLE),
    ("StatusCode.DEADLINE_EXCEEDED", "Deadline Exceeded", Fault.TIMEOUT),
    ("StatusCode.INTERNAL", "Traceback: File '/opt/models/1/model.py', line 3", Fault.MODEL_FAILED),
    ("StatusCode.INTERNAL", "Stub process 'reranker_0_0' is not healthy.", Fault.MODEL_DEAD),
    ("StatusCode.RESOURCE_EXHAUSTED", "CLIENT: Sent message larger than max", Fault.REFUSED),
    (None, "something new", Fault.UNREACHABLE),
]


@pytest.mark.parametrize(("status", "message", "fault"), SEEN)
def test_errors_seen_on_the_server_are_known(status: str | None, message: str, fault: Fault) -> None:
    assert fault_of(status, message) is fault


@pytest.mark.parametrize("fault", Fault)
def test_errors_speak_our_words_and_say_whether_another_try_helps(fault: Fault) -> None:
    """What the server refuses it will refuse again; everything else may pass."""
    error = error_of(fault, "reranker")
    assert "reranker" in str(error)
    assert isinstance(error, ModelAnswerRejected if fault in {Fault.REFUSED, Fault.TOO_MANY} else ModelUnavailable)
