"""The container engine: whether there is one, what a test does without, and containers on loopback alone."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from typing import Any, NoReturn, Self

import pytest

# Its helper container is pulled from a registry; here every container is stopped by the test that started it.
os.environ.setdefault("TESTCONTAINERS_RYUK_DISABLED", "true")

from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

__all__ = ["Container", "LogMessageWaitStrategy", "Network", "leave_out", "no_engine", "required"]


@functools.cache
def no_engine() -> str | None:
    """Why containers cannot be used here; `None` = they can. OPENWORK_NO_ENGINE says so without another look."""
    if told := os.environ.get("OPENWORK_NO_ENGINE"):
        return told
    if shutil.which("docker") is None:
        return "no container engine: there is no `docker`"
    answer = subprocess.run(["docker", "info"], capture_output=True, text=True, check=False)
    return f"no container engine answers: {answer.stderr.strip()[-200:]}" if answer.returncode else None


def required() -> bool:
    """Whether containers were asked for, so that a test without them has failed."""
    return os.environ.get("OPENWORK_CI_CONTAINERS") == "yes"


def leave_out(reason: str) -> NoReturn:
    """Skip with the reason, or fail with it where containers were asked for."""
    if required():
        pytest.fail(f"OPENWORK_CI_CONTAINERS=yes, and {reason}")
    pytest.skip(reason)


class Container(DockerContainer):
    """A container of testcontainers whose ports are published on loopback alone: 0.0.0.0 would be everybody's."""

    def publish(self, port: int, host_port: int | None = None) -> Self:
        """Publish a TCP port, on a free one where none is given."""
        ports: Any = self.ports
        ports[f"{port}/tcp"] = ("127.0.0.1", host_port)
        return self

    def address(self, port: int) -> str:
        """Host and port of this machine where that port is."""
        return f"127.0.0.1:{self.get_exposed_port(port)}"

    def logged(self) -> str:
        """What it wrote so far."""
        return b"".join(self.get_logs()).decode(errors="replace")

    def kill(self, signal: str = "SIGKILL") -> None:
        """Send a signal to its first process."""
        self.get_wrapped_container().kill(signal)
