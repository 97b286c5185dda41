"""Whether services are at work: one that is fetches messages all the time, and the server counts who waits."""

from __future__ import annotations

from collections.abc import Collection

from nats.aio.client import Client as NatsClient
from openwork_contracts.errors import UsageError
from openwork_contracts.subjects import STREAM, TIMERS_STREAM

from openwork_bus.backup.choice import is_inbox
from openwork_bus.backup.transfer import n_waiting


async def check_idle(connection: NatsClient, there: Collection[str], purpose: str) -> None:
    """Raise unless no service is at work. The web app fetches nothing and is not seen.

    Args:
        there: the streams of the services' account.
        purpose: for which they are to be stopped, behind "so that the streams can".
    Raises:
        UsageError: some are. BusUnavailable: NATS does not answer.
    """
    for stream in sorted(there):
        if (stream in (STREAM, TIMERS_STREAM) or is_inbox(stream)) and (n := await n_waiting(connection, stream)):
            raise UsageError(
                f"services are at work ({n} fetches wait on {stream}): stop all of them and the web app, so that the "
                f"streams can {purpose}"
            )
