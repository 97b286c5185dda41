"""docs/adding-a-service.md, followed word by word in a copy of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.processes

PAGE = (ROOT / "docs" / "adding-a-service.md").read_text()
COMMANDS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
(EVENT,) = re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What git tracks and what it would; the environment is made there by the page's own commands."""
    target = tmp_path / "open-work"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():  # one that was removed and not committed is listed still
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    if (ROOT / ".venv-tools").is_dir():
        (target / ".venv-tools").symlink_to(ROOT / ".venv-tools")  # uv, where it had to be fetched
    return target


def run(script: str, folder: Path) -> str:
    """What a block of commands prints; its output is the message when it fails."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("OPENWORK_", "VIRTUAL_ENV"))}
    env |= {"OPENWORK_HOME": str(folder / ".home"), "MAKEFLAGS": ""}
    done = subprocess.run(["bash", "-ec", script], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{script}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def test_the_page_gives_a_service_that_answers_its_first_event(copy: Path) -> None:
    """Needs what `make setup` needs: a package index, or uv's cache of it."""
    first, afterwards = COMMANDS
    assert EVENT in run(first, copy)
    run(".venv/bin/python -m deploy.generate --check", copy)
    run(afterwards, copy)
