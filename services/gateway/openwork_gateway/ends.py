"""Ending a run from outside of its events: by somebody's wish, or when a message of it kept killing a service."""

from __future__ import annotations

from datetime import UTC, datetime

from openwork_bus.bus import Bus
from openwork_bus.run_ids import trace_id_of
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import SubjectTaken
from openwork_contracts.meta import CONTRACT_VERSION, LOCAL_OWNER, EventMeta
from openwork_contracts.subjects import spec_of


def ending(run_id: str, pipeline: str, *, cause: str, owner: str = LOCAL_OWNER) -> EventMeta:
    """The meta of a run's end, with the event that it answers."""
    return EventMeta(
        event_id=spec_of(RunEnded).subject(run_id, pipeline=pipeline),
        run_id=run_id,
        pipeline=pipeline,
        owner=owner,
        contract_version=CONTRACT_VERSION,
        parent_ids=(cause,),
        occurred_at=datetime.now(UTC),
        producer="gateway",
        trace_id=trace_id_of(run_id),
    )


async def end_from_outside(bus: Bus, event: RunEnded) -> bool:
    """Store the end; False when the run had ended already, in whatever way.

    Raises:
        BusUnavailable: the stream gave no acknowledgement.
    """
    try:
        return await bus.publish(event)
    except SubjectTaken:
        return False
