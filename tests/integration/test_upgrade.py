"""A rolling upgrade with real processes: old and new ones share the consumers, then the old ones are drained.

"New" is the same code with contracts that have one optional field more, in every event.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections import Counter
from pathlib import Path

import openwork_contracts
import pytest
from openwork_bus.codec import unpack
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_contracts.question import AskRequest, QuerySubmitted
from openwork_contracts.subjects import CONSUMERS, DEAD_LETTER_STREAM, STREAM, end_filter, lanes
from openwork_gateway.domain.folds import fold
from openwork_laptop.processes import Processes
from openwork_laptop.stack import client, prepare

from tests.asking import submit
from tests.nats_server import OpenServer

pytestmark = [pytest.mark.nats, pytest.mark.processes]

QUESTIONS = (
    "Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease",
    "Do SGLT2 inhibitors reduce hospitalisation in heart failure with preserved ejection fraction?",
    "Norepinephrine versus vasopressin in septic shock, is mortality different?",
    "Do omega-3 fatty acids reduce major cardiovascular events?",
)
ADDED = "added_in_the_next_version"


def newer_contracts(folder: Path) -> Path:
    """A copy of the contracts in which every event has one optional field more; what to put on PYTHONPATH."""
    source = Path(openwork_contracts.__file__).parent
    target = folder / "openwork_contracts"
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    meta = (target / "meta.py").read_text()
    line = "    trace_id: Text | None = None\n"
    assert meta.count(line) == 1
    # Computed, since what has its default is left out on the bus.
    field = f'    @computed_field\n    @property\n    def {ADDED}(self) -> str:\n        return "yes"\n\n'
    newer = meta.replace(line, f"{line}{field}")
    newer = newer.replace("import AwareDatetime,", "import AwareDatetime, computed_field,")
    (target / "meta.py").write_text(newer)
    return folder


async def ask(bus: JetStreamBus, n: int) -> list[str]:
    """Ask n questions, a tenth of a second apart; their run ids."""
    runs = []
    for index in range(n):
        request = AskRequest(question=QUESTIONS[index % len(QUESTIONS)])
        reply = await submit(bus, request, ServiceSettings())
        assert reply.run_id is not None
        runs.append(reply.run_id)
        await asyncio.sleep(0.1)
    return runs


async def all_ended(bus: JetStreamBus, runs: list[str]) -> None:
    for run_id in runs:
        while not await bus.subjects(end_filter(run_id)):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def versions(bus: JetStreamBus, run_id: str) -> Counter[str]:
    """How many of a run's events were written by old and by new processes."""
    js = bus.connection.jetstream()
    counted: Counter[str] = Counter()
    for stored in await bus.history(run_id):
        body = json.loads(unpack((await js.get_msg(STREAM, stored.sequence)).data or b""))
        if not isinstance(stored.event, QuerySubmitted):  # the test itself lets questions in
            counted["new" if ADDED in body["meta"] else "old"] += 1
    return counted


async def test_nothing_is_lost_or_doubled_while_old_processes_are_replaced_by_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Questions all the time: with the old ones alone, with both, while the old ones drain, with the new ones alone."""
    monkeypatch.setenv("OPENWORK_LOG_LEVEL", "ERROR")
    monkeypatch.setenv("OPENWORK_GRACEFUL_TIMEOUT_S", "20")
    server = OpenServer(tmp_path / "nats")
    await server.start()
    await prepare(server.url)
    old, new = Processes(server.asker_url, logins=server.logins), Processes(server.asker_url, logins=server.logins)
    try:
        await old.start()
        async with client(server.url) as bus:
            before = await ask(bus, 4)
            await asyncio.wait_for(all_ended(bus, before), 90)
            monkeypatch.setenv("PYTHONPATH", str(newer_contracts(tmp_path / "next")))
            await new.start()
            # Side by side; it is an upgrade in progress when one run has events of both.
            mixed: list[str] = []
            async with asyncio.timeout(120):
                while True:
                    runs = await ask(bus, 2)
                    await all_ended(bus, runs)
                    mixed += runs
                    if len(await versions(bus, runs[-1])) == 2:
                        break
            draining = asyncio.create_task(old.stop(timeout_s=40))
            during = await ask(bus, 12)
            await draining
            after = await ask(bus, 4)
            await asyncio.wait_for(all_ended(bus, [*during, *after]), 90)
            histories = {run_id: await bus.history(run_id) for run_id in [*before, *mixed, *during, *after]}
            assert set(await versions(bus, before[0])) == {"old"}
            assert set(await versions(bus, after[-1])) == {"new"}
            js = bus.connection.jetstream()
            assert (await js.stream_info(DEAD_LETTER_STREAM)).state.messages == 0
            for spec in lanes(CONSUMERS):
                info = await js.consumer_info(STREAM, spec.durable)
                assert info.num_pending == 0, spec.durable
    finally:
        await asyncio.gather(old.stop(timeout_s=10), new.stop(timeout_s=10))
        await server.stop()
    for run_id, history in histories.items():
        assert sum(stored.event.terminal for stored in history) == 1, run_id
        assert max(Counter(stored.subject for stored in history).values()) == 1, run_id
        assert fold(history).status.value == "answered", run_id
