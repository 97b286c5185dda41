"""Speed and size, measured; docs/benchmarks.md keeps the table with the machine it was made on.

python -m tests.bench [--only warm,load,burst,grown,subjects,stored,cold,light,install]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from openwork_bus import loop
from openwork_bus.codec import to_json
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_contracts.buckets import BLOBS, TEXTS
from openwork_contracts.question import AskRequest
from openwork_contracts.subjects import STREAM
from openwork_gateway.domain.folds import fold
from openwork_gateway.watch import watch
from openwork_laptop.stack import Stack, client, prepare

from tests.asking import submit
from tests.eval.answers.thirteen import load_questions
from tests.nats_server import OpenServer

ROOT = Path(__file__).resolve().parent.parent
Row = tuple[str, str, str]


async def one(bus: JetStreamBus, question: str) -> tuple[float, str]:
    """Seconds from the submission to the terminal event at the client, and the run's status."""
    started = time.perf_counter()
    reply = await submit(bus, AskRequest(question=question), ServiceSettings())
    assert reply.run_id is not None
    history = [stored async for stored in watch(bus, reply.run_id)]
    return time.perf_counter() - started, fold(history).status.value


@asynccontextmanager
async def answering() -> AsyncIterator[tuple[JetStreamBus, Stack]]:
    """Every service in this process on a server of its own, with its file store in a scratch folder."""
    with tempfile.TemporaryDirectory() as folder:
        server = OpenServer(Path(folder))
        await server.start()
        await prepare(server.url)
        stack = Stack(server.asker_url, logins=server.logins)
        await stack.start()
        async with client(server.url) as bus:
            yield bus, stack
        await stack.stop()
        await server.stop()


async def warm(rounds: int) -> list[Row]:
    """One question after the other on a warm server with the offline library."""
    exporter = InMemorySpanExporter()
    questions = [q["question"] for q in load_questions()]
    async with answering() as (bus, stack):
        for question in questions:
            await one(bus, question)
        times = [(await one(bus, q))[0] for _ in range(rounds) for q in questions]
        for service in stack.services:
            service.telemetry = Telemetry(service.name, ServiceSettings(), exporter)  # type: ignore[attr-defined]
        overheads = [await overhead(bus, q, exporter) for q in questions[:10]]
    return [
        ("question to answer, warm, offline library: median", f"{statistics.median(times) * 1000:.0f} ms", "< 250 ms"),
        ("the same: 95th percentile", f"{quantile(times, 0.95) * 1000:.0f} ms", "< 900 ms"),
        ("bus overhead of a run: median", f"{statistics.median(overheads) * 1000:.0f} ms", "<= 25 ms"),
    ]


async def overhead(bus: JetStreamBus, question: str, exporter: InMemorySpanExporter) -> float:
    """A run's wall time less the time inside the handlers on its critical path, from its spans."""
    exporter.clear()
    wall, _ = await one(bus, question)
    await asyncio.sleep(0.02)
    spans = exporter.get_finished_spans()
    by_id = {span.context.span_id: span for span in spans}
    handlers = [s for s in spans if s.attributes and "messaging.destination.name" in s.attributes]
    step: ReadableSpan | None = max(handlers, key=lambda s: s.end_time or 0)
    inside = 0
    while step is not None:
        if step in handlers:
            inside += (step.end_time or 0) - (step.start_time or 0)
        step = by_id.get(step.parent.span_id) if step.parent else None
    return wall - inside / 1e9


async def load(n: int) -> list[Row]:
    """Many questions at once."""
    questions = [q["question"] for q in load_questions() if q["status"] == "answered"]
    async with answering() as (bus, _):
        await one(bus, questions[0])
        started = time.perf_counter()
        results = await asyncio.gather(*(one(bus, questions[i % len(questions)]) for i in range(n)))
        took = time.perf_counter() - started
    answered = sum(status == "answered" for _, status in results)
    return [
        (f"{n} questions at once: answered", f"{answered} of {n}", "all"),
        (f"{n} questions at once: throughput", f"{n / took:.1f} answers/s", ">= 5 answers/s"),
    ]


async def stored(n: int) -> list[Row]:
    """What an answer from the starter library leaves on the bus: JSON of its events, bytes on disk, blobs too."""
    questions = [q["question"] for q in load_questions() if q["status"] == "answered"][:n]
    async with answering() as (bus, _):
        js = bus.connection.jetstream(timeout=10)

        async def disk() -> int:
            streams = [await js.stream_info(name) for name in (STREAM, BLOBS.stream, TEXTS.stream)]
            return sum(info.state.bytes for info in streams)

        sizes, disks = [], []
        for question in questions:
            before = await disk()
            reply = await submit(bus, AskRequest(question=question), ServiceSettings())
            history = [event async for event in watch(bus, reply.run_id)]
            disks.append(await disk() - before)
            sizes.append(sum(len(to_json(event.event)) for event in history))
    return [
        (
            "a library answer stores, as JSON: median, most",
            f"{statistics.median(sizes) / 1000:.0f} kB, {max(sizes) / 1000:.0f} kB",
            "<= 160 kB",
        ),
        (
            "the same on disk, blobs counted: median, most",
            f"{statistics.median(disks) / 1000:.0f} kB, {max(disks) / 1000:.0f} kB",
            "<= 40 kB",
        ),
    ]


def cold(rounds: int) -> list[Row]:
    """`openwork ask --json` from nothing, and the commands that need no bus."""
    openwork = str(Path(sys.executable).parent / "openwork")
    question = load_questions()[0]["question"]
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "OPENWORK_HOME": folder}
        asks = [timed([openwork, "ask", question, "--json"], env) for _ in range(rounds)]
        evidence, answer = Path(folder) / "e.json", Path(folder) / "a.md"
        evidence.write_text('[{"n": 1, "title": "T", "text": "Apixaban lowered stroke compared with warfarin."}]')
        answer.write_text("Apixaban lowered stroke compared with warfarin [1].")
        verifies = [timed([openwork, "verify", str(answer), "--evidence", str(evidence)], env) for _ in range(rounds)]
        lines = Path(folder) / "c.jsonl"
        lines.write_text('{"id": "a", "title": "Apixaban", "text": "Apixaban lowered stroke."}\n')
        ranks = [
            timed([openwork, "rank", "--query", "apixaban?", "--candidates", str(lines)], env) for _ in range(rounds)
        ]
    return [
        ("cold `openwork ask --json`: median", f"{statistics.median(asks):.2f} s", "< 5 s"),
        ("`openwork verify`: median", f"{statistics.median(verifies):.2f} s", "< 2 s"),
        ("`openwork rank`: median", f"{statistics.median(ranks):.2f} s", "< 2 s"),
    ]


def light(rounds: int) -> list[Row]:
    """What a question costs the one who asks, while `openwork up` runs: processor time of the command alone."""
    openwork = str(Path(sys.executable).parent / "openwork")
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "OPENWORK_HOME": folder}
        with subprocess.Popen([openwork, "up", "--nats-port", "0"], env=env, stdout=subprocess.PIPE, text=True) as up:
            assert up.stdout is not None
            next(line for line in up.stdout if "Ctrl-C" in line)
            costs = [cpu_s([openwork, "ask", "hi"], env) for _ in range(rounds)]
            up.terminate()
    return [("openwork ask hi, services running: CPU", f"{statistics.median(costs):.2f} s", "< 0.6 s")]


def cpu_s(command: Sequence[str], env: dict[str, str]) -> float:
    """Seconds of processor time, user and system, of a command that ends before any other child of this process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def timed(command: Sequence[str], env: dict[str, str]) -> float:
    """Seconds a command takes."""
    started = time.perf_counter()
    subprocess.run(command, env=env, check=True, capture_output=True)
    return time.perf_counter() - started


def install() -> list[Row]:
    """A fresh clone to its first answer with `make ask`, and what the environment takes on disk."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        keep = {k: v for k, v in os.environ.items() if k in {"PATH", "HOME", "LANG", "SSL_CERT_FILE", "PIP_CERT"}}
        env = {**keep, "OPENWORK_HOME": str(Path(folder) / "home")}
        started = time.perf_counter()
        subprocess.run(["make", "ask"], cwd=clone, env=env, check=True, capture_output=True)
        took = time.perf_counter() - started
        size = sum(f.stat().st_size for f in (clone / ".venv").rglob("*") if f.is_file() and not f.is_symlink())
    return [
        ("fresh clone to the first answer, downloads warm", f"{took:.0f} s", "< 120 s"),
        ("default install (.venv)", f"{size / 1e6:.0f} MB", "< 300 MB"),
    ]


def quantile(values: Sequence[float], q: float) -> float:
    """The q-quantile of values, by linear interpolation."""
    return statistics.quantiles(values, n=100, method="inclusive")[round(q * 100) - 1]


def machine() -> str:
    """What it ran on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    cpu = names[0] if names else platform.processor()
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} cores ({cpu}), Python {platform.python_version()}, {platform.system()}, load {load:.1f}"


def report(parts: Mapping[str, Callable[[int], Iterable[Row]]], *, doc: str | None, rounds: int) -> int:
    """Run the benchmarks that the command line names, print a Markdown table; the exit code."""
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(parts))
    parser.add_argument("--rounds", type=int, default=rounds)
    arguments = parser.parse_args()
    sys.stdout.write(f"Machine: {machine()}\n\n| what | measured | wanted |\n|---|---|---|\n")
    for name in arguments.only.split(","):
        if name not in parts:
            sys.stderr.write(f"no benchmark is called {name!r}\n")
            return 2
        for row in parts[name](arguments.rounds):
            sys.stdout.write(f"| {' | '.join(row)} |\n")
            sys.stdout.flush()
    return 0


def main() -> int:
    """Run what was asked for and print a Markdown table."""
    from tests import bench_load  # it measures with what is here

    os.environ.setdefault("OPENWORK_SOURCES", "library")
    parts: dict[str, Callable[[int], Iterable[Row]]] = {
        "warm": lambda rounds: loop.run(warm(rounds)),
        "load": lambda _: loop.run(load(20)),
        "burst": lambda _: loop.run(bench_load.burst()),
        "grown": lambda _: loop.run(bench_load.grown()),
        "subjects": lambda _: loop.run(bench_load.subjects()),
        "stored": lambda _: loop.run(stored(10)),
        "cold": cold,
        "light": light,
        "install": lambda _: install(),
    }
    return report(parts, doc=__doc__, rounds=5)


if __name__ == "__main__":
    sys.exit(main())
