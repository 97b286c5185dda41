"""A model server that failed is left alone for a while: else every run would wait out a deadline."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from time import monotonic

from openwork_contracts.errors import OpenWorkError

log = logging.getLogger(__name__)

RETRY_AFTER_S = 15.0
"""A server that restarts needs 8 to 10 s with its models; asking earlier costs every run a deadline."""


class Availability:
    """Whether a server may be asked now. Before it gets real work again one caller asks it for a sign of life."""

    def __init__(
        self,
        check: Callable[[], Awaitable[None]],
        *,
        retry_after_s: float = RETRY_AFTER_S,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Args:
        check: one cheap inference; raises an `OpenWorkError` when there is no answer.
        """
        self.why = ""
        """Why it was left alone the last time, for the reader."""
        self._ask = check
        self._retry_after_s = retry_after_s
        self._clock = clock
        self._down_until: float | None = None
        """Earliest time of the next try; `None` = the last call was answered."""
        self._check = asyncio.Lock()

    async def may_ask(self) -> bool:
        """Whether real work may be sent; asks for a sign of life when the time is up."""
        if self._down_until is None:
            return True
        if self._clock() < self._down_until or self._check.locked():
            return False
        async with self._check:
            try:
                await self._ask()
            except OpenWorkError as error:
                self.leave_alone(error)
                return False
        self._down_until = None
        log.info("the model answers again")
        return True

    def leave_alone(self, error: OpenWorkError) -> None:
        """Ask nothing more for a while."""
        self.why = str(error)
        self._down_until = self._clock() + self._retry_after_s
        log.warning("the model is left alone for %s s: %s", self._retry_after_s, error)
