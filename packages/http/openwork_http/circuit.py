"""Not asking a service that keeps failing, and not waiting again for a host that cannot be reached."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from openwork_contracts.errors import FailureReason, SourceUnavailable

log = logging.getLogger(__name__)

Clock = Callable[[], float]


class CircuitState(StrEnum):
    """closed: asked; open: not asked; half_open: one request finds out whether it may be asked again."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True)
class Trouble:
    """How a service failed last, and has not answered since."""

    at: float
    reason: FailureReason
    why: str


class Circuit:
    """The circuit of one service in one process.

    Failed tries in a row open it; after `open_s` seconds one request goes through and decides.
    """

    def __init__(self, name: str, *, failures: int, open_s: float, clock: Clock = time.monotonic) -> None:
        self.name = name
        self._limit = failures
        self._open_s = open_s
        self._clock = clock
        self._failures = 0
        self._opened_at: float | None = None
        self._probe_until: float | None = None
        self._last = ""
        self._trouble: Trouble | None = None

    @property
    def trouble(self) -> Trouble | None:
        """How it failed in the last `open_s` seconds, where it has not answered since."""
        recent = self._trouble is not None and self._clock() - self._trouble.at < self._open_s
        return self._trouble if recent else None

    @property
    def state(self) -> CircuitState:
        """Where the circuit stands now."""
        if self._opened_at is None:
            return CircuitState.CLOSED
        return CircuitState.OPEN if self._left_s() > 0 else CircuitState.HALF_OPEN

    def enter(self) -> None:
        """Ask to try the service. What was entered must be followed by `success`, `failure` or `abandon`.

        Raises:
            SourceUnavailable: CIRCUIT_OPEN; says since when, why and until when.
        """
        if self._opened_at is None:
            return
        now = self._clock()
        if self._left_s() <= 0 and (self._probe_until is None or now >= self._probe_until):
            self._probe_until = now + self._open_s  # a probe that never reports does not block for good
            return
        left_s = max(self._left_s(), 0.0)
        until = f"it is asked again in {left_s:.0f} s" if left_s else "another request is just trying it"
        raise SourceUnavailable(
            f"{self.name} is not asked: {self._failures} tries in a row failed (last: {self._last}); {until}",
            reason=FailureReason.CIRCUIT_OPEN,
            retry_after_s=left_s or 1.0,
        )

    def success(self) -> None:
        """A try was answered."""
        if self._opened_at is not None:
            log.info("%s answers again; its circuit is closed", self.name)
        self._failures = 0
        self._opened_at = self._probe_until = None
        self._trouble = None

    def slowed(self, why: str) -> None:
        """The service refused a try, since there were too many: an answer, but not one that serves."""
        self.abandon()
        self._trouble = Trouble(self._clock(), FailureReason.RATE_LIMITED, why)

    def failure(self, why: str, reason: FailureReason = FailureReason.UNREACHABLE) -> None:
        """A try failed in a way that is the service's fault."""
        self._trouble = Trouble(self._clock(), reason, why)
        self._failures += 1
        self._last = why
        if self._failures >= self._limit or self._opened_at is not None:
            self._opened_at = self._clock()
            self._probe_until = None
            log.warning(
                "%s failed %d tries in a row and is not asked for %g s: %s",
                self.name,
                self._failures,
                self._open_s,
                why,
            )

    def abandon(self) -> None:
        """A try ended without saying anything about the service: cancelled, or no slot was free."""
        self._probe_until = None

    def _left_s(self) -> float:
        return 0.0 if self._opened_at is None else self._opened_at + self._open_s - self._clock()


class Circuits:
    """The circuits of one process, by service; each is made when it is first asked for."""

    def __init__(self, *, failures: int, open_s: float) -> None:
        self._failures = failures
        self._open_s = open_s
        self._known: dict[str, Circuit] = {}

    def of(self, name: str) -> Circuit:
        """The circuit of a service."""
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = Circuit(name, failures=self._failures, open_s=self._open_s)
        return known

    def __iter__(self) -> Iterator[Circuit]:
        return iter(self._known.values())


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A host that could not be connected to."""

    why: str
    ago_s: float
    left_s: float
    """Seconds for which it is not tried."""


class ReachabilityMemory(Protocol):
    """Which hosts could not be connected to lately. Losing it costs one connect timeout, nothing else."""

    def known(self, host: str) -> Unreachable | None: ...

    def remember(self, host: str, why: str, for_s: float) -> None: ...

    def forget(self, host: str) -> None: ...


class InProcessReachability:
    """Remembers as long as the process lives."""

    def __init__(self, clock: Clock = time.time) -> None:
        self._clock = clock
        self._hosts: dict[str, tuple[float, float, str]] = {}

    def known(self, host: str) -> Unreachable | None:
        """What is remembered of a host and still holds."""
        entry = self._hosts.get(host)
        if entry is None:
            return None
        since, until, why = entry
        now = self._clock()
        # A clock that was set back must not make a short memory a long one.
        if not since <= now < until:
            return None
        return Unreachable(why, now - since, until - now)

    def remember(self, host: str, why: str, for_s: float) -> None:
        """Note that a host could not be connected to."""
        if for_s > 0:
            now = self._clock()
            self._hosts[host] = (now, now + for_s, why)

    def forget(self, host: str) -> None:
        """Note that it could."""
        self._hosts.pop(host, None)


class FileReachability(InProcessReachability):
    """Remembers for every process of the machine, in one small file that is replaced as a whole.

    Two writers at once may lose one entry. A file that cannot be read or written is as good as none.
    """

    def __init__(self, path: Path, clock: Clock = time.time) -> None:
        super().__init__(clock)
        self._path = path
        self._seen: tuple[int, int] | None = None

    def known(self, host: str) -> Unreachable | None:
        """What any process of this machine remembers of a host."""
        self._load()
        return super().known(host)

    def remember(self, host: str, why: str, for_s: float) -> None:
        """Note it for all processes."""
        self._load()
        super().remember(host, why, for_s)
        self._save()

    def forget(self, host: str) -> None:
        """Note it for all processes; touches the file only if the host was in it."""
        if host in self._hosts:
            super().forget(host)
            self._save()

    def _load(self) -> None:
        try:
            stat = self._path.stat()
            if self._seen == (stat.st_mtime_ns, stat.st_ino):
                return
            entries = json.loads(self._path.read_text("utf-8"))
            self._hosts = {str(host): (float(a), float(b), str(why)) for host, (a, b, why) in entries.items()}
            self._seen = (stat.st_mtime_ns, stat.st_ino)
        except FileNotFoundError:
            self._hosts = {}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            log.debug("%s is not used: %s", self._path, error)

    def _save(self) -> None:
        now = self._clock()
        live = {host: entry for host, entry in self._hosts.items() if entry[1] > now}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(live, file)
            Path(name).replace(self._path)
        except OSError as error:
            log.debug("%s is not written: %s", self._path, error)
