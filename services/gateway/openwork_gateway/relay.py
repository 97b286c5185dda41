"""Progress of runs, from what services tell each other to what their askers hear: at most two messages a second a run.

Lossy on both ways; the gateway that let a run in tells of it. A run that is over before half a second is told of by its
document alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from nats.aio.msg import Msg
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.progress import Progress
from openwork_contracts.results import ResultKind, RunResult
from pydantic import ValidationError

from openwork_gateway.domain.face import told_so_far, within_bounds
from openwork_gateway.results import Results

log = logging.getLogger(__name__)

EVERY_S = 0.5
_MOST_HEARD = 100
"""Messages of one run that are kept between two tellings; of more the oldest are lost."""


@dataclass(slots=True)
class _Followed:
    owner: str
    heard: deque[bytes] = field(default_factory=lambda: deque(maxlen=_MOST_HEARD))
    """What its services told since its asker was told."""
    face: Progress | None = None
    """What its asker was told last."""


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
            run.heard.append(message.data)

    async def run(self) -> None:
        """Tell of each run, for ever."""
        while True:
            await asyncio.sleep(EVERY_S)
            await self.tell()

    async def tell(self) -> None:
        """What was heard of each run since the last time, together with what was told before."""
        for run_id, run in list(self._runs.items()):
            if run.heard and run_id in self._runs:
                with suppress(OpenWorkError):
                    await self._tell_of(run_id, run)

    async def _tell_of(self, run_id: str, run: _Followed) -> None:
        heard, run.heard = run.heard, deque(maxlen=_MOST_HEARD)
        before = run.face
        for body in heard:
            with suppress(ValidationError):  # of another version, or no progress at all: for eyes, so passed over
                run.face = told_so_far(run.face, Progress.model_validate_json(body))
        if run.face is None or run.face is before:
            return
        progress, now = within_bounds(run.face), datetime.now(UTC)
        await self._results.put(
            RunResult(run_id=run_id, kind=ResultKind.PROGRESS, at=now, progress=progress), run.owner
        )
