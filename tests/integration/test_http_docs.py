"""The Python and the shell of docs/http-api.md and docs/mcp.md run as they stand there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT
from tests.integration.command_machine import Machine
from tests.integration.up_machine import Up, up_on

pytestmark = pytest.mark.nats


def _blocks(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found: list[str] = re.findall(rf"<!-- tested.*?-->\n```{language}\n(.*?)```", text, re.DOTALL)
    return found


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up_on(Machine(tmp_path_factory.mktemp("up"))) as found:
        yield found


def _run(up: Up, *command: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "OPENWORK_API_KEY"}
    done = subprocess.run(
        command, env=environment | {"OPENWORK_URL": up.web}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_the_client_asks_finds_and_deletes(up: Up) -> None:
    (block,) = _blocks("http-api.md", "python")
    first, *rest = _run(up, sys.executable, "-c", block).splitlines()
    status, run_id = first.split()
    assert status == "answered"
    assert any(line.startswith("supported (") for line in rest)
    assert rest[-1].startswith(f"{run_id} answered Do omega-3")


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="curl and jq are not here")
def test_curl_asks_follows_reads_and_deletes(up: Up) -> None:
    (block,) = _blocks("http-api.md", "sh")
    out = _run(up, "sh", "-eu", "-c", block)
    assert "event: document" in out
    assert "\nanswered\n" in out
    assert "TY  - JOUR" in out
    assert out.splitlines()[-1] == "contradicted"


def test_an_assistant_asks_and_reads_a_passage(up: Up) -> None:
    (block,) = _blocks("mcp.md", "python")
    first, second = _run(up, sys.executable, "-c", block).splitlines()
    assert first.startswith("answered ")
    assert second.endswith("| a summary by Open Work, not the publication's own")
