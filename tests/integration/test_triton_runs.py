"""Whole runs with a real Triton server: who scored is told, and its death in the middle leaves a finished answer."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.question import AskRequest
from openwork_contracts.ranking import DocumentsRanked, EvidenceRanked, ScorerReport
from openwork_gateway.domain.folds import fold
from openwork_gateway.watch import watch
from openwork_laptop.commands.rank import rank

from deploy.triton.local import LocalTriton, TritonFiles
from tests.asking import submit
from tests.builders import event_of
from tests.live import HASTY, Live, running
from tests.triton_server import REPOSITORY, stand_in_weights, triton_files

pytestmark = [pytest.mark.nats, pytest.mark.triton]
pytest.importorskip("tritonclient.grpc", reason="the extra openwork-reranker[triton] is not installed")

QUESTION = "Does apixaban lower the risk of stroke in atrial fibrillation compared with warfarin?"
AGAIN = "Does apixaban cause less bleeding than warfarin in atrial fibrillation?"
MODEL = "BAAI/bge-reranker-v2-m3"


@pytest.fixture(scope="module")
def files() -> TritonFiles:
    return triton_files()


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stand_in_weights(tmp_path_factory.mktemp("models"))


@pytest.fixture
def triton(files: TritonFiles, weights: Path) -> Iterator[LocalTriton]:
    server = LocalTriton(repository=REPOSITORY, weights=weights, files=files, models=("reranker",))
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def live(triton: LocalTriton, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Live]:
    environ = {
        **HASTY,
        "OPENWORK_TRITON_URL": triton.url,
        "OPENWORK_TRITON_RETRY_AFTER_S": "0",
        "OPENWORK_TRITON_TIMEOUT_S": "5",
    }
    async with running(tmp_path, monkeypatch, ("library", "pubmed", "europepmc-cited"), environ=environ) as stack:
        yield stack


async def start(live: Live, question: str) -> str:
    reply = await submit(live.bus, AskRequest(question=question), ServiceSettings())
    assert reply.run_id is not None
    return reply.run_id


async def ended(bus: JetStreamBus, run_id: str) -> AnswerDocument:
    async with asyncio.timeout(60):
        return fold([stored async for stored in watch(bus, run_id)])


async def reports_of(live: Live, run_id: str) -> tuple[ScorerReport, ScorerReport]:
    """What scored the documents, and what scored the passages."""
    documents = await event_of(live.bus, DocumentsRanked, run_id)
    passages = await event_of(live.bus, EvidenceRanked, run_id)
    assert documents is not None
    assert passages is not None
    assert passages.report is not None
    return documents.report, passages.report


async def test_both_stages_are_scored_by_the_server_and_the_answer_says_so(live: Live) -> None:
    exporter = InMemorySpanExporter()
    live.services["reranker"].telemetry = Telemetry("reranker", ServiceSettings(), exporter)  # type: ignore[attr-defined]
    run_id = await start(live, QUESTION)
    document = await ended(live.bus, run_id)
    assert document.status is RunStatus.ANSWERED
    assert document.method.scorer == f"triton ({MODEL})"
    reports = await reports_of(live, run_id)
    assert [(r.stage, r.model, r.version) for r in reports] == [("documents", MODEL, "1"), ("passages", MODEL, "1")]
    spans = [span for span in exporter.get_finished_spans() if span.name.startswith("rerank ")]
    assert {span.name for span in spans} == {"rerank documents", "rerank passages"}
    seen: set[str] = set()
    for span in spans:
        attributes = span.attributes
        assert attributes is not None
        assert (attributes["reranker.model_name"], attributes["openwork.scorer.version"]) == (MODEL, "1")
        sizes = attributes["openwork.scorer.batch_sizes"]
        assert isinstance(sizes, tuple)
        kept = bool(attributes["openwork.scorer.from_cache"])  # of a second round that found nothing new
        assert not (kept and span.name not in seen)
        seen.add(span.name)
        assert sum(map(int, sizes)) == (0 if kept else attributes["reranker.top_k"])


def test_the_ranking_alone_is_the_servers_too(
    triton: LocalTriton, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENWORK_TRITON_URL", triton.url)
    candidates = tmp_path / "candidates.jsonl"
    candidates.write_text('{"id": "a", "text": "Stroke was rarer."}\n{"id": "b", "text": "Bananas are yellow."}')
    assert rank(query=QUESTION, candidates=candidates, json_=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["scorer"] == {"name": "triton", "model": MODEL, "version": "1"}
    assert found["degradation"] is None
    assert {row["id"] for row in found["ranking"]} == {"a", "b"}
    triton.stop()
    assert rank(query=QUESTION, candidates=candidates, json_=True) == 0
    without = json.loads(capsys.readouterr().out)
    assert without["scorer"]["name"] == "lexical"
    assert without["degradation"]


async def test_server_killed_between_the_stages_leaves_an_answer_that_says_so(live: Live, triton: LocalTriton) -> None:
    live.server.fault("hang", "fullTextXML")  # so that stage 2 waits, and is still to come when the server dies
    run_id = await start(live, QUESTION)
    async with asyncio.timeout(30):
        async for stored in watch(live.bus, run_id):
            if isinstance(stored.event, DocumentsRanked):
                break
    assert triton.process is not None
    os.killpg(triton.process.pid, signal.SIGKILL)
    document = await ended(live.bus, run_id)
    assert document.status is RunStatus.ANSWERED
    documents, passages = await reports_of(live, run_id)
    assert (documents.model, documents.degradation) == (MODEL, None)
    assert (passages.scorer, passages.model) == ("lexical", None)
    assert passages.degradation in document.method.degradations
    assert "Traceback" not in document.model_dump_json()


async def test_server_that_is_back_is_asked_again(
    live: Live, triton: LocalTriton, files: TritonFiles, weights: Path
) -> None:
    assert triton.process is not None
    os.killpg(triton.process.pid, signal.SIGKILL)
    triton.process.wait()
    without = await ended(live.bus, await start(live, QUESTION))
    assert without.method.scorer == "lexical"
    ports = (0, triton.grpc_port, 0)
    second = LocalTriton(repository=REPOSITORY, weights=weights, files=files, models=("reranker",), ports=ports)
    await asyncio.to_thread(second.start)
    try:
        for n in range(10):  # gRPC waits a moment before it connects again
            again = await ended(live.bus, await start(live, f"{AGAIN[:-1]} ({n})?"))
            if again.method.scorer == f"triton ({MODEL})":
                break
    finally:
        await asyncio.to_thread(second.stop)
    assert again.method.scorer == f"triton ({MODEL})"
