"""The keys of the HTTP API, in the account `api` of a server that runs, or of one that is started for the moment."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from openwork_api.asker import BusAsker
from openwork_api.security.keys import Keys
from openwork_api.security.store import KvStore
from openwork_api.settings import Settings
from openwork_bus.accounts import API_KEYS
from openwork_contracts.accounts import API_ACCOUNT

from openwork_laptop.home import Home
from openwork_laptop.logins import logins_in
from openwork_laptop.stack import embedded


@asynccontextmanager
async def keys_of(server: str | None, *, home: Home | None = None) -> AsyncIterator[Keys]:
    """The keys, as the user `api`.

    Args:
        server: URL of a server that runs elsewhere, with user and password in the environment; `None` = that of
            `openwork up` here, else one that is started for it.
    Raises:
        BusUnavailable: it cannot be reached, or does not let this user in.
    """
    home = home or Home()
    running = home.running()
    async with AsyncExitStack() as stack:
        url = server or (running.url if running and running.stays else None)
        if url is None:
            url = await stack.enter_async_context(embedded(home, services=()))
        settings = Settings(nats_url=url)
        if server is None:
            settings = logins_in(home.folder).settings_of(API_ACCOUNT, settings)
        asker = BusAsker(settings, with_local=False)
        stack.push_async_callback(asker.close)
        await asker.open()
        store = KvStore(asker.connection, API_KEYS)
        await store.ensure(settings)
        yield Keys(store)
