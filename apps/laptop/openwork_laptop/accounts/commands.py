"""Programs that are run for an account: docker compose, kubectl."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from openwork_contracts.errors import BusUnavailable, UsageError

Command = tuple[str, ...]


class Runs(Protocol):
    """Runs a command; its output."""

    async def __call__(self, command: Sequence[str], stdin: str | None = None) -> str:
        """Raises UsageError when there is no such program, BusUnavailable when it fails."""


class Programs:
    """The real ones, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def __call__(self, command: Sequence[str], stdin: str | None = None) -> str:
        """Its standard output; what it says of an error is part of the exception."""
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=self._folder,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise UsageError(f"{command[0]} cannot be started: {error.strerror}") from error
        output, errors = await process.communicate((stdin or "").encode())
        if process.returncode:
            said = errors.decode(errors="replace").strip()[-1000:]
            raise BusUnavailable(f"`{shlex.join(command)}` ended with {process.returncode}: {said}")
        return output.decode()


def line(command: Sequence[str]) -> str:
    """A command as one would type it."""
    return shlex.join(command)
