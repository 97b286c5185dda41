"""What is counted of a delivery: what became of it, for whom, how often again; and nothing that names a run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from openwork_bus.figures import Figures
from openwork_bus.metrics import begin_consumer
from openwork_bus.middleware import Counted, OnTime, Outcome, Settle
from openwork_contracts.errors import BusUnavailable, ContractViolation, SourceUnavailable

from tests.reading_figures import samples, value

RUN = "01JABCDEFGHJKMNPQRSTVWXYZ0"
SUBJECT = f"openwork.v1.answer-drafted.answer.all.{RUN}.affirmative.0.0"
DUE = f"openwork.due.v1.normaliser.{RUN}.answer~affirmative~0~0"
EVENTS = frozenset({"answer-drafted", "deadline-reached"})


class Message:
    """As much of FastStream's message as the middlewares touch."""

    def __init__(self, subject: str = SUBJECT, tries: int | None = 1) -> None:
        metadata = SimpleNamespace(num_delivered=tries)
        self.raw_message = SimpleNamespace(subject=subject, headers={}, metadata=metadata)

    async def nack(self, delay: float | None = None) -> None: ...

    async def reject(self) -> None: ...


async def consumed(
    figures: Figures, handler: Callable[[Any], Awaitable[Any]], message: Message, *, ended: bool = False
) -> None:
    """Pass a message through the middlewares as a service has them."""

    async def nothing(*given: object) -> None: ...

    async def has_ended(subject: str) -> bool:
        return ended

    settle = Settle(None, context=None, durable="verifier", delays_s=(1.0,), exhausted=nothing, dead_letter=nothing)
    on_time = OnTime(None, context=None, ended=has_ended, dropped=Counter())
    counted = Counted(None, context=None, figures=figures, durable="verifier", events=EVENTS)

    async def settled(msg: Any) -> Any:
        return await settle.consume_scope(lambda m: on_time.consume_scope(handler, m), msg)

    await counted.consume_scope(settled, message)


def raising(error: BaseException) -> Callable[[Any], Awaitable[Any]]:
    async def handler(msg: Any) -> None:
        raise error

    return handler


async def handled(msg: Any) -> None: ...


def counted(figures: Figures) -> dict[tuple[str, str], float]:
    """Event and outcome of every delivery that was counted."""
    shown = (one for one in samples(figures.text()) if one.name == "openwork_messages_total" and one.value)
    return {(one.labels["event"], one.labels["outcome"]): one.value for one in shown}


@pytest.mark.parametrize(
    ("error", "tries", "outcome"),
    [
        (None, 1, Outcome.HANDLED),
        (SourceUnavailable("no answer"), 1, Outcome.RETRIED),
        (BusUnavailable("away"), 1, Outcome.RETRIED),
        (SourceUnavailable("no answer"), 2, Outcome.DEAD),
        (ContractViolation("bad"), 1, Outcome.DEAD),
    ],
)
async def test_what_became_of_a_delivery_is_counted(error: Exception | None, tries: int, outcome: Outcome) -> None:
    figures = Figures("verifier")
    await consumed(figures, raising(error) if error else handled, Message(tries=tries))
    assert counted(figures) == {("answer-drafted", outcome.value): 1}
    assert value(figures.text(), "openwork_handler_seconds_count", event="answer-drafted") == 1


async def test_what_is_dropped_unread_is_counted_by_why_and_takes_no_handlers_time() -> None:
    figures = Figures("verifier")
    await consumed(figures, handled, Message(), ended=True)
    assert counted(figures) == {("answer-drafted", "ended"): 1}
    assert value(figures.text(), "openwork_handler_seconds_count", event="answer-drafted") is None


async def test_a_message_given_back_at_a_stop_is_not_a_failure() -> None:
    figures = Figures("verifier")
    with pytest.raises(asyncio.CancelledError):
        await consumed(figures, raising(asyncio.CancelledError()), Message())
    assert counted(figures) == {("answer-drafted", "returned"): 1}


async def test_a_message_that_could_not_even_be_settled_is_counted_as_that() -> None:
    """Its dead letter was not stored: it comes again when its acknowledgement is overdue."""
    figures = Figures("verifier")
    inner = Counted(None, context=None, figures=figures, durable="verifier", events=EVENTS)
    with pytest.raises(BusUnavailable):
        await inner.consume_scope(raising(BusUnavailable("no acknowledgement")), Message())
    assert counted(figures) == {("answer-drafted", "unsettled"): 1}


async def test_redeliveries_are_counted_apart() -> None:
    figures = Figures("verifier")
    for tries in (None, 1, 2, 3):
        await consumed(figures, handled, Message(tries=tries))
    assert value(figures.text(), "openwork_message_redeliveries_total", consumer="verifier") == 2


async def test_a_message_in_work_is_in_flight_until_it_is_settled() -> None:
    figures, begun, go_on = Figures("verifier"), asyncio.Event(), asyncio.Event()

    async def slow(msg: Any) -> None:
        begun.set()
        await go_on.wait()

    task = asyncio.create_task(consumed(figures, slow, Message()))
    await begun.wait()
    assert value(figures.text(), "openwork_messages_in_flight", consumer="verifier") == 1
    go_on.set()
    await task
    assert value(figures.text(), "openwork_messages_in_flight", consumer="verifier") == 0


async def test_no_label_names_a_run_a_subject_or_an_event_that_nobody_takes() -> None:
    """Labels are bounded: a set of series for each run would fill Prometheus in a day."""
    figures = Figures("verifier")
    for subject in (SUBJECT, DUE, f"openwork.v1.{RUN}.answer.all.x", "$JS.EVENT.ADVISORY.x", "x"):
        await consumed(figures, handled, Message(subject))
    assert counted(figures) == {
        ("answer-drafted", "handled"): 1,
        ("deadline-reached", "handled"): 1,
        ("other", "handled"): 3,
    }
    assert RUN.encode() not in figures.text()


def test_a_consumer_that_has_done_nothing_shows_that_it_has_not() -> None:
    figures = Figures("verifier")
    begin_consumer(figures, "verifier", ["answer-drafted"])
    text = figures.text()
    assert value(text, "openwork_messages_total", event="answer-drafted", outcome="handled") == 0
    assert value(text, "openwork_dead_letters_total", consumer="verifier") == 0
