"""`openwork.delete`: what is kept of a run for its readers is removed, for good."""

from __future__ import annotations

import asyncio

from openwork_bus.bus import Bus
from openwork_bus.run_ids import check_run_id
from openwork_contracts.answer import RunStatus
from openwork_contracts.errors import Busy, UsageError
from openwork_contracts.requests import DeleteReply, DeleteRequest

from openwork_gateway.requests import Waits, as_it_stands, owner_of, replied
from openwork_gateway.results import Results


async def answer_delete(
    account: str, body: bytes, bus: Bus, results: Results, waits: Waits | None = None
) -> DeleteReply:
    """`openwork.delete`: a run that is over is forgotten. Its events go by age: only operators can read them."""

    async def work(request: DeleteRequest) -> DeleteReply:
        owner, run_id = owner_of(account, request.on_behalf_of), check_run_id(request.run_id)
        document = await as_it_stands(bus, results, run_id, owner, waits)
        if document.status is RunStatus.RUNNING:
            raise UsageError(f"run {run_id} goes on; cancel it first, then delete it")
        await _stored(results, owner, run_id)
        await results.delete(owner, run_id)
        return DeleteReply(run_id=run_id, deleted=True)

    return await replied(body, DeleteRequest, DeleteReply, work)


async def _stored(results: Results, owner: str, run_id: str) -> None:
    """Wait until the document is stored: one that came after the mark would take its place.

    Raises:
        Busy: it was not within two seconds.
    """
    for _ in range(20):
        if await results.document(owner, run_id) is not None:
            return
        await asyncio.sleep(0.1)
    raise Busy(f"run {run_id} has just ended and is being stored; try again in 2 s", retry_after_s=2.0)
