"""Save: every chosen stream into a file of its own, then the manifest. Changes nothing on the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from nats.aio.client import Client as NatsClient
from openwork_contracts.accounts import SERVICES_ACCOUNT
from openwork_contracts.errors import UsageError

from openwork_bus.backup import manifest as manifests
from openwork_bus.backup.at_work import check_idle
from openwork_bus.backup.choice import Chosen, chosen
from openwork_bus.backup.manifest import Manifest, SavedStream
from openwork_bus.backup.transfer import stream_names, take

Tell = Callable[[str], None]
"""Takes a line for whoever waits."""


async def save(
    connections: Mapping[str, NatsClient], folder: Path, *, everything: bool, revision: str, tell: Tell
) -> Manifest:
    """Save the streams of these accounts into a new folder. One that is interrupted is marked as incomplete.

    Args:
        connections: by account, as a user who may save.
        everything: runs at work too; no service may be at work then. See `choice`.
    Raises:
        UsageError: the folder is not empty or cannot be written, or services are at work. BusUnavailable: NATS does not
            answer, or stopped sending.
    """
    there = {account: await stream_names(connection) for account, connection in connections.items()}
    wanted = [one for account, names in there.items() for one in chosen(account, names, everything=everything)]
    if not wanted:
        raise UsageError("there is nothing to be saved: the server has no stream of Open Work")
    if everything:
        await check_idle(connections[SERVICES_ACCOUNT], there[SERVICES_ACCOUNT], "be saved with the runs at work")
    await asyncio.to_thread(manifests.begin, folder)
    begun = datetime.now(UTC)
    saved = [await _save(connections[one.account], one, folder, tell) for one in wanted]
    version = connections[SERVICES_ACCOUNT].connected_server_version
    manifest = Manifest(
        saved_at=begun,
        revision=revision,
        server_version=f"{version.major}.{version.minor}.{version.patch}",
        everything=everything,
        streams=tuple(saved),
    )
    await asyncio.to_thread(manifests.finish, folder, manifest)
    return manifest


async def _save(connection: NatsClient, one: Chosen, folder: Path, tell: Tell) -> SavedStream:
    file = manifests.file_name(one.account, one.stream)
    taken = await take(connection, one.stream, folder / file, with_consumers=one.with_consumers)
    saved = SavedStream(
        account=one.account,
        name=one.stream,
        file=file,
        bytes=taken.bytes,
        sha256=taken.sha256,
        messages=taken.state["messages"],
        last_sequence=taken.state["last_seq"],
        with_consumers=one.with_consumers,
        config=taken.config,
        state=taken.state,
    )
    tell(in_words(saved))
    return saved


def in_words(saved: SavedStream) -> str:
    """A stream of a backup in a line."""
    return f"{saved.account:<9} {saved.name:<28} {saved.messages:>9} messages {saved.bytes / 1e6:>10.2f} MB"
