"""`Statistics` in memory: what is kept of a run passes through the same bytes as in the bucket."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from openwork_contracts.errors import BusUnavailable
from openwork_gateway.domain.run_statistics import RunStatistics, parsed, written
from openwork_gateway.statistics import Kept


@dataclass
class MemoryStatistics:
    """`Statistics` of one test."""

    away: bool = False
    """True = nobody answers."""
    complete_from: datetime | None = None
    runs: dict[str, bytes] = field(default_factory=dict)

    async def put(self, one: RunStatistics) -> None:
        self._check()
        self.runs[one.run_id] = written(one)

    async def kept(self) -> Kept:
        self._check()
        return Kept(tuple(map(parsed, self.runs.values())), self.complete_from)

    def _check(self) -> None:
        if self.away:
            raise BusUnavailable("the bucket gave no answer")
