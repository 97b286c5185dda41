"""Progress of runs, from what services tell each other to what their askers hear: at most two messages a second a run.

Lossy on both ways; the gateway that let a run in tells of it. A run that is over before half a second is told of by its
document alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic

from nats.aio.msg import Msg
from openwork_contracts.accounts import account_of
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.progress import Progress
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
    until: float
    """When it is over in any case, also where nobody told of its end."""
    heard: deque[bytes] = field(default_factory=lambda: deque(maxlen=_MOST_HEARD))
    """What its services told since its asker was told."""
    face: Progress | None = None
    """What its asker was told last."""


class ProgressRelay:
    """Tells the askers of the runs that it follows how far they are."""

    def __init__(self, results: Results, *, clock: Callable[[], float] = monotonic) -> None:
        self._results = results
        self._clock = clock
        self._runs: dict[str, _Followed] = {}

    def __len__(self) -> int:
        return len(self._runs)

    def follow(self, run_id: str, owner: str, within_s: float) -> None:
        """A run was let in, which is over after so many seconds."""
        self._runs[run_id] = _Followed(owner, self._clock() + within_s)

    def over(self, run_id: str, account: str) -> None:
        """An account was told what its run came to. Who was refused under the run id of another's ends nothing."""
        run = self._runs.get(run_id)
        if run is not None and account_of(run.owner) == account:
            self.forget(run_id)

    def forget(self, run_id: str) -> None:
        """Tell no more of a run."""
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
        """What was heard of each run since the last time, together with what was told before. Raises nothing."""
        for run_id, run in list(self._runs.items()):
            if run.until < self._clock():
                self.forget(run_id)
            elif run.heard and run_id in self._runs:
                await self._tell_of(run_id, run)

    async def _tell_of(self, run_id: str, run: _Followed) -> None:
        try:
            if (told := self._new_of(run_id, run)) is not None:
                await self._results.put_progress(told, run.owner)
        except OpenWorkError as error:
            log.debug("progress of run %s was not told: %s", run_id, error)
        except Exception:
            log.exception("progress of run %s failed the gateway", run_id)

    def _new_of(self, run_id: str, run: _Followed) -> Progress | None:
        """What is to be told of a run; `None` = nothing that is new."""
        heard, run.heard = run.heard, deque(maxlen=_MOST_HEARD)
        before = run.face
        for body in heard:
            with suppress(ValidationError):  # of another version, or no progress at all: for eyes, so passed over
                progress = Progress.model_validate_json(body)
                if progress.run_id == run_id:
                    run.face = told_so_far(run.face, progress)
        return within_bounds(run.face) if run.face is not None and run.face is not before else None
