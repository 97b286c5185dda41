"""Questions at a rate: as fast as they are answered, or as fast as they are wanted whatever becomes of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count, cycle
from time import monotonic

from openwork_contracts.accounts import LOCAL_ACCOUNT
from openwork_contracts.question import AskOptions, AskRequest
from openwork_evidence.library.references import shipped

from tests.asking import submit
from tests.chaos.asker import Asker, Question
from tests.chaos.system import System

DEADLINE_S = 30.0
IN_WORK = 24
"""Questions at once by which capacity is measured: every loop of every service has one, and the next one waits."""


def texts() -> list[str]:
    """A question about each record of the starter library: different text, since what was read is remembered."""
    return [f"What is known of this: {record.title}?" for record in shipped().values()]


_TEXTS = cycle(texts())
_PLACE = count()


def next_text() -> str:
    """One question after the other."""
    return next(_TEXTS)


async def ask_somehow(asker: Asker, *, deadline_s: float = DEADLINE_S) -> Question:
    """By one door and the other in turn."""
    door = asker.ask if next(_PLACE) % 2 else asker.publish
    return await door(next_text(), deadline_s=deadline_s)


async def steady(asker: Asker, every_s: float, until: asyncio.Event, *, deadline_s: float = 120.0) -> list[Question]:
    """A question every so often until it is enough; each is sent whether or not those before it have gone through."""
    sent: list[asyncio.Task[Question]] = []
    while not until.is_set():
        sent.append(asyncio.create_task(ask_somehow(asker, deadline_s=deadline_s)))
        await asyncio.sleep(every_s)
    return list(await asyncio.gather(*sent))


async def capacity(system: System, seconds: float) -> float:
    """Answers a second when always so many runs are in work: let in past the door, which is not to limit itself."""
    asker, answered = system.askers[LOCAL_ACCOUNT], 0
    warm, over = asyncio.Event(), asyncio.Event()

    async def one_after_the_other() -> None:
        nonlocal answered
        while not over.is_set():
            request = AskRequest(question=next_text(), options=AskOptions(deadline_s=300.0))
            reply = await submit(system.bus, request, account=asker.account)
            await asker.end_of(reply.run_id or "")
            answered += 1
            if answered >= len(texts()):  # each text once: what was read is remembered, and the load asks it again
                warm.set()

    loops = [asyncio.create_task(one_after_the_other()) for _ in range(IN_WORK)]
    await warm.wait()
    before, begun = answered, monotonic()
    await asyncio.sleep(seconds)
    rate = (answered - before) / (monotonic() - begun)
    over.set()
    await asyncio.gather(*loops)
    return rate


async def open_loop(askers: Sequence[Asker], rate: float, seconds: float) -> list[Question]:
    """So many questions a second, evenly, half by each door, by the accounts in turn; nobody waits for anybody."""
    sent: list[asyncio.Task[Question]] = []
    begun = monotonic()
    n = round(rate * seconds)
    for i in range(n):
        if (wait := begun + i / rate - monotonic()) > 0:
            await asyncio.sleep(wait)
        asker = askers[(i // 2) % len(askers)]
        door = asker.ask if i % 2 else asker.publish
        sent.append(asyncio.create_task(door(next_text(), deadline_s=DEADLINE_S, patience_s=12.0)))
    return list(await asyncio.gather(*sent))
