"""Who may ask a service next: the line of those that wait for a slot of one shared budget. Pure; kept by `limits`.

Slots are handed out one by one, each only shortly before its time: so what is more urgent can still go first, whoever
waits already, in whatever process. Within one urgency it is first come, first served.

A call may lead to others: a search to the read of what it found. They are promised when the search is let in, so that
nobody is let into the line whose last call could not be had in time, and no search is made whose records nobody will
read. A promise is its owner's: the next search or read of the same piece of work says anew how many calls follow, so
that a call that is sent again (tried again, sent on elsewhere, too late for its slot) promises nothing twice, and
nobody uses up what was promised to another.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import IntEnum


class Urgency(IntEnum):
    """In this order."""

    READ = 0
    """Reads what an earlier call has found: without it that call was for nothing."""
    ASK = 1
    """Any other call."""
    SPARE = 2
    """What can be had elsewhere too: a full text of PMC is at Europe PMC as well."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a call is to those that wait beside it."""

    urgency: Urgency = Urgency.ASK
    then: int = 0
    """Calls of the same piece of work that follow from this one, each a `READ`; of those that wait side by side, none
    follows from the other. Of a search that may lead to several, the most."""
    answer_s: float = 0.0
    """Seconds that an answer may take: a slot with less time left after it is of no use to this call."""
    owner: str = ""
    """The piece of work that it is part of; empty = of none. The client fills it in."""

    @property
    def settles(self) -> bool:
        """Whether it says what follows in its piece of work: a search and a read do, a mere count does not."""
        return self.then > 0 or self.urgency is Urgency.READ


ORDINARY = Turn()

PROMISE_S = 6.0
"""Seconds after which a call that was promised is not waited for: its search found nothing, or its process died."""
HEAD_S = 0.5
"""Seconds after which the first in line that has not taken a free slot is passed over: its process died."""
POLL_S = 0.2
"""Most seconds between two looks of one that waits: under `HEAD_S`, so that the living are not passed over."""
LEAST_S = 0.002
"""Least seconds between two looks."""
EARLY_S = 0.05
"""Seconds before its time that a slot is handed out: a booking takes about 3 ms, 20 ms on a busy machine."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One call in the line."""

    ticket: str
    urgency: int
    since: float
    """When it first asked; its place within its urgency, also when it lost a slot and asks again."""
    then: int
    give_up: float
    owner: str = ""
    """Whose promises it stands for while it waits; empty = nobody's."""


@dataclass(frozen=True, slots=True)
class Promise:
    """Calls that follow from one that was let go."""

    owner: str
    calls: int
    until: float
    """Up to then they are waited for."""


@dataclass(frozen=True, slots=True)
class Line:
    """The state that all replicas share. Times are seconds of `time.time()`."""

    free_from: float = 0.0
    """When the next slot is."""
    waiting: tuple[Waiting, ...] = ()
    """In the order in which they are let go."""
    promised: tuple[Promise, ...] = ()
    """One of each owner."""

    def dump(self) -> bytes:
        """A plain number while nobody waits and nothing is promised, as it was before there was a line."""
        if not self.waiting and not self.promised:
            return repr(self.free_from).encode()
        rows = [[w.ticket, w.urgency, w.since, w.then, w.give_up, w.owner] for w in self.waiting]
        return json.dumps([self.free_from, rows, [[p.owner, p.calls, p.until] for p in self.promised]]).encode()

    @classmethod
    def load(cls, value: bytes) -> Line:
        """What `dump` wrote; a promise without an owner, as an earlier version wrote it, is passed over."""
        found = json.loads(value or b"0")
        if not isinstance(found, list):
            return cls(float(found))
        free_from, rows, promised = found
        owned = [row for row in promised if isinstance(row, list)]
        return cls(free_from, tuple(Waiting(*row) for row in rows), tuple(Promise(*row) for row in owned))


@dataclass(frozen=True, slots=True)
class Granted:
    """Start at that time."""

    slot: float


@dataclass(frozen=True, slots=True)
class Later:
    """Look again at that time; the call stands in the line."""

    at: float


@dataclass(frozen=True, slots=True)
class Refused:
    """No slot in time; the call is not in the line."""

    in_s: float
    """When its slot would be, in seconds from now."""
    done_in_s: float
    """When the last of its calls would be answered, in seconds from now."""
    before: int
    """Calls that would go before it."""


Outcome = Granted | Later | Refused


@dataclass(frozen=True, slots=True)
class Caller:
    """One call that wants a slot."""

    ticket: str
    turn: Turn
    since: float
    give_up: float
    """After that time a slot is of no use to it."""

    @property
    def owner(self) -> str:
        return self.turn.owner or self.ticket


def advance(line: Line, caller: Caller, *, now: float, spacing: float) -> tuple[Line, Outcome]:
    """What becomes of the caller now, and of the line.

    Args:
        spacing: seconds between slots.
    """
    line = _swept(line, caller.ticket, now)
    if all(w.ticket != caller.ticket for w in line.waiting):
        line = _joined(line, caller)
    place = next(i for i, w in enumerate(line.waiting) if w.ticket == caller.ticket)
    first, turn = max(now, line.free_from), caller.turn
    calls = _calls_before(line, place, caller)
    slot = first + calls * spacing
    then = 0 if turn.urgency is Urgency.READ else turn.then  # to read some of what was found is better than nothing
    done = slot + then * spacing + (1 + then) * turn.answer_s
    goes_at_once = slot <= now and not then
    if done > caller.give_up and not goes_at_once:
        rest = tuple(w for w in line.waiting if w.ticket != caller.ticket)
        return replace(line, waiting=rest), Refused(slot - now, done - now, calls)
    if place == 0 and line.free_from <= now + EARLY_S:
        return Line(first + spacing, line.waiting[1:], _promised(line, caller, first + PROMISE_S)), Granted(first)
    soonest = max(first + place * spacing - EARLY_S, now + LEAST_S)
    return line, Later(min(soonest, now + POLL_S))


def _swept(line: Line, own: str, now: float) -> Line:
    """Without those whose time is over, and without a first in line that has let its slot go by, one at a time."""
    waiting = tuple(w for w in line.waiting if w.give_up >= now or w.ticket == own)
    if waiting and waiting[0].ticket != own and now - max(line.free_from, waiting[0].since) > HEAD_S:
        waiting = waiting[1:]
    return Line(line.free_from, waiting, tuple(p for p in line.promised if p.until >= now))


def _joined(line: Line, caller: Caller) -> Line:
    turn = caller.turn
    owner = caller.owner if turn.settles else ""
    new = Waiting(caller.ticket, int(turn.urgency), caller.since, turn.then, caller.give_up, owner)
    waiting = tuple(sorted((*line.waiting, new), key=lambda w: (w.urgency, w.since)))
    return replace(line, waiting=waiting)


def _promised(line: Line, caller: Caller, until: float) -> tuple[Promise, ...]:
    """What is promised when the caller is let go."""
    if not caller.turn.settles:
        return line.promised
    others = tuple(p for p in line.promised if p.owner != caller.owner)
    return (*others, Promise(caller.owner, caller.turn.then, until)) if caller.turn.then else others


def _calls_before(line: Line, place: int, caller: Caller) -> int:
    """How many calls go first. What follows from a call is a read, and goes before all but the reads.

    Whose call stands in the line is not waited for beside it: that call says what is still to come.
    """
    if caller.turn.urgency is Urgency.READ:
        return place
    there = {w.owner for w in line.waiting} | {caller.owner}
    still_to_come = sum(p.calls for p in line.promised if p.owner not in there)
    return sum(1 + w.then for w in line.waiting[:place]) + still_to_come
