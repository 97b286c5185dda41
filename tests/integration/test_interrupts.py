"""Ctrl-C at any moment: one line, and nothing of the command is left, no server, no child, no temporary folder."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.integration.command_machine import LIMIT_S, OPENWORK, Machine

pytestmark = [
    pytest.mark.nats,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="what runs is read from /proc"),
]
QUESTION = "Do omega-3 fatty acids reduce major cardiovascular events?"
ENDED = {130: "openwork: interrupted\n", 0: ""}
"""Exit codes, and what stands on stderr: too late is no fault, the answer was there."""


def running_with(folder: Path) -> list[str]:
    """Command lines of processes that were started with this folder in their environment or arguments."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
                if str(folder).encode() in told:
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:  # it ended, or is another user's
                continue
    return found


def interrupted(folder: Path, after_s: float, *, times: int = 1) -> tuple[int, str]:
    """Exit code and stderr of `openwork ask` that is sent SIGINT."""
    machine = Machine(folder)
    (folder / "tmp").mkdir()
    process = subprocess.Popen(
        [OPENWORK, "ask", QUESTION],
        cwd=folder,
        env=machine.environment | {"TMPDIR": str(folder / "tmp")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    for _ in range(times):
        time.sleep(after_s)
        process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=LIMIT_S)
    finally:
        process.kill()
    return process.returncode, err


@pytest.mark.parametrize("after_s", [0.4, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4])
def test_an_interrupt_ends_everything_with_one_line(tmp_path: Path, after_s: float) -> None:
    """While it is loaded, while the server and the services start, while it searches and writes."""
    code, err = interrupted(tmp_path, after_s)
    assert ENDED.get(code) == err, (code, err)
    assert running_with(tmp_path) == []
    assert list((tmp_path / "tmp").iterdir()) == []
    assert list((tmp_path / "home").glob("*.ports")) == []


def test_a_second_interrupt_while_it_ends_leaves_no_server(tmp_path: Path) -> None:
    code, err = interrupted(tmp_path, 1.2, times=2)
    assert "Traceback" not in err
    assert code in ENDED
    for _ in range(100):  # a server that was told to stop does
        if not running_with(tmp_path):
            break
        time.sleep(0.1)
    assert running_with(tmp_path) == []
