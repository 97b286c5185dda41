"""The Python of docs/events.md runs as it stands there."""

from __future__ import annotations

import asyncio
import os
import re
import sys
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


async def test_a_request_to_openwork_ask_starts_a_run_that_any_client_can_follow(
    nats_server: EmbeddedServer, tmp_path: Path
) -> None:
    await prepare(nats_server.url)
    stack = Stack(nats_server.url)
    await stack.start()
    try:
        printed = (await run_script(BLOCKS[0], tmp_path, nats_server.url)).split()
    finally:
        await stack.stop()
    assert len(printed[0]) == 26
    assert printed[1] == "query-submitted"
    assert printed[-1] == "answer-completed"
    assert "evidence-normalised" in printed


async def test_a_question_published_twice_with_its_own_run_id_is_one_run(
    nats_server: EmbeddedServer, tmp_path: Path
) -> None:
    await prepare(nats_server.url)
    printed = await run_script(BLOCKS[1], tmp_path, nats_server.url)
    assert re.fullmatch(r"1 stored (\w{26})\n2 was there already 10071\n", printed)
    async with client(nats_server.url) as bus:
        info = await bus.connection.jetstream().stream_info(STREAM, subjects_filter=spec_of(QuerySubmitted).filter())
    assert list((info.state.subjects or {}).values()) == [1]
