"""`Idempotency-Key`: the same question sent again under the same key is the same run, for a day."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Annotated, Protocol

from fastapi import Depends, Request

from openwork_api.people import Person
from openwork_api.problems import ProblemError


class Entries(Protocol):
    """Where keys are remembered: create-only, shared by all replicas."""

    async def first(self, key: str, value: str) -> str:
        """Store a value unless there is one; the value that is there."""
        ...


class MemoryEntries:
    """`Entries` of one process."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._known: OrderedDict[str, str] = OrderedDict()

    async def first(self, key: str, value: str) -> str:
        """See `Entries`."""
        found = self._known.setdefault(key, value)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return found


class Idempotency:
    """Run ids by person and key."""

    def __init__(self, entries: Entries, may_ask: Callable[[Person], Awaitable[None]]) -> None:
        """
        Args:
            may_ask: raises where the person may ask no more today: they take no room from the keys of others.
        """
        self._entries = entries
        self._may_ask = may_ask

    async def run_id_for(self, person: Person, key: str, body: str, run_id: str) -> str:
        """The run id under which a question goes.

        Args:
            body: what is asked, as it was sent.
            run_id: the one it has when the key is new.
        Raises:
            ProblemError: 409, something else was asked under this key; 429, as `may_ask`.
        """
        await self._may_ask(person)
        place = digest(f"{person.owner}\n{key}")
        asked = digest(body)
        known = await self._entries.first(place, f"{run_id} {asked}")
        known_run, _, known_body = known.partition(" ")
        if known_body != asked:
            raise ProblemError(
                409, "IdempotencyKeyReused", "another question was sent under this Idempotency-Key; use a new one"
            )
        return known_run


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _remembered(request: Request) -> Idempotency:
    remembered: Idempotency = request.app.state.idempotency
    return remembered


Remembered = Annotated[Idempotency, Depends(_remembered)]
