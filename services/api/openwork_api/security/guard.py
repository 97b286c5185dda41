"""Who asks: by a key in a header, by a session cookie, or, where only this machine can come, as whoever sits at it."""

from __future__ import annotations

from typing import Protocol

from fastapi import Request

from openwork_api.people import LOCAL, Person
from openwork_api.problems import ProblemError


class Guard(Protocol):
    """Tells who asks."""

    async def person(self, request: Request) -> Person:
        """Who asks.

        Raises:
            ProblemError: 401, nobody that is known; 429, they ask too much.
        """
        ...


class OpenGuard:
    """Everybody who can come is whoever sits at this machine."""

    async def person(self, request: Request) -> Person:
        """See `Guard`."""
        return LOCAL


class ClosedGuard:
    """Nobody comes in."""

    async def person(self, request: Request) -> Person:
        """See `Guard`."""
        raise ProblemError(401, "KeyMissing", "send a key: `Authorization: Bearer ow_...`")
