"""What is kept, for how long, and what identical requests share."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_http.cache import MemoryCache, SingleFlight, _pack, _unpack, cache_key, cacheable
from openwork_http.messages import Answer, HttpRequest

ASKED = HttpRequest("GET", "https://a.org/x", (("q", "aspirin"), ("api_key", "one")), (("Accept", "text/xml"),))
OK = Answer(200, {"content-type": "text/xml"}, (b"<a>", b"</a>"))


def test_who_asks_is_no_part_of_what_is_asked() -> None:
    other = replace(
        ASKED,
        params=(("q", "aspirin"), ("api_key", "two"), ("email", "x@y.org"), ("tool", "t")),
        headers=(("accept", "text/xml"), ("Authorization", "Bearer z")),
    )
    assert cache_key(ASKED) == cache_key(other)


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, method="POST"),
        replace(ASKED, url="https://b.org/x"),
        replace(ASKED, params=(("q", "ibuprofen"),)),
        replace(ASKED, headers=(("Accept", "application/json"),)),
        replace(ASKED, form=(("id", "1"),)),
        replace(ASKED, json_body=b"{}"),
    ],
)
def test_what_is_asked_is_told_apart(other: HttpRequest) -> None:
    assert cache_key(other) != cache_key(ASKED)


@pytest.mark.parametrize("status", [201, 206, 301, 400, 404, 429, 500])
def test_only_a_200_is_kept(status: int) -> None:
    assert not cacheable(replace(OK, status=status), ())


def test_an_error_inside_a_200_is_not_kept() -> None:
    marks = (b"<ERROR>", b'"error"')
    assert cacheable(OK, marks)
    assert not cacheable(replace(OK, pieces=(b"<eFetch", b"Result><ERR", b"OR>no</ERROR>")), marks)
    assert not cacheable(replace(OK, pieces=()), ())


async def test_memory_forgets_what_is_too_old() -> None:
    now = [0.0]
    cache = MemoryCache(1000, lambda: now[0])
    await cache.put("a", OK, 10)
    assert await cache.get("a") is OK
    now[0] = 10
    assert await cache.get("a") is None
    await cache.put("a", OK, 0)
    assert await cache.get("a") is None


async def test_memory_stays_within_its_bytes_and_drops_the_least_used() -> None:
    cache = MemoryCache(40, lambda: 0.0)
    big = Answer(200, {}, (b"x" * 10,))
    for key in "abcd":
        await cache.put(key, big, 10)
    assert await cache.get("a") is big
    await cache.put("e", big, 10)
    assert [key for key in "abcde" if await cache.get(key)] == ["a", "c", "d", "e"]
    await cache.put("f", Answer(200, {}, (b"x" * 11,)), 10)
    assert await cache.get("f") is None


@given(st.lists(st.binary(max_size=300), max_size=5), st.integers(200, 599))
def test_what_goes_into_the_bucket_comes_out_of_it(pieces: list[bytes], status: int) -> None:
    packed = _pack(Answer(status, {"content-type": "x/y", "set-cookie": "no"}, tuple(pieces)), 100.0)
    found = _unpack(packed, 99.0)
    assert found is not None
    assert (found.status, dict(found.headers), b"".join(found.pieces)) == (
        status,
        {"content-type": "x/y"},
        b"".join(pieces),
    )
    assert _unpack(packed, 100.0) is None


@pytest.mark.parametrize("damaged", [b"", b"{}\n", b'{"until": 9e9}\nxx', b"\xff\xfe\n", b'{"until": "x"}\n'])
def test_a_damaged_entry_is_no_entry(damaged: bytes) -> None:
    assert _unpack(damaged, 0.0) is None


async def test_identical_requests_at_once_are_made_once() -> None:
    flights, made, gate = SingleFlight(), [], asyncio.Event()

    async def make() -> Answer:
        made.append(1)
        await gate.wait()
        return OK

    callers = [asyncio.create_task(flights.run("k", make)) for _ in range(5)]
    await asyncio.sleep(0)
    gate.set()
    found = await asyncio.gather(*callers)
    assert len(made) == 1
    assert sorted(shared for _, shared in found) == [False, True, True, True, True]
    await flights.run("k", make)
    assert len(made) == 2


async def test_a_caller_who_goes_away_does_not_take_the_answer_with_him() -> None:
    flights, gate = SingleFlight(), asyncio.Event()

    async def make() -> Answer:
        await gate.wait()
        return OK

    first = asyncio.create_task(flights.run("k", make))
    second = asyncio.create_task(flights.run("k", make))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    gate.set()
    assert (await second)[0] is OK


async def test_the_last_caller_to_go_away_ends_the_request() -> None:
    flights, ended = SingleFlight(), asyncio.Event()

    async def make() -> Answer:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()
        return OK

    callers = [asyncio.create_task(flights.run("k", make)) for _ in range(2)]
    await asyncio.sleep(0.01)
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    await asyncio.wait_for(ended.wait(), 5)


async def test_a_failure_reaches_every_caller_and_is_not_kept() -> None:
    flights, made = SingleFlight(), []

    async def fail() -> Answer:
        made.append(1)
        await asyncio.sleep(0)
        raise ConnectionError("gone")

    for _ in range(2):
        results = await asyncio.gather(*(flights.run("k", fail) for _ in range(3)), return_exceptions=True)
        assert all(isinstance(result, ConnectionError) for result in results)
    assert len(made) == 2
