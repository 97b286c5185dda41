"""Memory and processor time of each service as a process of its own: what resource requests are made from.

    python scripts/measure_services.py [--questions 30] [--at-once 4]

Linux only (/proc). Prints a Markdown table: resident memory idle and at its highest, CPU time to start and per answer.
The services are measured with questions that come over NATS, the HTTP API with as many that come through it: begun,
followed to the end as its page does, read.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import httpx
import openwork
from openwork_laptop.embedded import EmbeddedServer
from openwork_laptop.stack import ASKERS, SERVICES, prepare

QUESTIONS = (
    "Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease",
    "Do SGLT2 inhibitors reduce hospitalisation in heart failure with preserved ejection fraction?",
    "Norepinephrine versus vasopressin in septic shock, is mortality different?",
    "Do omega-3 fatty acids reduce major cardiovascular events?",
)
_TICKS = os.sysconf("SC_CLK_TCK")
Row = tuple[str, float, float, float, float]
"""Service, MiB idle, MiB at most, CPU seconds until the first answer, CPU milliseconds per answer."""


def memory_mib(pid: int, field: str) -> float:
    """VmRSS (now) or VmHWM (highest) of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def cpu_s(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


async def answer(ask: Callable[[str], Awaitable[object]], n: int, at_once: int) -> None:
    """Ask n questions, some at a time, and wait for their answers."""
    gate = asyncio.Semaphore(at_once)

    async def one(index: int) -> None:
        async with gate:
            while True:
                try:
                    await ask(QUESTIONS[index % len(QUESTIONS)])
                    return
                except (
                    openwork.BusUnavailable,
                    httpx.TransportError,
                    httpx.HTTPStatusError,
                ):  # they are still starting
                    await asyncio.sleep(0.2)

    await asyncio.gather(*(one(index) for index in range(n)))


async def ask_over_http(client: httpx.AsyncClient, question: str) -> None:
    """What a browser does: begin, follow the events to the end, get the document."""
    begun = (await client.post("/api/v1/runs", json={"question": question})).raise_for_status().json()
    async with client.stream("GET", begun["links"]["events"]) as told:
        async for _ in told.aiter_bytes():
            pass
    (await client.get(begun["links"]["self"])).raise_for_status()


async def watched(pids: dict[str, int], ask: Callable[[str], Awaitable[object]], n: int, at_once: int) -> list[Row]:
    """Rows of these processes, while n questions are asked."""
    await answer(ask, 1, 1)
    before = {name: (memory_mib(pid, "VmRSS"), cpu_s(pid)) for name, pid in pids.items()}
    await answer(ask, n, at_once)
    return [
        (name, before[name][0], memory_mib(pid, "VmHWM"), before[name][1], (cpu_s(pid) - before[name][1]) / n * 1000)
        for name, pid in pids.items()
    ]


async def measure(n: int, at_once: int) -> list[Row]:
    """Every service as a process; those that are askers last, with questions of their own."""
    with tempfile.TemporaryDirectory(prefix="openwork-measure-") as folder:
        server = EmbeddedServer(Path(folder))
        await server.start()
        await prepare(server.url, server.logins)
        port = free_port()
        env = {
            **os.environ,
            "OPENWORK_NATS_URL": server.url,
            "OPENWORK_HEALTH_PORT": "0",
            "OPENWORK_API_PORT": str(port),
            "OPENWORK_LOG_LEVEL": "ERROR",
        }
        children = {
            name: await asyncio.create_subprocess_exec(
                sys.executable, "-m", f"openwork_{name}", env={**env, **server.logins.variables_of(name)}
            )
            for name in (*SERVICES, *ASKERS)
        }
        pids = {name: child.pid for name, child in children.items()}
        try:
            taking = {name: pids[name] for name in SERVICES} | {"nats-server": server.pid}
            async with openwork.connect(server.url) as asker:
                rows = await watched(taking, asker.ask, n, at_once)
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                asking = {name: pids[name] for name in ASKERS}
                return rows + await watched(asking, lambda question: ask_over_http(client, question), n, at_once)
        finally:
            for child in children.values():
                child.terminate()
            await asyncio.gather(*(child.wait() for child in children.values()))
            await server.stop()


def free_port() -> int:
    """A port of loopback that nobody has just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--at-once", type=int, default=4)
    chosen = parser.parse_args(arguments)
    os.environ.setdefault("OPENWORK_SOURCES", "library")
    rows = asyncio.run(measure(chosen.questions, chosen.at_once))
    out = ["| service | MiB idle | MiB highest | CPU s to start | CPU ms per answer |", "|---|---|---|---|---|"]
    out += [f"| {name} | {idle:.0f} | {top:.0f} | {start:.1f} | {each:.0f} |" for name, idle, top, start, each in rows]
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
