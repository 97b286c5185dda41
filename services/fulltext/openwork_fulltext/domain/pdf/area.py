"""A table's place on a page: its rules and what stands between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from openwork_fulltext.domain.pdf.drawing import Rule
from openwork_fulltext.domain.pdf.page import Run

SAME_PT = 4.0
"""Rules whose ends are no farther apart begin and end together: boxes and lines differ by half a line's thickness."""
MAX_COLUMNS = 30
MIN_UPRIGHT_SHARE = 0.3
"""Of a table's height, that the upright rules between two columns have in all."""
MIN_CUT_SHARE = 0.5
"""Of the level rules in pieces, that have a cut between two columns; others part the cells of one row."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level rule, whole or in pieces. Points from the lower left corner of the page."""

    y: float
    x0: float
    x1: float
    cuts: tuple[float, ...] = ()
    """Where its pieces meet."""

    @property
    def width(self) -> float:
        return self.x1 - self.x0


@dataclass(slots=True, eq=False)
class Area:
    """A table's place with what stands and what is drawn in it."""

    x0: float
    y0: float
    x1: float
    y1: float
    levels: list[Level] = field(default_factory=list)
    """All level rules in it, top first; also those that go over some columns only."""
    uprights: list[Rule] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    """Its cells."""
    caption: list[Run] = field(default_factory=list)
    """Above its cells, and above `y1`."""

    @property
    def top(self) -> float:
        return max([self.y1, *(run.top for run in self.caption)])

    @property
    def all_runs(self) -> list[Run]:
        return [*self.caption, *self.runs]

    def is_whole(self, level: Level) -> bool:
        """Whether a rule goes over all columns."""
        return level.x0 < self.x0 + SAME_PT and level.x1 > self.x1 - SAME_PT

    @property
    def inner_uprights(self) -> list[Rule]:
        return [rule for rule in self.uprights if self.x0 + SAME_PT < rule.x0 < self.x1 - SAME_PT]

    def edges(self) -> list[float]:
        """Where columns meet: at upright rules of some length, or where the pieces of most level rules do."""
        asked = MIN_UPRIGHT_SHARE * (self.y1 - self.y0)
        cut = [level for level in self.levels if self.is_whole(level) and level.cuts]
        # All the cuts of a place together count for as much as is asked of upright rules, if half of the rules have it.
        drawn = [(rule.x0, rule.y1 - rule.y0) for rule in self.inner_uprights]
        drawn += [(x, asked / max(1.0, MIN_CUT_SHARE * len(cut))) for level in cut for x in level.cuts]
        clusters: list[list[tuple[float, float]]] = []
        for x, length in sorted(drawn):
            if clusters and x - clusters[-1][-1][0] <= SAME_PT:
                clusters[-1].append((x, length))
            else:
                clusters.append([(x, length)])
        edges = [
            sum(x for x, _ in cluster) / len(cluster)
            for cluster in clusters
            if sum(length for _, length in cluster) >= 0.999 * asked
        ]
        return edges if len(edges) < MAX_COLUMNS else []  # a chart has many

    @property
    def is_framed(self) -> bool:
        sides = [
            sum(rule.y1 - rule.y0 for rule in self.uprights if abs(rule.x0 - x) < SAME_PT) for x in (self.x0, self.x1)
        ]
        return min(sides) > 0.8 * (self.y1 - self.y0)


def centre(run: Run) -> float:
    """The middle of a run."""
    return (run.x0 + run.x1) / 2


def within(area: Area, runs: Sequence[Run]) -> list[Run]:
    """The runs of a page that stand in an area; its caption is above it."""
    return [
        run for run in runs if area.x0 - SAME_PT < centre(run) < area.x1 + SAME_PT and area.y0 - 1 < run.y < area.y1
    ]


def rows_in(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs by their height, to 2 points, each row from left to right, the highest first."""
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda run: -run.y):
        if rows and rows[-1][0].y - run.y < 2:
            rows[-1].append(run)
        else:
            rows.append([run])
    return [sorted(row, key=lambda run: run.x0) for row in rows]
