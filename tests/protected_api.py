"""The application behind everything that protects it, over a memory bus, with keys and sessions in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from openwork_api.security.middleware import protected
from openwork_api.security.wiring import Security, in_memory
from openwork_api.settings import Settings
from openwork_api.web import create_app

from tests.memory_asker import MemoryAsker

FAR = "https://openwork.example.org"
HERE = "http://localhost:8000"


@dataclass
class ProtectedApi:
    """One process of the API."""

    security: Security
    asker: MemoryAsker
    app: Any
    base: str
    """How it is reached."""

    def browser(self, *, address: str = "192.0.2.1", **options: Any) -> httpx.AsyncClient:
        """A client that keeps cookies, with what a browser adds to a request of the API's own pages."""
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=(address, 1234))
        headers = {"Origin": self.base, "Sec-Fetch-Site": "same-origin"}
        return httpx.AsyncClient(transport=transport, base_url=self.base, headers=headers, **options)

    def program(self, key: str | None = None, *, address: str = "192.0.2.1") -> httpx.AsyncClient:
        """A client that sends a key with each request."""
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=(address, 1234))
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.AsyncClient(transport=transport, base_url=self.base, headers=headers)

    async def key(self, person: str = "dr-weiss", **more: Any) -> str:
        """A new key."""
        return (await self.security.keys.add(person, **more))[1]


@asynccontextmanager
async def protected_api(**settings: Any) -> AsyncIterator[ProtectedApi]:
    """As it runs in a container, where everybody needs a key; or, where a test says that it is open, on a machine."""
    is_open = settings.get("api_open") or settings.get("api_host") == "127.0.0.1"
    names = "" if is_open else "openwork.example.org"
    chosen = Settings.model_validate({"api_host": "0.0.0.0", "api_names": names, **settings})
    security, asker = in_memory(chosen), MemoryAsker()
    app = protected(create_app(asker, chosen, security=security), chosen, security.streams)
    try:
        yield ProtectedApi(security, asker, app, HERE if is_open else FAR)
    finally:
        await security.close()
