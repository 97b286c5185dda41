"""What decides who may come, put together: once for a process, from its settings and where it keeps things."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nats.aio.client import Client as NatsClient
from openwork_bus.accounts import API_KEYS, API_ONCE, API_STATE
from openwork_contracts.errors import UsageError

from openwork_api.idempotency import Entries, MemoryEntries
from openwork_api.security.entries import StoredEntries
from openwork_api.security.guard import Doorkeeper
from openwork_api.security.keys import Keys
from openwork_api.security.limits import OpenStreams, RateLimit
from openwork_api.security.quota import DayCounter, Quota
from openwork_api.security.sessions import Sessions
from openwork_api.security.store import KvStore, MemoryStore, Store
from openwork_api.settings import Settings

if TYPE_CHECKING:
    from openwork_api.security.oidc import Provider, ProviderTerms


@dataclass(frozen=True, slots=True)
class Security:
    """The parts that routes and the service use."""

    keys: Keys
    sessions: Sessions
    doorkeeper: Doorkeeper
    quota: Quota
    streams: OpenStreams
    entries: Entries
    provider: Provider | None
    issuer: str | None

    async def close(self) -> None:
        """Close what is open."""
        if self.provider is not None:
            await self.provider.close()


def in_memory(settings: Settings) -> Security:
    """Of a process that shares nothing: there is no key, and what is begun ends with it."""
    return _made(settings, MemoryStore(), MemoryStore(), MemoryEntries())


async def opened(settings: Settings, connection: NatsClient) -> Security:
    """On the buckets of the account `api`, which are made if they are not there.

    Raises:
        BusUnavailable: they cannot be used. UsageError: the settings of an identity provider cannot.
    """
    keys, state, once = (KvStore(connection, bucket) for bucket in (API_KEYS, API_STATE, API_ONCE))
    await asyncio.gather(*(store.ensure(settings) for store in (keys, state, once)))
    return _made(settings, keys, state, StoredEntries(once))


def _made(settings: Settings, key_store: Store, state: Store, entries: Entries) -> Security:
    terms = terms_of(settings)
    provider = _provider_of(terms) if terms else None
    keys = Keys(key_store)
    sessions = Sessions(state, keys, DayCounter(state, "logins"))
    streams = OpenStreams(settings.api_streams)
    doorkeeper = Doorkeeper(
        keys,
        sessions,
        is_open=settings.is_open,
        requests=RateLimit(settings.api_requests_per_minute),
        streams=streams,
        provider=provider,
    )
    return Security(
        keys=keys,
        sessions=sessions,
        doorkeeper=doorkeeper,
        quota=Quota(DayCounter(state, "runs"), settings.api_runs_per_day),
        streams=streams,
        entries=entries,
        provider=provider,
        issuer=terms.issuer if terms else None,
    )


def _provider_of(terms: ProviderTerms) -> Provider:
    """What reads tokens takes a tenth of a second to import, and most have no provider."""
    from openwork_api.security.oidc import Provider

    return Provider(terms)


def terms_of(settings: Settings) -> ProviderTerms | None:
    """What the settings agree with an identity provider; `None` = they name none.

    Raises:
        UsageError: they name one, and not by which name it knows us.
    """
    if settings.api_oidc_issuer is None:
        return None
    if settings.api_oidc_client_id is None:
        raise UsageError("OPENWORK_API_OIDC_ISSUER needs OPENWORK_API_OIDC_CLIENT_ID, our name at that provider")
    from openwork_api.security.oidc import ProviderTerms

    secret = settings.api_oidc_client_secret
    return ProviderTerms(
        issuer=settings.api_oidc_issuer,
        client_id=settings.api_oidc_client_id,
        client_secret=secret.get_secret_value() if secret else "",
        audience=settings.api_oidc_audience,
        person_claim=settings.api_oidc_person_claim,
        groups_claim=settings.api_oidc_groups_claim,
        scopes=settings.oidc_scopes,
        ca_file=settings.api_oidc_ca_file,
    )
