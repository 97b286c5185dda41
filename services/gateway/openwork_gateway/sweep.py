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
from openwork_contracts.errors import BusUnavailable, FailureReason
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import end_filter, parse_subject, question_filter

log = logging.getLogger(__name__)

_TIMER_FIRST = timedelta(seconds=2)
"""A run that is overdue for less is left to its timer."""
_READ_AT_ONCE = 64
"""Questions that are read at the same time."""


async def sweep(bus: Bus, telemetry: Telemetry | None = None) -> int:
    """End the runs that are overdue; how many that were. One that cannot be ended keeps no other from it.

    Raises:
        BusUnavailable: the stream does not say what it holds.
    """
    questions, ends = await asyncio.gather(bus.subjects(question_filter("*")), bus.subjects(end_filter("*")))
    over = {parse_subject(subject).run_id for subject in ends}
    at_work = sorted(subject for subject in questions if parse_subject(subject).run_id not in over)
    n_ended = 0
    for start in range(0, len(at_work), _READ_AT_ONCE):
        for stored in await bus.get_all(at_work[start : start + _READ_AT_ONCE]):
            if isinstance(stored.event, QuerySubmitted) and _is_overdue(stored.event):
                n_ended += await _end(stored.event, bus, telemetry)
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
        except Exception:
            log.exception("the sweep failed")


def _is_overdue(question: QuerySubmitted) -> bool:
    due = question.meta.deadline_at
    return due is not None and due + _TIMER_FIRST < datetime.now(UTC)


async def _end(question: QuerySubmitted, bus: Bus, telemetry: Telemetry | None) -> bool:
    run = Run(question.meta.run_id, bus=bus, service="gateway", cause=question, telemetry=telemetry)
    try:
        return await run.fail(FailureReason.DEADLINE, "The run did not finish within its time limit.")
    except BusUnavailable:
        raise
    except Exception:
        log.exception("run %s is past its deadline and could not be ended", run.id)
        return False
