"""How full a stream is, in words and in time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_bus.fullness import Level, Limits, Look, full_in_s, in_words
from openwork_contracts.subjects import RESULTS_STREAM, STREAM

MIB = 2**20
LIMITS = Limits(warn_from=0.6, fault_from=0.8)


def look(n_bytes: int, at_s: float = 0.0, *, stream: str = STREAM, max_bytes: int = 100 * MIB) -> Look:
    return Look(stream, at_s, n_bytes, max_bytes, refuses=stream == STREAM)


@pytest.mark.parametrize(
    ("mib", "level"), [(0, Level.OK), (59, Level.OK), (60, Level.WARN), (79, Level.WARN), (80, Level.FAULT)]
)
def test_a_level_begins_where_it_says(mib: int, level: Level) -> None:
    assert LIMITS.level(look(mib * MIB).share) is level


def test_a_stream_without_a_limit_is_never_full() -> None:
    assert look(10**12, max_bytes=0).share == 0.0


def test_messages_count_where_they_are_limited() -> None:
    """An inbox of 10,000 questions is full long before its bytes are."""
    inbox = Look("OPENWORK_INBOX_local", 0.0, 1000, 16 * MIB, n_messages=9000, max_messages=10_000)
    assert inbox.share == pytest.approx(0.9)
    assert "9000 of 10000 messages" in in_words(inbox)


def test_the_time_that_is_left_follows_from_two_looks() -> None:
    """10 MiB in 5 s, 20 MiB left."""
    assert full_in_s(look(70 * MIB), look(80 * MIB, 5.0)) == pytest.approx(10.0)


@given(st.integers(0, 100), st.integers(0, 100), st.floats(0, 1000))
def test_what_does_not_grow_is_never_full_and_time_is_never_negative(first: int, second: int, after_s: float) -> None:
    left_s = full_in_s(look(first * MIB), look(second * MIB, after_s))
    assert left_s is None if second <= first or after_s <= 0 else left_s is not None and left_s >= 0


def test_words_say_how_full_for_how_long_and_what_comes_then() -> None:
    words = in_words(look(70 * MIB, 10.0), look(69 * MIB))
    assert "70% full (70.0 MiB of 100.0 MiB)" in words
    assert "room for 5 minutes at the present rate" in words
    assert "refuses" in words
    assert "lets no question in" in words


def test_a_stream_that_drops_its_oldest_says_so() -> None:
    words = in_words(look(90 * MIB, stream=RESULTS_STREAM))
    assert "oldest messages go" in words
    assert "present rate" not in words
