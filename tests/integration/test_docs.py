"""The Python of docs/events.md runs as it stands there."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import nats
import pytest
from openwork_bus.run_ids import new_run_id
from openwork_laptop.stack import Stack, prepare

from tests.conftest import ROOT
from tests.nats_server import OpenServer

pytestmark = pytest.mark.nats

BLOCKS = re.findall(r"<!-- tested.*?-->\n```python\n(.*?)```", (ROOT / "docs" / "events.md").read_text(), re.DOTALL)


async def run_script(code: str, folder: Path, url: str) -> str:
    """What the code prints when it is run as a script of its own."""
    script = folder / "client.py"
    script.write_text(code)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(script),
        env={**os.environ, "OPENWORK_NATS_URL": url},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.fixture
async def services(nats_server: OpenServer) -> AsyncIterator[str]:
    """URL of a server on which every service runs."""
    await prepare(nats_server.url)
    stack = Stack(nats_server.asker_url, logins=nats_server.logins)
    await stack.start()
    yield nats_server.asker_url
    await stack.stop()


async def test_the_client_asks_and_lists(services: str, tmp_path: Path) -> None:
    first, *rest = (await run_script(BLOCKS[0], tmp_path, services)).splitlines()
    status, run_id = first.split()
    assert status == "answered"
    assert any(line.startswith("supported (") for line in rest)
    assert rest[-1].startswith(f"{run_id} answered Do omega-3")


async def test_requests_alone_ask_and_wait(services: str, tmp_path: Path) -> None:
    run_id, status = (await run_script(BLOCKS[1], tmp_path, services)).split()
    assert (len(run_id), status) == (26, "answered")


async def test_a_question_is_published_to_the_inbox_and_its_document_heard(services: str, tmp_path: Path) -> None:
    first, second, last = (await run_script(BLOCKS[2], tmp_path, services)).splitlines()
    assert first == "1 stored"
    assert second in ("2 stored", "2 was there already 10077")  # taken by then, or waiting still: one run either way
    assert last.split()[1] == "answered"


async def test_a_question_waits_in_the_inbox_while_no_gateway_runs(nats_server: OpenServer) -> None:
    await prepare(nats_server.url)
    run_id = new_run_id()
    asker = await nats.connect(nats_server.asker_url)
    heard = await asker.subscribe(f"openwork.results.{run_id}")
    await asker.jetstream().publish(f"openwork.inbox.{run_id}", b'{"question": "Does aspirin prevent stroke?"}')
    stack = Stack(nats_server.asker_url, logins=nats_server.logins)
    await stack.start()
    kinds: list[str] = []
    while "document" not in kinds:
        kinds.append(((await heard.next_msg(timeout=20)).headers or {})["Openwork-Result"])
    assert kinds.count("document") == 1
    await asker.close()
    await stack.stop()
