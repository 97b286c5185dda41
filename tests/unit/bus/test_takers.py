"""Handlers and the events of their consumer fit, or the service does not start."""

from __future__ import annotations

from functools import partial

import pytest
from openwork_bus.run import Run
from openwork_bus.service import _takers, end_in_failure, event_taken_by, public_message
from openwork_contracts.errors import FailureReason, SourceUnavailable
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.plan import DeadlineReached, RetrievalCompleted, RetrievalFailed
from openwork_contracts.subjects import consumer_named

from tests.builders import run_on
from tests.handling import bus_of_today, end_of


async def on_arrival(event: RetrievalCompleted | RetrievalFailed | DeadlineReached, run: Run) -> None: ...


async def on_completed(event: RetrievalCompleted, run: Run) -> None: ...


async def on_normalised(event: EvidenceNormalised, run: Run) -> None: ...


async def on_text(text: str, run: Run) -> None: ...


async def on_nothing() -> None: ...


def test_each_event_of_a_consumer_is_taken_by_the_handler_that_names_it() -> None:
    takers = _takers(consumer_named("normaliser"), (on_arrival,))
    assert takers == dict.fromkeys(("retrieval-completed", "retrieval-failed"), on_arrival)
    assert _takers(consumer_named("normaliser-deadlines"), (on_arrival,)) == {"deadline-reached": on_arrival}


def test_what_is_bound_to_a_handler_does_not_hide_its_event() -> None:
    assert event_taken_by(partial(on_completed, run=None)) == (RetrievalCompleted,)


@pytest.mark.parametrize("handlers", [(), (on_completed,), (on_arrival, on_normalised)])
def test_an_event_without_a_handler_and_a_handler_without_an_event_are_refused(handlers: tuple[object, ...]) -> None:
    with pytest.raises(TypeError, match="normaliser takes"):
        _takers(consumer_named("normaliser"), handlers)  # type: ignore[arg-type]


@pytest.mark.parametrize("handler", [on_text, on_nothing])
def test_a_handler_of_something_that_is_no_event_is_refused_by_name(handler: object) -> None:
    with pytest.raises(TypeError, match=handler.__name__):  # type: ignore[attr-defined]
        event_taken_by(handler)  # type: ignore[arg-type]


async def test_a_run_whose_message_cannot_be_handled_ends_in_words_fit_for_its_asker() -> None:
    """Our own errors speak for themselves; of others only the kind is told."""
    for error, reason, told in (
        (SourceUnavailable("pubmed gave no answer"), FailureReason.UNREACHABLE, "pubmed gave no answer"),
        (KeyError("/secret/path"), FailureReason.INTERNAL, "KeyError"),
    ):
        bus = bus_of_today()
        run = run_on(bus, service="gap")
        await end_in_failure(None, run, error)
        end = await end_of(bus, run.id)
        assert end is not None
        assert (end.failure, end.stage) == (reason, "gap")
        assert told in (end.message or "")
        assert "/secret/path" not in (end.message or "")
        assert public_message("gap", error) == end.message
