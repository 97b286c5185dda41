"""Several processes under load on one shared rate budget: how much of it they use, and their worst second.

`python -m tests.integration.rate_budget --budget 10 --seconds 10` starts its own nats-server and prints the result.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import nats
from openwork_bus.buckets import ensure_buckets
from openwork_bus.settings import ServiceSettings
from openwork_contracts.buckets import LIMITS
from openwork_contracts.errors import SourceUnavailable
from openwork_http.client import HttpClient
from openwork_http.limits import SharedRateLimiter
from openwork_http.messages import HttpRequest
from openwork_http.settings import HttpSettings
from openwork_http.terms import OutsideService, RateBudget
from openwork_http.turns import ORDINARY, Turn

from tests.fakes.upstream.messages import Reply
from tests.fakes.upstream.server import Server
from tests.nats_server import OpenServer

ROOT = Path(__file__).parents[2]
WINDOW_S = 1.0


@dataclass(frozen=True)
class Measured:
    """What the processes did together."""

    budget: float
    seconds: float
    starts: tuple[float, ...]
    """When each request was let start, in order."""
    arrivals: tuple[float, ...]
    """When the server had read each request's head: what it sees of it, and what a busy machine adds."""
    by_process: tuple[int, ...]

    @property
    def worst_window(self) -> int:
        """Most starts in any half-open window of one second."""
        return _worst(self.starts)

    @property
    def used(self) -> float:
        """Share of the budget that was used between the first and the last start."""
        if len(self.starts) < 2:
            return 0.0
        return (len(self.starts) - 1) / (self.starts[-1] - self.starts[0]) / self.budget

    def __str__(self) -> str:
        who = f"budget {self.budget:g}/s, {len(self.by_process)} processes {list(self.by_process)}, {self.seconds:g} s"
        worst = f"worst one-second window {self.worst_window} (as they arrived: {_worst(self.arrivals)})"
        return f"{who}: {len(self.starts)} starts, {self.used:.1%} of the budget used, {worst}"


def _worst(times: Sequence[float]) -> int:
    first, most = 0, 0
    for last, moment in enumerate(times):
        while moment - times[first] >= WINDOW_S:
            first += 1
        most = max(most, last - first + 1)
    return most


async def measure(nats_url: str, budget: float, *, seconds: float, processes: int = 4, tasks: int = 5) -> Measured:
    """Let `processes` x `tasks` callers send requests as fast as they may for some seconds, all at once."""
    async with Server(lambda request: Reply(b"{}")) as upstream:
        wanted = ("--worker", nats_url, upstream.url, "--budget", str(budget), "--seconds", str(seconds))
        command = (sys.executable, "-m", "tests.integration.rate_budget", *wanted, "--tasks", str(tasks))
        pipe = asyncio.subprocess.PIPE
        workers = [
            await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, cwd=ROOT) for _ in range(processes)
        ]
        try:
            for worker in workers:
                assert worker.stdout is not None
                await worker.stdout.readline()  # "ready"
            begin = time.time() + 0.2
            told = await asyncio.gather(*(worker.communicate(f"{begin}\n".encode()) for worker in workers))
        finally:
            for worker in workers:
                if worker.returncode is None:
                    worker.kill()
                    await worker.wait()
        each = [json.loads(out) for out, _ in told]
        starts = tuple(sorted(t for process in each for t in process))
        arrivals = tuple(sorted(entry.at for entry in upstream.log))
    return Measured(budget, seconds, starts, arrivals, tuple(map(len, each)))


class _Recording(SharedRateLimiter):
    """Notes when each request was let start: the client asks when the connection stands and the first byte is next."""

    starts: list[float]

    async def acquire(self, budget: RateBudget, *, within_s: float, turn: Turn = ORDINARY) -> None:
        await super().acquire(budget, within_s=within_s, turn=turn)
        self.starts.append(time.time())


async def _worker(nats_url: str, url: str, budget: float, seconds: float, tasks: int) -> None:
    connection = await nats.connect(nats_url)
    limiter = _Recording(await connection.jetstream().key_value(LIMITS.name))
    limiter.starts = []
    service = OutsideService("measured", RateBudget("measured", budget))
    async with HttpClient(HttpSettings(reachability_file=None), limiter=limiter) as client:
        print("ready", flush=True)
        begin = float(await asyncio.to_thread(sys.stdin.readline))
        await asyncio.sleep(begin - time.time())

        async def caller(name: int) -> None:
            for number in itertools.count():
                if (left_s := begin + seconds - time.time()) <= 0:
                    return
                request = HttpRequest("GET", f"{url}/x", (("caller", f"{name}-{number}"),))
                try:
                    await client.port(service, within_s=left_s).send(request)
                except SourceUnavailable:  # no slot before the end
                    return

        await asyncio.gather(*(caller(name) for name in range(tasks)))
    print(json.dumps(limiter.starts))
    await connection.close()


async def _own_server(budgets: Sequence[float], seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = OpenServer(Path(folder) / "nats")
        await server.start()
        try:
            for budget in budgets:
                connection = await nats.connect(server.url)
                js = connection.jetstream()
                await ensure_buckets(js, ServiceSettings())
                print(await measure(server.url, budget, seconds=seconds))
                await (await js.key_value(LIMITS.name)).purge("rate.measured")
                await connection.close()
        finally:
            await server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.integration.rate_budget", description=__doc__)
    parser.add_argument("--budget", type=float, nargs="+", default=[3, 10], help="requests per second")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--tasks", type=int, default=5, help="callers in each process")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.worker:
        nats_url, url = wanted.worker
        asyncio.run(_worker(nats_url, url, wanted.budget[0], wanted.seconds, wanted.tasks))
    else:
        asyncio.run(_own_server(wanted.budget, wanted.seconds))


if __name__ == "__main__":
    main()
