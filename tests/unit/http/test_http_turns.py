"""Who goes next where calls wait for one budget, and who is told that there is no turn in time."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

from hypothesis import given
from hypothesis import strategies as st
from openwork_http.turns import (
    HEAD_S,
    PROMISE_S,
    Caller,
    Granted,
    Later,
    Line,
    Outcome,
    Promise,
    Refused,
    Turn,
    Urgency,
    Waiting,
    advance,
)

SPACING = 0.35
SEARCH = Turn(then=1)
READ = Turn(Urgency.READ)
SPARE = Turn(Urgency.SPARE)


@dataclass
class Queue:
    """A line, its clock and those who ask; a caller looks again whenever the clock is set."""

    line: Line = field(default_factory=Line)
    now: float = 100.0
    names: itertools.count[int] = field(default_factory=itertools.count)

    def caller(self, turn: Turn = SEARCH, *, within_s: float = 60.0) -> Caller:
        return Caller(f"{next(self.names)}", turn, self.now, self.now + within_s)

    def part_of(self, work: str, turn: Turn = SEARCH, *, within_s: float = 60.0) -> Caller:
        return self.caller(replace(turn, owner=work), within_s=within_s)

    def look(self, caller: Caller) -> Outcome:
        self.line, outcome = advance(self.line, caller, now=self.now, spacing=SPACING)
        return outcome

    def granted(self, *callers: Caller) -> list[Caller]:
        """Who gets a slot in what order, when the time goes on until all have one."""
        left, order = list(callers), []
        while left:
            for one in tuple(left):
                if isinstance(self.look(one), Granted):
                    order.append(one)
                    left.remove(one)
            self.now += 0.05
        return order


def test_a_free_slot_is_given_at_once_also_to_one_that_cannot_wait() -> None:
    queue = Queue()
    assert queue.look(queue.caller(Turn(), within_s=0)) == Granted(100.0)


def test_a_read_goes_before_every_search_that_waits_and_what_is_spare_goes_last() -> None:
    queue = Queue()
    queue.look(queue.caller())
    spare, search, other = queue.caller(SPARE), queue.caller(), queue.caller()
    for one in (spare, search, other):
        assert isinstance(queue.look(one), Later)
    read = queue.caller(READ)
    assert queue.granted(spare, search, other, read) == [read, search, other, spare]


def test_no_search_is_let_in_whose_read_could_not_be_had_in_time() -> None:
    """Both need a slot; the read's is 0.35 s after the search's."""
    queue = Queue()
    assert isinstance(queue.look(queue.caller(within_s=0.3)), Refused)
    assert queue.line == Line()
    assert isinstance(queue.look(queue.caller(within_s=0.4)), Granted)


def test_time_for_the_answers_is_part_of_what_has_to_be_had() -> None:
    queue = Queue()
    slow = Turn(then=1, answer_s=1.0)
    assert isinstance(queue.look(queue.caller(slow, within_s=2.3)), Refused)
    assert isinstance(queue.look(queue.caller(slow, within_s=2.4)), Granted)


def test_one_that_would_come_too_late_is_told_at_once_how_late_and_behind_how_many() -> None:
    """Behind a search that was made and whose read is still to come, and one that waits with a read of its own."""
    queue = Queue()
    queue.look(queue.caller())
    queue.look(queue.caller())
    refused = queue.look(queue.caller(within_s=1.0))
    assert isinstance(refused, Refused)
    assert refused.before == 3
    assert round(refused.in_s, 2) == 4 * SPACING
    assert len(queue.line.waiting) == 1


def test_a_promised_read_counts_until_it_comes_and_not_for_ever() -> None:
    queue = Queue()
    queue.look(queue.part_of("a"))
    assert queue.line.promised == (Promise("a", 1, 100.0 + PROMISE_S),)
    queue.granted(queue.part_of("a", READ))
    assert queue.line.promised == ()
    queue.now += 10
    queue.look(queue.caller())
    queue.now += PROMISE_S + 1
    queue.look(queue.caller(Turn()))
    assert queue.line.promised == ()


def test_a_search_that_missed_its_slot_keeps_its_place_and_promises_no_second_read() -> None:
    queue = Queue()
    late = queue.caller()
    assert isinstance(queue.look(late), Granted)
    queue.now += 0.2
    other = queue.caller()
    queue.look(other)
    assert queue.granted(other, late) == [late, other]
    assert len(queue.line.promised) == 2


def test_a_read_takes_no_promise_of_another_work() -> None:
    queue = Queue()
    queue.look(queue.part_of("a"))
    queue.granted(queue.part_of("b", READ), queue.part_of("c", READ))
    assert [promise.owner for promise in queue.line.promised] == ["a"]


def test_a_read_that_was_passed_over_and_joins_again_takes_no_second_promise() -> None:
    """It was the first in line and slow to look; another work's search was let in meanwhile."""
    queue = Queue()
    queue.granted(queue.part_of("a"))
    slow = queue.part_of("a", READ)
    queue.look(queue.part_of("b", READ))
    assert isinstance(queue.look(slow), Later)
    queue.now += SPACING + HEAD_S + 0.1
    queue.granted(queue.part_of("c"))
    assert slow.ticket not in {waiting.ticket for waiting in queue.line.waiting}
    assert queue.granted(slow) == [slow]
    assert [promise.owner for promise in queue.line.promised] == ["c"]


def test_a_broader_search_that_gets_no_slot_leaves_the_promise_of_the_one_before() -> None:
    queue = Queue()
    queue.look(queue.part_of("a"))
    assert isinstance(queue.look(queue.part_of("a", within_s=0.1)), Refused)
    assert [promise.calls for promise in queue.line.promised] == [1]


def test_what_waits_in_the_line_is_not_counted_a_second_time_by_its_promise() -> None:
    """A search, then its two reads side by side: a newcomer waits for the search's slot and for those of both."""
    queue = Queue()
    queue.look(queue.part_of("a", Turn(then=2)))
    for _ in range(2):
        queue.look(queue.part_of("a", READ))
    refused = queue.look(queue.part_of("b", within_s=0.5))
    assert isinstance(refused, Refused)
    assert refused.before == 2


def test_who_died_at_the_head_of_the_line_keeps_nobody_waiting() -> None:
    queue = Queue()
    queue.look(queue.caller())
    queue.look(queue.caller())
    alive = queue.caller()
    assert isinstance(queue.look(alive), Later)
    queue.now += SPACING + HEAD_S + 0.1
    assert isinstance(queue.look(alive), Granted)


def test_one_whose_time_is_over_is_out_of_the_line() -> None:
    queue = Queue()
    queue.look(queue.caller())
    queue.look(queue.caller(Turn(), within_s=2))
    queue.now += 2.5
    queue.look(queue.caller())
    assert queue.line.waiting == ()


def test_nobody_in_line_is_a_plain_number_as_before_there_was_a_line() -> None:
    assert Line(12.5).dump() == b"12.5"
    assert Line.load(b"12.5") == Line(12.5)
    assert Line.load(b"") == Line()


@given(
    st.floats(0, 1e10),
    st.lists(
        st.builds(Waiting, st.text("abc", min_size=1), st.integers(0, 2), st.floats(0, 1e10), st.integers(0, 3),
                  st.floats(0, 1e10), st.text("abc"))
    ),
    st.lists(st.builds(Promise, st.text("abc", min_size=1), st.integers(1, 9), st.floats(0, 1e10))),
)  # fmt: skip
def test_a_line_is_read_as_it_was_written(free_from: float, waiting: list[Waiting], promised: list[Promise]) -> None:
    line = Line(free_from, tuple(waiting), tuple(promised))
    assert Line.load(line.dump()) == line


def test_a_line_of_an_earlier_version_is_read_without_its_promises() -> None:
    """They were nobody's, and end by themselves within seconds."""
    assert Line.load(b'[12.5, [["t", 1, 3.0, 1, 9.0]], [18.5]]') == Line(12.5, (Waiting("t", 1, 3.0, 1, 9.0),))


@given(st.lists(st.sampled_from([SEARCH, READ, SPARE, Turn()]), min_size=1, max_size=12))
def test_whatever_waits_slots_are_never_closer_than_the_budget_allows(turns: list[Turn]) -> None:
    queue = Queue()
    left = [queue.caller(turn) for turn in turns]
    slots = []
    while left:
        for one in tuple(left):
            if isinstance(outcome := queue.look(one), Granted):
                slots.append(outcome.slot)
                left.remove(one)
        queue.now += 0.05
    assert len(slots) == len(turns)
    assert all(later - earlier >= SPACING - 1e-9 for earlier, later in itertools.pairwise(slots))
