"""Questions at once on what NCBI allows: who gets PubMed, how soon, and how many calls NCBI sees in its worst second.

    python -m tests.bench_crowd [--at-once 1,4,8] [--key] [--answer-s 0.4] [--strict-finds-enough]

The whole system runs on a real nats-server; a local server in a process of its own stands for the outside services and
notes when each request has come in, connection set-up included. Every question has works of its own, so that each call
of NCBI belongs to one question. By default the strict rung finds too few of them, so that each question needs all the
calls that it has. Times depend on the machine; counts do not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence

from openwork_bus import loop

from tests.bench import machine
from tests.crowd import FIRST_PMID, PER_TOPIC, TOPICS, Asked, Door, World, answering, ask, outside
from tests.fakes.upstream.server import Logged, worst_window

CALLS = ("esearch pubmed", "efetch pubmed", "efetch pmc")


def topic_of(call: Logged) -> int | None:
    """Whose call it is, by what it asks for."""
    if call.asked[:1].isdigit():
        own = (int(name) - FIRST_PMID for name in call.asked.split(","))  # others are of the starter library
        return next((place // PER_TOPIC for place in own if place >= 0), None)
    words = call.asked.lower()
    return next((topic for topic, (drug, *_) in enumerate(TOPICS) if drug in words), None)


async def crowd(door: Door, n: int, *, key: bool) -> tuple[list[Asked], list[Logged]]:
    """So many questions at once on a system that remembers nothing, and the calls of NCBI that they led to."""
    before = len(door.calls())
    async with answering(door, key=key) as bus:
        asked = await asyncio.gather(*(ask(bus, topic) for topic in range(n)))
    return list(asked), door.calls()[before:]


def told(n: int, asked: Sequence[Asked], calls: Sequence[Logged], *, per_second: int) -> list[str]:
    """The measurement in lines."""
    by_topic = Counter((topic_of(call), call.kind) for call in calls)
    lines = [f"\n## {n} at once, {per_second} requests a second\n"]
    lines += ["| question | searches | reads | text calls | PubMed records | there after | answer after | status |"]
    lines += ["|---|---|---|---|---|---|---|---|"]
    for one in asked:
        made = " | ".join(str(by_topic[one.topic, kind]) for kind in CALLS)
        there = "never" if one.pubmed_s is None else f"{one.pubmed_s:.1f} s"
        row = f"{one.n_pubmed} | {there} | {one.took_s:.1f} s | {one.document.status.value}"
        lines.append(f"| {TOPICS[one.topic][0]} | {made} | {row} |")
    worst = worst_window(call.at for call in calls)
    span = max((call.at for call in calls), default=0) - min((call.at for call in calls), default=0)
    lines.append(f"\nNCBI saw {len(calls)} calls in {span:.1f} s, at most {worst} in any second; "
                 f"{sum(one.n_pubmed > 0 for one in asked)} of {n} questions got PubMed records, the last after "
                 f"{max((one.pubmed_s or 0 for one in asked), default=0):.1f} s; the slowest answer "
                 f"took {max(one.took_s for one in asked):.1f} s")  # fmt: skip
    for one in asked:
        lines.extend(f"- {TOPICS[one.topic][0]}: {text}" for text in one.about_ncbi)
    return lines


async def measure(at_once: Sequence[int], world: World, *, key: bool) -> None:
    print(f"Machine: {machine()}; an outside service answers after {world.answer_s:g} s")
    async with outside(world) as door:
        for n in at_once:
            asked, calls = await crowd(door, n, key=key)
            print("\n".join(told(n, asked, calls, per_second=10 if key else 3)), flush=True)


def main() -> int:
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-once", default="1,4,8", help=f"numbers of questions, each at most {len(TOPICS)}")
    parser.add_argument("--key", action="store_true", help="10 requests a second in place of 3")
    parser.add_argument("--answer-s", type=float, default=World.answer_s, help="seconds that an outside service takes")
    parser.add_argument("--strict-finds-enough", action="store_true", help="no question needs a second search")
    wanted = parser.parse_args()
    numbers = [int(number) for number in json.loads(f"[{wanted.at_once}]")]
    if not all(1 <= number <= len(TOPICS) for number in numbers):
        parser.error(f"--at-once: from 1 to {len(TOPICS)}")
    world = World(wanted.answer_s, wanted.strict_finds_enough)
    loop.run(measure(numbers, world, key=wanted.key))
    return 0


if __name__ == "__main__":
    sys.exit(main())
