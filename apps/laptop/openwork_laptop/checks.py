"""What `openwork doctor` looks at. Each check says what it found and, where it is a fault, what to do."""

from __future__ import annotations

import asyncio
import platform
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from openwork_bus.fullness import Limits
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.readiness import MEND
from openwork_bus.settings import ServiceSettings
from openwork_contracts.errors import FailureReason, OpenWorkError

from openwork_laptop.embedded import EmbeddedServer, server_binary
from openwork_laptop.home import Home
from openwork_laptop.logins import logins_in
from openwork_laptop.supervision import free_bytes, require_room

_NOT_RUNNING = "no services run here; those of another machine are looked at with --server"
_SOURCES_S = 8.0
"""Seconds for each source to answer one small question: longer than any of them needs, short for who waits."""
_TO_MEND = frozenset({FailureReason.REFUSED.value, FailureReason.CHANGED.value, FailureReason.TOO_LARGE.value})
"""Not the network's fault and not gone by itself: a wrong key or address, or an API that is not what it was."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's result. state: ok, off (not configured, not needed), warn (a fault to come), or fault."""

    name: str
    state: str
    detail: str


async def run_checks(server: str | None = None) -> list[Finding]:
    """All checks, in the order in which an answer needs them.

    Args:
        server: URL of services that run elsewhere; `None` = those of this machine, if they run.
    """
    checks: tuple[tuple[str, Callable[[], Awaitable[Finding]]], ...] = (
        ("python", _python),
        ("nats-server", _binary),
        ("embedded bus", _bus),
        ("storage", partial(_storage, server)),
        ("consumers", partial(_consumers, server)),
        ("data folder", _folder),
        ("library", _library),
        ("lexicon", _lexicon),
        ("sources", _sources),
        ("models", _models),
        ("tracing", _tracing),
    )
    findings = []
    for name, check in checks:
        try:
            findings.append(await check())
        except (OpenWorkError, OSError, subprocess.SubprocessError) as error:
            findings.append(Finding(name, "fault", str(error)))
    return findings


async def _python() -> Finding:
    state = "ok" if sys.version_info >= (3, 11) else "fault"
    return Finding("python", state, f"{platform.python_version()} on {platform.system()} {platform.machine()}")


async def _binary() -> Finding:
    command = [server_binary(), "--version"]
    version = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=10, check=True)
    return Finding("nats-server", "ok", version.stdout.strip())


async def _bus() -> Finding:
    from openwork_laptop.stack import prepare

    with tempfile.TemporaryDirectory(prefix="openwork-doctor-") as folder:
        server = EmbeddedServer(Path(folder))
        await server.start()
        try:
            await prepare(server.url, server.logins)
        finally:
            await server.stop()
    return Finding("embedded bus", "ok", "starts, takes its streams and consumers, stops")


async def _storage(server: str | None) -> Finding:
    from openwork_laptop.running import fullness

    async with _operated(server) as bus:
        if bus is None:
            return Finding("storage", "off", _NOT_RUNNING)
        settings = ServiceSettings()
        limits = Limits(settings.storage_warn_from, settings.storage_fault_from)
        level, words = await fullness(bus.connection.jetstream(timeout=5), limits)
    return Finding("storage", level.value, words)


async def _consumers(server: str | None) -> Finding:
    from openwork_laptop.running import changed_consumers

    async with _operated(server) as bus:
        if bus is None:
            return Finding("consumers", "off", _NOT_RUNNING)
        wrong = await changed_consumers(bus.connection.jetstream(timeout=5))
    if wrong:
        return Finding("consumers", "fault", f"{'; '.join(wrong)}; {MEND}")
    return Finding("consumers", "ok", "all are there, as the contracts say")


@asynccontextmanager
async def _operated(server: str | None) -> AsyncIterator[JetStreamBus | None]:
    """The bus that runs, for the operator; `None` = none does."""
    from openwork_laptop.stack import client

    home = Home()
    running = home.running()
    url = server or (running.url if running and running.stays else None)
    if url is None:
        yield None
        return
    async with client(url, None if server else logins_in(home.folder)) as bus:
        yield bus


async def _folder() -> Finding:
    home = Home()
    running = home.running()
    require_room(home.folder)
    home.folder.mkdir(parents=True, exist_ok=True)
    probe = home.folder / ".write-test"
    probe.write_text("")
    probe.unlink()
    where = f"; `openwork up` runs at {running.url}" if running and running.stays else ""
    free = f"{free_bytes(home.folder) // 2**20} MiB free"
    return Finding("data folder", "ok", f"{home.folder} can be written, {free}{where}")


async def _library() -> Finding:
    from openwork_evidence.library.check import check_records
    from openwork_evidence.library.record import load_shipped

    records = load_shipped()
    findings = check_records(records)
    if findings:
        return Finding("library", "fault", f"{len(findings)} findings, see `openwork library check`")
    return Finding("library", "ok", f"{len(records)} records on {len({r.topic for r in records})} topics")


async def _lexicon() -> Finding:
    from openwork_language.terms import find_terms

    found = find_terms("apixaban in atrial fibrillation")
    state = "ok" if len(found) == 2 else "fault"
    return Finding("lexicon", state, f"finds {', '.join(term.name for term in found)}")


async def _sources() -> Finding:
    from openwork_laptop.sources import check_sources

    has_library = "library" in ServiceSettings().source_names
    return judge_sources(await check_sources(_SOURCES_S), has_library=has_library)


def judge_sources(rows: Sequence[Mapping[str, object]], *, has_library: bool) -> Finding:
    """What the answers of the sources mean.

    No network is no fault where the library is on, since every question is still answered from it; a source that
    refuses or answers in another form is one, network or not: somebody has to look.

    Args:
        rows: as `sources.check_sources` gives them.
        has_library: whether the library is among the configured sources.
    """
    asked = [row for row in rows if row["state"] != "off"]
    failed = [row for row in asked if row["state"] == "failed"]
    told = "".join(f"; {row['name']}: {row['detail']}" for row in rows if row["state"] == "off")
    if not asked:
        return Finding("sources", "off" if has_library else "fault", f"no outside source is asked{told}")
    if not failed:
        return Finding("sources", "ok", f"all {len(asked)} that are on answer{told}")
    to_mend = any(row["reason"] in _TO_MEND for row in failed)
    if len(failed) == len(asked):
        then = "questions are answered from the library" if has_library else "no question can be answered"
        state = "fault" if to_mend or not has_library else "off"
        return Finding("sources", state, f"none of {len(asked)} answers, {then}: {_by_reason(failed)}{told}")
    state = "fault" if to_mend else "ok"
    return Finding("sources", state, f"{len(asked) - len(failed)} of {len(asked)} answer: {_by_reason(failed)}{told}")


def _by_reason(failed: Sequence[Mapping[str, object]]) -> str:
    """Names that failed in the same way together, with the first one's own words."""
    groups: dict[object, list[Mapping[str, object]]] = {}
    for row in failed:
        groups.setdefault(row["reason"], []).append(row)
    return "; ".join(
        f"{', '.join(str(row['name']) for row in rows)} {reason} ({rows[0]['detail']})"
        for reason, rows in groups.items()
    )


async def _models() -> Finding:
    from openwork_llm.settings import ModelSettings

    settings = ModelSettings()
    return Finding("models", "off" if settings.model_provider == "none" else "ok", settings.summary)


async def _tracing() -> Finding:
    endpoint = ServiceSettings().otlp_endpoint
    if endpoint is None:
        return Finding("tracing", "off", "set OPENWORK_OTLP_ENDPOINT to a Phoenix or OTLP/HTTP collector to see traces")
    return Finding("tracing", "ok", f"spans go to {endpoint}")
