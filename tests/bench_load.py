"""Load and growth, as parts of `make bench`: 200 questions at once, and what finished runs leave behind.

Growth is measured over 500 runs. Bytes and subjects, being proportional to runs, are told for 10,000; the memory of a
service is told as it is, since what it remembers is bounded.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from nats.js import JetStreamContext
from openwork_bus.jetstream import JetStreamBus
from openwork_contracts.accounts import LOCAL_ACCOUNT, results_subject
from openwork_contracts.subjects import RESULTS_STREAM, STREAM, TIMERS_STREAM
from openwork_laptop.stack import Stack, client, prepare

from tests.bench import Row, quantile
from tests.chaos.asker import Asker
from tests.chaos.load import next_text, texts
from tests.chaos.system import running
from tests.nats_server import OpenServer
from tests.processor import processor_s

AT_ONCE = 200
RUNS = 500
TOLD_FOR = 10_000
SUBJECTS = 100_000


@dataclass
class Measured:
    """A system that answers, with the processes that it is made of."""

    asker: Asker
    bus: JetStreamBus
    server: OpenServer
    pids: Mapping[str, int]
    """Of the services, by name."""

    async def answer(self, n: int) -> tuple[list[float], float, int]:
        """Ask so many questions at once: seconds to each receipt, to the last document, and how many were refused."""
        begun = time.perf_counter()
        asked = await asyncio.gather(*(self.asker.ask(next_text(), deadline_s=300.0) for _ in range(n)))
        taken = [question for question in asked if question.accepted]
        await asyncio.gather(*map(self.asker.answer_to, taken))
        took = time.perf_counter() - begun
        return [question.receipt_s or 0.0 for question in asked], took, n - len(taken)


@asynccontextmanager
async def one_process() -> AsyncIterator[Measured]:
    """Every service in this process."""
    with tempfile.TemporaryDirectory() as folder:
        server = OpenServer(Path(folder))
        await server.start()
        await prepare(server.url)
        stack = Stack(server.asker_url, logins=server.logins)
        await stack.start()
        asker = await Asker.connect(LOCAL_ACCOUNT, server.asker_url, with_login=False)
        async with client(server.url) as bus:
            yield Measured(asker, bus, server, {"all services": os.getpid()})
        await asker.close()
        await stack.stop()
        await server.stop()


@asynccontextmanager
async def processes() -> AsyncIterator[Measured]:
    """Every service as a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        async with running(Path(folder)) as system:
            pids = {key.removesuffix("-0"): pid for key, pid in system.services.pids.items()}
            yield Measured(system.askers[LOCAL_ACCOUNT], system.bus, system.server, pids)


async def burst() -> list[Row]:
    """Two hundred questions at once, after each text was read once."""
    rows: list[Row] = []
    for name, mode in (("one process", one_process), ("processes", processes)):
        async with mode() as system:
            await system.answer(len(texts()))
            receipts, took, refused = await system.answer(AT_ONCE)
        p50, p99 = quantile(receipts, 0.5), quantile(receipts, 0.99)
        what = f"{AT_ONCE} questions at once, {name}"
        rows += [
            (f"{what}: receipt, median, 99th percentile", f"{p50:.2f} s, {p99:.2f} s", "p99 < 1 s"),
            (f"{what}: refused, answers a second", f"{refused}, {(AT_ONCE - refused) / took:.1f}", "0, >= 8"),
        ]
    return rows


async def grown() -> list[Row]:
    """What 500 runs add to the streams and to the memory of the processes, and the processor time that they take."""
    async with processes() as system:
        js = system.bus.connection.jetstream(timeout=10)
        await system.answer(len(texts()))
        before = await _streams(js), _memory(system), _spent(system)
        for _ in range(RUNS // 50):
            await system.answer(50)
        await asyncio.sleep(1.0)
        after = await _streams(js), _memory(system), _spent(system)
    return [*_stream_rows(before[0], after[0]), *_process_rows(before[1:], after[1:])]


def _stream_rows(before: Mapping[str, tuple[int, int]], after: Mapping[str, tuple[int, int]]) -> list[Row]:
    rows = []
    for name in after:
        n_bytes, n_subjects = (a - b for a, b in zip(after[name], before[name], strict=True))
        measured = f"{n_bytes / RUNS / 1000:.1f} kB, {n_subjects / RUNS:.1f}"
        told = f"{n_bytes / RUNS * TOLD_FOR / 1e6:.0f} MB, {n_subjects / RUNS * TOLD_FOR:.0f}"
        rows.append((f"{name}: a run leaves bytes, subjects; {TOLD_FOR} runs", f"{measured}; {told}", ""))
    return rows


def _process_rows(
    before: tuple[Mapping[str, float], Mapping[str, float]], after: tuple[Mapping[str, float], Mapping[str, float]]
) -> list[Row]:
    rows = []
    for name, memory in after[0].items():
        ms = (after[1][name] - before[1][name]) / RUNS * 1000
        measured = f"{before[0][name]:.0f} MB, {memory:.0f} MB, {ms:.1f} ms"
        rows.append((f"{name}: memory, after {RUNS} runs more, processor time of an answer", measured, ""))
    return rows


async def subjects() -> list[Row]:
    """What nats-server needs for subjects alone: memory, and the time until it serves again after a kill."""
    with tempfile.TemporaryDirectory() as folder:
        server = OpenServer(Path(folder))
        await server.start()
        await prepare(server.url)
        empty = _rss_mb(server.pid)
        async with client(server.url) as bus:
            js = bus.connection.jetstream(timeout=30)
            for start in range(0, SUBJECTS, 1000):  # acknowledged: what comes faster than it is stored is dropped
                names = (results_subject(LOCAL_ACCOUNT, f"{i:026d}") for i in range(start, start + 1000))
                await asyncio.gather(*(js.publish(name, b"x" * 64) for name in names))
            full = _rss_mb(server.pid)
        server.kill()
        begun = time.perf_counter()
        await server.start()
        async with client(server.url) as bus:
            await bus.connection.jetstream(timeout=30).stream_info(RESULTS_STREAM)
        took = time.perf_counter() - begun
        again = _rss_mb(server.pid)
        await server.stop()
    return [
        (f"nats-server, memory: empty, with {SUBJECTS} subjects", f"{empty:.0f} MB, {full:.0f} MB", ""),
        ("the same, started again: seconds, memory", f"{took:.1f} s, {again:.0f} MB", ""),
    ]


async def _streams(js: JetStreamContext) -> dict[str, tuple[int, int]]:
    return {name: await _state(js, name) for name in (STREAM, RESULTS_STREAM, TIMERS_STREAM)}


async def _state(js: JetStreamContext, stream: str) -> tuple[int, int]:
    """Bytes and subjects of a stream; nats-py does not tell the latter."""
    state = (await js._api_request(f"{js._prefix}.STREAM.INFO.{stream}", timeout=30))["state"]
    return state["bytes"], state.get("num_subjects", 0)


def _memory(system: Measured) -> dict[str, float]:
    return {name: _rss_mb(pid) for name, pid in [*system.pids.items(), ("nats-server", system.server.pid)]}


def _spent(system: Measured) -> dict[str, float]:
    return {name: processor_s(pid) for name, pid in [*system.pids.items(), ("nats-server", system.server.pid)]}


def _rss_mb(pid: int) -> float:
    """Resident memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS:"))
