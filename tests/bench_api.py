"""The web app measured: first bytes, first step, readers of one run, mixed reads, the start.

python -m tests.bench_api [--only pages,step,readers,reads,start]

The services and the web app run in this process, whoever reads in another: on two cores each has one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import httpx
import nats
from nats.aio.msg import Msg
from openwork_bus import loop
from openwork_contracts.progress import Progress
from openwork_contracts.subjects import PROGRESS_PREFIX

from tests.api_stack import ApiStack, api_stack, asked, ended

Row = tuple[str, str, str]
READERS = 200
READ_S = 20.0
RATE = 50
_BIN = Path(sys.executable).parent


@asynccontextmanager
async def running() -> AsyncIterator[tuple[ApiStack, httpx.AsyncClient]]:
    """A stack with a client, its store in a scratch folder; without the limits that one asker would meet."""
    os.environ.setdefault("OPENWORK_SOURCES", "library")
    unlimited = {"api_requests_per_minute": 0, "api_streams": 1000}
    with tempfile.TemporaryDirectory() as folder:
        async with (
            api_stack(Path(folder), **unlimited) as stack,
            httpx.AsyncClient(base_url=stack.url, timeout=30) as client,
        ):
            yield stack, client


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


async def pages() -> list[Row]:
    """From the request to the first byte, and to the last, of every page."""
    rows = []
    async with running() as (stack, client):
        first, second = await asked(client), await asked(client)
        document = await ended(client, first)
        await ended(client, second)
        passage = document["record"]["passages"][0]["passage_id"]  # type: ignore[index]
        paths = {
            "ask": "/",
            "answer": f"/runs/{first}",
            "evidence": f"/runs/{first}/evidence",
            "passage": f"/runs/{first}/passages/{quote(passage, safe='')}",
            "check": "/check",
            "history": "/history",
            "compare": f"/compare?a={first}&b={second}",
            "API": "/docs",
            "sign in": "/login",
        }
        port = int(stack.url.rpartition(":")[2])
        for name, path in paths.items():
            times = [await _timed(port, path.replace("#", "%23")) for _ in range(30)]
            firsts = [first_byte * 1000 for first_byte, _, _ in times[5:]]
            whole = statistics.median(last_byte * 1000 for _, last_byte, _ in times[5:])
            median, p95, status = statistics.median(firsts), quantile(firsts, 0.95), times[-1][2]
            limit = "first byte < 50 ms" + ("; whole < 100 ms" if name == "answer" else "")
            rows.append(
                (
                    f"page {name!r} (status {status})",
                    f"first byte {median:.1f} ms (p95 {p95:.1f}), whole {whole:.1f}",
                    limit,
                )
            )
    return rows


async def _timed(port: int, path: str) -> tuple[float, float, int]:
    """Seconds to the first and to the last byte of an answer, and its status; over a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    begun = time.perf_counter()
    writer.write(
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/html\r\nConnection: close\r\n\r\n".encode()
    )
    start = await reader.read(64)
    first = time.perf_counter() - begun
    await reader.read(-1)
    whole = time.perf_counter() - begun
    writer.close()
    return first, whole, int(start.split()[1])


async def step() -> list[Row]:
    """From asking to the first event of the run at its reader, warm."""
    times = []
    async with running() as (_, client):
        await ended(client, await asked(client))
        for _ in range(20):
            begun = time.perf_counter()
            run_id = await asked(client)
            async with client.stream("GET", f"/api/v1/runs/{run_id}/events") as response:
                async for line in response.aiter_lines():
                    if line.startswith("event:"):
                        times.append(time.perf_counter() - begun)
                        break
            await ended(client, run_id)
    words = f"{statistics.median(times) * 1000:.0f} ms (p95 {quantile(times, 0.95) * 1000:.0f})"
    return [("asked to first event at the reader, warm: median", words, "< 200 ms")]


async def readers(n: int = READERS, seconds: float = 20.0) -> list[Row]:
    """Many readers of one run that goes on: how long after the bus each hears, and what it costs in memory."""
    async with running() as (stack, client):
        for name in ("synthesiser", "gap"):
            await next(s for s in stack.services.services if s.name == name).stop()
        run_id = await asked(client)
        before = _resident_mb()
        command = [
            sys.executable,
            "-m",
            "tests.bench_api",
            "--as-readers",
            stack.url,
            stack.server.asker_url,
            run_id,
            str(n),
        ]
        child = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
        trusted = await nats.connect(stack.server.url)
        await asyncio.sleep(5)
        sizes, give_up, count = [], time.monotonic() + seconds, 0
        while time.monotonic() < give_up:
            count += 1
            told = Progress.model_validate(
                {"run_id": run_id, "service": "bench", "step": f"step {count}", "at": "2026-01-01T00:00:00Z"}
            )
            await trusted.publish(f"{PROGRESS_PREFIX}.{run_id}", told.model_dump_json().encode())
            await asyncio.sleep(0.5)
            sizes.append(_resident_mb())
        await client.post(f"/api/v1/runs/{run_id}/cancel")
        output, _ = await child.communicate()
        await trusted.close()
    told_of = json.loads(output)
    lag = (
        f"median {told_of['median_ms']:.0f} ms, p99 {told_of['p99_ms']:.0f} ms, longest {told_of['longest_ms']:.0f} ms"
    )
    half = len(sizes) // 2
    return [
        (f"{n} readers of one run: lag behind the bus, {told_of['n']} events", lag, "< 100 ms"),
        ("readers that heard the end", f"{told_of['ended']} of {n}", "all"),
        (
            "memory of the process: before, first half, second half",
            f"{before:.0f}, {statistics.mean(sizes[:half]):.0f}, {statistics.mean(sizes[half:]):.0f} MB",
            "steady",
        ),
    ]


def _resident_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def as_readers(url: str, server: str, run_id: str, n: int) -> None:
    """In a process of its own: hear each event on the bus and from every stream, and print how far apart they are."""
    on_bus: dict[str, float] = {}
    heard: list[tuple[str, float]] = []
    n_ended = 0

    async def take(message: Msg) -> None:
        on_bus[(message.headers or {})["Nats-Sequence"]] = time.perf_counter()

    async def follow() -> None:
        nonlocal n_ended
        port = int(url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
        writer.write(
            f"GET /api/v1/runs/{run_id}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
        )
        last = ""
        while line := await reader.readline():
            if line.startswith(b"id: "):
                last = line[4:].strip().decode()
            elif line.startswith(b"event: "):
                heard.append((last, time.perf_counter()))
                n_ended += line[7:].strip() == b"document"
        writer.close()

    connection = await nats.connect(server)
    await connection.subscribe(f"openwork.results.{run_id}", cb=take)
    async with asyncio.timeout(90):
        await asyncio.gather(*(follow() for _ in range(n)))
    await connection.close()
    lags = [(at - on_bus[sequence]) * 1000 for sequence, at in heard if sequence in on_bus]
    told = {
        "n": len(lags),
        "median_ms": statistics.median(lags),
        "p99_ms": quantile(lags, 0.99),
        "longest_ms": max(lags),
    }
    sys.stdout.write(json.dumps(told | {"ended": n_ended}))


async def reads(rate: int = RATE, seconds: float = READ_S) -> list[Row]:
    """Pages and API reads at a steady rate, of a person with some history."""
    async with running() as (stack, client):
        runs = [await asked(client) for _ in range(10)]
        for run_id in runs:
            await ended(client, run_id)
        command = [sys.executable, "-m", "tests.bench_api", "--as-load", stack.url, str(rate), str(seconds), *runs]
        child = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
        output, _ = await child.communicate()
    told = json.loads(output)
    words = (
        f"median {told['median_ms']:.0f} ms, p99 {told['p99_ms']:.0f} ms; {told['n']} requests, {told['failed']} failed"
    )
    return [(f"{rate} mixed reads a second for {seconds:.0f} s", words, "p99 < 200 ms")]


async def as_load(url: str, rate: int, seconds: float, runs: Sequence[str]) -> None:
    """In a process of its own: reads at a steady rate, whether earlier ones have come back or not."""
    times: list[float] = []
    failed = 0
    choose = random.Random(1)
    paths = ["/", "/history", "/check", "/api/v1/runs", "/api/v1/runs?query=dapagliflozin"]
    for run_id in runs:
        paths += [f"/runs/{run_id}", f"/runs/{run_id}/evidence", f"/api/v1/runs/{run_id}"]
        paths += [f"/api/v1/runs/{run_id}/evidence", f"/api/v1/runs/{run_id}/export/ris"]

    async with httpx.AsyncClient(base_url=url, timeout=30, limits=httpx.Limits(max_connections=100)) as client:

        async def one(path: str) -> None:
            nonlocal failed
            begun = time.perf_counter()
            response = await client.get(path)
            times.append((time.perf_counter() - begun) * 1000)
            failed += response.status_code != 200

        tasks, begun = [], time.perf_counter()
        for place in range(round(rate * seconds)):
            await asyncio.sleep(max(0.0, begun + place / rate - time.perf_counter()))
            tasks.append(asyncio.create_task(one(choose.choice(paths))))
        await asyncio.gather(*tasks)
    told = {"n": len(times), "failed": failed, "median_ms": statistics.median(times), "p99_ms": quantile(times, 0.99)}
    sys.stdout.write(json.dumps(told))


async def start(rounds: int = 5) -> list[Row]:
    """`openwork up` from its start to its greeting, with the web app and without."""
    took: dict[str, list[float]] = {"0": [], "-1": []}
    for _ in range(rounds):
        for port, times in took.items():
            times.append(await asyncio.to_thread(_up, port))
    with_web, without = statistics.median(took["0"]), statistics.median(took["-1"])
    words = f"{with_web:.2f} s with, {without:.2f} s without: {with_web - without:+.2f} s"
    return [("openwork up to its greeting: median", words, "at most +0.5 s")]


def _up(web_port: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "OPENWORK_HOME": folder, "OPENWORK_SOURCES": "library"}
        command = [str(_BIN / "openwork"), "up", "--nats-port", "0", "--web-port", web_port]
        begun = time.perf_counter()
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as up:
            assert up.stdout is not None
            for line in up.stdout:
                if line.startswith("Ctrl-C"):
                    break
            took = time.perf_counter() - begun
            up.terminate()
    return took


PARTS = {"pages": pages, "step": step, "readers": readers, "reads": reads, "start": start}


async def main(only: Sequence[str]) -> None:
    """Measure and print."""
    for name in only:
        for what, found, wanted in await PARTS[name]():
            sys.stdout.write(f"{what}: {found}   (wanted: {wanted})\n")
            sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--as-readers", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--as-load", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.as_readers:
        address, server, run, n_readers = chosen.as_readers
        loop.run(as_readers(address, server, run, int(n_readers)))
    elif chosen.as_load:
        loop.run(as_load(chosen.as_load[0], int(chosen.as_load[1]), float(chosen.as_load[2]), chosen.as_load[3:]))
    else:
        loop.run(main(chosen.only.split(",")))
