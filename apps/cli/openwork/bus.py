"""A connection to NATS as an asker has it: who asks, certificates, and that it is kept."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from openwork.errors import BusUnavailable, UsageError

if TYPE_CHECKING:
    from nats.aio.client import Client as NatsClient


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[NatsClient]:
    """A connection; who asks is read from the environment, see `openwork.connect`.

    Args:
        url: several are separated by commas.
    Raises:
        BusUnavailable: no server answers, or it refuses the user. UsageError: the certificates or the seed cannot be
            read.
    """
    import nats
    from nats.errors import Error as NatsError

    try:
        connection = await nats.connect([part.strip() for part in url.split(",") if part.strip()], **_options())
    except (NatsError, OSError, TimeoutError, ValueError) as error:
        raise BusUnavailable(
            f"NATS at {_shown(url)} cannot be used ({type(error).__name__}: {error}); is it running, and are "
            "OPENWORK_NATS_NKEY_SEED, or OPENWORK_NATS_USER and OPENWORK_NATS_PASSWORD, right?"
        ) from error
    connection.options["max_reconnect_attempts"] = -1
    try:
        yield connection
    finally:
        await connection.close()


def _shown(url: str) -> str:
    """The URL without a user's password."""
    return re.sub(r"//[^/@,]*@", "//", url)


async def _ignore(*_: object) -> None:
    """The requests themselves tell what goes wrong."""


def _options() -> dict[str, Any]:
    """How the connection is made, and how it is kept."""
    options: dict[str, Any] = {
        "name": "openwork-cli",
        "connect_timeout": 3,
        "max_reconnect_attempts": 3,
        "reconnect_time_wait": 0.25,
        "error_cb": _ignore,
        "disconnected_cb": _ignore,
        "reconnected_cb": _ignore,
    }
    if seed := os.environ.get("OPENWORK_NATS_NKEY_SEED"):
        options["nkeys_seed_str"] = _checked(seed)
    elif user := os.environ.get("OPENWORK_NATS_USER"):
        options |= {"user": user, "password": os.environ.get("OPENWORK_NATS_PASSWORD", "")}
    if context := _tls():
        options["tls"] = context
    return options


def _checked(seed: str) -> str:
    """The seed of a user. What else stands there is in no message: it may be another secret."""
    import nkeys

    try:
        nkeys.from_seed(bytearray(seed.strip().encode())).wipe()
    except (nkeys.NkeysError, ValueError) as error:
        raise UsageError("OPENWORK_NATS_NKEY_SEED holds no seed; `openwork accounts add` printed one, SU...") from error
    return seed.strip()


def _tls() -> ssl.SSLContext | None:
    path = os.environ.get("OPENWORK_NATS_CA_FILE")
    if not path:
        return None
    try:
        return ssl.create_default_context(cafile=path)
    except OSError as error:
        raise UsageError(f"OPENWORK_NATS_CA_FILE {path} cannot be used: {error}") from error
