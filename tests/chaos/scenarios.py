"""What may happen: each scenario is a function that does something to the system under questions, and gives its row."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic

from openwork_contracts.accounts import LOCAL_ACCOUNT

from tests.chaos import load
from tests.chaos.asker import Asker, Question
from tests.chaos.deaf import Deaf
from tests.chaos.ledger import Tally, heard_of, tally
from tests.chaos.report import Row
from tests.chaos.system import System


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything."""

    kills: int
    server_restarts: int
    asleep_s: float
    deaf_s: float
    capacity_s: float
    overload_s: float
    garbage: int


FULL = Size(kills=40, server_restarts=3, asleep_s=10.0, deaf_s=12.0, capacity_s=15.0, overload_s=120.0, garbage=4000)
SHORT = Size(kills=8, server_restarts=1, asleep_s=4.0, deaf_s=4.0, capacity_s=6.0, overload_s=30.0, garbage=1000)
OVERLOAD = 3
LEAST_GOODPUT = 0.8
"""Of the capacity, while so many times as much is asked."""
EVERY_S = 0.6
"""Between two questions of a steady asker: well below what two cores answer while services start again."""


async def steadily(system: System, harm: Callable[[], Awaitable[None]], *, every_s: float = EVERY_S) -> Tally:
    """Questions one after the other while something is done to the system; what became of them."""
    since, over = await system.last_result(), asyncio.Event()
    asking = asyncio.create_task(load.steady(system.askers[LOCAL_ACCOUNT], every_s, over))
    await asyncio.sleep(1.0)
    await harm()
    over.set()
    questions = await asking
    await heard_of(system, questions)
    return await tally(system, questions, since)


def row_of(scenario: str, counted: Tally) -> Row:
    """Of a scenario in which nothing is too much. Where a service stands still, questions may be told to come again."""
    row = Row(scenario, counted)
    row.require_every_end()
    others = counted.offered - counted.answered - counted.refused
    row.require(others == 0, f"{others} neither answered nor refused in words")
    return row


async def services_killed(system: System, size: Size, chance: random.Random) -> Row:
    """(a) Services die at random moments of runs in work, each with SIGKILL."""

    async def harm() -> None:
        n_killed = 0
        while n_killed < size.kills:
            await asyncio.sleep(chance.uniform(0.1, 0.9))
            n_killed += system.services.kill(chance.choice(system.services.keys))

    return row_of(f"{size.kills} services killed", await steadily(system, harm))


async def server_killed(system: System, size: Size, chance: random.Random) -> Row:
    """(b) nats-server dies and comes back."""

    async def harm() -> None:
        for _ in range(size.server_restarts):
            await asyncio.sleep(chance.uniform(1.0, 2.5))
            await system.restart_server()
        await asyncio.sleep(1.0)

    return row_of(f"nats-server killed {size.server_restarts} times", await steadily(system, harm))


async def service_asleep(system: System, size: Size, chance: random.Random) -> Row:
    """(c) A service is there and does nothing: SIGSTOP, later SIGCONT."""
    key = chance.choice([key for key in system.services.keys if not key.startswith("gateway")])

    async def harm() -> None:
        system.services.send(key, signal.SIGSTOP)
        await asyncio.sleep(size.asleep_s)
        system.services.send(key, signal.SIGCONT)

    return row_of(f"{key} stopped for {size.asleep_s:.0f} s", await steadily(system, harm))


async def deaf_asker(system: System, size: Size, chance: random.Random) -> Row:
    """(d) An asker of the same account asks for much and reads nothing."""

    async def harm() -> None:
        first = await system.askers[LOCAL_ACCOUNT].ask(load.next_text(), deadline_s=60.0)
        await system.askers[LOCAL_ACCOUNT].answer_to(first)
        async with Deaf(system.server.port) as deaf:
            await deaf.ask_for(first.run_id, seconds=size.deaf_s)

    return row_of("an asker that reads nothing", await steadily(system, harm))


async def overload(system: System, size: Size, chance: random.Random) -> Row:
    """(f) Three times what can be answered, from all accounts, by both doors; then one question more.

    Capacity is measured before and after, since a machine that others use as well changes in two minutes; the load is
    three times the first, the goodput is held against the mean.
    """
    askers = list(system.askers.values())
    before = await load.capacity(system, size.capacity_s)
    since, begun, begun_at = await system.last_result(), monotonic(), datetime.now(UTC)
    questions = await load.open_loop(askers, OVERLOAD * before, size.overload_s)
    took_s = max(size.overload_s, monotonic() - begun)
    await asyncio.sleep(max(0.0, begun + size.overload_s + 5.0 - monotonic()))
    after_s, last = await next_answer(askers[0])
    await heard_of(system, questions)
    counted = await tally(system, [*questions, last], since)
    measured = (before + await load.capacity(system, size.capacity_s)) / 2
    goodput = sum(begun_at <= at <= begun_at + timedelta(seconds=took_s) for at in counted.answered_at) / took_s
    row = Row(f"{OVERLOAD} x {before:.1f} questions/s for {size.overload_s:.0f} s", counted)
    row.goodput = f"{goodput:.1f}/s, {goodput / measured:.0%} of {measured:.1f}/s"
    row.next_answer_s = after_s
    row.require_every_end()
    row.require(goodput >= LEAST_GOODPUT * measured, f"goodput below {LEAST_GOODPUT:.0%}")
    row.require(counted.answered + counted.refused == counted.offered, "not all others refused in words")
    row.require(after_s < 5.0, "the next answer took over 5 s")
    return row


async def next_answer(asker: Asker) -> tuple[float, Question]:
    """Seconds to the answer of a new question, which is asked again when it is refused, as an asker would."""
    begun = monotonic()
    while True:
        question = await asker.ask(load.next_text(), deadline_s=60.0)
        if question.accepted:
            return await asyncio.wait_for(asker.answer_to(question), 90) - begun, question
        await asyncio.sleep(float((question.refusal or {}).get("retry_after_s") or 1.0))


async def garbage(system: System, size: Size, chance: random.Random) -> Row:
    """(g) Thousands of questions of one account that are none, and a good one of another account right behind."""
    noisy, quiet = system.askers["ward"], system.askers["clinic"]
    since = await system.last_result()
    none = [await noisy.publish_raw(body) for body in garbage_bodies(size.garbage, chance)]
    await noisy.connection.flush(timeout=30)
    begun = monotonic()
    good = [await quiet.publish(load.next_text(), deadline_s=60.0), await quiet.ask(load.next_text(), deadline_s=60.0)]
    ended_at = [await asyncio.wait_for(quiet.answer_to(q), 90) for q in good if q.accepted]
    await heard_of(system, [*none, *good])
    row = Row(f"a good question behind {size.garbage} of garbage", await tally(system, [*none, *good], since))
    row.next_answer_s = max(ended_at, default=begun + 90) - begun
    row.require_every_end()
    row.require(row.next_answer_s < 2.0, "the good question took over 2 s")
    return row


def garbage_bodies(n: int, chance: random.Random) -> list[bytes]:
    """A third cannot be read, a third is no question, a third asks what is not answered here."""
    kinds: list[Callable[[str], bytes]] = [
        lambda word: b"\xff{" + word.encode(),
        lambda word: json.dumps({"question": f"{word} {word[::-1]}", "options": {"deadline_s": 60}}).encode(),
        lambda word: json.dumps({"question": f"What is the weather in {word}?"}).encode(),
    ]
    return [kinds[i % 3]("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=9))) for i in range(n)]
