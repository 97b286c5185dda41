"""Our own images, one container each: services answer a question, and Phoenix, an image too, shows its trace."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import openwork
import pytest
from openwork_bus.run_ids import trace_id_of

from tests.containers.engine import Container, LogMessageWaitStrategy, Network
from tests.containers.nats_container import compose_nats
from tests.integration.test_phoenix import wait_for_spans

pytestmark = pytest.mark.containers

QUESTION = "Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease"
PROJECT = "open-work"
NOT_STARTED = ("nats", "nats-volume", "topology", "phoenix")
"""Of Compose's blocks: those that are started each in its own way, and one that prepares a volume."""


@dataclass
class Stack:
    """What runs: NATS, Phoenix, and the services by the names of their blocks."""

    nats: Container
    phoenix: Container
    topology: Container
    services: dict[str, Container]

    @property
    def url(self) -> str:
        """Where an asker connects."""
        return f"nats://{self.nats.address(4222)}"


def container_of(block: dict[str, Any], name: str, network: Network) -> Container:
    """A container of a block of Compose: its image, its settings and its restrictions, in another network."""
    container = Container(block["image"]).with_network(network).with_network_aliases(name)
    container.with_envs(
        **{key: str(value) for key, value in (block.get("environment") or {}).items() if value is not None}
    )
    container.with_kwargs(read_only=block["read_only"], cap_drop=block["cap_drop"], security_opt=block["security_opt"])
    for mount in block["tmpfs"]:
        path, _, options = mount.partition(":")
        container.with_tmpfs_mount(path, options)
    return container


@pytest.fixture(scope="module")
def stack(blocks: dict[str, Any]) -> Iterator[Stack]:
    """The job that makes streams has ended well, and every service says that it is ready."""
    with ExitStack() as running:
        network = running.enter_context(Network())
        # Its folder is a volume in Compose; here the layer of the container, which its user owns too.
        phoenix = container_of({**blocks["phoenix"], "read_only": False}, "phoenix", network).publish(6006)
        running.enter_context(phoenix.waiting_for(LogMessageWaitStrategy("Uvicorn running").with_startup_timeout(240)))
        nats = compose_nats().with_envs(**blocks["nats"]["environment"]).with_network(network)
        running.enter_context(nats.with_network_aliases("nats"))
        topology = running.enter_context(container_of(blocks["topology"], "topology", network))
        assert topology.wait() == 0, topology.logged()
        services = {
            name: running.enter_context(container_of(block, name, network))
            for name, block in blocks.items()
            if name not in NOT_STARTED and block.get("deploy", {}).get("replicas") != 0
        }
        for name, service in services.items():
            wait_until_ready(name, service)
        yield Stack(nats, phoenix, topology, services)


def wait_until_ready(name: str, service: Container, timeout_s: float = 180.0) -> None:
    """By the health check of the image itself."""
    give_up = time.monotonic() + timeout_s
    while (asked := service.exec(["python", "-I", "-S", "/app/health.py"])).exit_code:
        assert time.monotonic() < give_up, f"{name}: {asked.output.decode()} {service.logged()[-2000:]}"
        time.sleep(0.5)


async def test_a_question_is_answered_and_its_trace_is_in_phoenix(stack: Stack) -> None:
    """From gateway to verifier through nine images; the trace is one tree over all of them."""
    async with asyncio.timeout(120), openwork.connect(stack.url) as asker:
        answer = await asker.ask(QUESTION)
    assert answer.status == "answered"
    steps = {"openwork run", "search library", "rerank documents", "verification"}
    spans = await wait_for_spans(f"http://{stack.phoenix.address(6006)}", PROJECT, trace_id_of(answer.run_id), steps)
    assert steps <= {span["name"] for span in spans}
    known = {span["context"]["span_id"] for span in spans}
    assert [span["name"] for span in spans if span["parent_id"] not in known] == ["openwork run"]


def test_the_job_that_makes_streams_can_run_again(stack: Stack) -> None:
    """As at every upgrade."""
    stack.topology.get_wrapped_container().start()
    assert stack.topology.wait() == 0, stack.topology.logged()


def test_an_image_says_what_it_was_built_of(stack: Stack, blocks: dict[str, Any]) -> None:
    """Its version is that of its tag, its revision a commit of this repository."""
    for name, container in {**stack.services, "phoenix": stack.phoenix}.items():
        labels = container.get_wrapped_container().image.labels
        assert labels["org.opencontainers.image.version"] == blocks[name]["image"].rpartition(":")[2]
        revision = labels["org.opencontainers.image.revision"].removesuffix("-dirty")
        assert subprocess.run(["git", "cat-file", "-e", revision], check=False).returncode == 0, (name, revision)


def test_a_service_runs_as_nobody_and_drains_when_it_is_told_to_stop(stack: Stack) -> None:
    """It ends by itself, with 0, before it would be killed."""
    service = stack.services["gap"]
    assert service.exec(["id", "-u"]).output.split() == [b"10001"]
    assert service.exec(["touch", "/app/written"]).exit_code != 0
    service.kill("SIGTERM")
    assert service.wait() == 0, service.logged()[-2000:]
