"""The Python of docs/events.md runs as it stands there."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from openwork_contracts.question import QuerySubmitted
from openwork_contracts.subjects import STREAM, spec_of
from openwork_laptop.embedded import EmbeddedServer
from openwork_laptop.stack import Stack, client, prepare

from tests.conftest import ROOT

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
async def services(nats_server: EmbeddedServer) -> AsyncIterator[str]:
    """URL of a server on which every service runs."""
    await prepare(nats_server.url)
    stack = Stack(nats_server.url)
    await stack.start()
    yield nats_server.url
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


async def test_the_events_of_a_run_can_be_followed_to_its_end(services: str, tmp_path: Path) -> None:
    printed = (await run_script(BLOCKS[2], tmp_path, services)).split()
    assert len(printed[0]) == 26
    assert printed[1] == "query-submitted"
    assert printed[-2:] == ["end", "completed"]
    assert "evidence-normalised" in printed


async def test_a_question_published_twice_with_its_own_run_id_is_one_run(
    nats_server: EmbeddedServer, tmp_path: Path
) -> None:
    await prepare(nats_server.url)
    printed = await run_script(BLOCKS[3], tmp_path, nats_server.url)
    assert re.fullmatch(r"1 stored (\w{26})\n2 was there already 10071\n", printed)
    async with client(nats_server.url) as bus:
        info = await bus.connection.jetstream().stream_info(STREAM, subjects_filter=spec_of(QuerySubmitted).filter())
    assert list((info.state.subjects or {}).values()) == [1]
