"""Where accounts are kept: what a server must let `openwork accounts` do, whatever it runs on."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from openwork_contracts.errors import UsageError


@dataclass(frozen=True, slots=True)
class Address:
    """Where an asker logs in, seen from here."""

    url: str
    hostname: str | None = None
    """Name in the server's certificate, where it is not that of the URL."""


class Place(Protocol):
    """A server with its askers.conf."""

    where: str
    """The file, in words."""

    async def read(self) -> str:
        """The file; empty where nobody was added yet."""

    async def replace(self, old: str, new: str) -> None:
        """Write it, and wait until the server sees it.

        Raises:
            UsageError: it is not `old` any more.
        """

    async def make_inbox(self, account: str, *, again: bool) -> None:
        """The inbox of an account; see `openwork_bus.topology.add_inbox`."""

    async def reload(self) -> None:
        """Have every node read its configuration once."""

    def reached(self) -> AbstractAsyncContextManager[Address]:
        """The server as an asker meets it."""

    def plan(self, account: str) -> list[str]:
        """What `add` does here: a line per step, command lines where there are some."""


def changed_meanwhile(where: str) -> UsageError:
    """Somebody else added or removed an account."""
    return UsageError(f"{where} was changed by somebody else at the same moment; try again")
