"""Progress of runs, from what services tell each other to what their askers hear: at most two messages a second a run.

Lossy on both ways; the gateway that let a run in tells of it. A run that is over before half a second is told of by its
document alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from nats.aio.msg import Msg
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.progress import Progress
from pydantic import ValidationError

from openwork_gateway.domain.printable import printable_document
from openwork_gateway.results import Results

log = logging.getLogger(__name__)

EVERY_S = 0.5


@dataclass(slots=True)
class _Followed:
    owner: str
    until: float
    newest: bytes | None = None


class ProgressRelay:
    """Tells the askers of the runs that it follows how far they are."""

    def __init__(self, results: Results, *, clock: Callable[[], float] = monotonic) -> None:
        self._results = results
        self._clock = clock
        self._runs: dict[str, _Followed] = {}

    def __len__(self) -> int:
        return len(self._runs)

    def follow(self, run_id: str, owner: str, within_s: float) -> None:
        """A run was let in, which is over after so many seconds, also where nobody tells of its end."""
        self._runs[run_id] = _Followed(owner, self._clock() + within_s)

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
            await self.pass_on()

    async def pass_on(self) -> None:
        """Tell the newest of each run, where there is something new. Raises nothing."""
        for run_id, run in list(self._runs.items()):
            if run.until < self._clock():
                self.forget(run_id)
            elif run.newest is not None and run_id in self._runs:
                body, run.newest = run.newest, None
                await self._tell(run_id, run.owner, body)

    async def _tell(self, run_id: str, owner: str, body: bytes) -> None:
        try:
            progress = Progress.model_validate_json(body)
            if progress.run_id == run_id:
                await self._results.put_progress(printable_document(progress), owner)
        except (OpenWorkError, ValidationError) as error:
            log.debug("progress of run %s was not told: %s", run_id, error)
        except Exception:
            log.exception("progress of run %s failed the gateway", run_id)
