"""What is kept, for how long, and what identical requests share."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_http.cache import MemoryCache, _pack, _unpack, cache_key, cacheable
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
