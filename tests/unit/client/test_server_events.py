"""Server-sent events out of bytes, however these come apart."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork import sse
from openwork.errors import ContractViolation
from openwork.sse import ServerEvent, events

STREAM = (
    ": connected\r\n\r\n"
    'event: progress\r\nid: 7\r\ndata: {"note":"a\u2028b\u0085c β"}\r\n\r\n'
    "data: two\ndata:lines\n\n"
    "event: document\rid: 9\rdata: {}\r\r"
    "retry: 3000\n\nevent: nothing\n\n"
    "data: cut off"
).encode()
TOLD = [
    ServerEvent("progress", '{"note":"a\u2028b\u0085c β"}', "7"),
    ServerEvent("message", "two\nlines", "7"),
    ServerEvent("document", "{}", "9"),
]


async def _pieces(stream: bytes, cuts: set[int]) -> AsyncIterator[bytes]:
    places = [0, *sorted(cuts), len(stream)]
    for start, end in itertools.pairwise(places):
        yield stream[start:end]


@given(st.sets(st.integers(1, len(STREAM) - 1)))
async def test_events_are_the_same_wherever_the_bytes_come_apart(cuts: set[int]) -> None:
    assert [event async for event in events(_pieces(STREAM, cuts))] == TOLD


@pytest.mark.parametrize("stream", [b"data: " + b"x" * 5000, b"data: x\n" * 1000])
async def test_a_stream_that_never_ends_an_event_is_given_up(stream: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MOST_BYTES", 4096)
    with pytest.raises(ContractViolation, match="4096 bytes"):
        _ = [event async for event in events(_pieces(stream, {100}))]
