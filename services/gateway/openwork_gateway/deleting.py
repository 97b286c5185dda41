"""`openwork.delete`: what is kept of a run for its readers is removed, for good."""

from __future__ import annotations

from openwork_bus.bus import Bus
from openwork_bus.run_ids import check_run_id
from openwork_contracts.answer import RunStatus
from openwork_contracts.errors import UsageError
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
        await results.delete(owner, run_id)
        return DeleteReply(run_id=run_id, deleted=True)

    return await replied(body, DeleteRequest, DeleteReply, work)
