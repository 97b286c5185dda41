"""A server that failed is left alone for a while and asked for a sign of life by one caller."""

from __future__ import annotations

import asyncio

from openwork_contracts.errors import ModelUnavailable
from openwork_serving.availability import Availability

DOWN = ModelUnavailable("it cannot be reached")


class Server:
    """Signs of life as scripted, at times that are told."""

    def __init__(self) -> None:
        self.now = 0.0
        self.n_checks = 0
        self.wrong: Exception | None = None

    async def check(self) -> None:
        self.n_checks += 1
        await asyncio.sleep(0)
        if self.wrong is not None:
            raise self.wrong

    def availability(self) -> Availability:
        return Availability(self.check, retry_after_s=15, clock=lambda: self.now)


async def test_it_may_be_asked_until_it_fails_and_again_after_a_sign_of_life() -> None:
    server = Server()
    available = server.availability()
    assert await available.may_ask()
    available.leave_alone(DOWN)
    assert not await available.may_ask()
    assert server.n_checks == 0
    server.now = 15.0
    assert await available.may_ask()
    assert server.n_checks == 1
    assert await available.may_ask()
    assert server.n_checks == 1


async def test_without_a_sign_of_life_it_is_left_alone_again() -> None:
    server = Server()
    available = server.availability()
    available.leave_alone(DOWN)
    server.now, server.wrong = 15.0, ModelUnavailable("its process has ended")
    assert not await available.may_ask()
    assert available.why == "its process has ended"
    server.now = 29.0
    assert not await available.may_ask()
    assert server.n_checks == 1


async def test_one_caller_checks_for_all() -> None:
    server = Server()
    available = server.availability()
    available.leave_alone(DOWN)
    server.now = 15.0
    assert sorted(await asyncio.gather(*(available.may_ask() for _ in range(3)))) == [False, False, True]
    assert server.n_checks == 1
