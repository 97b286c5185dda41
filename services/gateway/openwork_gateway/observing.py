"""`openwork.observe`: figures about the runs of everybody, for the account `api`, which knows who runs the system."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from openwork_contracts.accounts import API_ACCOUNT, account_of
from openwork_contracts.errors import UsageError
from openwork_contracts.requests import ObserveReply, ObserveRequest

from openwork_gateway.domain.observation import SPANS, in_window, latest_failures, observe
from openwork_gateway.domain.run_statistics import RunStatistics
from openwork_gateway.listing import Lines
from openwork_gateway.requests import replied
from openwork_gateway.results import Results
from openwork_gateway.statistics import Statistics


async def answer_observe(
    account: str, body: bytes, statistics: Statistics, results: Results, lines: Lines | None = None
) -> ObserveReply:
    """`openwork.observe`: the server gives no other account the subject, and here none is answered either."""

    async def work(request: ObserveRequest) -> ObserveReply:
        if account != API_ACCOUNT:
            raise UsageError(f"figures about the runs of everybody are for the account {API_ACCOUNT!r}")
        if request.window not in SPANS:
            raise UsageError(f"window: {request.window.value[:40]!r} is none; windows are {', '.join(SPANS)}")
        kept, now = await statistics.kept(), datetime.now(UTC)
        failed = latest_failures(in_window(kept.runs, request.window, now))
        own = await _owned(failed, request.reader, results, lines or Lines())
        made = partial(observe, own=own, complete_from=kept.complete_from)
        # Half a second of a processor for 10,000 runs: questions are let in meanwhile.
        return ObserveReply(observation=await asyncio.to_thread(made, kept.runs, request.window, now))

    return await replied(body, ObserveRequest, ObserveReply, work)


async def _owned(runs: Sequence[RunStatistics], owner: str, results: Results, lines: Lines) -> frozenset[str]:
    """Those that this owner may read: of what is kept of a run nobody can tell whose it was."""
    account = account_of(owner)
    unknown = [run.run_id for run in runs if owner and not lines.has(account, run.run_id)]
    read = dict(
        zip(unknown, await asyncio.gather(*(lines.read(results, account, one) for one in unknown)), strict=True)
    )
    known = {run.run_id: read.get(run.run_id) or lines.get(account, run.run_id) for run in runs if owner}
    return frozenset(run_id for run_id, line in known.items() if line is not None and line.line.owner == owner)
