"""Annotations: taken in no time, posted some time, dropped with a count; whatever the trace store does."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from threading import Event

import pytest
from openwork_bus.annotations import MOST_WAITING, Annotations, Evaluation

from tests.fakes.collector import Collector, collecting

GROUNDING = Evaluation("grounding", 0.75, "partly grounded", "3 of 4")
COST = Evaluation("cost_usd", 0.01, "within goal", "2 calls")
SPAN = "00f067aa0ba902b7"


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


def eventually(is_so: Callable[[], bool]) -> bool:
    """Whether it comes to be so within a minute."""
    pause, until = Event(), time.monotonic() + 60
    while not is_so() and time.monotonic() < until:
        pause.wait(0.02)
    return is_so()


def nowhere() -> str:
    """An address at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def test_a_run_is_annotated_with_all_its_figures_under_one_identifier(collector: Collector) -> None:
    line = Annotations(f"{collector.url}/", {"authorization": "Bearer key"})
    line.put(SPAN, [GROUNDING, COST])
    assert eventually(lambda: len(collector.annotations) == 2)
    line.close()
    assert collector.annotations[0] == {
        "span_id": SPAN,
        "name": "grounding",
        "annotator_kind": "CODE",
        "identifier": "openwork",
        "result": {"score": 0.75, "label": "partly grounded", "explanation": "3 of 4"},
    }
    assert collector.headers[0]["Authorization"] == "Bearer key"
    assert line.dropped == 0


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_a_store_could_not_take_is_posted_again(collector: Collector, status: int) -> None:
    collector.refusals += [status, status]
    line = Annotations(collector.url, {}, pauses_s=(0.01, 0.01))
    line.put(SPAN, [GROUNDING])
    assert eventually(lambda: len(collector.annotations) == 1)
    line.close()
    assert line.dropped == 0


@pytest.mark.parametrize("status", [401, 404, 422])
def test_what_a_store_refuses_for_good_is_dropped_and_the_next_is_posted(collector: Collector, status: int) -> None:
    collector.refusals += [status]
    line = Annotations(collector.url, {}, pauses_s=(60.0,))
    line.put(SPAN, [GROUNDING])
    line.put(SPAN, [COST])
    assert eventually(lambda: len(collector.annotations) == 1)
    assert collector.annotations[0]["name"] == "cost_usd"
    assert line.dropped == 1
    line.close()


def test_with_nobody_there_the_line_stays_short_and_the_oldest_are_dropped() -> None:
    line = Annotations(nowhere(), {}, pauses_s=(60.0,))
    for _ in range(MOST_WAITING + 20):
        line.put(SPAN, [GROUNDING])
    assert line.dropped in (19, 20), "one may be in the hands of the thread"
    line.close()


def test_what_waits_is_tried_once_more_when_the_service_stops(collector: Collector) -> None:
    collector.refusals += [503]
    line = Annotations(collector.url, {}, pauses_s=(60.0,))
    line.put(SPAN, [GROUNDING])
    line.put(SPAN, [COST])
    assert eventually(lambda: not collector.refusals)
    line.close()
    assert [one["name"] for one in collector.annotations] == ["cost_usd"], "the first had its try"


def test_an_address_that_is_none_is_a_drop_and_no_error() -> None:
    line = Annotations("not an address", {}, pauses_s=())
    line.put(SPAN, [GROUNDING])
    assert eventually(lambda: line.dropped == 1)
    line.close()
