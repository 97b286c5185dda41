"""Back to the version before accounts and doors, on this machine: `python -m openwork_laptop.rollback`.

For a folder that no `openwork` uses at the moment. Then the former version finds its runs where it left them. What was
asked since stays in the folder and is found again by this version, which then takes over what the former one did.
"""

from __future__ import annotations

import asyncio
import sys

from openwork_bus.connection import connect
from openwork_bus.former import FORMER_STREAM, roll_back
from openwork_bus.settings import ServiceSettings
from openwork_contracts.errors import OpenWorkError

from openwork_laptop.embedded import EmbeddedServer
from openwork_laptop.home import Home


async def roll_back_folder(home: Home) -> tuple[str, ...]:
    """Give the former stream its subjects, and its store the place in which a server without accounts looks.

    Returns:
        The subjects of the former stream.
    Raises:
        OpenWorkError: another process uses the folder. UsageError: there is nothing to go back to.
    """
    with home.owned():
        server = EmbeddedServer(home.folder)
        try:
            await server.start()
            settings = server.logins.settings_of("topology", ServiceSettings(nats_url=server.url))
            connection = await connect(settings, name="topology")
            try:
                subjects = await roll_back(connection.jetstream(timeout=10))
            finally:
                await connection.close()
        finally:
            await server.stop()
        server.give_back_former_store()
    return subjects


def main() -> int:
    """The command."""
    home = Home()
    try:
        subjects = asyncio.run(roll_back_folder(home))
    except OpenWorkError as error:
        sys.stdout.write(f"rollback: {error}\n")
        return 1
    lines = "\n".join(f"  {subject}" for subject in subjects)
    sys.stdout.write(f"{FORMER_STREAM} in {home.folder} takes again:\n{lines}\nNow start the former version.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
