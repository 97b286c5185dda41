"""Connections and services on a server where each is a user of its own."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import nats
from nats.aio.client import Client
from openwork_bus.connection import connect
from openwork_bus.service import Service
from openwork_bus.settings import ServiceSettings
from openwork_contracts.accounts import LOCAL_ACCOUNT
from pydantic import SecretStr

from deploy.registry import services
from tests.integration.secured_server import SecuredServer, password_of

SERVICES = tuple(service.name for service in services() if not service.asker)
SOURCES = "library,pubmed"


def settings_of(user: str, server: SecuredServer) -> ServiceSettings:
    module = importlib.import_module(f"openwork_{user}.settings") if user in SERVICES else None
    settings_class = module.Settings if module else ServiceSettings
    settings = settings_class(
        nats_url=server.url,
        nats_user=user,
        nats_password=SecretStr(password_of(user)),
        sources=SOURCES,
        publish_timeout_s=2.0,
    )
    assert isinstance(settings, ServiceSettings)
    return settings


@asynccontextmanager
async def connected(user: str, server: SecuredServer, name: str | None = None) -> AsyncIterator[Client]:
    connection = await connect(settings_of(user, server), name=name or user)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def asking(server: SecuredServer, account: str = LOCAL_ACCOUNT) -> AsyncIterator[Client]:
    """A connection of an account that every server has, by its one user."""

    async def ignore(_: Exception) -> None:
        """What is denied shows in what is answered."""

    password = password_of(account)
    connection = await nats.connect(server.url, user=account, password=password, error_cb=ignore)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def all_services(server: SecuredServer) -> AsyncIterator[list[Service]]:
    """Every service, each as its own user, the library as the only source that is asked."""
    services = []
    for name in SERVICES:
        settings = settings_of(name, server).model_copy(update={"sources": "library"})
        services.append(importlib.import_module(f"openwork_{name}.app").create_service(settings))
    await asyncio.gather(*(service.start() for service in services))
    try:
        yield services
    finally:
        await asyncio.gather(*(service.stop() for service in services))
