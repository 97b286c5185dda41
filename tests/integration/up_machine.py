"""`openwork up` with its web app, on a machine of its own."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.integration.command_machine import LIMIT_S, OPENWORK, Machine


@dataclass(frozen=True)
class Up:
    """Where it is reached."""

    nats: str
    web: str
    machine: Machine


@contextmanager
def up_on(machine: Machine) -> Iterator[Up]:
    """It runs until the end; then it ends by itself."""
    said = machine.folder / "up.log"
    with said.open("w") as errors:
        process = subprocess.Popen(
            [OPENWORK, "up", "--nats-port", "0", "--web-port", "0"],
            cwd=machine.folder,
            env=machine.environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdout is not None
    told = {}
    for line in process.stdout:
        if "Ctrl-C" in line:
            break
        name, _, rest = line.partition(" ")
        told[name] = rest.strip()
    assert "NATS" in told, said.read_text()
    try:
        yield Up(told["NATS"], told["web"], machine)
    finally:
        process.send_signal(signal.SIGINT)
        process.stdout.close()
        assert process.wait(LIMIT_S) == 0
