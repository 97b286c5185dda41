"""How a service connects to NATS: the options that keep it alive, written out once."""

from __future__ import annotations

import logging
import ssl
from time import monotonic
from typing import Any

import nats
from nats.aio.client import Client as NatsClient
from nats.errors import Error as NatsError
from nats.errors import NoServersError, StaleConnectionError
from nats.errors import TimeoutError as NatsTimeoutError
from openwork_contracts.errors import BusUnavailable, UsageError

from openwork_bus.settings import ServiceSettings

log = logging.getLogger(__name__)

_LOST = (OSError, StaleConnectionError, NoServersError)
"""What nats-py reports when a connection ends or cannot be made; its own TimeoutErrors, OSErrors too, say less."""
_AGAIN_S = 60.0
"""Seconds until what goes on and on is said again."""
_MOST_LINES = 1000
"""Lines remembered; then all are forgotten, and logged again when they come. A denied subject may name a run."""


class Sparing:
    """Lets a line through when it is new, and then once a minute, with how often it came in between."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[float, int]] = {}

    def repeats(self, line: str) -> int | None:
        """How often the line came since it was let through last; `None` = it is not to be logged now."""
        now = monotonic()
        let_through_at, n = self._held.get(line, (-_AGAIN_S, 0))
        if now - let_through_at < _AGAIN_S:
            self._held[line] = (let_through_at, n + 1)
            return None
        if len(self._held) >= _MOST_LINES:
            self._held.clear()
        self._held[line] = (now, 0)
        return n


class ConnectionLog:
    """Says in the log what happens to one connection: once when it is lost, once when it is back.

    nats-py reports every attempt to reconnect, four a second; they are counted, and the count is told once a minute.
    Other errors are logged when they are new: denied publishes and subscriptions are reported here and nowhere else.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.closing = False
        """Set before a close that is wanted: no line about it."""
        self._lost_at: float | None = None
        self._told_at = 0.0
        self._n_untold = 0
        self._others = Sparing()

    async def on_error(self, error: Exception) -> None:
        """An error of the connection itself, or one that the server sent over it."""
        if isinstance(error, _LOST) and not isinstance(error, NatsTimeoutError):
            self._lost(str(error))
        elif (n := self._others.repeats(str(error))) is not None:
            more = f" (and {n} times more before)" if n else ""
            log.error("%s: nats reported an error: %s%s", self._name, error, more)

    async def on_disconnected(self) -> None:
        """Lost, or closed by us. The error that tells why comes before it, if there is one."""
        if self._lost_at is None:
            self._lost("closed")

    async def on_connected(self) -> None:
        """Back again, or there at last after attempts that failed."""
        if self._lost_at is None:
            return
        away_s = monotonic() - self._lost_at
        log.info("%s: nats is connected after %.1f s; errors not logged: %d", self._name, away_s, self._n_untold)
        self._lost_at, self._n_untold = None, 0

    def _lost(self, why: str) -> None:
        now = monotonic()
        if self.closing:
            return
        if self._lost_at is None:
            self._lost_at = self._told_at = now
            log.warning("%s: nats is not connected (%s); trying until it is", self._name, why)
            return
        self._n_untold += 1
        if now - self._told_at >= _AGAIN_S:
            self._told_at = now
            text = "%s: nats is not connected for %.0f s; errors not logged: %d, the last: %s"
            log.warning(text, self._name, now - self._lost_at, self._n_untold, why)


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
        "reconnected_cb": events.on_connected,
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


async def taken_by_server(connection: NatsClient, within_s: int = 10) -> None:
    """Wait until the server has taken what was subscribed and published on this connection so far.

    nats-py's `flush` alone does not tell that: it writes its PING at once, before the commands that still wait to be
    written, so that the PONG may be there before they are. They are written when it is; the second PING is behind them.

    Raises:
        nats.errors.Error: it is not connected, or the server does not answer within `within_s`, each time.
    """
    await connection.flush(within_s)
    await connection.flush(within_s)


async def connect(
    settings: ServiceSettings,
    *,
    name: str,
    attempts: int = 1,
    events: ConnectionLog | None = None,
    inbox_prefix: str | None = None,
) -> NatsClient:
    """A connection of our own, beside FastStream's, for clients and jobs, and for requests to a service.

    Args:
        attempts: how often the first connection is tried; afterwards reconnecting never ends.
        events: what says in the log what happens to it; `None` = a client's, of which only errors are worth a line.
        inbox_prefix: where replies come; `None` = the service's of that name, where the user may hear no other.
    Raises:
        BusUnavailable: no server answers, or it refuses the user.
    """
    if events is None:
        events = ConnectionLog(name)
        events.closing = True  # it ends with its command
    options = connect_options(name, events)
    if settings.nats_user:
        options["user"] = settings.nats_user
        options["password"] = settings.nats_password.get_secret_value() if settings.nats_password else ""
    if context := tls_of(settings):
        options["tls"] = context
    if inbox_prefix is not None:
        options["inbox_prefix"] = inbox_prefix
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
