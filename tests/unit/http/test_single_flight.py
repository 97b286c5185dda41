"""The same, wanted by many at once, is done once."""

from __future__ import annotations

import asyncio

import pytest
from openwork_http.single_flight import SingleFlight


async def test_identical_requests_at_once_are_made_once() -> None:
    flights, made, gate = SingleFlight(), [], asyncio.Event()

    async def make() -> str:
        made.append(1)
        await gate.wait()
        return "an answer"

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

    async def make() -> str:
        await gate.wait()
        return "an answer"

    first = asyncio.create_task(flights.run("k", make))
    second = asyncio.create_task(flights.run("k", make))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    gate.set()
    assert (await second)[0] == "an answer"


async def test_the_last_caller_to_go_away_ends_the_request() -> None:
    flights, ended = SingleFlight(), asyncio.Event()

    async def make() -> str:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()
        return "an answer"

    callers = [asyncio.create_task(flights.run("k", make)) for _ in range(2)]
    await asyncio.sleep(0.01)
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    await asyncio.wait_for(ended.wait(), 60)


async def test_who_asks_again_after_a_failure_does_not_get_it_once_more_while_others_hear_of_it() -> None:
    flights, made = SingleFlight(), []

    async def fail_once() -> str:
        made.append(1)
        first = len(made) == 1
        await asyncio.sleep(0)
        if first:
            raise ConnectionError("gone")
        return "an answer"

    async def ask_twice() -> str:
        with pytest.raises(ConnectionError):
            await flights.run("k", fail_once)
        return (await flights.run("k", fail_once))[0]

    assert await asyncio.gather(*(ask_twice() for _ in range(4))) == ["an answer"] * 4
    assert len(made) == 2


async def test_a_failure_reaches_every_caller_and_is_not_kept() -> None:
    flights, made = SingleFlight(), []

    async def fail() -> str:
        made.append(1)
        await asyncio.sleep(0)
        raise ConnectionError("gone")

    for _ in range(2):
        results = await asyncio.gather(*(flights.run("k", fail) for _ in range(3)), return_exceptions=True)
        assert all(isinstance(result, ConnectionError) for result in results)
    assert len(made) == 2
