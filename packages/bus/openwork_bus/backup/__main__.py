"""Save and restore what NATS holds.

python -m openwork_bus.backup save FOLDER [--all]          while services run; with --all when none does
python -m openwork_bus.backup show FOLDER                  what is in it, and whether it is whole
python -m openwork_bus.backup restore FOLDER [--replace]   when no service runs; then topology, then the services
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from openwork_contracts.errors import OpenWorkError

from openwork_bus.backup import manifest as manifests
from openwork_bus.backup.logins import connected
from openwork_bus.backup.restoring import restore
from openwork_bus.backup.saving import in_words, save
from openwork_bus.backup.settings import RESTORES, SAVES, BackupSettings

_INTERRUPTED = 130


def tell(line: str) -> None:
    """A line for whoever waits, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def save_into(settings: BackupSettings, folder: Path, *, everything: bool, without_api: bool) -> None:
    """The command `save`. Raises as `saving.save`."""
    async with connected(settings, SAVES, without_api=without_api) as connections:
        await save(connections, folder, everything=everything, revision=settings.revision, tell=tell)
    tell(f"saved in {folder}")


def show(folder: Path) -> None:
    """The command `show`. Raises: UsageError, when the backup is not whole."""
    manifest = manifests.read(folder)
    runs = "with runs at work" if manifest.everything else "without runs at work"
    at = manifest.saved_at.isoformat(timespec="seconds")
    tell(f"saved {at} from nats-server {manifest.server_version} by revision {manifest.revision}, {runs}")
    for saved in manifest.streams:
        tell(in_words(saved))
    manifests.check(folder, manifest)
    tell("whole: every file is what was saved")


async def restore_from(settings: BackupSettings, folder: Path, *, replace: bool, without_api: bool) -> None:
    """The command `restore`. Raises as `restoring.restore`."""
    async with connected(settings, RESTORES, without_api=without_api) as connections:
        await restore(connections, folder, replicas=settings.replicas, replace=replace, tell=tell)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m openwork_bus.backup", description="Save and restore the streams.")
    commands = parser.add_subparsers(dest="command", required=True)
    saving = commands.add_parser("save", help="into a new folder; services may run")
    showing = commands.add_parser("show", help="what is in a backup, and whether it is whole")
    restoring = commands.add_parser("restore", help="when no service runs")
    for command in (saving, showing, restoring):
        command.add_argument("folder", type=Path)
    saving.add_argument("--all", action="store_true", help="runs at work too; no service may run")
    restoring.add_argument("--replace", action="store_true", help="streams that hold messages too")
    for command in (saving, restoring):
        command.add_argument("--without-api", action="store_true", help="leave out what the HTTP API keeps")
    return parser.parse_args()


def main(arguments: argparse.Namespace) -> None:
    """Do what was asked. Raises: OpenWorkError, with what to do instead."""
    folder, settings = arguments.folder, BackupSettings()
    if arguments.command == "save":
        asyncio.run(save_into(settings, folder, everything=arguments.all, without_api=arguments.without_api))
    elif arguments.command == "show":
        show(folder)
    else:
        asyncio.run(restore_from(settings, folder, replace=arguments.replace, without_api=arguments.without_api))
        tell("restored; now run `python -m openwork_bus.topology`, then start the services")


if __name__ == "__main__":
    try:
        main(_arguments())
    except OpenWorkError as error:
        sys.stdout.write(f"backup: {error}\n")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.stdout.write("backup: interrupted; what was being saved is marked as incomplete\n")
        sys.exit(_INTERRUPTED)
