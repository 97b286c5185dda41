"""One question, one trace: read back over the API of a real Phoenix.

make test ARGS="-m phoenix"          starts one from .phoenix-venv on a free port (half a minute)
OPENWORK_PHOENIX_URL=http://...      uses that one
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openwork_bus.run_ids import root_span_id_of, trace_id_of
from openwork_bus.settings import ServiceSettings
from openwork_contracts.question import AskRequest
from openwork_gateway.watch import watch
from openwork_laptop.stack import SERVICES, client, prepare

from tests.asking import submit
from tests.nats_server import OpenServer

pytestmark = [pytest.mark.nats, pytest.mark.phoenix]

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "Compare apixaban versus rivaroxaban in atrial fibrillation with chronic kidney disease"
Span = dict[str, Any]


@pytest.fixture(scope="module")
def phoenix(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a Phoenix that runs."""
    if url := os.environ.get("OPENWORK_PHOENIX_URL"):
        yield url
        return
    if "phoenix" not in request.config.option.markexpr:
        pytest.skip("Phoenix takes half a minute to start; run with -m phoenix, or set OPENWORK_PHOENIX_URL")
    if not (ROOT / ".phoenix-venv/bin/phoenix").exists():
        pytest.skip("Phoenix is not installed; run `make phoenix` once")
    env = {
        **os.environ,
        "PHOENIX_PORT": str(free_port()),
        "PHOENIX_GRPC_PORT": str(free_port()),
        "PHOENIX_WORKING_DIR": str(tmp_path_factory.mktemp("phoenix")),
    }
    script = str(ROOT / "scripts/phoenix.sh")
    subprocess.run([script, "start"], env=env, check=True, timeout=240)
    yield f"http://127.0.0.1:{env['PHOENIX_PORT']}"
    subprocess.run([script, "stop"], env=env, check=True, timeout=30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def spans_of(url: str, project: str, trace_id: str) -> list[Span]:
    """What Phoenix holds of a trace; nothing while it has not made the project yet."""
    query = urllib.parse.urlencode({"limit": 500, "trace_id": trace_id})
    try:
        with urllib.request.urlopen(f"{url}/v1/projects/{project}/spans?{query}", timeout=20) as answer:
            return list(json.load(answer)["data"])
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return []
        raise


async def wait_for_spans(url: str, project: str, trace_id: str, names: set[str]) -> list[Span]:
    """Phoenix takes spans in later than it accepts them: ask until all are there."""
    spans: list[Span] = []
    for _ in range(120):
        spans = await asyncio.to_thread(spans_of, url, project, trace_id)
        if names <= {span["name"] for span in spans}:
            return spans
        await asyncio.sleep(0.5)
    return spans


async def answered(folder: Path, phoenix: str, project: str) -> str:
    """A run that was answered, all its spans sent to Phoenix."""
    server = OpenServer(folder)
    await server.start()
    await prepare(server.url)
    services = []
    for name in SERVICES:
        settings = importlib.import_module(f"openwork_{name}.settings").Settings(
            nats_url=server.url, otlp_endpoint=phoenix, trace_project=project
        )
        services.append(importlib.import_module(f"openwork_{name}.app").create_service(settings))
    await asyncio.gather(*(service.start() for service in services))
    try:
        async with client(server.url) as bus:
            reply = await submit(bus, AskRequest(question=QUESTION), ServiceSettings())
            assert reply.run_id is not None
            async with asyncio.timeout(60):
                async for _ in watch(bus, reply.run_id):
                    pass
        return reply.run_id
    finally:
        await asyncio.gather(*(service.stop() for service in services))
        await server.stop()


async def test_one_question_is_one_tree_over_all_services(phoenix: str, tmp_path: Path) -> None:
    """Root `openwork run` with the bits of the run id as trace id; every span hangs below it; documents have scores."""
    project = f"test-{os.getpid()}"
    run_id = await answered(tmp_path / "nats", phoenix, project)
    steps = {"openwork run", "search library", "rerank documents", "rerank passages", "verification"}
    spans = await wait_for_spans(phoenix, project, trace_id_of(run_id), steps)
    names = Counter(span["name"] for span in spans)
    assert steps <= set(names)
    by_id = {span["context"]["span_id"]: span for span in spans}
    roots = [span for span in spans if span["parent_id"] not in by_id]
    assert [(span["name"], span["parent_id"]) for span in roots] == [("openwork run", None)]
    assert roots[0]["context"] == {"trace_id": trace_id_of(run_id), "span_id": root_span_id_of(run_id)}
    assert roots[0]["attributes"]["input.value"] == QUESTION
    assert roots[0]["attributes"]["output.value"] != "answer-concluded"  # the answer itself
    assert roots[0]["attributes"]["session.id"] == run_id
    # The gateway only ends runs that are late, and no full text is asked for what the library gave.
    seen = {span["attributes"].get("openwork.service") for span in spans}
    assert set(SERVICES) - {"gateway", "fulltext"} <= seen
    assert {span["status_code"] for span in spans} == {"OK"}
    kinds = {span["name"]: span["span_kind"] for span in spans}
    assert kinds["search library"] == "RETRIEVER"
    assert kinds["rerank documents"] == kinds["rerank passages"] == "RERANKER"
    assert kinds["verification"] == "EVALUATOR"
    (reranked,) = (span for span in spans if span["name"] == "rerank documents")
    first = "reranker.output_documents.0.document"
    assert reranked["attributes"][f"{first}.id"].startswith("pmid:")
    assert reranked["attributes"][f"{first}.content"]
    assert 0 < reranked["attributes"][f"{first}.score"] <= 1


async def test_without_phoenix_a_question_is_answered_all_the_same(tmp_path: Path) -> None:
    """Nothing listens where the traces should go: the run ends, and so do the services."""
    run_id = await asyncio.wait_for(answered(tmp_path / "nats", f"http://127.0.0.1:{free_port()}", "nowhere"), 90)
    assert run_id
