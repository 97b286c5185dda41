"""When a run ends, as its plan says: no model is asked so late that its answer could not be used."""

from __future__ import annotations

from datetime import datetime

from openwork_bus.run import Run
from openwork_contracts.plan import SearchPlanned, part_of
from openwork_contracts.question import Track


async def run_deadline(run: Run, track: Track) -> datetime | None:
    """The deadline stored with the plan of the track's first round; `None` when no plan is stored."""
    plan = await run.read(SearchPlanned, part_of(track, 1))
    return plan.run_deadline_at if plan is not None else None
