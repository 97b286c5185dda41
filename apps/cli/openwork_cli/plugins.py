"""What other apps add to the command, found by name when it is needed: nothing of them is imported before.

Entry points `openwork.commands`: a Typer app or a function per name; a name with a dot belongs to a group of commands,
e.g. `runs.rerun`. Entry point `openwork.stack`: what can start services on this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol, TypeVar

import typer
from openwork.errors import UsageError
from typer.core import TyperGroup

T = TypeVar("T")

COMMANDS = "openwork.commands"
STACK = "openwork.stack"
LAPTOP_COMMANDS = (
    "up",
    "mcp",
    "rank",
    "sources",
    "fulltext",
    "library",
    "guidelines",
    "export",
    "accounts",
    "keys",
    "dead",
    "runs.rerun",
)
"""What the laptop app adds, so that its absence can be told from a slip of the pen."""
_INSTALL = "is not installed here: `pip install openwork-laptop`, or `make setup` in a clone"


class Stack(Protocol):
    """What can start the services in this process. Its errors are those of `openwork.errors`."""

    def run(self, work: Callable[[str], Coroutine[Any, Any, T]], *, services: Sequence[str] | None = None) -> T:
        """Start a NATS server and services (`None` = all), do the work with its URL, stop them."""

    def verify(self, text: str, evidence: Sequence[Mapping[str, Any]], where: str) -> dict[str, Any]:
        """The verification gate on a text: a VerificationReport as JSON. `where` names the input in errors."""

    def write_review(self, document: Mapping[str, Any], folder: Path) -> Sequence[Path]:
        """The files of a review, whole or not at all; their paths. Raises UsageError when they cannot be written."""

    def check_sources(self, names: Sequence[str]) -> None:
        """Raises UsageError when no source has one of these names."""

    def checks(self, server: str | None = None) -> list[dict[str, str]]:
        """What `openwork doctor` looks at, as name, state (ok, off, warn, fault) and detail.

        Args:
            server: URL of services that run elsewhere; `None` = those of this machine, if they run.
        """


def stack() -> Stack:
    """What can start services here.

    Raises:
        UsageError: the laptop app is not installed.
    """
    for point in entry_points(group=STACK):
        found: Stack = point.load()
        return found
    raise UsageError(
        f"no services run on this machine, and the laptop app that could start them {_INSTALL}. Services that run "
        "elsewhere are asked with --server nats://host:4222"
    )


def has_stack() -> bool:
    """Whether something is installed that can start services."""
    return bool(entry_points(group=STACK))


def load(name: str) -> Any:
    """What was added under this name: a Typer app, or a command's function.

    Raises:
        UsageError: it is the laptop app's, which is not installed.
    """
    point = _added().get(name)
    if point is None:
        raise UsageError(f"`openwork {name.replace('.', ' ')}` is a command of the laptop app, which {_INSTALL}")
    return point.load()


def _added() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=COMMANDS)}


class CommandGroup(TyperGroup):
    """Commands of this package first, then those that were added. One that is not asked for is not loaded."""

    prefix = ""

    def list_commands(self, ctx: Any) -> list[str]:
        own = super().list_commands(ctx)
        names = sorted(name.removeprefix(self.prefix) for name in _added() if name.startswith(self.prefix))
        return [*own, *(name for name in names if "." not in name and name not in own)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        name = f"{self.prefix}{cmd_name}"
        own = super().get_command(ctx, cmd_name)
        if own is not None or (name not in LAPTOP_COMMANDS and name not in _added()):
            return own
        if ctx.resilient_parsing and name not in _added():
            return None
        return _command(cmd_name, load(name))


class RunsGroup(CommandGroup):
    """`openwork runs`."""

    prefix = "runs."


def _command(name: str, added: Any) -> Any:
    if isinstance(added, typer.Typer):
        group = typer.main.get_command(added)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.command(name)(added)
    return typer.main.get_command(alone)
