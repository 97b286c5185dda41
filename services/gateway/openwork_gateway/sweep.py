"""The sure way in which a run ends: a look now and then for those past their deadline that nothing has ended.

Timers are the fast way. A timer can be lost, since its stream drops the oldest when it is full; a sweep cannot.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

from openwork_bus.bus import Bus
from openwork_bus.run import Run
from openwork_bus.telemetry import Telemetry
from openwork_contracts.errors import BusUnavailable, FailureReason, OpenWorkError
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import end_filter, parse_subject, question_filter

log = logging.getLogger(__name__)

_TIMER_FIRST = timedelta(seconds=2)
"""A run that is overdue for less is left to its timer."""


async def sweep(bus: Bus, telemetry: Telemetry | None = None) -> int:
    """End the runs that are overdue; how many that were.

    Raises:
        BusUnavailable: the stream does not say what it holds.
    """
    questions, ends = await asyncio.gather(bus.subjects(question_filter("*")), bus.subjects(end_filter("*")))
    over = {parse_subject(subject).run_id for subject in ends}
    n_ended = 0
    for stored in await bus.get_all(s for s in questions if parse_subject(s).run_id not in over):
        meta = stored.event.meta
        overdue = meta.deadline_at is not None and meta.deadline_at + _TIMER_FIRST < datetime.now(UTC)
        if not overdue or not isinstance(stored.event, QuerySubmitted):
            continue
        run = Run(meta.run_id, bus=bus, service="gateway", cause=stored.event, telemetry=telemetry)
        n_ended += await run.fail(FailureReason.DEADLINE, "The run did not finish within its time limit.")
    if n_ended:
        log.warning("%d runs were past their deadline, and no timer had ended them", n_ended)
    return n_ended


async def sweep_always(bus: Bus, every_s: float, telemetry: Telemetry | None = None) -> None:
    """Sweep, for ever."""
    while True:
        await asyncio.sleep(every_s)
        try:
            await sweep(bus, telemetry)
        except BusUnavailable as error:
            log.debug("no sweep: %s", error)
        except OpenWorkError as error:
            log.warning("the sweep stopped early: %s", error)
