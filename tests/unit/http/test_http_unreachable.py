"""Where nothing can be reached, that is found out before a rate budget makes anybody wait."""

from __future__ import annotations

import asyncio

from openwork_contracts.errors import SourceUnavailable
from openwork_http.circuit import InProcessReachability
from openwork_http.client import HttpClient
from openwork_http.limits import LocalRateLimiter
from openwork_http.messages import HttpRequest
from openwork_http.settings import HttpSettings
from openwork_http.terms import OutsideService, RateBudget
from openwork_http.turns import ORDINARY, Turn


class CountingLimiter(LocalRateLimiter):
    """Remembers who wanted a slot."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[RateBudget] = []

    async def acquire(self, budget: RateBudget, *, within_s: float, turn: Turn = ORDINARY) -> None:
        self.asked.append(budget)
        await super().acquire(budget, within_s=within_s, turn=turn)


async def test_no_slot_is_waited_for_where_nothing_can_be_reached() -> None:
    """Twenty calls within a budget of one in ten seconds: none of them queues to find out that there is no way."""
    limiter = CountingLimiter()
    settings = HttpSettings(reachability_file=None)
    async with HttpClient(settings, limiter=limiter, reachability=InProcessReachability()) as http:
        port = http.port(OutsideService("slow", RateBudget("slow", 0.1)))
        calls = (port.send(HttpRequest("GET", f"http://no-such-host.invalid/{n}")) for n in range(20))
        async with asyncio.timeout(8):
            outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(outcome, SourceUnavailable) for outcome in outcomes)
    assert limiter.asked == []
