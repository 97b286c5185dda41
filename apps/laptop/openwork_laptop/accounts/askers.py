"""The file `askers.conf`: who was added. It is the state; accounts.conf includes it among the accounts.

The blocks are written anew from names and keys whenever the file is: they follow what the services export.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from openwork_bus.accounts import asker_account
from openwork_contracts.accounts import check_account
from openwork_contracts.errors import UsageError

FILE = "askers.conf"
_HEAD = "# Written by `openwork accounts`; what else is written here is refused.\n"
_ROW = re.compile(r"^# account (?P<name>\S+) (?P<key>\S+)$", re.MULTILINE)
_KEY = re.compile(r"U[A-Z2-7]{55}")
"""Public key of a user."""


@dataclass(frozen=True, slots=True)
class Asker:
    """An account and the key of its one user."""

    name: str
    key: str
    """Public; its seed is with whoever asks, and nowhere else."""


def parse(text: str) -> tuple[Asker, ...]:
    """Who is in the file.

    Raises:
        UsageError: it holds what this module did not write.
    """
    askers = tuple(Asker(row["name"], row["key"]) for row in _ROW.finditer(text))
    n_blocks = len(re.findall(r"^\s*[\"']?[\w$-]+[\"']?\s*[:=]?\s*\{\s*$", text, re.MULTILINE))
    if n_blocks != len(askers) or ("{" in text and not askers):
        raise UsageError(f"{FILE} holds {n_blocks} accounts, of which {len(askers)} were made by `openwork accounts`")
    for asker in askers:
        check_account(asker.name)
        if not _KEY.fullmatch(asker.key):
            raise UsageError(f"{FILE}: {asker.key[:60]!r} is no public key of a user")
    return askers


def render(askers: Iterable[Asker]) -> str:
    """The file that holds these."""
    blocks = (
        f"# account {asker.name} {asker.key}\n{asker_account(asker.name, f'nkey: {asker.key}')}" for asker in askers
    )
    return _HEAD + "".join(blocks)


def with_asker(askers: tuple[Asker, ...], asker: Asker) -> tuple[Asker, ...]:
    """These and one more.

    Raises:
        UsageError: its name is no name, reserved, or taken.
    """
    check_account(asker.name)
    for known in askers:
        # A stream is a folder of the server, and on some machines two names that differ in case are one.
        if known.name.casefold() == asker.name.casefold():
            raise UsageError(f"there is an account {known.name!r} already")
    return (*askers, asker)


def without(askers: tuple[Asker, ...], name: str) -> tuple[Asker, ...]:
    """These but for one.

    Raises:
        UsageError: it is not among them.
    """
    left = tuple(asker for asker in askers if asker.name != name)
    if left == askers:
        there = ", ".join(asker.name for asker in askers) or "none"
        raise UsageError(f"no account {name!r} was added here; there are: {there}")
    return left
