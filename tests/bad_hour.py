"""A bad hour, made on purpose, with every part for real, and what figures, traces and the page tell of it afterwards.

python -m tests.bad_hour [--scale 1.0] [--out out/bad-hour]

All services as processes, NATS, the web app, Phoenix (`make phoenix` installs it), Debian's Prometheus with our rules;
outside services and the language model are the local stand-ins. A question every eight seconds for 29 minutes; between
the third and the twentieth minute four things go wrong, one after the other and at the same time. Prints what went
wrong when, which alerts fired when, what the observatory says, and which spans of traces bear an error; leaves all of
it in `--out`, and the pages can be looked at until Ctrl-C with `--stay`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import httpx
import yaml
from openwork_bus import loop

from tests.eval.answers.questions import load_rows
from tests.fakes.models.server import FakeModels, fake_models
from tests.fakes.upstream.app import environment, upstream
from tests.fakes.upstream.server import Server
from tests.free_ports import free_ports, free_row

ROOT = Path(__file__).resolve().parents[1]
OPENWORK = Path(sys.executable).with_name("openwork")
RULES = ROOT / "deploy/observability/rules.yml"
SOURCES = "library,pubmed,europepmc,clinicaltrials"
ASK_EVERY_S = 8.0
FROZEN = "synthesiser"
PROJECT = "bad-hour"
END_MINUTE = 29.0
N_PROCESSES = 10
"""Of `openwork up --processes` with the sources above: gateway to verifier, and the web app."""


@dataclass
class House:
    """What runs."""

    out: Path
    outside: Server
    models: FakeModels
    services: asyncio.subprocess.Process
    web: str
    prometheus: str
    phoenix: str
    phoenix_process: asyncio.subprocess.Process
    environ: Mapping[str, str]
    told: list[tuple[float, str]] = field(default_factory=list)
    """What was done, and when (seconds since 1970)."""
    ends: Counter[str] = field(default_factory=Counter)
    """How the questions ended, as their asker saw it."""

    def tell(self, words: str) -> None:
        """Note what was done now."""
        self.told.append((time.time(), words))
        sys.stderr.write(f"{datetime.now(UTC):%H:%M:%S} {words}\n")


def pids_of(parent: int, service: str) -> list[int]:
    """Processes of a service below `openwork up`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            command = path.read_bytes().replace(b"\0", b" ").decode()
            status = (path.parent / "status").read_text()
            child_of = re.search(r"^PPid:\t(\d+)", status, re.MULTILINE)
            if child_of and int(child_of[1]) == parent and f"openwork_{service}" in command:
                found.append(int(path.parent.name))
    return found


def source_down(house: House) -> None:
    """PubMed answers 503."""
    house.outside.fault("503", "/entrez/eutils")


def source_back(house: House) -> None:
    """PubMed answers again."""
    house.outside.faults.clear()


def model_errs(house: House) -> None:
    """The writer invents results beside those of its sources."""
    house.models.plan("hallucinate")


def model_right(house: House) -> None:
    """The writer writes what its sources say."""
    house.models.planned.clear()


def frozen(house: House) -> None:
    """The synthesiser stands still: its process is there and does nothing."""
    for pid in pids_of(house.services.pid, FROZEN):
        os.kill(pid, signal.SIGSTOP)


def thawed(house: House) -> None:
    """The synthesiser goes on."""
    for pid in pids_of(house.services.pid, FROZEN):
        os.kill(pid, signal.SIGCONT)


async def phoenix_gone(house: House) -> None:
    """Phoenix is stopped."""
    house.phoenix_process.terminate()
    await house.phoenix_process.wait()


async def phoenix_back(house: House) -> None:
    """Phoenix is started again, on its own data."""
    house.phoenix_process = await started_phoenix(house.out, house.phoenix, house.environ)


TIMELINE: tuple[tuple[float, Callable[[House], Any]], ...] = (
    (3, source_down),
    (5, model_errs),
    (11, source_back),
    (12, frozen),
    (14, phoenix_gone),
    (16, model_right),
    (17.5, thawed),
    (20, phoenix_back),
)
"""Minute, and what happens then."""


# --- what runs -------------------------------------------------------------------------------------------------------


async def process(*command: str, log: Path, environ: Mapping[str, str]) -> asyncio.subprocess.Process:
    """Started, its words into a file."""
    with log.open("ab") as file:
        return await asyncio.create_subprocess_exec(*command, stdout=file, stderr=file, env=dict(environ), cwd=ROOT)


async def ended(one: asyncio.subprocess.Process, within_s: float = 60.0) -> None:
    """Told to stop, and killed where that does not help."""
    if one.returncode is None:
        one.terminate()
        try:
            await asyncio.wait_for(one.wait(), within_s)
        except TimeoutError:
            one.kill()
            await one.wait()


async def answers(url: str, within_s: float) -> None:
    """Until an address answers with 200. Raises: TimeoutError."""
    async with asyncio.timeout(within_s), httpx.AsyncClient(timeout=5) as client:
        while True:
            with suppress(httpx.HTTPError):
                if (await client.get(url)).status_code == 200:
                    return
            await asyncio.sleep(0.5)


async def started_phoenix(out: Path, url: str, environ: Mapping[str, str]) -> asyncio.subprocess.Process:
    """Phoenix, when it answers."""
    found = await process(str(ROOT / ".phoenix-venv/bin/phoenix"), "serve", log=out / "phoenix.log", environ=environ)
    await answers(f"{url}/healthz", 180)
    return found


def prometheus_config(out: Path, first_port: int) -> Path:
    """Our rules, and every process of `openwork up --processes`."""
    targets = [f"127.0.0.1:{first_port + place}" for place in range(N_PROCESSES)]
    config = {
        "global": {"scrape_interval": "10s", "evaluation_interval": "10s"},
        "rule_files": [str(RULES)],
        "scrape_configs": [{"job_name": "openwork", "honor_labels": True, "static_configs": [{"targets": targets}]}],
    }
    path = out / "prometheus.yml"
    path.write_text(yaml.safe_dump(config))
    return path


@asynccontextmanager
async def house(out: Path) -> AsyncIterator[House]:
    """All of it, well and ready."""
    await asyncio.to_thread(shutil.rmtree, out, ignore_errors=True)
    await asyncio.to_thread(out.mkdir, parents=True)
    nats, web, prometheus, phoenix, grpc = free_ports(5)
    health = free_row(N_PROCESSES)
    urls = {name: f"http://127.0.0.1:{port}" for name, port in (("web", web), ("prom", prometheus), ("phx", phoenix))}
    async with AsyncExitStack() as stack:
        outside = await stack.enter_async_context(upstream(recorded=False))
        outside.answers_after_s = 0.3
        models = await stack.enter_async_context(fake_models())
        environ = {
            **os.environ,
            **environment(outside.url),
            **models.gemini_env(),
            "OPENWORK_HOME": str(out / "home"),
            "OPENWORK_SOURCES": SOURCES,
            "OPENWORK_REACHABILITY_FILE": "",
            "OPENWORK_NCBI_API_KEY": "any",
            "OPENWORK_OTLP_ENDPOINT": urls["phx"],
            "OPENWORK_TRACE_PROJECT": PROJECT,
            "OPENWORK_API_TRACES_URL": urls["phx"],
            "PHOENIX_PORT": str(phoenix),
            "PHOENIX_GRPC_PORT": str(grpc),
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_WORKING_DIR": str(out / "phoenix"),
            "PHOENIX_TELEMETRY_ENABLED": "false",
            "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
        }
        traces = await started_phoenix(out, urls["phx"], environ)
        stack.push_async_callback(ended, traces)
        ports = ("--nats-port", str(nats), "--web-port", str(web), "--health-port", str(health))
        services = await process(str(OPENWORK), "up", "--processes", *ports, log=out / "services.log", environ=environ)
        stack.push_async_callback(ended, services)
        await answers(f"{urls['web']}/readyz", 120)
        config = prometheus_config(out, health)
        flags = (f"--config.file={config}", f"--storage.tsdb.path={out / 'tsdb'}")
        listening = f"--web.listen-address=127.0.0.1:{prometheus}"
        server = await process("prometheus", *flags, listening, log=out / "prometheus.log", environ=environ)
        stack.push_async_callback(ended, server)
        await answers(f"{urls['prom']}/-/ready", 60)
        found = House(out, outside, models, services, urls["web"], urls["prom"], urls["phx"], traces, environ)
        try:
            yield found
        finally:
            thawed(found)
            await ended(found.phoenix_process)


# --- the hour --------------------------------------------------------------------------------------------------------


async def keep_asking(house: House) -> None:
    """One question after the other, each followed to its end by a task of its own."""
    # Each another one: what was asked before is answered from caches, whatever goes wrong outside.
    questions = [row.question for part in ("open", "second") for row in load_rows(part)]
    Random(0).shuffle(questions)  # else those of a kind stand together, and the ones without an answer too
    async with httpx.AsyncClient(base_url=house.web, timeout=150) as client, asyncio.TaskGroup() as group:
        place = 0
        while True:
            group.create_task(one(house, client, questions[place % len(questions)]))
            place += 1
            await asyncio.sleep(ASK_EVERY_S)


async def one(house: House, client: httpx.AsyncClient, question: str) -> None:
    """A question until its document is there; how it ended is counted."""
    try:
        begun = (await client.post("/api/v1/runs", json={"question": question})).raise_for_status().json()
        shown = await client.get(begun["links"]["self"], params={"wait_s": 30})
        give_up = time.monotonic() + 180
        while (told := shown.json()).get("status") in (None, "running") and time.monotonic() < give_up:
            await asyncio.sleep(1)
            shown = await client.get(begun["links"]["self"], params={"wait_s": 30})
        house.ends[str(told.get("status"))] += 1
    except httpx.HTTPStatusError as error:
        house.ends[f"refused with {error.response.status_code}"] += 1
    except httpx.HTTPError as error:
        house.ends[f"lost: {type(error).__name__}"] += 1


async def the_hour(house: House, scale: float) -> None:
    """Everything that happens, in its minute."""
    begun = time.monotonic()
    house.tell("all is well: a question every eight seconds")
    asking = asyncio.create_task(keep_asking(house))
    for minute, happens in (*TIMELINE, (END_MINUTE, None)):
        await asyncio.sleep(max(0.0, begun + minute * 60 * scale - time.monotonic()))
        if happens is None:
            house.tell("the end")
        else:
            done = happens(house)
            if asyncio.iscoroutine(done):
                await done
            house.tell((happens.__doc__ or "").strip().rstrip("."))
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking


# --- what could be read of it ----------------------------------------------------------------------------------------


async def alerts(house: House, begun: float) -> list[tuple[str, float, float]]:
    """Alerts that fired: name with its labels, minute of the first and of the last moment."""
    asked: dict[str, str | float] = {
        "query": 'ALERTS{alertstate="firing"}',
        "start": begun,
        "end": time.time(),
        "step": 10,
    }
    async with httpx.AsyncClient(base_url=house.prometheus, timeout=30) as client:
        found = (await client.get("/api/v1/query_range", params=asked)).raise_for_status().json()["data"]["result"]
    rows: dict[str, list[float]] = {}
    for series in found:
        labels = series["metric"]
        about = [labels[name] for name in ("service", "source", "provider", "consumer", "pipeline") if name in labels]
        name = labels["alertname"] + (f" ({', '.join(about)})" if about else "")
        rows.setdefault(name, []).extend(moment for moment, _ in series["values"])
    return sorted(((name, min(at), max(at)) for name, at in rows.items()), key=lambda row: row[1])


async def observed(house: House) -> dict[str, Any]:
    """The observatory's figures of the last hour."""
    async with httpx.AsyncClient(base_url=house.web, timeout=60) as client:
        told: dict[str, Any] = (
            (await client.get("/api/v1/observatory", params={"window": "hour"})).raise_for_status().json()
        )
    return told


async def wrong_spans(house: House) -> Counter[str]:
    """Spans with an error, by name, as Phoenix has them."""
    names: Counter[str] = Counter()
    cursor: str | None = None
    async with httpx.AsyncClient(base_url=house.phoenix, timeout=60) as client:
        while True:
            asked: dict[str, Any] = {"limit": 1000, "status_code": "ERROR", **({"cursor": cursor} if cursor else {})}
            told = (await client.get(f"/v1/projects/{PROJECT}/spans", params=asked)).raise_for_status().json()
            names.update(span["name"] for span in told["data"] if span["status_code"] == "ERROR")
            cursor = told.get("next_cursor")
            if not cursor:
                return names


async def report(house: House) -> str:
    """The hour as it could be read afterwards."""
    begun = house.told[0][0]

    def minute(at: float) -> str:
        return f"{(at - begun) / 60:5.1f}"

    lines = ["# What was done", "", *(f"    {minute(at)} min  {words}" for at, words in house.told)]
    lines += ["", "# How the questions ended, by their asker", ""]
    lines += [f"    {n:>4}  {status}" for status, n in house.ends.most_common()]
    lines += ["", "# Alerts that fired", ""]
    fired = await alerts(house, begun)
    lines += [f"    {minute(first)} to {minute(last)} min  {name}" for name, first, last in fired]
    figures = await observed(house)
    claims, seconds = figures["claims"], figures["seconds"]
    lines += ["", "# The observatory, last hour", "", f"    outcomes   {figures['outcomes']}"]
    lines += [f"    claims     {claims['supported']} of {claims['claims']} supported; withheld {claims['withheld']}; "
              f"shown unsupported {claims['shown_unsupported']}"]  # fmt: skip
    lines += [f"    seconds    p50 {seconds['p50_s']}, p95 {seconds['p95_s']}, p99 {seconds['p99_s']}"]
    lines += [f"    cost       {figures['cost']['cost_usd']:.4f} dollars, {figures['cost']['model_calls']} calls"]
    lines += [
        f"    source     {one['name']}: {one['failed']} of {one['searches']} failed, last {one['last_error']}"
        for one in figures["sources"]
    ]
    lines += [
        f"    service    {one['name']}: p50 {one['seconds']['p50_s']}, p95 {one['seconds']['p95_s']}"
        for one in figures["services"]
    ]
    steps = Counter((one["step"], one["reason"]) for one in figures["failures"])
    lines += [f"    failure    {n} of the latest at {step}: {reason}" for (step, reason), n in steps.most_common()]
    lines += ["", "# Spans with an error, in Phoenix", ""]
    lines += [f"    {n:>4}  {name}" for name, n in (await wrong_spans(house)).most_common(12)]
    house.out.joinpath("observatory.json").write_text(json.dumps(figures, indent=1))
    return "\n".join(lines) + "\n"


async def main(scale: float, out: Path, *, stay: bool) -> int:
    """Make it, read it, print it."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)  # what was started is to be stopped
    async with house(out) as found:
        await the_hour(found, scale)
        told = await report(found)
        (out / "report.md").write_text(told)
        sys.stdout.write(told)
        if stay:
            sys.stderr.write(
                f"web app {found.web}/observatory, Prometheus {found.prometheus}, Phoenix {found.phoenix}\n"
            )
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="length of a minute; alerts wait for minutes")
    parser.add_argument("--out", type=Path, default=ROOT / "out/bad-hour")
    parser.add_argument("--stay", action="store_true", help="leave everything running until Ctrl-C")
    wanted = parser.parse_args()
    try:
        sys.exit(loop.run(main(wanted.scale, wanted.out.resolve(), stay=wanted.stay)))
    except asyncio.CancelledError:  # SIGTERM: what was started has been stopped
        sys.exit(128 + signal.SIGTERM)
