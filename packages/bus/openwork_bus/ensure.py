"""One stream on the server as its configuration says: created, or updated. Behind streams and buckets alike."""

from __future__ import annotations

from nats.js import JetStreamContext
from nats.js.api import StreamConfig
from nats.js.errors import APIError, NotFoundError
from openwork_contracts.errors import OpenWorkError, StorageFull, UsageError

from openwork_bus.publishing import words_of
from openwork_bus.settings import ServiceSettings
from openwork_bus.storage import is_full

RESTORING = "openwork-restore"
"""In the metadata of a stream while a backup is restored into it (backup/restoring.py). Left there, it is not whole."""


async def ensure_stream(js: JetStreamContext, config: StreamConfig, share: float, settings: ServiceSettings) -> bool:
    """Create the stream if it is not there, update it otherwise. Needs the right to do both.

    Args:
        share: of the store, as the table of the contracts has it; 0 = its bytes are fixed.
    Returns:
        Whether it was created.
    Raises:
        StorageFull: its bytes do not fit into the server's store. UsageError: the server refuses the configuration, or
            only a part of a backup is in it.
    """
    try:
        try:
            there = await js.stream_info(str(config.name))
        except NotFoundError:
            await js.add_stream(config)
            return True
        if RESTORING in (there.config.metadata or {}):
            raise UsageError(f"only a part of {config.name} was restored: restore the backup again, with --replace")
        await js.update_stream(config)
    except APIError as error:
        raise _not_made(config, share, settings, error) from error
    return False


def _not_made(config: StreamConfig, share: float, settings: ServiceSettings, error: APIError) -> OpenWorkError:
    """Why the server does not make it, in words for who runs it."""
    if not is_full(error):
        return UsageError(f"NATS refuses the stream {config.name}: {words_of(error)}")
    mib = (config.max_bytes or 0) / 2**20
    of_store = f" ({share:.1%} of OPENWORK_STORE_GB={settings.store_gb:g})" if share else ""
    return StorageFull(
        f"{config.name} needs {mib:.0f} MiB of the store{of_store}, and the server has not so much left "
        f"({words_of(error)}): raise its max_file_store, or lower OPENWORK_STORE_GB"
    )
