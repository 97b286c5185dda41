"""Accounts of the server of docker-compose.yml, with and without its overlays.

The file lies on the server's volume, beside the streams, and is written from within the container. Mounted from the
repository it would be one that git sees, and one by itself: a container goes on reading the file that was replaced.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from openwork_contracts.accounts import inbox_stream
from openwork_contracts.errors import BusUnavailable, UsageError

from openwork_laptop.accounts.askers import FILE
from openwork_laptop.accounts.commands import Command, Programs, Runs, line
from openwork_laptop.accounts.places import Address, changed_meanwhile

COMPOSE: Command = ("docker", "compose")
_FILE = f"/data/{FILE}"
_WRITE = f"umask 077; cat >{_FILE}.new && sync && mv {_FILE}.new {_FILE}"


def read_command() -> Command:
    """The file as the server sees it."""
    return (*COMPOSE, "exec", "-T", "nats", "cat", _FILE)


def write_command() -> Command:
    """Takes the file on its standard input."""
    return (*COMPOSE, "exec", "-T", "nats", "sh", "-c", _WRITE)


def reload_command() -> Command:
    """The server reads its configuration."""
    return (*COMPOSE, "kill", "-s", "HUP", "nats")


def inbox_command(account: str, *, again: bool) -> Command:
    """By the topology's image, which has the password that the server has."""
    job = ("python", "-m", "openwork_bus.topology", f"--account={account}", *(("--again",) if again else ()))
    return (*COMPOSE, "run", "--rm", "--no-deps", "-T", "topology", *job)


def url() -> str:
    """Where Compose publishes NATS."""
    return f"nats://127.0.0.1:{os.environ.get('OPENWORK_NATS_PORT', '4222')}"


def program() -> Command:
    """`docker compose` where docker has that plugin, else docker-compose where there is one."""
    if (
        shutil.which("docker")
        and subprocess.run([*COMPOSE, "version"], capture_output=True, check=False).returncode == 0
    ):
        return COMPOSE
    return ("docker-compose",) if shutil.which("docker-compose") else COMPOSE


class ComposePrograms(Programs):
    """Compose as it is installed here."""

    async def __call__(self, command: Sequence[str], stdin: str | None = None) -> str:
        """See `Programs`."""
        return await super().__call__((*await asyncio.to_thread(program), *command[len(COMPOSE) :]), stdin)


class ComposePlace:
    """A checkout whose containers run."""

    where = f"{_FILE} of the container nats"

    def __init__(self, checkout: Path, run: Runs | None = None) -> None:
        if not (checkout / "docker-compose.yml").is_file():
            raise UsageError(f"there is no docker-compose.yml in {checkout}; say where with --checkout")
        self._run = run or ComposePrograms(checkout)

    async def read(self) -> str:
        """The file; the container makes an empty one when it starts."""
        return await self._run(read_command())

    async def replace(self, old: str, new: str) -> None:
        """Write it anew, whole or not at all."""
        if await self.read() != old:
            raise changed_meanwhile(self.where)
        await self._run(write_command(), new)

    async def make_inbox(self, account: str, *, again: bool) -> None:
        """In a container of its own. It says what it made: Podman's Compose ends with 0 whatever its container did."""
        said = await self._run(inbox_command(account, again=again))
        if inbox_stream(account) not in said.splitlines():
            raise BusUnavailable(f"the inbox was not made: {said.strip()[-500:] or 'the job said nothing'}")

    async def reload(self) -> None:
        """By the signal; whether the server took it shows when the account is tried."""
        await self._run(reload_command())

    @asynccontextmanager
    async def reached(self) -> AsyncIterator[Address]:
        """On loopback."""
        yield Address(url())

    def plan(self, account: str) -> list[str]:
        """The command lines."""
        return [
            line(read_command()),
            line(inbox_command(account, again=False)),
            f"{line(write_command())}      (the accounts on its standard input)",
            line(reload_command()),
            line(reload_command()),
            f"log in as {account} at {url()}, ask its inbox and the gateway",
        ]
