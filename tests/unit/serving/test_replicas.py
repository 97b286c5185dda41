"""Several replicas behind one name: calls are shared, a dead one is left out, one that is added is found."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

pytest.importorskip("tritonclient.grpc", reason="the extra openwork-serving[client] is not installed")

import grpc.aio  # type: ignore[import-not-found,import-untyped,unused-ignore]
from openwork_contracts.errors import ModelUnavailable
from openwork_serving.client import ServedModel, TritonOptions
from openwork_serving.connection import target_of

from tests.fakes.names import Names, naming
from tests.fakes.triton import FakeTriton, serving

DEAD = (grpc.StatusCode.INTERNAL, "Stub process 'reranker_0_0' is not healthy.")


class Replicas:
    """Servers on addresses of loopback, all on one port as pods are, and a name that has those addresses."""

    def __init__(self, names: Names, where: str) -> None:
        self._names = names
        self._where = where
        self._stacks: dict[str, AsyncExitStack] = {}
        self._port = 0
        self.fakes: dict[str, FakeTriton] = {}

    @property
    def url(self) -> str:
        return f"dns://{self._where}/triton.test:{self._port}"

    async def add(self, address: str) -> FakeTriton:
        """Start one; its address is one of the name's."""
        stack = self._stacks[address] = AsyncExitStack()
        fake = self.fakes[address] = FakeTriton()
        url = await stack.enter_async_context(serving(fake, self._port, host=address))
        self._port = int(url.rsplit(":", 1)[1])
        self._names.addresses.append(address)
        return fake

    async def stop(self, address: str) -> None:
        """Stop one. The name keeps its address for a while, as names do."""
        await self._stacks.pop(address).aclose()

    async def close(self) -> None:
        for stack in self._stacks.values():
            await stack.aclose()


@asynccontextmanager
async def replicas(n: int) -> AsyncIterator[Replicas]:
    async with naming() as (names, where):
        found = Replicas(names, where)
        try:
            for i in range(1, n + 1):
                await found.add(f"127.0.0.{i}")
            yield found
        finally:
            await found.close()


@asynccontextmanager
async def asking(url: str, *, renew_after_s: float = 60, timeout_s: float = 10) -> AsyncIterator[ServedModel]:
    model = ServedModel("reranker", TritonOptions(url, renew_after_s=renew_after_s, timeout_s=timeout_s))
    try:
        yield model
    finally:
        await model.close()


async def ask(model: ServedModel, times: int) -> None:
    for n in range(times):
        await model.infer([{"QUERY": ["Does it work?"], "PASSAGE": [f"It does ({n})."]}], "score")


async def ask_until_each_is_connected(model: ServedModel, fakes: list[FakeTriton]) -> None:
    async with asyncio.timeout(10):
        while not all(fake.calls for fake in fakes):
            await ask(model, 1)
            await asyncio.sleep(0.01)
    for fake in fakes:
        fake.calls.clear()


def counts(fakes: list[FakeTriton]) -> list[int]:
    return [len(fake.calls) for fake in fakes]


async def test_a_hundred_calls_are_shared_by_the_replicas_of_a_name() -> None:
    """gRPC's own default sends a hundred of a hundred to the first address."""
    async with replicas(2) as found, asking(found.url) as model:
        fakes = list(found.fakes.values())
        await ask_until_each_is_connected(model, fakes)
        await ask(model, 100)
        assert counts(fakes) == [50, 50]


async def test_addresses_written_out_are_shared_too() -> None:
    """Without any name: what is tried on one machine."""
    fakes = [FakeTriton(), FakeTriton()]
    async with serving(fakes[0]) as one, serving(fakes[1]) as two, asking(f"ipv4:{one},{two}") as model:
        await ask_until_each_is_connected(model, fakes)
        await ask(model, 100)
    assert counts(fakes) == [50, 50]


async def test_a_replica_that_stops_is_left_out_and_no_call_is_lost() -> None:
    async with replicas(3) as found, asking(found.url) as model:
        fakes = list(found.fakes.values())
        await ask_until_each_is_connected(model, fakes)
        await found.stop("127.0.0.2")
        await ask(model, 100)
        assert fakes[1].calls == []
        assert sum(counts(fakes)) == 100


async def test_a_replica_that_is_added_is_found_while_the_others_live() -> None:
    """No connection breaks, so gRPC by itself would never ask for the addresses again."""
    async with replicas(1) as found, asking(found.url, renew_after_s=0.2) as model:
        await ask(model, 5)
        fakes = [found.fakes["127.0.0.1"], await found.add("127.0.0.2")]
        await ask_until_each_is_connected(model, fakes)


async def test_a_dead_model_on_one_replica_is_asked_on_another() -> None:
    """Its process has ended, its server says that it is ready: one run in two would get a stand-in."""
    async with replicas(2) as found, asking(found.url) as model:
        fakes = list(found.fakes.values())
        await ask_until_each_is_connected(model, fakes)
        fakes[0].misbehave = lambda number, rows: DEAD
        await ask(model, 20)
        assert counts(fakes)[1] == 20


async def test_a_dead_model_everywhere_is_an_error() -> None:
    async with replicas(2) as found, asking(found.url) as model:
        for fake in found.fakes.values():
            fake.misbehave = lambda number, rows: DEAD
        with pytest.raises(ModelUnavailable, match="process has ended"):
            await ask(model, 1)


async def test_a_call_in_flight_outlives_the_channel_that_it_is_on() -> None:
    fake = FakeTriton(delay_s=0.4)
    async with serving(fake) as url, asking(url, renew_after_s=0.1) as model:
        slow = asyncio.create_task(ask(model, 1))
        for _ in range(1_000):
            if fake.calls:
                break
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.15)  # the channel's time is up
        fake.delay_s = 0
        await ask(model, 1)  # on a new channel, after which the old one is not wanted any more
        assert not slow.done()
        await slow
    assert len(fake.calls) == 2


@asynccontextmanager
async def line_to(url: str) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """A way to a server that goes silent when told: no data and no end, as of a machine that lost its power."""
    silent = asyncio.Event()
    host, port = url.rsplit(":", 1)

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            if silent.is_set():
                await asyncio.Event().wait()
            writer.write(data)

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, here = await asyncio.open_connection(host, int(port))
        writers.extend([here, writer])
        tasks.extend([asyncio.create_task(copy(reader, here)), asyncio.create_task(copy(there, writer))])

    tasks: list[asyncio.Task[None]] = []
    writers: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(connect, "127.0.0.1", 0)
    try:
        yield "{}:{}".format(*server.sockets[0].getsockname()), silent
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in writers:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in writers), return_exceptions=True)


async def test_a_silent_connection_is_left_behind_after_one_failure() -> None:
    """Else every second call would wait out its deadline for as long as nobody says that the machine is gone."""
    fakes = [FakeTriton(), FakeTriton()]
    async with (
        serving(fakes[0]) as one,
        serving(fakes[1]) as two,
        line_to(two) as (line, silent),
        asking(f"ipv4:{one},{line}", timeout_s=2) as model,
    ):
        await ask_until_each_is_connected(model, fakes)
        silent.set()
        failed = 0
        for _ in range(20):
            try:
                await ask(model, 1)
            except ModelUnavailable:
                failed += 1
    assert failed == 1
    assert counts(fakes) == [19, 0]


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("triton:8001", "dns:///triton:8001"),
        ("127.0.0.1:8001", "dns:///127.0.0.1:8001"),
        ("[::1]:8001", "dns:///[::1]:8001"),
        ("dns:///triton:8001", "dns:///triton:8001"),
        ("ipv4:10.0.0.1:8001,10.0.0.2:8001", "ipv4:10.0.0.1:8001,10.0.0.2:8001"),
    ],
)
def test_a_host_and_port_is_a_name_with_many_addresses(url: str, target: str) -> None:
    assert target_of(url) == target
