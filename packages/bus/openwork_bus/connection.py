"""How a service connects to NATS: the options that keep it alive, written out once."""

from __future__ import annotations

import logging
import ssl
from typing import Any

import nats
from nats.aio.client import Client as NatsClient
from nats.errors import Error as NatsError
from nats.errors import NoServersError
from openwork_contracts.errors import BusUnavailable, UsageError

from openwork_bus.settings import ServiceSettings

log = logging.getLogger(__name__)


class ConnectionLog:
    """Says in the log what happens to one connection. Told beforehand of a close that is wanted."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.closing = False

    async def on_error(self, error: Exception) -> None:
        """Denied publishes and subscriptions are reported here and nowhere else."""
        log.error("%s: nats reported an error: %s", self._name, error)

    async def on_disconnected(self) -> None:
        """Lost, or closed by us."""
        if not self.closing:
            log.warning("%s: nats is disconnected; reconnecting", self._name)

    async def on_reconnected(self) -> None:
        """Back again."""
        log.info("%s: nats is connected again", self._name)


def connect_options(name: str, events: ConnectionLog) -> dict[str, Any]:
    """Keyword arguments of `nats.connect`, and of FastStream's broker, which passes them on."""
    options: dict[str, Any] = {
        "name": f"openwork-{name}",
        # Unlimited: with the default of 60 attempts the connection closes for good and the pull loops spin.
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": 0.25,
        "connect_timeout": 3,
        "ping_interval": 20,
        "max_outstanding_pings": 3,
        "inbox_prefix": f"_INBOX_{name.replace('-', '_')}",
        "error_cb": events.on_error,
        "disconnected_cb": events.on_disconnected,
        "reconnected_cb": events.on_reconnected,
    }
    return options


def server_list(settings: ServiceSettings) -> list[str]:
    """`nats_url`, taken apart."""
    return [url.strip() for url in settings.nats_url.split(",") if url.strip()]


def tls_of(settings: ServiceSettings) -> ssl.SSLContext | None:
    """What the servers are checked against.

    Raises:
        UsageError: `nats_ca_file` cannot be read or holds no certificate.
    """
    if settings.nats_ca_file is None:
        return None
    try:
        return ssl.create_default_context(cafile=settings.nats_ca_file)
    except OSError as error:
        raise UsageError(f"OPENWORK_NATS_CA_FILE {settings.nats_ca_file} cannot be used: {error}") from error


async def connect(settings: ServiceSettings, *, name: str, attempts: int = 1) -> NatsClient:
    """A connection of our own, beside FastStream's, for clients and jobs.

    Args:
        attempts: how often the first connection is tried; afterwards reconnecting never ends.
    Raises:
        BusUnavailable: no server answers, or it refuses the user.
    """
    events = ConnectionLog(name)
    events.closing = True  # a client's connection ends with its command; only errors are worth a line
    options = connect_options(name, events)
    if settings.nats_user:
        options["user"] = settings.nats_user
        options["password"] = settings.nats_password.get_secret_value() if settings.nats_password else ""
    if context := tls_of(settings):
        options["tls"] = context
    options["allow_reconnect"] = True
    options["max_reconnect_attempts"] = attempts
    try:
        connection = await nats.connect(servers=server_list(settings), **options)
    except (NoServersError, OSError, TimeoutError, NatsError) as error:
        raise BusUnavailable(
            f"NATS at {settings.nats_url} cannot be used ({type(error).__name__}: {error}); is it running, and are "
            "OPENWORK_NATS_URL, OPENWORK_NATS_USER and OPENWORK_NATS_PASSWORD right?"
        ) from error
    connection.options["max_reconnect_attempts"] = -1
    return connection
