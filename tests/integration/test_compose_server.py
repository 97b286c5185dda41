"""The server of docker-compose.yml without a container: its files, its passwords, its entry point, on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nats
import pytest
import yaml
from nats.errors import Error as NatsError
from openwork_bus.connection import connect
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import add_inbox, ensure_topology
from openwork_contracts.accounts import inbox_stream
from openwork_contracts.subjects import STREAM
from openwork_laptop.accounts import compose, work
from openwork_laptop.accounts.places import Address
from openwork_laptop.embedded import server_binary
from pydantic import SecretStr

from deploy.registry import ROOT

pytestmark = pytest.mark.nats


def interpolated(value: str, environ: Mapping[str, str]) -> str:
    """`${NAME:-default}` and `${NAME:?why}` as Compose reads them."""

    def found(match: re.Match[str]) -> str:
        if (given := environ.get(match["name"])) or match["kind"] == "-":
            return given or match["rest"]
        raise AssertionError(f"{match['name']} is required")

    return re.sub(r"\$\{(?P<name>\w+):(?P<kind>[-?])(?P<rest>[^}]*)\}", found, value)


class ComposeServer:
    """Its container's root is a folder; what is started there is what the entry point starts."""

    def __init__(self, root: Path, overlay: str | None = None, environ: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.port = 0
        files = [ROOT / "docker-compose.yml", *([ROOT / f"deploy/compose/{overlay}.yml"] if overlay else [])]
        self.files = [yaml.safe_load(file.read_text()) for file in files]
        self.environ = environ or {}

    async def start(self) -> None:
        etc, data = self.root / "etc/nats", self.root / "data"
        etc.mkdir(parents=True)
        data.mkdir()
        configs = {name: config for file in self.files for name, config in file.get("configs", {}).items()}
        nats_block = self.files[0]["services"]["nats"]
        for mounted in nats_block["configs"]:
            shutil.copy(ROOT / configs[mounted["source"]]["file"], self.root / mounted["target"].lstrip("/"))
        conf = etc / "server.conf"
        text = conf.read_text().replace("store_dir: /data", f'store_dir: "{data}"')
        conf.write_text(text.replace("0.0.0.0:4222", "127.0.0.1:-1").replace("0.0.0.0:8222", "127.0.0.1:-1"))
        shell, flag, script = nats_block["entrypoint"]
        script = script.replace("/data/", f"{data}/").replace("--config /etc", f"--config {self.root}/etc")
        script = script.replace("nats-server", f"{server_binary()} --ports_file_dir {self.root} -l {self.root}/log", 1)
        self.process = subprocess.Popen(  # noqa: ASYNC220
            [shell, flag, script], env={**os.environ, **self.passwords()}, start_new_session=True
        )
        async with asyncio.timeout(60):
            while not self.port:
                assert self.process.poll() is None, (self.root / "log").read_text()
                for ports in self.root.glob("*.ports"):
                    with contextlib.suppress(ValueError, KeyError, IndexError):
                        self.port = int(json.loads(ports.read_text())["nats"][0].rsplit(":", 1)[1])
                await asyncio.sleep(0.02)

    def passwords(self) -> dict[str, str]:
        """What Compose gives the server."""
        variables: dict[str, str] = {}
        for file in self.files:
            variables |= file["services"]["nats"].get("environment", {})
        return {name: interpolated(value, self.environ) for name, value in variables.items()}

    def login_of(self, service: str) -> dict[str, Any]:
        """What Compose gives a service."""
        environment = self.files[0]["services"][service]["environment"]
        password = interpolated(environment["OPENWORK_NATS_PASSWORD"], self.environ)
        return {"nats_user": environment["OPENWORK_NATS_USER"], "nats_password": SecretStr(password)}

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def reload(self) -> None:
        """What `docker compose kill -s HUP nats` does."""
        os.kill(self.process.pid, signal.SIGHUP)

    def run(self, command: Sequence[str], stdin: str | None = None) -> str:
        """What `docker compose exec nats` does; its output."""
        inside = [word.replace("/data/", f"{self.root}/data/") for word in command]
        return subprocess.run(inside, input=stdin, capture_output=True, text=True, check=True).stdout

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def server_class() -> type[ComposeServer]:
    """How it is run; tests/containers runs it in a container."""
    return ComposeServer


@asynccontextmanager
async def running(server: ComposeServer) -> AsyncIterator[ComposeServer]:
    try:
        await server.start()
        yield server
    finally:
        server.stop()


async def stored_by_topology(server: ComposeServer) -> int:
    """Streams made with the settings that Compose gives: bytes of that of events."""
    store_gb = float(server.files[0]["x-environment"]["OPENWORK_STORE_GB"])
    settings = ServiceSettings(nats_url=server.url, store_gb=store_gb, **server.login_of("topology"))
    connection = await connect(settings, name="topology")
    try:
        js = connection.jetstream(timeout=10)
        await ensure_topology(js, settings)
        return (await js.stream_info(STREAM)).config.max_bytes or 0
    finally:
        await connection.close()


async def test_services_log_in_and_who_asks_needs_no_password(
    tmp_path: Path, server_class: type[ComposeServer]
) -> None:
    """Without .env: the development passwords. The shares fit the server's store."""
    async with running(server_class(tmp_path)) as server:
        assert await stored_by_topology(server) == 4.2 * 10**9
        anonymous = await nats.connect(server.url, max_reconnect_attempts=1)
        await anonymous.close()
        for service in ("gateway", "retrievers-pubmed", "verifier", "api"):
            settings = ServiceSettings(nats_url=server.url, **server.login_of(service))
            await (await connect(settings, name=settings.nats_user or "")).close()


async def test_secured_nobody_gets_in_without_and_the_passwords_are_those_of_env(
    tmp_path: Path, server_class: type[ComposeServer]
) -> None:
    variables = {name: f"p{name[-6:].lower()}1" for name in ComposeServer(tmp_path).passwords()}
    with pytest.raises(AssertionError, match="required"):
        ComposeServer(tmp_path, "secured", {**variables, "OPENWORK_NATS_PASSWORD_API": ""}).passwords()
    async with running(server_class(tmp_path, "secured", variables)) as server:
        assert await stored_by_topology(server)
        with pytest.raises(NatsError):
            await nats.connect(server.url, max_reconnect_attempts=1, reconnect_time_wait=0.05)
        login = {"user": "operator", "password": "development-operator"}
        with pytest.raises(NatsError):
            await nats.connect(server.url, max_reconnect_attempts=1, reconnect_time_wait=0.05, **login)
        await (await nats.connect(server.url, user="local", password=variables["OPENWORK_NATS_PASSWORD_LOCAL"])).close()


async def is_let_in(url: str, seed: str) -> bool:
    try:
        connection = await nats.connect(url, nkeys_seed_str=seed, max_reconnect_attempts=1, reconnect_time_wait=0.05)
    except NatsError:
        return False
    await connection.close()
    return True


async def test_accounts_are_added_by_the_commands_of_compose(
    tmp_path: Path, server_class: type[ComposeServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command line as it would be run in the container: its shell, its file, its signal."""
    async with running(server_class(tmp_path)) as server:
        await stored_by_topology(server)

        async def run(command: tuple[str, ...], stdin: str | None = None) -> str:
            words = list(command[2:])
            if words[0] == "kill":
                server.reload()
                return ""
            if words[0] == "run":
                settings = ServiceSettings(nats_url=server.url, **server.login_of("topology"))
                connection = await connect(settings, name="topology")
                account = words[-1].partition("=")[2]
                await add_inbox(connection.jetstream(timeout=5), account, settings)
                await connection.close()
                return f"{inbox_stream(account)}\n"
            return await asyncio.to_thread(server.run, words[3:], stdin)

        place = compose.ComposePlace(ROOT, run)  # type: ignore[arg-type]
        monkeypatch.setattr(place, "reached", lambda: contextlib.nullcontext(Address(server.url)))
        for name in ("ALICE", "BOB"):
            added = await work.add(place, name)
            assert not added.gateway_answered
        assert server.run(["find", "/data/askers.conf", "-perm", "600"])
        await work.remove(place, "BOB")
        async with asyncio.timeout(60):
            while await is_let_in(server.url, added.seed):  # noqa: ASYNC110 - the server tells nobody that it has read
                await asyncio.sleep(0.05)
