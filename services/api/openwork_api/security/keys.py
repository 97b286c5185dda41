"""API keys: `ow_<id>_<secret>`, given once, stored as a hash, each with a person, scopes and an end.

The hash is SHA-256 without salt or stretching: those slow down who guesses words of people, and nobody guesses one of
2^192 random secrets.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from openwork_contracts.errors import BusUnavailable, StorageFull, UsageError
from openwork_contracts.text import clean
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from openwork_api.people import OWN_SCOPES, Person, Scope
from openwork_api.problems import ProblemError
from openwork_api.security.persons import PERSON
from openwork_api.security.recent import Recent
from openwork_api.security.store import Store

log = logging.getLogger(__name__)

BELIEVED_S = 5.0
"""Seconds for which a replica believes what it read of a key: a revoked one opens nothing after that."""
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="Open Work"'}
INVALID = {"WWW-Authenticate": 'Bearer realm="Open Work", error="invalid_token"'}
PREFIX = "ow_"
_KEY = re.compile(r"ow_([a-z0-9]{12})_([0-9a-f]{48})")
_ID_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_SECRET_BYTES = 24
_USED_EVERY = timedelta(hours=1)
"""How exactly it is known when a key was used: more would be a write for every request."""
_TRIES = 10


class ApiKey(BaseModel):
    """What is stored of a key."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    id: str
    """Names it in lists and logs; no secret."""
    digest: str
    """SHA-256 of the whole key, in hex."""
    person: str
    """Whose runs it opens."""
    label: str = ""
    """What it is for, in its owner's words."""
    scopes: frozenset[Scope] = OWN_SCOPES
    runs_per_day: int | None = Field(default=None, ge=0)
    """Runs that it may begin in a day (UTC); `None` = as the settings say."""
    created_at: AwareDatetime
    expires_at: AwareDatetime | None = None
    """`None` = it works until it is revoked."""
    revoked_at: AwareDatetime | None = None
    last_used_at: AwareDatetime | None = None
    """To the hour."""

    @property
    def holder(self) -> Person:
        """As whom who has it comes."""
        return Person(self.person, self.scopes, self.id, self.runs_per_day)


def check_person(name: str) -> str:
    """A person's name.

    Raises:
        UsageError: it cannot be one.
    """
    if not PERSON.fullmatch(name):
        raise UsageError(f"{name!r} cannot be a person: 1 to 32 of a-z 0-9 _ -, the first of a-z 0-9")
    return name


def holds_key(text: str) -> bool:
    """Whether a text has a key in it."""
    return _KEY.search(text) is not None


def id_of(key: str) -> str | None:
    """The id in a key; `None` = it has not the form of one."""
    found = _KEY.fullmatch(key)
    return found[1] if found else None


def digest_of(key: str) -> str:
    """What is stored in place of it."""
    return hashlib.sha256(key.encode()).hexdigest()


class Keys:
    """Keys in a store."""

    def __init__(
        self, store: Store, *, believed_s: float = BELIEVED_S, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._store = store
        self._now = now
        self._recent: Recent[ApiKey | None] = Recent(believed_s)

    # --- who comes with one ------------------------------------------------------------------------------------------

    async def holder(self, key: str) -> Person:
        """Who has the key.

        Raises:
            ProblemError: 401, it is none, or works no more. BusUnavailable: the store does not answer.
        """
        key_id = id_of(key)
        known = await self._recent.get(key_id, self._read) if key_id else None
        if known is None or not hmac.compare_digest(known.digest, digest_of(key)):
            raise ProblemError(401, "KeyUnknown", "this key is not known; ask for another one", headers=INVALID)
        if known.revoked_at is not None:
            raise ProblemError(401, "KeyRevoked", f"the key {known.id} was revoked; use another one", headers=INVALID)
        if self._is_over(known):
            raise ProblemError(401, "KeyExpired", f"the key {known.id} has expired; use another one", headers=INVALID)
        await self._note_use(known)
        return known.holder

    async def holder_by_id(self, key_id: str) -> Person | None:
        """Who a session of this key is; `None` = the key works no more."""
        known = await self._recent.get(key_id, self._read)
        if known is None or known.revoked_at is not None or self._is_over(known):
            return None
        return known.holder

    def _is_over(self, key: ApiKey) -> bool:
        return key.expires_at is not None and key.expires_at <= self._now()

    async def _note_use(self, key: ApiKey) -> None:
        """At most once an hour; whoever changed the entry meanwhile has the last word."""
        now = self._now()
        if key.last_used_at is not None and now - key.last_used_at < _USED_EVERY:
            return
        try:
            entry = await self._store.get(key.id)
            if entry is not None:
                used = _parsed(entry.value).model_copy(update={"last_used_at": now})
                await self._store.put(key.id, _written(used), revision=entry.revision)
                self._recent.forget(key.id)
        except BusUnavailable as error:  # also where the bucket is full
            log.warning("when the key %s was used is not noted: %s", key.id, error)

    # --- who gives and takes them ------------------------------------------------------------------------------------

    async def add(
        self,
        person: str,
        *,
        label: str = "",
        scopes: Iterable[Scope] = OWN_SCOPES,
        days: int | None = None,
        runs_per_day: int | None = None,
    ) -> tuple[ApiKey, str]:
        """What is stored of a new key, and the key, which nothing keeps.

        Args:
            days: until it expires; `None` = never.
        Raises:
            UsageError: the person's name cannot be one. StorageFull: there is no room for more keys.
        """
        key_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(12))
        key = f"{PREFIX}{key_id}_{secrets.token_hex(_SECRET_BYTES)}"
        now = self._now()
        stored = ApiKey(
            id=key_id,
            digest=digest_of(key),
            person=check_person(person),
            label=clean(label)[:100],
            scopes=frozenset(scopes),
            runs_per_day=runs_per_day,
            created_at=now,
            expires_at=None if days is None else now + timedelta(days=days),
        )
        if not await self._store.put(key_id, _written(stored)):
            raise BusUnavailable(f"there is a key {key_id} already, by a chance of 1 in 10^18; try again")
        return stored, key

    async def all(self) -> list[ApiKey]:
        """Every key, revoked ones too, the oldest first."""
        found = [key for key_id in await self._store.keys() if (key := await self._read(key_id)) is not None]
        return sorted(found, key=lambda key: key.created_at)

    async def revoke(self, key_id: str) -> ApiKey:
        """Have it open nothing any more, nor sessions that were begun with it.

        Raises:
            UsageError: there is none of this id.
        """
        for _ in range(_TRIES):
            entry = await self._store.get(key_id) if re.fullmatch(r"[a-z0-9]{12}", key_id) else None
            if entry is None:
                raise UsageError(f"there is no key {key_id[:40]!r}; `openwork keys list` shows those there are")
            key = _parsed(entry.value)
            if key.revoked_at is not None:
                return key
            key = key.model_copy(update={"revoked_at": self._now()})
            try:
                done = await self._store.put(key_id, _written(key), revision=entry.revision)
            except StorageFull:  # no room for the date: then the key goes altogether
                await self._store.remove(key_id)
                done = True
            if done:
                self._recent.forget(key_id)
                return key
        raise BusUnavailable(f"the key {key_id} was changed again and again at the same moment; try again")

    async def _read(self, key_id: str) -> ApiKey | None:
        entry = await self._store.get(key_id)
        return _parsed(entry.value) if entry else None


def _written(key: ApiKey) -> bytes:
    return key.model_dump_json(exclude_none=True).encode()


def _parsed(value: bytes) -> ApiKey:
    try:
        return ApiKey.model_validate_json(value)
    except ValidationError as error:
        raise BusUnavailable("an entry among the keys cannot be read: was it written by a newer version?") from error
