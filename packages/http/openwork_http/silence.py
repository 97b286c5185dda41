"""Which services kept a run waiting in vain: they are not waited for again in that run, by whichever process.

A source that hangs or drips costs its time limit once. Without this, full text would wait for the same host again, and
so would a further round. It is kept per run, since one request that took too long (a large page, a slow minute) is no
reason to leave a service out of everybody else's answers; what fails again and again is the circuit's business.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from itertools import count
from typing import Protocol

from nats.errors import Error as NatsError
from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError
from nats.js.kv import KeyValue
from openwork_bus.backoff import backoff_s

log = logging.getLogger(__name__)

Clock = Callable[[], float]
Runs = dict[str, tuple[float, str]]
"""Run -> until when (seconds of `time.time`), and what it waited for in vain."""

_MOST_RUNS = 200
"""Of one service; the oldest is forgotten first. Forgetting costs one more time limit, nothing else."""
_MOST_CONFLICTS = 8
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.002, 0.05


class SilenceMemory(Protocol):
    """What is known of services that did not answer a run in time. It never fails: not to know costs a wait."""

    async def known(self, run_id: str, service: str) -> str | None:
        """What the run waited for in vain; `None` = nothing is known."""
        ...

    async def remember(self, run_id: str, service: str, why: str, for_s: float) -> None:
        """Note it for `for_s` seconds."""
        ...


class InProcessSilence:
    """For one process, where there is no bus."""

    def __init__(self, clock: Clock = time.time) -> None:
        self._clock = clock
        self._services: dict[str, Runs] = {}

    async def known(self, run_id: str, service: str) -> str | None:
        """See `SilenceMemory.known`."""
        return _known(self._services.get(service, {}), run_id, self._clock())

    async def remember(self, run_id: str, service: str, why: str, for_s: float) -> None:
        """See `SilenceMemory.remember`."""
        now = self._clock()
        self._services[service] = _with(self._services.get(service, {}), run_id, now + for_s, why, now)


class SharedSilence:
    """For all processes that use the same bucket: one key per service, which holds the runs of the last minutes."""

    def __init__(self, kv: KeyValue, clock: Clock = time.time) -> None:
        self._kv = kv
        self._clock = clock

    async def known(self, run_id: str, service: str) -> str | None:
        """See `SilenceMemory.known`."""
        try:
            runs, _ = await self._read(service)
        except (NatsError, OSError) as error:
            log.debug("what is known of %s was not read: %r", service, error)
            return None
        return _known(runs, run_id, self._clock())

    async def remember(self, run_id: str, service: str, why: str, for_s: float) -> None:
        """See `SilenceMemory.remember`."""
        for conflicts in count(1):
            try:
                runs, revision = await self._read(service)
                now = self._clock()
                value = json.dumps(_with(runs, run_id, now + for_s, why, now)).encode()
                await self._kv.update(_key(service), value, last=revision)
            except KeyWrongLastSequenceError:
                if conflicts == _MOST_CONFLICTS:
                    return
                await asyncio.sleep(backoff_s(conflicts, base_s=_FIRST_PAUSE_S, max_s=_LONGEST_PAUSE_S))
            except (NatsError, OSError) as error:
                log.debug("that %s kept a run waiting was not written: %r", service, error)
                return
            else:
                return

    async def _read(self, service: str) -> tuple[Runs, int]:
        try:
            entry = await self._kv.get(_key(service))
        except KeyNotFoundError as error:
            return {}, (error.entry.revision or 0) if error.entry else 0
        try:
            runs = {
                str(run): (float(until), str(why)) for run, (until, why) in json.loads(entry.value or b"{}").items()
            }
        except (ValueError, TypeError, AttributeError):
            runs = {}
        return runs, entry.revision or 0


def _key(service: str) -> str:
    """The name as a token of a key: a host has points and a colon."""
    return f"silent.{''.join(char if char.isascii() and char.isalnum() else '_' for char in service)}"


def _known(runs: Runs, run_id: str, now: float) -> str | None:
    until, why = runs.get(run_id, (0.0, ""))
    return why if now < until else None


def _with(runs: Runs, run_id: str, until: float, why: str, now: float) -> Runs:
    live = {run: entry for run, entry in runs.items() if entry[0] > now and run != run_id}
    newest = sorted(live.items(), key=lambda item: item[1][0])[-(_MOST_RUNS - 1) :]
    return {**dict(newest), run_id: (until, why)}
