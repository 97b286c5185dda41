"""Snapshots over NATS: requests of JetStream's own API, pieces one by one. Nothing waits for ever.

    $JS.API.STREAM.SNAPSHOT.<stream>    the server sends pieces to a subject that the request names; each is acked
    $JS.API.STREAM.RESTORE.<stream>     the server names a subject; pieces are sent there, an empty one ends it

As `nats stream backup` and `nats stream restore` do it. The pieces are the server's own format and are not looked into:
since 2.15 it has a mark at its end, without which the server restores nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import ConnectionClosedError, NoRespondersError, OutboundBufferLimitError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.errors import APIError
from openwork_contracts.errors import BusUnavailable, OpenWorkError, StorageFull, UsageError

from openwork_bus.backup.manifest import private_file
from openwork_bus.publishing import words_of
from openwork_bus.storage import is_full

PIECE_BYTES = 128 * 1024
"""The server's own default, far below the largest message of any server."""
_WINDOW_BYTES = 4 * 2**20
"""On its way at once, unacknowledged: half of the server's default, for slow disks. It gives up 5 s after the last
acknowledgement."""
_REQUEST_S = 20.0
"""Until a request is answered; a cluster elects a leader in seven."""
_STALL_S = 30.0
"""Without a piece, or without the acknowledgement of one: above the server's own 5 s."""
_ACTIVATED_S = 600.0
"""Until a stream that was sent whole is there: the server is reading it back."""
_NOT_FOUND = 10059
_AWAY = (NatsTimeoutError, NoRespondersError, ConnectionClosedError, OutboundBufferLimitError, OSError)


@dataclass(frozen=True, slots=True)
class Taken:
    """A snapshot that was written into a file."""

    config: dict[str, Any]
    state: dict[str, Any]
    bytes: int
    sha256: str


async def stream_names(connection: NatsClient) -> tuple[str, ...]:
    """Every stream of the account that the connection belongs to.

    Raises:
        BusUnavailable: nobody answers, or not this user. UsageError, StorageFull: the server refuses.
    """
    names: list[str] = []
    while True:
        reply = await _asked(connection, "STREAM.NAMES", {"offset": len(names)}, "the streams cannot be listed")
        page = reply.get("streams") or []
        names += page
        if not page or len(names) >= reply.get("total", 0):
            return tuple(names)


async def stream_info(connection: NatsClient, stream: str) -> dict[str, Any] | None:
    """Configuration and state of a stream; `None` = there is none. Raises as `stream_names`."""
    try:
        return await _request(connection, f"STREAM.INFO.{stream}", {})
    except APIError as error:
        if error.err_code == _NOT_FOUND:
            return None
        raise _refused(f"{stream} cannot be looked at", error) from error


async def n_waiting(connection: NatsClient, stream: str) -> int:
    """Fetches that wait for messages of a stream: how many services are at work on it. Raises as `stream_names`."""
    n_found = n_fetches = 0
    while True:
        wanted = {"offset": n_found}
        reply = await _asked(
            connection, f"CONSUMER.LIST.{stream}", wanted, f"the durables of {stream} cannot be listed"
        )
        page = reply.get("consumers") or []
        n_found += len(page)
        n_fetches += sum(int(consumer.get("num_waiting", 0)) for consumer in page)
        if not page or n_found >= reply.get("total", 0):
            return n_fetches


async def delete_stream(connection: NatsClient, stream: str) -> None:
    """Have a stream gone with all it holds, if it is there. Raises as `stream_names`."""
    try:
        await _request(connection, f"STREAM.DELETE.{stream}", None)
    except APIError as error:
        if error.err_code != _NOT_FOUND:
            raise _refused(f"{stream} cannot be deleted", error) from error


async def change_stream(connection: NatsClient, config: dict[str, Any]) -> None:
    """Give a stream another configuration. Raises as `stream_names`."""
    await _asked(connection, f"STREAM.UPDATE.{config['name']}", config, f"{config['name']} cannot be changed")


async def take(connection: NatsClient, stream: str, path: Path, *, with_consumers: bool) -> Taken:
    """Write a snapshot of a stream into a new file.

    Raises:
        BusUnavailable: the server stopped sending, or the connection was lost: the file is not whole. UsageError: the
            file cannot be written, or the server refuses.
    """
    subject = connection.new_inbox()
    n_reconnects = connection.stats["reconnects"]
    subscription = await connection.subscribe(subject)
    try:
        wanted = {"deliver_subject": subject, "no_consumers": not with_consumers}
        sizes = {"chunk_size": PIECE_BYTES, "window_size": _WINDOW_BYTES}
        verb = f"STREAM.SNAPSHOT.{stream}"
        told = await _asked(connection, verb, {**wanted, **sizes}, f"there is no snapshot of {stream}")
        with os.fdopen(private_file(path), "wb") as file:
            size, digest = await _receive(connection, subscription, stream, file)
        if connection.stats["reconnects"] != n_reconnects:  # what was sent meanwhile is lost, and nobody sends it again
            raise BusUnavailable(f"the connection to NATS was lost while {stream} was saved; save again")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        if not connection.is_closed:
            await subscription.unsubscribe()
    return Taken(told["config"], told["state"], size, digest)


async def give_back(
    connection: NatsClient, config: dict[str, Any], state: dict[str, Any], path: Path
) -> dict[str, Any]:
    """Make a stream of a snapshot. There must be none of its name.

    Returns:
        The state that it has now.
    Raises:
        StorageFull: it does not fit. UsageError: the server refuses the configuration or the snapshot.
        BusUnavailable: it does not answer. After any of them a part of the stream may be there.
    """
    stream = config["name"]
    try:
        told = await _request(connection, f"STREAM.RESTORE.{stream}", {"config": config, "state": state})
        subject = told["deliver_subject"]
        with await asyncio.to_thread(path.open, "rb") as file:
            while piece := await asyncio.to_thread(file.read, PIECE_BYTES):
                _checked(await connection.request(subject, piece, timeout=_STALL_S))
        told = _checked(await connection.request(subject, b"", timeout=_ACTIVATED_S))
    except APIError as error:
        raise _refused(f"{stream} cannot be restored", error) from error
    except (*_AWAY, json.JSONDecodeError) as error:
        raise BusUnavailable(f"the server stopped taking {stream}: {words_of(error)}") from error
    found: dict[str, Any] = told["state"]
    return found


async def _asked(connection: NatsClient, verb: str, body: dict[str, Any], failing: str) -> dict[str, Any]:
    """As `_request`; what the server refuses is said behind `failing`."""
    try:
        return await _request(connection, verb, body)
    except APIError as error:
        raise _refused(failing, error) from error


async def _request(connection: NatsClient, verb: str, body: dict[str, Any] | None) -> dict[str, Any]:
    """The answer to a request of JetStream's API, as JSON: nats-py's objects lose fields that they do not know.

    Raises:
        BusUnavailable: nobody answers. nats.js.errors.APIError: the server refuses.
    """
    data = b"" if body is None else json.dumps(body).encode()
    try:
        return _checked(await connection.request(f"$JS.API.{verb}", data, timeout=_REQUEST_S))
    except (*_AWAY, json.JSONDecodeError) as error:
        raise BusUnavailable(
            f"NATS gives no answer to {verb} ({words_of(error)}): is JetStream running, and may the user do that "
            "(the server's log says when not)?"
        ) from error


def _checked(message: Msg) -> dict[str, Any]:
    """What the server answered; an empty answer is the acknowledgement of a piece."""
    reply: dict[str, Any] = json.loads(message.data) if message.data else {}
    if error := reply.get("error"):
        raise APIError(**{key: error.get(key) for key in ("code", "err_code", "description")})
    return reply


async def _receive(connection: NatsClient, subscription: Subscription, stream: str, file: BinaryIO) -> tuple[int, str]:
    """Write the pieces until the empty message; how many bytes they have, and their SHA-256."""
    digest, size, n_pieces = hashlib.sha256(), 0, 0
    while True:
        try:
            message = await subscription.next_msg(timeout=_STALL_S)
        except (NatsTimeoutError, ConnectionClosedError) as error:
            raise BusUnavailable(f"the server stopped sending {stream} after {size} bytes; save again") from error
        if not message.data:
            _check_end(stream, message)
            break
        n_pieces += 1
        # The last piece, which is not full, is not acknowledged; of the others the subject tells the number.
        if message.reply and message.reply.rpartition(".")[2] != str(n_pieces):
            raise BusUnavailable(f"a piece of {stream} was lost on its way; save again")
        await asyncio.to_thread(file.write, message.data)
        digest.update(message.data)
        size += len(message.data)
        if message.reply:
            await connection.publish(message.reply)
    await asyncio.to_thread(_sync, file)
    if not size:
        raise BusUnavailable(f"the server sent nothing of {stream}; save again")
    return size, digest.hexdigest()


def _check_end(stream: str, message: Msg) -> None:
    """The end of a snapshot says whether it is whole."""
    status = (message.headers or {}).get("Status", "204")
    if status != "204":
        why = (message.headers or {}).get("Description", "")
        raise BusUnavailable(f"the server broke off the snapshot of {stream} ({status} {why}); save again")


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _refused(what: str, error: APIError) -> OpenWorkError:
    if is_full(error):
        return StorageFull(
            f"{what}: the server has no room ({words_of(error)}); raise its max_file_store, which must hold what the "
            "streams reserve"
        )
    return UsageError(f"{what}: {words_of(error)}")
