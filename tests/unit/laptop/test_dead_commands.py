"""`openwork dead`: what is refused before anything is touched, how a letter looks, which id a question gets."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork.errors import UsageError
from openwork_bus.run_ids import check_run_id, new_run_id
from openwork_laptop.commands.dead import _line, app
from openwork_laptop.dead import DeadLetter, successor_of
from typer.testing import CliRunner
from ulid import ULID


@pytest.mark.parametrize(
    "arguments", [[], ["1", "--all"], ["1", "--run", "x"], ["1", "--consumer", "gap"], ["--run", "x"]]
)
def test_what_is_to_be_deleted_must_be_said_exactly(arguments: list[str]) -> None:
    """Nothing is connected to: the mistake comes first."""
    done = CliRunner().invoke(app, ["drop", *arguments, "--server", "nats://127.0.0.1:1"])
    assert isinstance(done.exception, UsageError)


@given(st.binary(min_size=16, max_size=16).filter(lambda raw: raw[0] < 0x80))
def test_a_question_that_is_asked_again_has_one_new_id_beside_the_old_one(raw: bytes) -> None:
    run_id = str(ULID.from_bytes(raw))
    new_id = successor_of(run_id)
    assert new_id == successor_of(run_id) == check_run_id(new_id)
    assert new_id != run_id
    assert new_id[:9] == run_id[:9]
    assert successor_of(new_id) not in (run_id, new_id)


def test_a_letter_is_one_line_with_its_reason_shortened() -> None:
    run_id = new_run_id()
    at = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
    letter = DeadLetter(7, at, "verifier", "s", "answer-drafted", run_id, "ContractViolation", "a\nb " * 90, {}, b"")
    line = _line(letter)
    assert line.count("\n") == 1
    assert len(line) < 230
    for part in ("7", "2026-11-22T12:00:00+00:00", "verifier", "answer-drafted", run_id, "ContractViolation: a b", "…"):
        assert part in line
