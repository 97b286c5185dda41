"""Sessions: begun with a key or at a provider, over when they are not used, are ended, or their key is revoked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from openwork_api.people import Person, Scope
from openwork_api.problems import ProblemError
from openwork_api.security.keys import Keys
from openwork_api.security.quota import DayCounter
from openwork_api.security.sessions import LOGINS_PER_DAY, Sessions
from openwork_api.security.store import MemoryStore


class Place:
    """Sessions and keys on one store, at a time that a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 23, 0, 0, tzinfo=UTC)
        self.store = MemoryStore(clock=lambda: self.now.timestamp())
        self.keys = Keys(self.store, believed_s=0.0, now=lambda: self.now)
        logins = DayCounter(self.store, "logins", now=lambda: self.now)
        self.sessions = Sessions(self.store, self.keys, logins, believed_s=0.0, now=lambda: self.now)

    async def with_key(self) -> tuple[str, str]:
        """The id of a key, and a session of it."""
        stored, key = await self.keys.add("dr-weiss", scopes=[Scope.READ], runs_per_day=7)
        return stored.id, await self.sessions.begin(await self.keys.holder(key))


async def test_a_session_is_whoever_began_it() -> None:
    place = Place()
    key_id, cookie = await place.with_key()
    assert await place.sessions.person(cookie) == Person("dr-weiss", frozenset({Scope.READ}), key_id, 7)
    without_key = await place.sessions.begin(Person("dr-roth"))
    assert await place.sessions.person(without_key) == Person("dr-roth")


async def test_the_store_does_not_hold_what_the_browser_has() -> None:
    place = Place()
    _, cookie = await place.with_key()
    assert len(cookie) == 43  # 256 bits
    for key in await place.store.keys():
        entry = await place.store.get(key)
        assert entry is not None
        assert cookie not in key + entry.value.decode()


async def test_an_unknown_cookie_is_nobody() -> None:
    assert await Place().sessions.person("x" * 43) is None


async def test_a_session_that_is_used_lasts_a_week_and_one_that_is_not_half_a_day() -> None:
    place = Place()
    _, idle = await place.with_key()
    _, used = await place.with_key()
    place.now += timedelta(hours=11)
    assert await place.sessions.person(used)
    place.now += timedelta(hours=2)
    assert await place.sessions.person(idle) is None
    for _ in range(15):
        assert await place.sessions.person(used), place.now
        place.now += timedelta(hours=11)
    assert place.now - datetime(2026, 11, 23, tzinfo=UTC) > timedelta(days=7)
    assert await place.sessions.person(used) is None


async def test_a_session_of_a_provider_is_over_after_half_a_day_however_much_it_is_used() -> None:
    place = Place()
    cookie = await place.sessions.begin(Person("dr-roth"))
    place.now += timedelta(hours=11)
    assert await place.sessions.person(cookie)
    place.now += timedelta(hours=1)
    assert await place.sessions.person(cookie) is None


async def test_a_session_ends_with_its_key_and_another_of_the_same_person_does_not() -> None:
    place = Place()
    revoked, cookie = await place.with_key()
    _, other = await place.with_key()
    await place.keys.revoke(revoked)
    assert await place.sessions.person(cookie) is None
    assert await place.sessions.person(other)


async def test_who_logs_out_is_nobody_and_use_at_the_same_moment_does_not_bring_the_session_back() -> None:
    place = Place()
    _, cookie = await place.with_key()
    place.now += timedelta(hours=1)
    entries = {key: await place.store.get(key) for key in await place.store.keys() if key.startswith("session.")}
    await place.sessions.end(cookie)
    ((key, stale),) = entries.items()
    assert stale is not None
    assert not await place.store.put(key, stale.value, revision=stale.revision)
    assert await place.sessions.person(cookie) is None
    await place.sessions.end(cookie)  # twice is once


async def test_a_key_logs_in_so_often_a_day_and_no_more() -> None:
    """Each session takes room for days, which belongs to all."""
    place = Place()
    _, key = await place.keys.add("dr-weiss")
    person = await place.keys.holder(key)
    for _ in range(LOGINS_PER_DAY):
        await place.sessions.begin(person)
    with pytest.raises(ProblemError, match="logins today"):
        await place.sessions.begin(person)
    assert await place.sessions.begin(Person("dr-roth"))
    place.now += timedelta(days=1)
    assert await place.sessions.begin(person)
