"""The table: a row a scenario, and what it was to show."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from tests.chaos.ledger import Tally

COLUMNS = (
    "scenario",
    "offered",
    "accepted",
    "ended once",
    "doubled",
    "lost",
    "late",
    "refused in words",
    "failed or silent",
    "goodput",
    "next answer",
    "missed",
)


@dataclass
class Row:
    """What one scenario came to."""

    scenario: str
    tally: Tally | None = None
    goodput: str = ""
    next_answer_s: float | None = None
    missed: list[str] = field(default_factory=list)
    """Requirements that did not hold."""
    broken: bool = False
    """Whether something was lost or doubled: whatever the machine had to do besides, that may not be."""
    skipped: str = ""
    """Why there is nothing to tell."""

    def require(self, holds: bool, what: str) -> None:
        """Note a requirement that does not hold."""
        if not holds:
            self.missed.append(what)

    def require_every_end(self) -> None:
        """None lost, none doubled, none late: of every scenario."""
        assert self.tally is not None
        for name in ("lost", "doubled", "late"):
            n = getattr(self.tally, name)
            self.require(n == 0, f"{n} {name}")
        self.broken = bool(self.tally.lost or self.tally.doubled)

    def cells(self) -> list[str]:
        """The row of the table."""
        if self.tally is None:
            return [self.scenario, *[""] * (len(COLUMNS) - 2), f"skipped: {self.skipped}"]
        t = self.tally
        numbers = [t.offered, t.accepted, t.ended_once, t.doubled, t.lost, t.late, t.refused, t.failed + t.silent]
        after = "" if self.next_answer_s is None else f"{self.next_answer_s:.1f} s"
        return [self.scenario, *map(str, numbers), self.goodput, after, "; ".join(self.missed) or "nothing"]


def print_head() -> None:
    """The head of the table."""
    sys.stdout.write(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n")
    sys.stdout.flush()


def print_row(row: Row) -> None:
    """A row, and what there is to note of it."""
    sys.stdout.write(f"| {' | '.join(row.cells())} |\n")
    for note, n in row.tally.notes.most_common() if row.tally else ():
        sys.stderr.write(f"    {n} x {note}\n")
    sys.stdout.flush()
