"""Connections of a command: one per account, since no user of NATS belongs to two."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from nats.aio.client import Client as NatsClient
from openwork_contracts.accounts import API_ACCOUNT, SERVICES_ACCOUNT
from openwork_contracts.errors import UsageError

from openwork_bus.backup.settings import BackupSettings
from openwork_bus.connection import connect


@asynccontextmanager
async def connected(
    settings: BackupSettings, users: Mapping[str, str], *, without_api: bool
) -> AsyncIterator[dict[str, NatsClient]]:
    """Connections by account.

    Args:
        users: `SAVES` or `RESTORES`.
        without_api: leave out what the HTTP API keeps.
    Raises:
        UsageError: a password is missing. BusUnavailable: no server answers, or it refuses a user.
    """
    accounts = (SERVICES_ACCOUNT,) if without_api else (SERVICES_ACCOUNT, API_ACCOUNT)
    for account in accounts:
        if settings.password_of(users[account]) is None:
            instead = ", or leave out what the HTTP API keeps with --without-api" if account == API_ACCOUNT else ""
            raise UsageError(
                f"there is no password of the user {users[account]}: set "
                f"OPENWORK_NATS_PASSWORD_{users[account].upper()}{instead}"
            )
    async with AsyncExitStack() as stack:
        found: dict[str, NatsClient] = {}
        for account in accounts:
            user = users[account]
            found[account] = await connect(settings.logged_in(user), name=user, attempts=3)
            stack.push_async_callback(found[account].close)
        yield found
