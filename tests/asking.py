"""Asking past the door: a question let in on a bus, as the gateway lets it in when nobody else waits."""

from __future__ import annotations

from datetime import UTC, datetime

from openwork_bus.bus import Bus
from openwork_bus.run_ids import check_run_id, new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_contracts.accounts import LOCAL_ACCOUNT
from openwork_contracts.errors import SubjectTaken, UsageError
from openwork_contracts.question import AskReply, AskRequest
from openwork_gateway.door import OTHER_QUESTION, Door
from openwork_gateway.settings import Settings

from tests.memory_results import MemoryResults


async def submit(
    bus: Bus, request: AskRequest, settings: ServiceSettings | None = None, *, account: str = LOCAL_ACCOUNT
) -> AskReply:
    """Begin a run, or find that it was begun before.

    Raises:
        UsageError: its run id is another question's.
    """
    given = settings.model_dump() if settings else {}
    door = Door(bus, MemoryResults(), Settings(**given))
    run_id = check_run_id(request.run_id) if request.run_id else new_run_id()
    asked = door.asked(account, run_id, request, datetime.now(UTC))
    try:
        begun = await door.begin(asked)
    except SubjectTaken as error:
        raise UsageError(OTHER_QUESTION) from error
    return AskReply(run_id=run_id, already_known=not begun, deadline_s=asked.within_s)
