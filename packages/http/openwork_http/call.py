"""One call of the client and how it stands, from its first try to its answer or its deadline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from openwork_contracts.errors import FailureReason, SourceUnavailable

from openwork_http.limits import BudgetUsedUp
from openwork_http.messages import HttpRequest, shown
from openwork_http.terms import OutsideService

_FAIR_TRY_S = 2.0
"""Seconds: a try that was given less and ran out of time says nothing about the service."""
_WORTH_A_TRY_S = 0.05
"""Seconds: in less nobody answers from outside, and a try would only hide that the one before was fair."""
TOO_SHORT = "too short a time to say that it failed: other work of this installation had taken the rest"


@dataclass(slots=True)
class Call:
    """One call and how it stands. Times are those of the event loop's clock."""

    request: HttpRequest
    service: OutsideService
    timeout_s: float
    deadline: float
    tries: int = 0
    sent_at: float | None = None
    """When the last try's request began to be sent."""
    began: float | None = None
    """When the first try was let start."""
    waited_s: float = 0.0
    """Seconds that its tries stood in the line of our own budget, until `in_line_since`."""
    in_line_since: float | None = None
    """`None` = it does not stand there now."""
    status: int | None = None
    cut_offs: int = 0
    """Good answers that ended before they were whole."""
    run_id: str | None = None
    """The run that waits for it; `None` = none does."""
    leader: Call | None = None
    """The identical call that was under way, whose answer this one waits for; `None` = it is sent itself."""
    owner: str = ""
    """The piece of work that it is part of, for the line of those that wait for a slot; empty = of none."""

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count what the block takes as standing in our own line, also when it does not come to its end."""
        self.in_line_since = asyncio.get_running_loop().time()
        try:
            yield
        finally:
            self.waited_s += asyncio.get_running_loop().time() - self.in_line_since
            self.in_line_since = None

    def trying_s(self) -> float:
        return 0.0 if self.began is None else asyncio.get_running_loop().time() - self.began

    def cut_short(self, error: SourceUnavailable) -> bool:
        """Whether the deadline ended a try before the service can be blamed for it."""
        waited_s = 0.0 if self.sent_at is None else asyncio.get_running_loop().time() - self.sent_at
        return error.reason is FailureReason.TIMEOUT and waited_s < _FAIR_TRY_S

    def in_vain(self, error: SourceUnavailable) -> bool:
        """Whether it was waited for long enough to know that the service does not answer, or is known for that.

        Time in which an identical call, which this one joined, waited for a slot of our own is no time of the service.
        """
        if error.reason is not FailureReason.TIMEOUT:
            return error.reason is FailureReason.CIRCUIT_OPEN
        if self.leader is None:
            return not self.cut_short(error)
        return self.timeout_s >= _FAIR_TRY_S and not self.leader.cut_short(error)

    def may_ask_itself(self, error: SourceUnavailable) -> bool:
        """Whether the call that it joined failed for want of time, and this one has time left for a try of its own."""
        if self.leader is None or self.left_s() <= _WORTH_A_TRY_S:
            return False
        if error.reason is FailureReason.OWN_LIMIT:
            return self.deadline > self.leader.deadline
        return error.reason is FailureReason.TIMEOUT

    def server_failed(self) -> bool:
        return self.status is not None and self.status >= 500

    def left_s(self) -> float:
        return self.deadline - asyncio.get_running_loop().time()

    def late(self) -> SourceUnavailable:
        """Its deadline has come. Where most of its time went by in our own line, that is what is said."""
        now = asyncio.get_running_loop().time()
        asked_s = 0.0 if self.sent_at is None else now - self.sent_at
        waited_s = self.waited_s + (now - self.in_line_since if self.in_line_since is not None else 0.0)
        if asked_s < _FAIR_TRY_S and waited_s > asked_s and (budget := self.service.budget) is not None:
            service = budget.name.partition(".")[0]
            return BudgetUsedUp(
                f"{waited_s:.1f} of the {self.timeout_s:.1f} s for {shown(self.request)} went by in the line of "
                f"our own budget of {budget.per_second:g} requests a second for {service}, shared by all "
                f"questions; {service} itself did not fail"
            )
        what = "no answer had begun" if self.status is None else f"a {self.status} was still coming in"
        short = f"; {TOO_SHORT}" if self.timeout_s < _FAIR_TRY_S else ""
        return SourceUnavailable(
            f"{self.service.name} did not finish answering {shown(self.request)} within {self.timeout_s:.1f} s "
            f"({what}{short})",
            reason=FailureReason.TIMEOUT,
        )


async def until_deadline(call: Call, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The body, no longer than the call may take.

    Raises:
        SourceUnavailable: TIMEOUT.
    """
    while True:
        try:
            async with asyncio.timeout_at(call.deadline):
                piece = await anext(body)
        except StopAsyncIteration:
            return
        except TimeoutError as error:
            raise call.late() from error
        yield piece
