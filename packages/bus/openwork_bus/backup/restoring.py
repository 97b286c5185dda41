"""Restore: check everything, then put stream after stream in its place. What is half is taken away again.

A stream carries a mark from its first message to its last, by which topology refuses to go on with one whose restore
was killed. The configuration is the saved one but for its copies; `python -m openwork_bus.topology` then makes of it
what this version says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nats.aio.client import Client as NatsClient
from openwork_contracts.accounts import SERVICES_ACCOUNT
from openwork_contracts.errors import BusUnavailable, OpenWorkError, UsageError

from openwork_bus.backup import manifest as manifests
from openwork_bus.backup.at_work import check_idle
from openwork_bus.backup.manifest import Manifest, SavedStream
from openwork_bus.backup.saving import Tell, in_words
from openwork_bus.backup.transfer import change_stream, delete_stream, give_back, stream_info, stream_names
from openwork_bus.ensure import RESTORING

_OF_THE_SERVER = "_nats."
"""Prefix of what the server itself writes into a stream's metadata."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is on the server where a stream is to be restored."""

    saved: SavedStream
    messages: int | None
    """`None` = there is no such stream."""
    unfinished: bool
    """Whether a restore of it was interrupted."""


async def restore(
    connections: Mapping[str, NatsClient], folder: Path, *, replicas: int, replace: bool, tell: Tell
) -> Manifest:
    """Restore a backup. Nothing is touched before every digest was compared and the server was looked at.

    Args:
        connections: by account, as a user who may restore; streams of other accounts are passed over.
        replicas: copies of each stream on this server.
        replace: streams that hold messages too. Those that hold none are replaced in any case.
    Raises:
        UsageError: the backup is damaged or of a version that does not fit, services are at work, a stream holds
            messages. BusUnavailable, StorageFull: the server stopped; what was restored until then is said.
    """
    manifest = await asyncio.to_thread(manifests.read, folder)
    await asyncio.to_thread(manifests.check, folder, manifest)
    wanted = [saved for saved in manifest.streams if saved.account in connections]
    _check_server(connections[SERVICES_ACCOUNT], manifest)
    _check_copies(wanted, replicas)
    there = await stream_names(connections[SERVICES_ACCOUNT])
    await check_idle(connections[SERVICES_ACCOUNT], there, "be restored")
    places = [await _place(connections[saved.account], saved) for saved in wanted]
    if not replace:
        _check_empty(places)
    names = [place.saved.name for place in places]
    for n_done, place in enumerate(places):
        connection = connections[place.saved.account]
        try:
            tell(await _restore(connection, place, folder, replicas))
        except (OpenWorkError, asyncio.CancelledError) as error:
            words = _left_over(names, n_done, taken_away=await _take_away(connection, place.saved.name))
            if isinstance(error, OpenWorkError):
                raise type(error)(f"{error}. {words}") from error
            tell(f"interrupted. {words}")
            raise
    return manifest


def _check_server(connection: NatsClient, manifest: Manifest) -> None:
    """Snapshots of a newer server are not understood by an older one."""
    saved = tuple(int(part) for part in manifest.server_version.split(".")[:2])
    version = connection.connected_server_version
    if (version.major, version.minor) < saved:
        raise UsageError(
            f"the backup is of nats-server {manifest.server_version}, and this one is {version.major}.{version.minor}."
            f"{version.patch}: restore onto the same version or a newer one"
        )


def _check_copies(wanted: Sequence[SavedStream], replicas: int) -> None:
    """The server restores a durable with as many copies as it had, and not more than its stream has."""
    for saved in wanted:
        if saved.with_consumers and saved.config.get("num_replicas", 1) > replicas:
            raise UsageError(
                f"{saved.name} was saved with its durables in {saved.config['num_replicas']} copies, and cannot be "
                f"restored in {replicas}: set OPENWORK_REPLICAS, or restore a backup that was saved without --all"
            )


async def _place(connection: NatsClient, saved: SavedStream) -> Place:
    info = await stream_info(connection, saved.name)
    if info is None:
        return Place(saved, None, unfinished=False)
    unfinished = RESTORING in (info["config"].get("metadata") or {})
    return Place(saved, info["state"]["messages"], unfinished=unfinished)


def _check_empty(places: Sequence[Place]) -> None:
    held = [place for place in places if place.messages and not place.unfinished]
    if held:
        names = ", ".join(f"{place.saved.name} ({place.messages})" for place in held)
        raise UsageError(
            f"there are messages in {names}; nothing was restored. --replace deletes them and puts the backup's in "
            "their place"
        )


async def _restore(connection: NatsClient, place: Place, folder: Path, replicas: int) -> str:
    saved = place.saved
    config = _configuration(saved, replicas)
    if place.messages is not None:
        await delete_stream(connection, saved.name)
    marked = {**config, "metadata": {**config["metadata"], RESTORING: "unfinished"}}
    state = await give_back(connection, marked, saved.state, folder / saved.file)
    if state["last_seq"] != saved.last_sequence or state["messages"] > saved.messages:
        raise BusUnavailable(
            f"{saved.name} has {state['messages']} messages up to {state['last_seq']} now, and had {saved.messages} up "
            f"to {saved.last_sequence}"
        )
    await change_stream(connection, config)
    n_gone = saved.messages - state["messages"]
    return in_words(saved) + (f", {n_gone} of them older than they are kept" if n_gone else "")


async def _take_away(connection: NatsClient, stream: str) -> bool:
    """Delete what is half of a stream; False where the server does not answer: then the stream keeps its mark."""
    try:
        await delete_stream(connection, stream)
    except OpenWorkError:
        return False
    return True


def _configuration(saved: SavedStream, replicas: int) -> dict[str, Any]:
    """As it was saved, in as many copies as this server has."""
    metadata = {
        name: value
        for name, value in (saved.config.get("metadata") or {}).items()
        if not name.startswith(_OF_THE_SERVER) and name != RESTORING
    }
    return {**saved.config, "num_replicas": replicas, "metadata": metadata}


def _left_over(names: Sequence[str], n_done: int, *, taken_away: bool) -> str:
    """What there is when a restore ends before its end, and what to do."""
    half = "what was begun of it was taken away" if taken_away else "a part of it may be there, marked as such"
    done, untouched = ", ".join(names[:n_done]) or "none", ", ".join(names[n_done + 1 :]) or "none"
    return (
        f"{names[n_done]} is not restored: {half}. Restored are: {done}; untouched are: {untouched}. Start no service; "
        "restore again with --replace"
    )
