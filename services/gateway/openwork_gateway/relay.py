"""Progress of runs, from what services tell each other to what their askers hear: at most two messages a second a run.

Lossy on both ways; the gateway that let a run in tells of it. A run that is over before half a second is told of by its
document alone.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from nats.aio.msg import Msg
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.progress import Progress
from openwork_contracts.results import ResultKind, RunResult
from pydantic import ValidationError

from openwork_gateway.results import Results

log = logging.getLogger(__name__)

EVERY_S = 0.5


@dataclass(slots=True)
class _Followed:
    owner: str
    newest: bytes | None = None


class ProgressRelay:
    """Tells the askers of the runs that it follows how far they are."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._runs: dict[str, _Followed] = {}

    def follow(self, run_id: str, owner: str) -> None:
        """A run was let in."""
        self._runs[run_id] = _Followed(owner)

    def forget(self, run_id: str) -> None:
        """A run is over."""
        self._runs.pop(run_id, None)

    async def hear(self, message: Msg) -> None:
        """What a service told on `openwork.progress.v1.<run_id>`."""
        if (run := self._runs.get(message.subject.rpartition(".")[2])) is not None:
            run.newest = message.data

    async def run(self) -> None:
        """Pass on the newest of each run, for ever."""
        while True:
            await asyncio.sleep(EVERY_S)
            for run_id, run in list(self._runs.items()):
                if run.newest is not None and run_id in self._runs:
                    body, run.newest = run.newest, None
                    with suppress(OpenWorkError, ValidationError):
                        await self._pass_on(run_id, run.owner, body)

    async def _pass_on(self, run_id: str, owner: str, body: bytes) -> None:
        progress = Progress.model_validate_json(body)
        now = datetime.now(UTC)
        await self._results.put(RunResult(run_id=run_id, kind=ResultKind.PROGRESS, at=now, progress=progress), owner)
