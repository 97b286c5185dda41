"""What may be done so often in a day, counted for all replicas together by compare and set."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from openwork_contracts.errors import BusUnavailable, OpenWorkError
from openwork_contracts.question import AskReply, AskRequest

from openwork_api.asker import BusAsker
from openwork_api.people import Person
from openwork_api.problems import ProblemError
from openwork_api.security.store import Store

log = logging.getLogger(__name__)

_KEPT_S = 2 * 86_400
_TRIES = 20
_PAUSE_S = 0.02
"""Longest random pause after a lost compare and set; one takes about 3 ms."""


class DayCounter:
    """How often somebody did something today (UTC)."""

    def __init__(self, store: Store, kind: str, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._store = store
        self._kind = kind
        self._now = now

    async def take(self, person: Person, limit: int) -> None:
        """Count one.

        Raises:
            ProblemError: 429, it was done as often as it may; it is not counted.
        """

        def counted(n: int) -> int:
            if n >= limit:
                raise self._used_up(limit)
            return n + 1

        await self._change(self._place(person), counted)

    async def check(self, person: Person, limit: int) -> None:
        """Raises: ProblemError: 429, it was done as often as it may."""
        entry = await self._store.get(self._place(person))
        if (int(entry.value) if entry else 0) >= limit:
            raise self._used_up(limit)

    async def give_back(self, person: Person) -> None:
        """It was not done after all. Where that cannot be stored it stays counted."""
        try:
            await self._change(self._place(person), lambda n: max(0, n - 1))
        except BusUnavailable as error:
            log.warning("one of the %s of today stays counted: %s", self._kind, error)

    def _place(self, person: Person) -> str:
        who = f"k-{person.key_id}" if person.key_id else f"p-{person.name}"
        return f"{self._kind}.{who}-{self._now().astimezone(UTC):%Y%m%d}"

    async def _change(self, place: str, change: Callable[[int], int]) -> None:
        for _ in range(_TRIES):
            entry = await self._store.get(place)
            n = change(int(entry.value) if entry else 0)
            revision = entry.revision if entry else 0
            if await self._store.put(place, str(n).encode(), revision=revision, ttl_s=_KEPT_S):
                return
            await asyncio.sleep(random.uniform(0, _PAUSE_S))
        raise BusUnavailable(f"{self._kind} cannot be counted: many come under one key at the same moment; try again")

    def _used_up(self, limit: int) -> ProblemError:
        now = self._now().astimezone(UTC)
        tomorrow = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        words = f"there were {limit} {self._kind} today, which is all there may be; the next may begin at 0:00 UTC"
        return ProblemError(429, "QuotaUsedUp", words, retry_after_s=(tomorrow - now).total_seconds())


class Quota:
    """Runs that a key, or a person without one, begins in a day. Whoever sits at this machine may as many as come."""

    def __init__(self, counter: DayCounter, per_day: int) -> None:
        """
        Args:
            per_day: of everybody whose key says nothing else.
        """
        self._counter = counter
        self._per_day = per_day

    async def asked(self, person: Person, ask: Callable[[], Awaitable[AskReply]]) -> AskReply:
        """Ask, and count it. What was refused, or was there already, is not counted.

        Raises:
            ProblemError: 429, they have begun as many as they may; nothing was asked. Whatever asking raises.
        """
        if person.name is None:
            return await ask()
        await self._counter.take(person, self._limit(person))
        try:
            reply = await ask()
        except OpenWorkError:
            await self._counter.give_back(person)
            raise
        if reply.already_known:
            await self._counter.give_back(person)
        return reply

    async def check(self, person: Person) -> None:
        """Raises: ProblemError: 429, they have begun as many as they may today."""
        if person.name is not None:
            await self._counter.check(person, self._limit(person))

    def _limit(self, person: Person) -> int:
        return self._per_day if person.runs_per_day is None else person.runs_per_day


class MeteredAsker(BusAsker):
    """`Asker` on NATS that counts what persons ask."""

    quota: Quota | None = None
    """Set once there is a connection; `None` = nothing is counted."""

    async def ask(self, person: Person, request: AskRequest) -> AskReply:
        """See `Asker`. Raises also ProblemError: 429, as `Quota.asked`."""
        if self.quota is None:
            return await super().ask(person, request)
        return await self.quota.asked(person, lambda: BusAsker.ask(self, person, request))
