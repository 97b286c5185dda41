"""How much of what: requests in a minute, streams at once, runs in a day; memory that stays bounded."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from openwork_api.people import LOCAL, Person
from openwork_api.problems import ProblemError
from openwork_api.security.entries import StoredEntries
from openwork_api.security.limits import OpenStreams, RateLimit, network_of
from openwork_api.security.quota import DayCounter, Quota
from openwork_api.security.recent import Recent
from openwork_api.security.store import MemoryStore
from openwork_contracts.errors import Busy
from openwork_contracts.question import AskReply

WEISS, ROTH = Person("dr-weiss", key_id="k1"), Person("dr-roth", key_id="k2")


class Clock:
    """Seconds that a test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_so_many_requests_at_once_and_as_many_in_a_minute_after_that() -> None:
    clock = Clock()
    limit = RateLimit(3, clock=clock)
    left = [limit.take("a") for _ in range(3)]
    assert [one.remaining for one in left if one] == [2, 1, 0]
    with pytest.raises(ProblemError) as error:
        limit.take("a")
    assert (error.value.status, error.value.retry_after_s) == (429, 20)
    assert limit.take("b")
    clock.now += 20
    limit.take("a")
    with pytest.raises(ProblemError):
        limit.take("a")
    clock.now += 3600
    assert [limit.take("a") for _ in range(3)][-1]
    with pytest.raises(ProblemError):
        limit.take("a")


def test_the_headers_are_those_of_the_draft() -> None:
    limit = RateLimit(60, clock=Clock())
    left = limit.take("a")
    assert left is not None
    assert left.headers == {"RateLimit-Policy": '"requests";q=60;w=60', "RateLimit": '"requests";r=59;t=1'}


def test_no_limit_counts_nobody() -> None:
    limit = RateLimit(0)
    assert [limit.take("a") for _ in range(1000)] == [None] * 1000
    assert len(limit) == 0


def test_who_was_longest_not_there_is_forgotten_first() -> None:
    limit = RateLimit(1, most=2, clock=Clock())
    limit.take("a")
    limit.take("b")
    limit.take("c")
    assert len(limit) == 2
    limit.take("a")
    with pytest.raises(ProblemError):
        limit.take("c")


def test_streams_are_counted_until_they_end() -> None:
    streams = OpenStreams(2)
    for _ in range(2):
        streams.take("a")
    with pytest.raises(ProblemError, match="streams"):
        streams.take("a")
    streams.take("b")
    streams.give_back("a")
    streams.take("a")
    for who in ("a", "a", "b"):
        streams.give_back(who)
    assert len(streams) == 0


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::1", "2001:db8:1:2::"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("testclient", "unknown"),
        (None, "unknown"),
    ],
)
def test_of_ipv6_a_subscriber_is_counted_and_not_an_address(address: str | None, network: str) -> None:
    assert network_of(address) == network


async def test_what_was_read_is_believed_for_a_while_and_memory_is_bounded() -> None:
    clock, read = Clock(), []

    async def reading(key: str) -> str | None:
        read.append(key)
        return None

    recent: Recent[str | None] = Recent(5.0, most=2, clock=clock)
    await recent.get("a", reading)
    await recent.get("a", reading)
    clock.now += 5
    for key in ("a", "b", "c", "a"):
        await recent.get(key, reading)
    assert read == ["a", "a", "b", "c", "a"]
    assert len(recent) == 2


# --- runs in a day ---------------------------------------------------------------------------------------------------


class Day:
    """A quota at a time that a test moves."""

    def __init__(self, per_day: int) -> None:
        self.now = datetime(2026, 11, 23, 22, tzinfo=UTC)
        self.store = MemoryStore(clock=lambda: self.now.timestamp())
        self.quota = Quota(DayCounter(self.store, "runs", now=lambda: self.now), per_day)
        self.n_asked = 0

    async def ask(self, person: Person, *, known: bool = False) -> AskReply:
        async def asking() -> AskReply:
            self.n_asked += 1
            return AskReply(run_id="01JD3W8Q4Z5N6P7R8S9TAVBWCX", already_known=known)

        return await self.quota.asked(person, asking)


async def test_a_key_begins_so_many_runs_a_day_and_another_key_its_own() -> None:
    day = Day(2)
    await day.ask(WEISS)
    await day.ask(WEISS)
    with pytest.raises(ProblemError) as error:
        await day.ask(WEISS)
    assert (error.value.status, error.value.code, error.value.retry_after_s) == (429, "QuotaUsedUp", 7200)
    assert day.n_asked == 2
    await day.ask(ROTH)
    day.now += timedelta(hours=2)
    await day.ask(WEISS)


async def test_a_key_may_have_a_quota_of_its_own() -> None:
    day = Day(1)
    generous = Person("dr-weiss", key_id="k3", runs_per_day=3)
    for _ in range(3):
        await day.ask(generous)
    with pytest.raises(ProblemError):
        await day.ask(generous)
    with pytest.raises(ProblemError):
        await day.ask(Person("dr-weiss", key_id="k4", runs_per_day=0))


async def test_who_sits_at_this_machine_has_no_quota() -> None:
    day = Day(0)
    await day.ask(LOCAL)
    assert await day.store.keys() == []


async def test_what_was_there_already_or_was_refused_is_not_counted() -> None:
    day = Day(1)

    async def refused() -> AskReply:
        raise Busy("busy", retry_after_s=3)

    for _ in range(3):
        with pytest.raises(Busy):
            await day.quota.asked(WEISS, refused)
        await day.ask(WEISS, known=True)
    await day.ask(WEISS)
    with pytest.raises(ProblemError):
        await day.ask(WEISS)


async def test_runs_begun_at_the_same_moment_are_all_counted() -> None:
    class Yielding(MemoryStore):
        async def get(self, key: str):  # type: ignore[no-untyped-def]
            found = await super().get(key)
            await asyncio.sleep(0)
            return found

    day = Day(3)
    day.quota = Quota(DayCounter(Yielding(), "runs"), 3)
    done = await asyncio.gather(*(day.ask(WEISS) for _ in range(6)), return_exceptions=True)
    assert sum(isinstance(one, AskReply) for one in done) == 3
    assert sum(isinstance(one, ProblemError) for one in done) == 3


async def test_an_idempotency_key_stands_for_what_came_first() -> None:
    entries = StoredEntries(MemoryStore())
    assert [await entries.first("a", "x"), await entries.first("a", "y"), await entries.first("b", "z")] == [
        "x",
        "x",
        "z",
    ]
