"""Services that are killed at a publication, and others that take up what they left, as the server would have it."""

from __future__ import annotations

from dataclasses import dataclass

from openwork_bus.memory import MemoryBus, MemoryRunner, _Message


class Killed(BaseException):
    """The process is gone: nothing of ours may catch it."""


@dataclass
class Deadly(MemoryBus):
    """A bus whose n-th publication kills the process that makes it, after it was stored or before."""

    kills_at: int = 0
    stored: bool = True
    n_publications: int = 0

    async def publish_all(self, *args: object, **options: object) -> bool:
        self.n_publications += 1
        if self.n_publications != self.kills_at:
            return await super().publish_all(*args, **options)  # type: ignore[arg-type]
        if self.stored:
            await super().publish_all(*args, **options)  # type: ignore[arg-type]
        raise Killed


class Redelivering(MemoryRunner):
    """Gives a message that killed its service to another one, as the server does."""

    async def _deliver(self, message: _Message, *, again: bool = False) -> None:
        try:
            await super()._deliver(message, again=again)
        except Killed:
            await super()._deliver(message, again=True)
