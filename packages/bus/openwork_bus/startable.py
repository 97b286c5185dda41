"""What a process or a stack starts and stops: a service on the bus, or one that is an asker."""

from __future__ import annotations

from typing import Protocol


class Startable(Protocol):
    """A service, not yet started."""

    @property
    def name(self) -> str:
        """The one word that is also its package, image and deployment."""

    async def start(self) -> None:
        """Begin to work.

        Raises:
            BusUnavailable: NATS cannot be used; worth another try.
        """

    async def stop(self) -> None:
        """Take nothing new, finish what is in work, close everything."""

    async def check_consumers(self) -> None:
        """Whether it could work now: what readiness asks.

        Raises:
            BusUnavailable: it could not.
        """

    async def storage_warnings(self) -> list[str]:
        """What is to be said of the streams that it looks at."""

    async def metrics(self) -> bytes:
        """Its figures in Prometheus' text format. Raises nothing, and takes no longer than two seconds."""
