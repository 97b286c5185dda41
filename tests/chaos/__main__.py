"""Chaos: the whole system as processes, what may happen to it, and what became of every question.

python -m tests.chaos [--short] [--only services,server,asleep,deaf,disk,overload,garbage] [--verbose] [--seed N]

Exit code 1 when something that is required did not hold; of the short form only when something was lost or doubled:
how fast a machine is that does other things too says nothing. Every ending is counted from the results, the events, and
what the asker heard; a question whose three counts are not one each is lost or doubled.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from time import monotonic

from openwork_bus import loop

from tests.bench import machine
from tests.chaos import scenarios
from tests.chaos.disk import disk_full
from tests.chaos.lags import printed
from tests.chaos.report import Row, print_head, print_row
from tests.chaos.system import running

IN_ONE_SYSTEM = {
    "services": scenarios.services_killed,
    "server": scenarios.server_killed,
    "asleep": scenarios.service_asleep,
    "deaf": scenarios.deaf_asker,
    "overload": scenarios.overload,
    "garbage": scenarios.garbage,
}
"""Scenarios that share a system, in this order."""
DISK = "disk"


def arguments() -> argparse.Namespace:
    """Of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a minute and a half, without the full disk")
    parser.add_argument("--only", default="", help="scenarios, separated by commas")
    parser.add_argument("--verbose", action="store_true", help="lags and rates of every consumer, each second")
    parser.add_argument("--overload-s", type=float, default=0.0, help="seconds of overload, instead of 120 or 30")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    return parser.parse_args()


async def run(asked: argparse.Namespace) -> list[Row]:
    """All scenarios that are asked for."""
    size, chance = (scenarios.SHORT if asked.short else scenarios.FULL), random.Random(asked.seed)
    size = replace(size, overload_s=asked.overload_s or size.overload_s)
    names = asked.only.split(",") if asked.only else [*IN_ONE_SYSTEM, *([] if asked.short else [DISK])]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="openwork-chaos-") as scratch:
        if shared := [name for name in IN_ONE_SYSTEM if name in names]:
            async with AsyncExitStack() as stack:
                system = await stack.enter_async_context(running(Path(scratch) / "nats"))
                if asked.verbose:
                    await stack.enter_async_context(printed(system))
                for name in shared:
                    rows.append(await IN_ONE_SYSTEM[name](system, size, chance))
                    print_row(rows[-1])
        if DISK in names:
            rows.append(await disk_full(Path(scratch), size, chance))
            print_row(rows[-1])
    return rows


def main() -> int:
    """Print the table; 1 when a requirement was missed."""
    asked, begun = arguments(), monotonic()
    if unknown := set(filter(None, asked.only.split(","))) - {*IN_ONE_SYSTEM, DISK}:
        sys.stderr.write(f"no scenario is called {', '.join(sorted(unknown))}\n")
        return 2
    sys.stdout.write(f"Machine: {machine()}; seed {asked.seed}\n\n")
    print_head()
    rows = loop.run(run(asked))
    missed = sum(bool(row.missed) for row in rows)
    sys.stdout.write(f"\n{len(rows)} scenarios in {monotonic() - begun:.0f} s, {missed} of them missed something\n")
    return int(any(row.broken for row in rows) if asked.short else missed > 0)


if __name__ == "__main__":
    sys.exit(main())
