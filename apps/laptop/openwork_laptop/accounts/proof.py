"""What shows that an account works: its own requests, answered. Files that were written show nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from openwork_bus.connection import tls_of
from openwork_bus.run_ids import new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_contracts.accounts import ASKER_INBOX, inbox_stream
from openwork_contracts.errors import BusUnavailable, ContractViolation
from openwork_contracts.subjects import LIST_SUBJECT

from openwork_laptop.accounts.places import Address

if TYPE_CHECKING:
    from nats.aio.client import Client as NatsClient

LOGIN_S = 15.0
"""Until a server that was told to has read its configuration."""
_RELOADED_S = 5.0
"""Seconds after a reload in which the services may find no JetStream."""
_REQUEST_S = 5.0
_PAUSE_S = 0.2
_RELOADS = 4
"""Two are needed, as tried on nats-server 2.15.1; more do no harm."""
_NOT_STORED = {"Nats-Expected-Stream": "none-of-that-name"}
"""No stream stores a message that asks for another: its refusal says which one it would have been."""


@asynccontextmanager
async def logged_in(address: Address, seed: str) -> AsyncIterator[NatsClient]:
    """A connection as the owner of the seed, tried until the server knows it.

    Raises:
        BusUnavailable: it is refused for longer than a server takes to read its configuration.
    """
    give_up = asyncio.get_running_loop().time() + LOGIN_S
    while True:
        try:
            connection = await _connect(address, seed)
            break
        except (NatsError, OSError, TimeoutError) as error:
            if asyncio.get_running_loop().time() > give_up:
                raise BusUnavailable(f"the server at {address.url} does not let the new key in: {error}") from error
            await asyncio.sleep(_PAUSE_S)
    try:
        yield connection
    finally:
        await connection.close()


async def _connect(address: Address, seed: str) -> NatsClient:
    import nats

    async def ignore(*_: object) -> None:
        """The caller is told by the exception."""

    # Not `allow_reconnect=False`: nats-py would leave the socket of a refused attempt open.
    options: dict[str, Any] = {"max_reconnect_attempts": 1, "reconnect_time_wait": 0.1, "connect_timeout": 3}
    options |= {"error_cb": ignore, "disconnected_cb": ignore, "reconnected_cb": ignore}
    if context := tls_of(ServiceSettings()):
        options["tls"] = context
    if address.hostname:
        options["tls_hostname"] = address.hostname
    return await nats.connect(address.url, name="openwork-accounts", nkeys_seed_str=seed, **options)


async def prove_inbox(connection: NatsClient, account: str, reload: Callable[[], Awaitable[None]]) -> None:
    """The account's own inbox answers its requests; nothing is stored.

    The imports of a new account answer "no responders" until the configuration was read a second time.

    Raises:
        BusUnavailable: nothing answers. ContractViolation: another account's inbox does.
    """
    for _ in range(_RELOADS):
        await reload()
        if (found := await _inbox_of(connection)) is not None:
            break
    else:
        raise BusUnavailable(f"the inbox does not answer, after {_RELOADS} readings of the configuration")
    if found != inbox_stream(account):
        raise ContractViolation(f"the key of {account!r} leads to {found!r}")


async def _inbox_of(connection: NatsClient) -> str | None:
    give_up = asyncio.get_running_loop().time() + 2.0
    while asyncio.get_running_loop().time() < give_up:
        try:
            reply = await connection.request(f"{ASKER_INBOX}.{new_run_id()}", b"{}", _REQUEST_S, headers=_NOT_STORED)
            return str(json.loads(reply.data).get("stream"))
        except NoRespondersError:
            await asyncio.sleep(_PAUSE_S)
        except (NatsError, TimeoutError, ValueError) as error:
            raise BusUnavailable(f"the inbox cannot be asked ({type(error).__name__}: {error})") from error
    return None


async def gateway_answers(connection: NatsClient) -> bool:
    """Whether a gateway answers this account; False = none runs.

    Raises:
        BusUnavailable: one does, and refuses, or it takes too long.
    """
    give_up = asyncio.get_running_loop().time() + _RELOADED_S
    while True:
        try:
            reply = json.loads((await connection.request(LIST_SUBJECT, b'{"limit": 1}', _REQUEST_S)).data)
        except NoRespondersError:
            return False
        except (NatsError, TimeoutError, ValueError) as error:
            raise BusUnavailable(f"the gateway does not answer ({type(error).__name__}: {error})") from error
        # For a moment after a reload JetStream does not answer the gateway.
        passing = reply.get("error_type") == BusUnavailable.__name__
        if not passing or asyncio.get_running_loop().time() > give_up:
            break
        await asyncio.sleep(_PAUSE_S)
    if reply.get("error"):
        raise BusUnavailable(f"the gateway refuses the account: {reply['error']}")
    return True
