"""Every service and the web app on a real nats-server, listening on loopback and any free port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from openwork_api.service import ApiService
from openwork_api.settings import Settings
from openwork_laptop.stack import SERVICES, Stack, prepare

from tests.nats_server import OpenServer

QUESTION = "Does dapagliflozin reduce death in heart failure with reduced ejection fraction?"


@dataclass
class ApiStack:
    """A running stack; `api` may be stopped and started by a test."""

    server: OpenServer
    services: Stack
    api: ApiService

    @property
    def url(self) -> str:
        """Where the web app is."""
        return self.api.url

    def another(self, **settings: object) -> ApiService:
        """One more web app on the same server, not yet started."""
        return a_service(self.server, **settings)


def a_service(server: OpenServer, **settings: object) -> ApiService:
    """The web app with the login of its account."""
    chosen = Settings.model_validate({"nats_url": server.asker_url, "api_port": 0, **settings})
    return ApiService(server.logins.settings_of("api", chosen))


@asynccontextmanager
async def api_stack(folder: Path, *, services: Sequence[str] = SERVICES, **settings: object) -> AsyncIterator[ApiStack]:
    """A stack in a folder, until the end of the block."""
    server = OpenServer(folder / "nats")
    await server.start()
    try:
        await prepare(server.url)
        stack = Stack(server.asker_url, services, logins=server.logins)
        await stack.start()
        found = ApiStack(server, stack, a_service(server, **settings))
        try:
            await found.api.start()
            yield found
        finally:
            await found.api.stop()  # the one that is there now
            await stack.stop()
    finally:
        await server.stop()


async def asked(client: httpx.AsyncClient, question: str = QUESTION) -> str:
    """The run id of a question that was asked."""
    response = await client.post("/api/v1/runs", json={"question": question, "options": {"sources": ["library"]}})
    assert response.status_code == 202, response.text
    return str(response.json()["run_id"])


async def ended(client: httpx.AsyncClient, run_id: str) -> dict[str, object]:
    """The document of a run, after its end."""
    response = await client.get(f"/api/v1/runs/{run_id}", params={"wait_s": 30, "record": True}, timeout=60)
    assert response.status_code == 200, response.text
    found: dict[str, object] = response.json()
    return found


async def new_key(api: ApiService, person: str) -> str:
    """A key of a person, as `openwork keys add` prints it."""
    _, key = await api.security.keys.add(person)
    return key
