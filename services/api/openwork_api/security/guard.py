"""Who asks: by a key or a token in a header, by a session cookie, or, where that is enough, from this machine."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from fastapi import Request

from openwork_api.people import LOCAL, Person
from openwork_api.problems import ProblemError
from openwork_api.security.keys import CHALLENGE, INVALID, PREFIX, Keys
from openwork_api.security.limits import OpenStreams, RateLimit, network_of
from openwork_api.security.middleware import LEFT, STREAM
from openwork_api.security.recent import Recent
from openwork_api.security.sessions import Sessions, cookie_of

if TYPE_CHECKING:
    from openwork_api.security.oidc import Provider

_GOOD_FOR_S = 3600.0
"""Seconds for which a key or cookie that was good is remembered: it is read although its address sent many bad ones."""
_HELD_OPEN = ("/events", "/mcp")
"""What ends the paths of requests whose answers may take minutes: they count as streams, until they are over."""
_SEND = "send a key as `Authorization: Bearer ow_...`"
_LONGEST = 16_384
"""Characters of a key or token; longer ones are not looked at."""


class Guard(Protocol):
    """Tells who asks."""

    async def person(self, request: Request) -> Person:
        """Who asks.

        Raises:
            ProblemError: 401, nobody that is known; 429, they ask too much.
        """
        ...


class Doorkeeper:
    """`Guard` of the service: what is in the header counts, else the cookie, else whether it is open."""

    def __init__(
        self,
        keys: Keys,
        sessions: Sessions,
        *,
        is_open: bool,
        requests: RateLimit,
        streams: OpenStreams,
        provider: Provider | None = None,
    ) -> None:
        """
        Args:
            provider: who says who comes with a token; `None` = nobody.
        """
        self._keys = keys
        self._sessions = sessions
        self._is_open = is_open
        self._requests = requests
        self._streams = streams
        self._provider = provider
        self._good: Recent[bool] = Recent(_GOOD_FOR_S)

    async def person(self, request: Request) -> Person:
        """See `Guard`."""
        person = await self._named(request)
        who = self.count(request, person)
        state = request.scope["state"]
        if request.url.path.endswith(_HELD_OPEN) and STREAM not in state:
            self._streams.take(who)
            state[STREAM] = who
        return person

    def count(self, request: Request, person: Person | None = None) -> str:
        """Count a request; for whom. What is left to them stands in it, for the headers of its response.

        Args:
            person: whose it is; `None` = nobody's yet.
        Raises:
            ProblemError: 429, there were too many.
        """
        who = address_of(request)
        if person is not None and person.name is not None:
            who = person.key_id or f"person {person.name}"
        state = request.scope.setdefault("state", {})
        try:
            self._requests.take(who)
        finally:
            state[LEFT] = self._requests.left(who)
        return who

    async def by_credential(self, credential: str, request: Request) -> Person:
        """Who has a key, or a token.

        Raises:
            ProblemError: 401, nobody that is known; 429, too many wrong ones came from this address.
        """
        mark, address = _mark(credential), address_of(request)
        if not self._good.has(mark):
            self._requests.check(address)
        try:
            person = await self._judged(credential)
        except ProblemError:
            self._count_failure(address)
            raise
        await self._good.get(mark, _yes)
        return person

    async def _named(self, request: Request) -> Person:
        header = request.headers.get("authorization")
        if header is not None:
            scheme, _, credential = header.partition(" ")
            if scheme.lower() != "bearer" or not credential.strip():
                raise ProblemError(401, "KeyMissing", _SEND, headers=CHALLENGE)
            return await self.by_credential(credential.strip(), request)
        if (cookie := cookie_of(request)) and (person := await self._by_cookie(cookie, request)):
            return person
        if self._is_open:
            return LOCAL
        if cookie:
            raise ProblemError(401, "SessionOver", "the session is over; log in again", headers=CHALLENGE)
        raise ProblemError(401, "KeyMissing", f"{_SEND}, or log in", headers=CHALLENGE)

    async def _by_cookie(self, cookie: str, request: Request) -> Person | None:
        mark, address = _mark(cookie), address_of(request)
        if not self._good.has(mark):
            self._requests.check(address)
        person = await self._sessions.person(cookie)
        if person is not None:
            await self._good.get(mark, _yes)
        elif not self._is_open:  # who is let in anyway is counted then
            self._count_failure(address)
        return person

    async def _judged(self, credential: str) -> Person:
        if credential.startswith(PREFIX):
            return await self._keys.holder(credential)
        if self._provider is not None and self._provider.takes_tokens and len(credential) <= _LONGEST:
            return await self._provider.bearer(credential)
        raise ProblemError(401, "KeyUnknown", "this is no key: keys begin with `ow_`", headers=INVALID)

    def _count_failure(self, address: str) -> None:
        with suppress(ProblemError):
            self._requests.take(address)


def address_of(request: Request) -> str:
    """Where a request comes from, as it is counted."""
    return network_of(request.client.host if request.client else None)


def _mark(credential: str) -> str:
    return hashlib.sha256(credential.encode("utf-8", "surrogateescape")).hexdigest()


async def _yes(_: str) -> bool:
    return True
