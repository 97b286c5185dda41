"""The door: who waits, whose turn it is, and that nothing is lost while the bus refuses."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.errors import BusUnavailable
from openwork_gateway.door import Door

from tests.at_the_door import Inbox, Watched, a_door, asked_of, close_door, open_door, questions, told
from tests.memory_results import MemoryResults


async def last(door: Door, account: str, run_id: str) -> AnswerDocument:
    document = await door.results.last(account, run_id)
    assert document is not None
    return document


async def test_what_waits_has_its_timer_and_keeps_its_message() -> None:
    door, inbox = a_door(), Inbox()
    close_door(door)
    asked = asked_of(door)
    await door.take(inbox.of(asked))
    assert isinstance(door.bus, Watched)
    assert door.bus.done == ["timer"]
    await door.keep_waiting()
    assert (inbox.settled, inbox.kept) == ([], [asked.run_id])


async def test_a_message_that_cannot_be_kept_keeps_no_other_from_it() -> None:
    door, inbox = a_door(), Inbox()
    close_door(door)

    async def gone() -> None:
        raise RuntimeError("the connection is closed")

    await door.take(replace(asked_of(door), keep=gone))
    await door.take(inbox.of(asked_of(door)))
    await door.keep_waiting()
    assert len(inbox.kept) == 1


async def test_what_waits_is_let_in_by_turns_when_there_is_room() -> None:
    door, inbox = a_door(), Inbox()
    close_door(door)
    for words in ("a1", "a2", "a3"):
        await door.take(inbox.of(asked_of(door, words, account="A")))
    for words in ("b1", "b2"):
        await door.take(inbox.of(asked_of(door, words, account="B")))
    await door.turn()
    assert await questions(door.bus) == []
    open_door(door)
    await door.turn()
    assert [event.question for event in await questions(door.bus)] == ["a1", "b1", "a2", "b2", "a3"]
    assert len(inbox.settled) == 5
    assert not door.waiting


async def test_a_good_question_behind_four_thousand_of_another_account_is_next() -> None:
    door = a_door(account_waiting=10_000, queue_limit_s=3600, queue_burst_s=600)
    close_door(door, rate=1000)
    for _ in range(4000):
        asked = asked_of(door, account="A", options={"deadline_s": 3600})
        door.waiting.add("A", asked.run_id, asked)
    good = asked_of(door, "Good?", account="B")
    assert door.waiting.ahead_of("B") == 1
    await door.take(good)
    assert told(door, good) == []
    first, second = door.waiting.take(), door.waiting.take()
    assert "Good?" in [one.request.question for one in (first, second) if one]


async def test_a_message_that_is_delivered_again_while_it_waits_waits_once() -> None:
    """Its newer delivery is the one to be acknowledged; it keeps its place, and is not judged a second time."""
    door, inbox = a_door(), Inbox()
    close_door(door)
    asked = asked_of(door)
    await door.take(inbox.of(asked, "first delivery"))
    await door.take(inbox.of(asked_of(door, "Other?")))
    door.stopped_because = "full"
    await door.take(inbox.of(asked, "second delivery"))
    assert len(door.waiting) == 2
    assert told(door, asked) == []
    door.stopped_because = None
    open_door(door)
    await door.turn()
    assert [event.question for event in await questions(door.bus)] == ["Why?", "Other?"]
    assert inbox.settled[0] == "second delivery"


async def test_what_waited_past_its_deadline_is_ended_at_the_next_turn() -> None:
    door, inbox = a_door(), Inbox()
    close_door(door)
    late = asked_of(door, ago_s=119.98)
    door.waiting.add("ALICE", late.run_id, inbox.of(late))
    good = asked_of(door)
    door.waiting.add("ALICE", good.run_id, inbox.of(good))
    door.waiting.add("ALICE", late.run_id, inbox.of(replace(late, asked_at=late.asked_at - timedelta(seconds=1))))
    await door.turn()
    assert inbox.settled == [late.run_id]
    assert (await last(door, "ALICE", late.run_id)).answer.markdown.startswith("Too late")
    assert [one.run_id for one in door.waiting] == [good.run_id]


async def test_another_gateways_run_is_not_ended_by_a_copy_that_waits_here() -> None:
    """The message was given to another gateway, which let it in."""
    door = a_door()
    asked = asked_of(door, ago_s=100)
    await door.let_in(asked)
    door.waiting.add("ALICE", asked.run_id, replace(asked, within_s=50))
    await door.turn()
    assert told(door, asked) == []
    assert not door.waiting


# --- a bus that refuses --------------------------------------------------------------------------------------------


async def test_a_question_that_could_not_be_stored_is_not_settled_and_comes_again() -> None:
    bus, inbox = Watched(now=datetime.now(UTC)), Inbox()
    door = a_door(bus)
    asked = asked_of(door)
    bus.full = True
    with pytest.raises(BusUnavailable):
        await door.take(inbox.of(asked))
    assert (inbox.settled, told(door, asked), door.load._fresh) == ([], [], 0)
    bus.full = False
    await door.take(inbox.of(asked))
    assert len(await questions(bus)) == 1
    assert inbox.settled == [asked.run_id]


async def test_a_refusal_that_could_not_be_stored_is_not_settled() -> None:
    door, inbox = a_door(), Inbox()
    door.stopped_because = "full"
    assert isinstance(door.results, MemoryResults)
    door.results.away = True
    with pytest.raises(BusUnavailable):
        await door.take(inbox.of(asked_of(door)))
    assert inbox.settled == []


@pytest.mark.parametrize("error", [BusUnavailable("no acknowledgement"), RuntimeError("a bug")])
async def test_a_turn_that_fails_takes_nobody_elses(error: Exception) -> None:
    """The loop that gives turns is the only one that lets in what waits: nothing may end it."""
    bus, inbox = Watched(now=datetime.now(UTC)), Inbox()
    door = a_door(bus)
    close_door(door)
    for _ in range(3):
        await door.take(inbox.of(asked_of(door)))
    open_door(door)
    bus.broken = error
    await door.turn()
    bus.broken = None
    assert inbox.settled == []
    await door.take(inbox.of(asked_of(door)))
    assert len(inbox.settled) == 1


async def test_the_deadline_of_one_that_waited_is_not_set_again_when_it_is_let_in() -> None:
    """Under load every question waits first: two requests to the server less for each."""
    door = a_door()
    close_door(door)
    await door.take(asked_of(door))
    open_door(door)
    await door.turn()
    assert isinstance(door.bus, Watched)
    assert door.bus.done == ["timer", "query-submitted"]


async def test_a_refusal_looks_once_for_a_run_of_its_id() -> None:
    """Refusals come by the thousand when there is least time for them."""
    looks: list[str] = []

    class Counted(Watched):
        async def subjects(self, filter_: str) -> frozenset[str]:
            looks.append(filter_)
            return await super().subjects(filter_)

    door = a_door(Counted(now=datetime.now(UTC)))
    asked = asked_of(door)
    await door.refuse(asked, "Busy.", retry_after_s=2.0)
    assert told(door, asked) == ["document"]
    assert len(looks) == 1
