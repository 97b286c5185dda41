"""Circuits and the memory of unreachable hosts, on a clock that the test turns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from openwork_contracts.errors import FailureReason, SourceUnavailable
from openwork_http.circuit import Circuit, CircuitState, FileReachability, InProcessReachability


@dataclass
class Clock:
    """A clock that stands still until it is turned."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock) -> Circuit:
    circuit = Circuit("PubMed", failures=3, open_s=30, clock=clock)
    for _ in range(3):
        circuit.enter()
        circuit.failure("answered 503")
    return circuit


def test_a_circuit_opens_after_failures_in_a_row_and_says_so() -> None:
    circuit = opened(Clock())
    assert circuit.state is CircuitState.OPEN
    with pytest.raises(SourceUnavailable, match=r"PubMed is not asked: 3 tries .* answered 503\); .* in 30 s") as told:
        circuit.enter()
    assert told.value.reason is FailureReason.CIRCUIT_OPEN
    assert told.value.retry_after_s == 30


def test_a_success_between_failures_keeps_it_closed() -> None:
    circuit = Circuit("PubMed", failures=2, open_s=30, clock=Clock())
    for _ in range(5):
        circuit.failure("timeout")
        circuit.success()
    assert circuit.state is CircuitState.CLOSED


def test_after_the_pause_one_request_probes_and_the_others_still_wait() -> None:
    clock = Clock()
    circuit = opened(clock)
    clock.now += 31
    assert circuit.state is CircuitState.HALF_OPEN
    circuit.enter()
    with pytest.raises(SourceUnavailable, match="another request is just trying"):
        circuit.enter()
    circuit.success()
    circuit.enter()
    circuit.enter()


def test_a_probe_that_fails_opens_it_again_at_once() -> None:
    clock = Clock()
    circuit = opened(clock)
    clock.now += 31
    circuit.enter()
    circuit.failure("answered 503")
    assert circuit.state is CircuitState.OPEN


def test_a_probe_that_was_abandoned_lets_the_next_one_through() -> None:
    clock = Clock()
    circuit = opened(clock)
    clock.now += 31
    circuit.enter()
    circuit.abandon()
    circuit.enter()


def test_an_unreachable_host_is_remembered_for_a_while_only() -> None:
    clock = Clock()
    memory = InProcessReachability(clock)
    memory.remember("a:443", "no such name", 45)
    clock.now += 5
    known = memory.known("a:443")
    assert known is not None
    assert (known.why, known.ago_s, known.left_s) == ("no such name", 5, 40)
    assert memory.known("b:443") is None
    clock.now += 40
    assert memory.known("a:443") is None


def test_a_clock_that_was_set_back_does_not_prolong_the_memory() -> None:
    clock = Clock()
    memory = InProcessReachability(clock)
    memory.remember("a:443", "no such name", 45)
    clock.now -= 3600
    assert memory.known("a:443") is None


def test_another_process_of_the_machine_remembers_too(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "deep" / "unreachable.json"
    one, other = FileReachability(path, clock), FileReachability(path, clock)
    assert other.known("a:443") is None
    one.remember("a:443", "no such name", 45)
    assert other.known("a:443") is not None
    other.forget("a:443")
    assert one.known("a:443") is None


@pytest.mark.parametrize("content", ["", "not json", "[]", '{"a:443": 1}', '{"a:443": [1]}', "\x00"])
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, content: str) -> None:
    path = tmp_path / "unreachable.json"
    path.write_text(content)
    memory = FileReachability(path, Clock())
    assert memory.known("a:443") is None
    memory.remember("b:443", "refused", 45)
    assert memory.known("b:443") is not None


def test_a_place_that_cannot_be_written_costs_nothing_but_the_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    memory = FileReachability(blocked / "unreachable.json", Clock())
    memory.remember("a:443", "refused", 45)
