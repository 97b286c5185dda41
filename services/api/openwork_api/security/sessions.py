"""Sessions of browsers: EventSource sends no header, and a script need not hold a key. The cookie is a random number;
what it stands for is stored under its hash, for all replicas and over restarts."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from openwork_contracts.errors import BusUnavailable
from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from openwork_api.people import Person, Scope
from openwork_api.security.keys import BELIEVED_S, Keys
from openwork_api.security.origins import is_loopback_name, name_in
from openwork_api.security.quota import DayCounter
from openwork_api.security.recent import Recent
from openwork_api.security.store import Store

IDLE = timedelta(hours=12)
"""Not used for so long, it is over."""
LASTS = timedelta(days=7)
"""It is over then, however much it was used."""
LASTS_WITHOUT_KEY = timedelta(hours=12)
"""The same where an identity provider said who it is: nobody tells us that it has changed its mind."""
_SEEN_EVERY = timedelta(minutes=10)
"""How exactly it is known when one was used: more would be a write for every request."""
LOGINS_PER_DAY = 200
_ID_BYTES = 32
_COOKIE = "openwork"
_HOST_COOKIE = "__Host-openwork"
"""Browsers take a cookie of this prefix only over https, for this host alone: no neighbour can plant one."""


class Session(BaseModel):
    """What is stored of a session."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    person: str
    scopes: frozenset[Scope]
    key_id: str | None = None
    """The key with which it was begun, and with which it ends; `None` = an identity provider said who it is."""
    created_at: AwareDatetime
    seen_at: AwareDatetime
    """To ten minutes."""

    @property
    def ends_at(self) -> datetime:
        """When it is over if it is not used any more."""
        return min(self.seen_at + IDLE, self.created_at + (LASTS if self.key_id else LASTS_WITHOUT_KEY))


class Sessions:
    """Sessions in a store."""

    def __init__(
        self,
        store: Store,
        keys: Keys,
        logins: DayCounter,
        *,
        believed_s: float = BELIEVED_S,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._keys = keys
        self._logins = logins
        self._now = now
        self._recent: Recent[Session | None] = Recent(believed_s)

    async def begin(self, person: Person) -> str:
        """A new session of somebody who has a name; the value of its cookie.

        Raises:
            ProblemError: 429, they logged in too often today: each session takes room for days.
        """
        assert person.name is not None
        await self._logins.take(person, LOGINS_PER_DAY)
        now = self._now()
        session = Session(person=person.name, scopes=person.scopes, key_id=person.key_id, created_at=now, seen_at=now)
        value = secrets.token_urlsafe(_ID_BYTES)
        if not await self._store.put(_place(value), _written(session), ttl_s=self._left_s(session)):
            raise BusUnavailable("the session could not be stored; try again")
        return value

    async def person(self, value: str) -> Person | None:
        """Whose session it is; `None` = it is none, or over, or its key works no more."""
        place = _place(value)
        session = await self._recent.get(place, self._read)
        if session is None or session.ends_at <= self._now():
            return None
        if self._now() - session.seen_at >= _SEEN_EVERY:
            await self._note_use(place)
        if session.key_id is None:
            return Person(session.person, session.scopes)
        return await self._keys.holder_by_id(session.key_id)

    async def end(self, value: str) -> None:
        """Log out. Other replicas know it after `BELIEVED_S`."""
        place = _place(value)
        if await self._store.get(place) is not None:
            await self._store.remove(place)
        self._recent.forget(place)

    async def _read(self, place: str) -> Session | None:
        entry = await self._store.get(place)
        return _parsed(entry.value) if entry else None

    async def _note_use(self, place: str) -> None:
        """By compare and set: one that was ended meanwhile does not come back."""
        entry = await self._store.get(place)
        if entry is not None and (session := _parsed(entry.value)) is not None:
            session = session.model_copy(update={"seen_at": self._now()})
            await self._store.put(place, _written(session), revision=entry.revision, ttl_s=self._left_s(session))
        self._recent.forget(place)

    def _left_s(self, session: Session) -> int:
        return max(1, round((session.ends_at - self._now()).total_seconds()))


def cookie_of(request: Request) -> str | None:
    """The value of the session cookie."""
    value = request.cookies.get(_cookie_name(request))
    return value if value and len(value) <= 100 else None


def set_cookie(response: Response, request: Request, value: str) -> None:
    """Give the browser its session. Without an age: it is gone with the browser, and the server knows when it ends."""
    keep(response, request, _cookie_name(request), value, None)


def clear_cookie(response: Response, request: Request) -> None:
    """Have the browser forget it."""
    keep(response, request, _cookie_name(request), "", 0)


def is_secure(request: Request) -> bool:
    """Whether cookies are for https alone: always, but for a browser that talks to its own machine."""
    return request.scope["scheme"] == "https" or not is_loopback_name(name_in(request.headers.get("host")))


def keep(response: Response, request: Request, name: str, value: str, max_age_s: int | None) -> None:
    """Have the browser keep something that no script of a page sees, and no other site sends."""
    response.set_cookie(
        name,
        value,
        max_age=max_age_s,
        path="/",
        secure=is_secure(request),
        httponly=True,
        samesite="lax",
    )


def _cookie_name(request: Request) -> str:
    return _HOST_COOKIE if is_secure(request) else _COOKIE


def _place(value: str) -> str:
    return f"session.{hashlib.sha256(value.encode()).hexdigest()}"


def _written(session: Session) -> bytes:
    return session.model_dump_json(exclude_none=True).encode()


def _parsed(value: bytes) -> Session | None:
    """`None` = of another version: who has it logs in again."""
    try:
        return Session.model_validate_json(value)
    except ValidationError:
        return None
