"""Keys: given once, stored as a hash, good until they are revoked or expire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from openwork_api.people import OWN_SCOPES, Person, Scope
from openwork_api.problems import ProblemError
from openwork_api.security.keys import Keys, check_person, holds_key, id_of
from openwork_api.security.store import MemoryStore
from openwork_contracts.errors import StorageFull, UsageError
from openwork_contracts.requests import ShowRequest
from openwork_laptop.commands.keys import OWN, MayDo


class Clock:
    """A time that a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 23, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def keys_in(store: MemoryStore, clock: Clock | None = None) -> Keys:
    return Keys(store, believed_s=0.0, now=clock or Clock())


async def code_of(keys: Keys, key: str) -> str:
    with pytest.raises(ProblemError) as error:
        await keys.holder(key)
    assert error.value.status == 401
    assert error.value.headers["WWW-Authenticate"].startswith("Bearer ")
    return error.value.code


async def test_a_key_says_whose_it_is_and_what_it_may() -> None:
    keys = keys_in(MemoryStore())
    stored, key = await keys.add("dr-weiss", scopes=[Scope.READ], runs_per_day=3)
    assert await keys.holder(key) == Person("dr-weiss", frozenset({Scope.READ}), stored.id, 3)


async def test_nothing_that_is_stored_or_printed_opens_anything() -> None:
    """The store, a key's record, its repr: none holds the secret."""
    store = MemoryStore()
    keys = keys_in(store)
    stored, key = await keys.add("dr-weiss")
    secret = key.rpartition("_")[2]
    assert len(secret) * 4 >= 160  # bits, in hex
    kept = await store.get(stored.id)
    assert kept is not None
    assert secret not in kept.value.decode() + repr(stored) + stored.model_dump_json()


@pytest.mark.parametrize(
    "change", [str.upper, lambda key: key[:-1], lambda key: f"{key}0", lambda key: key.replace("_", "-")]
)
async def test_a_key_that_differs_in_anything_is_none(change: object) -> None:
    keys = keys_in(MemoryStore())
    _, key = await keys.add("dr-weiss")
    assert callable(change)
    assert await code_of(keys, change(key)) == "KeyUnknown"
    assert (await keys.holder(key)).name == "dr-weiss"


async def test_the_secret_of_one_key_does_not_open_another() -> None:
    keys = keys_in(MemoryStore())
    (first, _), (_, other) = await keys.add("dr-weiss"), await keys.add("dr-roth")
    assert await code_of(keys, f"ow_{first.id}_{other.rpartition('_')[2]}") == "KeyUnknown"


async def test_a_revoked_key_and_an_expired_one_open_nothing() -> None:
    clock, store = Clock(), MemoryStore()
    keys = keys_in(store, clock)
    (revoked, key), (_, short) = await keys.add("dr-weiss"), await keys.add("dr-weiss", days=1)
    assert await keys.holder(key) != await keys.holder(short)
    await keys.revoke(revoked.id)
    clock.now += timedelta(days=1)
    assert await code_of(keys, key) == "KeyRevoked"
    assert await code_of(keys, short) == "KeyExpired"
    assert await keys.holder_by_id(revoked.id) is None


async def test_what_was_read_of_a_key_is_believed_for_seconds_only() -> None:
    """The key was revoked in another process: this one knows it as soon as it reads again."""
    store = MemoryStore()
    here = Keys(store, believed_s=60.0)
    stored, key = await here.add("dr-weiss")
    await here.holder(key)
    await here.holder(key)
    await keys_in(store).revoke(stored.id)
    assert (await here.holder(key)).name == "dr-weiss"
    assert await code_of(keys_in(store), key) == "KeyRevoked"


async def test_when_a_key_was_used_is_known_to_the_hour() -> None:
    clock, store = Clock(), MemoryStore()
    keys = keys_in(store, clock)
    stored, key = await keys.add("dr-weiss")
    seen = []
    for minutes in (0, 30, 60):
        clock.now = stored.created_at + timedelta(minutes=minutes)
        await keys.holder(key)
        seen.append((await keys.all())[0].last_used_at)
    assert seen == [stored.created_at, stored.created_at, clock.now]


async def test_noting_a_use_does_not_bring_a_revoked_key_back() -> None:
    """Whoever revokes between the reading and the writing has the last word."""

    class Slow(MemoryStore):
        async def put(self, key: str, value: bytes, *, revision: int = 0, ttl_s: int | None = None) -> bool:
            if revision and b"revoked_at" not in value:
                await keys_in(self).revoke(key)
            return await super().put(key, value, revision=revision, ttl_s=ttl_s)

    keys = keys_in(Slow())
    _, key = await keys.add("dr-weiss")
    await keys.holder(key)
    assert await code_of(keys, key) == "KeyRevoked"


async def test_a_key_can_be_revoked_when_the_store_is_full() -> None:
    class Full(MemoryStore):
        async def put(self, key: str, value: bytes, *, revision: int = 0, ttl_s: int | None = None) -> bool:
            if revision:
                raise StorageFull("full")
            return await super().put(key, value, revision=revision, ttl_s=ttl_s)

    keys = keys_in(Full())
    stored, key = await keys.add("dr-weiss")
    assert (await keys.holder(key)).name == "dr-weiss"  # that it is used cannot be noted, and does not matter
    await keys.revoke(stored.id)
    assert await code_of(keys, key) == "KeyUnknown"


@pytest.mark.parametrize("name", ["dr-weiss", "a", "0_1", "a" * 32])
def test_a_name_of_a_person_is_a_token_of_the_bus(name: str) -> None:
    assert ShowRequest(run_id="01JD3W8Q4Z5N6P7R8S9TAVBWCX", on_behalf_of=check_person(name)).on_behalf_of == name


@pytest.mark.parametrize("name", ["", "Dr-Weiss", "-a", "a.b", "a b", "a/b", "ä", "a" * 33, "*", ">"])
async def test_what_is_no_token_of_the_bus_is_no_person(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be a person"):
        await keys_in(MemoryStore()).add(name)


@pytest.mark.parametrize("key_id", ["nope", "", "a.b", ">", "abcdefghijkl"])
async def test_a_key_that_is_not_there_cannot_be_revoked(key_id: str) -> None:
    with pytest.raises(UsageError, match="openwork keys list"):
        await keys_in(MemoryStore()).revoke(key_id)


async def test_a_key_is_found_in_a_text_and_its_id_in_it() -> None:
    stored, key = await keys_in(MemoryStore()).add("dr-weiss", label="evil\x1b[31m\nlabel")
    assert id_of(key) == stored.id
    assert holds_key(f"/runs?key={key}&x")
    assert not holds_key(f"/runs?key={stored.id}")
    assert "\x1b" not in stored.label


def test_the_command_knows_every_scope_and_which_nobody_has_unasked() -> None:
    assert [one.value for one in MayDo] == [one.value for one in Scope]
    assert {one.value for one in OWN} == set(OWN_SCOPES)


async def test_a_key_observes_only_where_that_was_said() -> None:
    keys = keys_in(MemoryStore())
    usual, _ = await keys.add("dr-weiss")
    named, _ = await keys.add("dr-weiss", scopes=[Scope.OBSERVE])
    assert (usual.scopes, named.scopes) == (OWN_SCOPES, {Scope.OBSERVE})
