"""Accounts added and removed on a real server while the services run: who may see what, and that nobody notices."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.aio.client import Client as NatsClient
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from openwork.client import Client
from openwork.errors import RunNotFound
from openwork.home import RunningServer
from openwork_bus.accounts import asker_account
from openwork_bus.connection import connect
from openwork_bus.run_ids import new_run_id
from openwork_bus.settings import ServiceSettings
from openwork_bus.topology import accounts_with_inbox, ensure_topology
from openwork_contracts.accounts import API_ACCOUNT, LOCAL_ACCOUNT, SERVICES_ACCOUNT, inbox_stream
from openwork_contracts.errors import BusUnavailable, UsageError
from openwork_laptop.accounts import askers, proof, work
from openwork_laptop.accounts.compose import ComposePlace
from openwork_laptop.accounts.local import LocalPlace
from openwork_laptop.embedded import EmbeddedServer
from openwork_laptop.home import Home
from openwork_laptop.stack import Stack, prepare

pytestmark = pytest.mark.nats

QUESTION = "Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease"
LIMIT_S = 60.0


@dataclass
class Up:
    """What `openwork up` runs: a server in a home folder, announced, and services."""

    home: Home
    server: EmbeddedServer

    @property
    def place(self) -> LocalPlace:
        return LocalPlace(self.home)

    async def services_connections(self) -> set[int]:
        """Ids of the services' connections, from the server: a client that reconnects has another."""
        reply = await self.system("PING.CONNZ", {"limit": 500, "acc": SERVICES_ACCOUNT})
        return {row["cid"] for row in reply["data"]["connections"]}

    async def system(self, what: str, body: object) -> Any:
        password = self.server.logins.passwords["sys"]
        connection = await nats.connect(self.server.url, user="sys", password=password)
        try:
            return json.loads((await connection.request(f"$SYS.REQ.SERVER.{what}", json.dumps(body).encode())).data)
        finally:
            await connection.close()


@pytest.fixture
async def up(bare: EmbeddedServer) -> AsyncIterator[Up]:
    """With all services."""
    stack = Stack(bare.url, logins=bare.logins)
    await stack.start()
    yield Up(Home(bare.folder), bare)
    await stack.stop()


@pytest.fixture
async def bare(tmp_path: Path) -> AsyncIterator[EmbeddedServer]:
    """Announced, without services."""
    home = Home(tmp_path / "home")
    server = EmbeddedServer(home.folder)
    await server.start()
    await prepare(server.url, server.logins)
    home.announce(RunningServer(os.getpid(), server.url, stays=True))
    yield server
    await server.stop()


@asynccontextmanager
async def asker(
    server: EmbeddedServer, seed: str | None = None, *, lost: Callable[[], None] = lambda: None
) -> AsyncIterator[NatsClient]:
    """A connection as whoever has the seed, or without credentials."""

    async def disconnected() -> None:
        lost()

    async def ignore(_: Exception) -> None:
        """The tests look at what is answered."""

    options: dict[str, Any] = {"nkeys_seed_str": seed} if seed else {}
    options |= {"disconnected_cb": disconnected, "error_cb": ignore}
    connection = await nats.connect(server.url, max_reconnect_attempts=1, reconnect_time_wait=0.05, **options)
    try:
        yield connection
    finally:
        lost = lambda: None  # noqa: E731
        await connection.close()


async def ended(client: Client, run_id: str) -> str:
    async with asyncio.timeout(LIMIT_S):
        while not (answer := await client.show(run_id, wait_s=10)).ended:
            pass
    return answer.status


async def test_two_accounts_ask_side_by_side_and_see_their_own_runs_alone(up: Up) -> None:
    """Added while an anonymous client and all services are connected: none of them is disconnected."""
    losses: list[str] = []
    services = await up.services_connections()
    assert services
    async with asker(up.server, lost=lambda: losses.append("anonymous")) as anonymous:
        alice = await work.add(up.place, "ALICE")
        async with asker(up.server, alice.seed, lost=lambda: losses.append("ALICE")) as hers:
            bob = await work.add(up.place, "BOB")
            assert alice.gateway_answered
            assert bob.gateway_answered
            heard: list[Msg] = []

            async def hear(message: Msg) -> None:
                heard.append(message)

            await hers.subscribe("openwork.results.*", cb=hear)
            asked = (await Client(hers).submit(QUESTION)).run_id
            published = new_run_id()
            stored = await hers.request(
                f"openwork.inbox.{published}", json.dumps({"question": QUESTION}).encode(), timeout=5
            )
            assert json.loads(stored.data)["stream"] == inbox_stream("ALICE")
            assert asked is not None
            assert [await ended(Client(hers), run_id) for run_id in (asked, published)] == ["answered", "answered"]
            assert {message.subject.rpartition(".")[2] for message in heard} == {asked, published}
            async with asker(up.server, bob.seed) as his:
                assert await Client(his).runs() == ()
                for run_id in (asked, published):
                    with pytest.raises(RunNotFound):
                        await Client(his).show(run_id)
                    with pytest.raises(RunNotFound):
                        await Client(his).cancel(run_id)
                    with pytest.raises(RunNotFound):
                        await anext(Client(his).events(run_id))
            async with asyncio.timeout(60):  # a run is shown as soon as it has ended, and listed when it is stored
                while {run.run_id for run in await Client(hers).runs()} != {asked, published}:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            assert await Client(anonymous).runs() == ()
            assert (await Client(anonymous).submit(QUESTION)).run_id
            assert losses == []
    assert await up.services_connections() == services


async def test_a_name_is_added_once_and_a_former_one_only_when_that_is_meant(bare: EmbeddedServer) -> None:
    """Who gets the name of a former account can read what is stored for it."""
    place = LocalPlace(Home(bare.folder))
    first = await work.add(place, "ALICE")
    assert not first.gateway_answered
    for name in ("ALICE", "alice"):
        with pytest.raises(UsageError, match="already"):
            await work.add(place, name)
    await work.remove(place, "ALICE")
    with pytest.raises(UsageError, match="--again"):
        await work.add(place, "ALICE")
    second = await work.add(place, "ALICE", again=True)
    assert second.seed != first.seed
    with pytest.raises(NatsError):
        async with asker(bare, first.seed):
            pass


async def test_a_removed_key_opens_nothing_and_whoever_used_it_is_disconnected(bare: EmbeddedServer) -> None:
    """Also when it was the last one: a server without any key would take it for no credentials at all."""
    place = LocalPlace(Home(bare.folder))
    added = await work.add(place, "ALICE")
    gone = asyncio.Event()
    async with asker(bare, added.seed, lost=gone.set):
        await work.remove(place, "ALICE")
        await asyncio.wait_for(gone.wait(), 60)
    with pytest.raises(NatsError):
        async with asker(bare, added.seed):
            pass
    async with asker(bare) as anonymous:
        assert anonymous.is_connected
    assert await place.read() == askers.render(())


async def test_a_key_opens_its_own_account_alone(bare: EmbeddedServer) -> None:
    """Neither another's inbox, nor the services' subjects, nor forged results of its own."""
    place = LocalPlace(Home(bare.folder))
    alice, _ = await work.add(place, "ALICE"), await work.add(place, "BOB")
    async with asker(bare, alice.seed) as hers:
        heard = await hers.subscribe("openwork.results.*")
        reply = await hers.request(f"openwork.inbox.{new_run_id()}", b"{}", headers=proof._NOT_STORED)
        assert json.loads(reply.data)["stream"] == inbox_stream("ALICE")
        for subject in (
            f"openwork.inbox.v1.BOB.{new_run_id()}",
            f"openwork.inbox.v1.ALICE.{new_run_id()}",
            "openwork.list.BOB",
            "$JS.API.STREAM.NAMES",
            "openwork.results.x",
        ):
            with pytest.raises((NatsError, TimeoutError)):
                await hers.request(subject, b"{}", timeout=0.3)
        assert heard.pending_msgs == 0


async def test_what_the_server_refuses_is_taken_back(bare: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server says what is wrong, goes on as it was, and its file is as it was."""
    place = LocalPlace(Home(bare.folder))
    bob = await work.add(place, "BOB")
    before = await place.read()
    block = asker_account

    def broken(name: str, user: str) -> str:
        return block(name, user).replace("permissions", "permissions: {", 1) if name == "ALICE" else block(name, user)

    with monkeypatch.context() as patched:
        patched.setattr(askers, "asker_account", broken)
        with pytest.raises(BusUnavailable, match=r"refuses its configuration: .*askers.*It was taken out") as raised:
            await work.add(place, "ALICE")
    assert "SU" not in str(raised.value)
    assert await place.read() == before
    async with asker(bare, bob.seed) as his:
        await proof.prove_inbox(his, "BOB", place.reload)
    assert (await work.add(place, "ALICE", again=True)).name == "ALICE"


async def test_an_account_whose_inbox_is_not_reached_is_taken_back(
    bare: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = LocalPlace(Home(bare.folder))
    monkeypatch.setattr(proof, "ASKER_INBOX", "openwork.elsewhere")
    with pytest.raises(BusUnavailable, match="was not added"):
        await work.add(place, "ALICE")
    assert askers.parse(await place.read()) == ()


async def test_the_topology_keeps_the_inboxes_of_all_accounts(bare: EmbeddedServer) -> None:
    """Run again with other limits, as after an upgrade: what differs is updated for added accounts too."""
    await work.add(LocalPlace(Home(bare.folder)), "ALICE")
    settings = bare.logins.settings_of("topology", ServiceSettings(nats_url=bare.url))
    connection = await connect(settings, name="topology")
    try:
        js = connection.jetstream(timeout=5)
        assert await accounts_with_inbox(js) == ["ALICE", API_ACCOUNT, LOCAL_ACCOUNT]
        await ensure_topology(js, settings.model_copy(update={"events_hours": 24.0}))
        assert (await js.stream_info(inbox_stream("ALICE"))).config.max_age == 24 * 3600
    finally:
        await connection.close()


async def test_accounts_are_written_anew_when_the_server_starts(bare: EmbeddedServer) -> None:
    """A version that exports other requests: what names a former one would keep the server from starting."""
    path = bare.folder / "askers.conf"
    added = await work.add(LocalPlace(Home(bare.folder)), "ALICE")
    current = path.read_text()
    path.write_text(current.replace("openwork.verify", "openwork.former"))
    await bare.stop()
    await bare.start()
    assert path.read_text() == current
    async with asker(bare, added.seed) as hers:
        await proof.prove_inbox(hers, "ALICE", LocalPlace(Home(bare.folder)).reload)


class ByHand(ComposePlace):
    """Compose's way on a server without a container: told by a signal, which nothing answers."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server
        self._local = LocalPlace(Home(server.folder))

    async def read(self) -> str:
        return await self._local.read()

    async def replace(self, old: str, new: str) -> None:
        await self._local.replace(old, new)

    async def make_inbox(self, account: str, *, again: bool) -> None:
        await self._local.make_inbox(account, again=again)

    async def reload(self) -> None:
        os.kill(self._server.pid, signal.SIGHUP)

    def reached(self) -> Any:
        return self._local.reached()


async def test_a_server_that_is_told_by_a_signal_has_the_account_too(bare: EmbeddedServer) -> None:
    for name in ("ALICE", "BOB", "CAROL"):
        assert (await work.add(ByHand(bare), name)).name == name
