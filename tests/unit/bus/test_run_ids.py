"""Run ids and trace ids: the same 128 bits."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_bus.run_ids import check_run_id, new_run_id, root_span_id_of, root_traceparent, trace_id_of
from openwork_bus.telemetry import trace_id_in
from openwork_contracts.errors import UsageError
from openwork_contracts.meta import RunId
from pydantic import TypeAdapter
from ulid import ULID

RUN_IDS = st.binary(min_size=16, max_size=16).map(lambda bits: str(ULID(bits)))


@given(st.integers(min_value=0, max_value=2**128 - 1))
def test_a_trace_id_has_the_bits_of_its_ulid(bits: int) -> None:
    assert int(trace_id_of(str(ULID(bits.to_bytes(16, "big")))), 16) == bits


@given(RUN_IDS)
def test_a_trace_id_is_32_lower_case_hex_digits_and_a_root_span_id_16(run_id: str) -> None:
    assert re.fullmatch(r"[0-9a-f]{32}", trace_id_of(run_id))
    assert re.fullmatch(r"[0-9a-f]{16}", root_span_id_of(run_id))
    assert root_span_id_of(run_id) == root_span_id_of(run_id)


def test_the_root_traceparent_names_the_run() -> None:
    run_id = new_run_id()
    assert trace_id_in(root_traceparent(run_id)) == trace_id_of(run_id)


def test_new_run_ids_are_different_and_of_the_contract() -> None:
    ids = [new_run_id() for _ in range(200)]
    assert len(set(ids)) == len(ids)
    assert all(TypeAdapter(RunId).validate_python(run_id) == check_run_id(run_id) for run_id in ids)


@given(RUN_IDS)
def test_a_run_id_has_one_spelling(run_id: str) -> None:
    assert check_run_id(f"  {run_id.lower()}\n") == run_id


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "*",
        "ä" * 26,
        "01ARZ3NDEKTSV4RRFFQ69G5FA",
        "01ARZ3NDEKTSV4RRFFQ69G5FAVX",
        "81ARZ3NDEKTSV4RRFFQ69G5FAV",
    ],
)
def test_what_is_no_ulid_is_refused_in_plain_words(text: str) -> None:
    with pytest.raises(UsageError, match="is not a run id"):
        check_run_id(text)


@given(st.text(max_size=40))
def test_any_text_is_a_run_id_of_the_contract_or_refused(text: str) -> None:
    """A run id goes into subjects: nothing with a dot, a star or a blank may pass."""
    try:
        run_id = check_run_id(text)
    except UsageError:
        return
    assert re.fullmatch(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", run_id)
