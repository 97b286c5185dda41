"""What tracing costs a run: the same questions with it and without, in turns, on one machine.

python -m tests.bench_tracing [--rounds N] [--url http://127.0.0.1:6006]

Two stacks of all services in this process, one traced with all texts, each on a nats-server of its own; blocks of
questions go to them in turns, so that a busy machine disturbs both alike. Library: answers from the starter library,
one after the other without a pause, the shortest runs there are. Sources: each request waits 300 ms for the local
stand-in of four sources, which is a quick day for the real ones; the goal, 3 % of the time to the answer, is for these.
Spans go to a process that drops them, or to the Phoenix of `--url`. Processor time includes the sending.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path

from openwork_bus import loop
from openwork_bus.jetstream import JetStreamBus
from openwork_laptop.stack import Stack, client, prepare

from tests.bench import one
from tests.eval.answers.thirteen import load_questions
from tests.fakes.upstream.app import environment, upstream
from tests.nats_server import OpenServer

SOURCES = "library,pubmed,europepmc,europepmc-cited,clinicaltrials"
WAIT_S = 0.3
GOAL = 0.03


@dataclass
class Side:
    """One of the two stacks, and what was measured of it."""

    bus: JetStreamBus
    stack: Stack
    times_s: list[float] = field(default_factory=list)
    processor_s: list[float] = field(default_factory=list)
    """Of a run, one for each block."""


def _drop(told: Connection) -> None:
    """A trace store that takes everything and keeps nothing."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.send(server.server_address[1])
    server.serve_forever()


@contextmanager
def dropping() -> Iterator[str]:
    """The address of a process that drops spans."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=_drop, args=(theirs,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}"
    finally:
        process.terminate()
        process.join()


@asynccontextmanager
async def side(environ: Mapping[str, str]) -> AsyncIterator[Side]:
    """A stack made under these settings."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        server = OpenServer(Path(folder))
        await server.start()
        await prepare(server.url)
        os.environ.update(environ)
        stack = Stack(server.asker_url, logins=server.logins)
        os.environ.clear()
        os.environ.update(before)
        await stack.start()
        async with client(server.url) as bus:
            yield Side(bus, stack)
        await stack.stop()
        await server.stop()


async def block(where: Side, questions: list[str]) -> None:
    """Every question once."""
    before = time.process_time()
    for question in questions:
        where.times_s.append((await one(where.bus, question))[0])
    for service in where.stack.services:
        service.telemetry.flush()  # type: ignore[attr-defined]
    where.processor_s.append((time.process_time() - before) / len(questions))


async def measure(environ: Mapping[str, str], url: str, rounds: int) -> tuple[Side, Side]:
    """The traced side and the other."""
    questions = [row["question"] for row in load_questions() if row["status"] == "answered"]
    tracing = {"OPENWORK_OTLP_ENDPOINT": url, "OPENWORK_TRACE_PROJECT": "bench"}
    async with side({**environ, **tracing}) as traced, side({**environ, "OPENWORK_OTLP_ENDPOINT": ""}) as plain:
        for each in (traced, plain):
            await block(each, questions)  # caches filled, lists loaded
            each.times_s.clear()
            each.processor_s.clear()
        for place in range(rounds):
            for each in (traced, plain) if place % 2 else (plain, traced):
                await block(each, questions)
    return traced, plain


def share(with_: Sequence[float], without: Sequence[float]) -> float:
    """By how much more, as a share: the median of the differences of the same question, by the median without."""
    differences = [a - b for a, b in zip(with_, without, strict=True)]
    return statistics.median(differences) / statistics.median(without)


def lines_of(name: str, traced: Side, plain: Side) -> list[str]:
    """What is printed of one kind of run."""
    found = []
    for what, with_, without in (
        ("time to the answer", traced.times_s, plain.times_s),
        ("processor time", traced.processor_s, plain.processor_s),
    ):
        before, more = statistics.median(without), share(with_, without)
        found.append(f"{name:<9} {what:<20} {before * 1000:>9.1f} ms {before * more * 1000:>+9.1f} ms {more:>+8.1%}")
    return found


async def main(rounds: int, url: str | None) -> int:
    """Print the table; 1 when tracing costs a run with sources more of its time than the goal."""
    with dropping() as nowhere:
        to = url or nowhere
        sys.stdout.write(f"{'':<9} {'':<20} {'without':>12} {'more':>12} {'share':>8}\n")
        traced, plain = await measure({"OPENWORK_SOURCES": "library"}, to, rounds)
        sys.stdout.write("\n".join(lines_of("library", traced, plain)) + "\n")
        async with upstream(recorded=False) as server:
            server.answers_after_s = WAIT_S
            live = {**environment(server.url), "OPENWORK_SOURCES": SOURCES, "OPENWORK_REACHABILITY_FILE": ""}
            traced, plain = await measure({**live, "OPENWORK_NCBI_API_KEY": "any"}, to, max(1, rounds // 3))
        sys.stdout.write("\n".join(lines_of("sources", traced, plain)) + "\n")
    return int(share(traced.times_s, plain.times_s) > GOAL)


if __name__ == "__main__":
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--url", help="of a Phoenix that takes the spans")
    wanted = parser.parse_args()
    sys.exit(loop.run(main(wanted.rounds, wanted.url)))
