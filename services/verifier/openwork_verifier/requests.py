"""`openwork.verify`: the gate alone on a text and what it cites. Nothing is stored, no language model is asked."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from time import monotonic

from openwork_contracts.requests import VerifyReply, VerifyRequest
from pydantic import ValidationError

from openwork_verifier.domain.gate import verify_answer

log = logging.getLogger(__name__)

AT_ONCE = 2
"""Texts in work in one process. It is work for the processor alone: more at once would only take it from the runs, of
which this process verifies the answers. Measured: 50 texts of 20 kB at once held up a run of 0.5 s for 6.5 s."""
WITHIN_S = 15.0
"""Seconds for waiting and work together: who asks waits 20. A text of 200,000 characters citing one line takes 3."""
WAITING = 16
"""Texts of one account that may wait for its turn; more are told to come again at once."""
MOST_BYTES = 2 * 2**20
"""Of a request: a text of 200,000 characters and ten articles. Reading that much evidence takes 12 s."""
_BUSY = VerifyReply(
    error="More texts are to be verified than there is time for; try again in 5 s.",
    error_type="Busy",
    retry_after_s=5.0,
)
_TOO_LONG = f"text: takes longer than {WITHIN_S:.0f} s with its evidence; send it in parts, each with what it cites"


async def answer_verify(account: str, body: bytes, texts: TextVerifier) -> bytes:
    """The verdict on each sentence, or in words why there is none; never raises, so that nobody waits in vain.

    Args:
        account: who asks; everybody gets the same.
    """
    return (await texts.reply(account, body)).model_dump_json().encode()


class TextVerifier:
    """Verifies the texts of all accounts: one of each account at a time, so that none waits for all of another's."""

    def __init__(self, *, at_once: int = AT_ONCE, within_s: float = WITHIN_S) -> None:
        self._within_s = within_s
        self._room = asyncio.Semaphore(at_once)
        # As many as there are accounts. One that waits for its own lock is in nobody's way at the semaphore.
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._waiting: Counter[str] = Counter()

    async def reply(self, account: str, body: bytes) -> VerifyReply:
        """As soon as its turn has come; "busy" when that is too late, or too many wait. Never raises."""
        if len(body) > MOST_BYTES:
            return _refused(f"body: has {len(body)} bytes, and may have {MOST_BYTES}")
        if self._waiting[account] >= WAITING:
            return _BUSY
        self._waiting[account] += 1
        try:
            return await self._in_turn(account, body)
        finally:
            self._waiting[account] -= 1

    async def _in_turn(self, account: str, body: bytes) -> VerifyReply:
        give_up = monotonic() + self._within_s
        try:
            async with asyncio.timeout(self._within_s) as waiting, self._turns[account], self._room:
                waiting.reschedule(None)  # the work sees to its time itself: a thread cannot be stopped
                return await asyncio.to_thread(_verified, body, give_up)
        except TimeoutError:
            return _BUSY
        except Exception as error:
            log.exception("a text could not be verified")
            return VerifyReply(
                error=f"The verifier failed unexpectedly ({type(error).__name__}).", error_type="OpenWorkError"
            )


class _OutOfTimeError(Exception):
    """The text takes longer than anybody waits."""


def _verified(body: bytes, give_up: float) -> VerifyReply:
    def go_on() -> None:
        if monotonic() > give_up:
            raise _OutOfTimeError

    try:
        request = VerifyRequest.model_validate_json(body)
        return VerifyReply(report=verify_answer(request.text, request.evidence, before_each=go_on))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        return _refused(f"{_field(first['loc'])}: {first['msg']}")
    except _OutOfTimeError:
        return _refused(_TOO_LONG)


def _refused(why: str) -> VerifyReply:
    return VerifyReply(error=why, error_type="UsageError")


def _field(path: tuple[int | str, ...]) -> str:
    """Where in the request, counted as its writer counts: `evidence 1, text`."""
    match path:
        case ("evidence", int(place), *rest):
            return f"evidence {place + 1}, {'.'.join(map(str, rest)) or 'item'}"
        case _:
            return ".".join(map(str, path)) or "body"
