"""The model repository on the real server, asked by the real client. The weights are a stand-in of four nodes."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from openwork_contracts.answer import AnswerSection, SectionKind
from openwork_contracts.errors import ModelUnavailable, OpenWorkError
from openwork_contracts.verdict import EvidenceItem
from openwork_reranker.adapters.fallback import FallbackScorer
from openwork_reranker.adapters.triton.scorer import TritonScorer
from openwork_reranker.domain.focus import focus_of_text
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.scoring import ScorableText
from openwork_reranker.export.manifest import Manifest, write_manifest
from openwork_serving.client import TritonOptions
from openwork_verifier.adapters.nli_judge import NliJudge, NliOptions
from openwork_verifier.domain.gate import verify_claim
from openwork_verifier.domain.judging.answers import Judgement
from openwork_verifier.domain.judging.questions import claims_to_ask
from openwork_verifier.domain.judging.verdicts import apply

from deploy.triton.local import LocalTriton, TritonFiles
from tests.builders import run_on
from tests.handling import bus_of_today
from tests.triton_server import (
    REPOSITORY,
    all_stand_ins,
    assembled,
    model_processes,
    stand_in_nli,
    stand_in_weights,
    triton_files,
)

pytestmark = pytest.mark.triton
pytest.importorskip("tritonclient.grpc", reason="the extra openwork-serving[client] is not installed")

FOCUS = focus_of_text("Does apixaban lower the risk of stroke?")
TEXTS = [ScorableText("Apixaban", "Stroke was rarer. " * n) for n in (1, 40, 3, 20, 200, 2)]


@pytest.fixture(scope="module")
def files() -> TritonFiles:
    return triton_files()


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stand_in_weights(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def server(files: TritonFiles, weights: Path) -> Iterator[LocalTriton]:
    """The CPU's `reranker`."""
    triton = LocalTriton(repository=REPOSITORY, weights=weights, files=files, models=("reranker",))
    triton.start()
    yield triton
    triton.stop()


def complaints(files: TritonFiles, repository: Path, config_name: str | None) -> list[str]:
    """What the server finds wrong with an assembled repository, but for the backend that a CPU's server lacks."""
    triton = LocalTriton(
        repository=repository,
        weights=None,
        files=files,
        config_name=config_name,
        options=["--exit-on-error=false", "--strict-readiness=false"],
    )
    triton.start()
    try:
        wrong = [line for line in triton.log.read_text().splitlines() if line.startswith("E")]
    finally:
        triton.stop()
    # There is no GPU's driver; the library is not there, so neither are its model and the ensemble that asks the model;
    # the last is the sum of the lines before.
    allowed = re.compile(
        r"CudaDriverHelper|CUDA driver version|unable to find backend library for backend 'onnxruntime'"
        r"|ensemble 'reranker' depends on 'bge_reranker_onnx' which has no loaded version|failed to load all models"
    )
    return [line for line in wrong if "text proto" in line or not allowed.search(line)]


@pytest.mark.parametrize("config_name", [None, "tensorrt", "fp32", "twin", "twin-fp16", "twin-fp32"])
def test_the_whole_repository_of_a_gpu_lacks_nothing_but_the_gpus_backend(
    files: TritonFiles, tmp_path: Path, config_name: str | None
) -> None:
    """Every config can be read, every file that one names is there, every Python model loads."""
    repository = assembled(all_stand_ins(tmp_path / "models"), tmp_path / "repository", config_name)
    assert complaints(files, repository, config_name) == []


def test_a_missing_file_and_a_misspelt_setting_would_be_found(files: TritonFiles, tmp_path: Path) -> None:
    """So the test above can fail."""
    repository = assembled(all_stand_ins(tmp_path / "models"), tmp_path / "repository", "twin")
    config = repository / "embedder" / "config.pbtxt"
    config.write_text(config.read_text().replace("max_queue_delay_microseconds", "max_queue_delay_milliseconds"))
    (repository / "bge_reranker_onnx/1/model.cuda.onnx").unlink()
    found = complaints(files, repository, "twin")
    assert any("failed to read text proto" in line for line in found)
    assert any("model.cuda.onnx" in line for line in found)


def test_a_port_that_somebody_took_meanwhile_is_changed(files: TritonFiles, weights: Path) -> None:
    """It is opened seconds after it was found free."""
    triton = LocalTriton(repository=REPOSITORY, weights=weights, files=files, models=("reranker",))
    taken = triton.grpc_port
    with socket.create_server(("127.0.0.1", taken)):
        triton.start()
    try:
        assert triton.grpc_port != taken
        assert triton.is_ready()
    finally:
        triton.stop()


async def test_scores_come_from_the_server_with_its_model_and_version(server: LocalTriton) -> None:
    scorer = TritonScorer(TritonOptions(server.url))
    result = await scorer.score_and_report(FOCUS, TEXTS)
    await scorer.close()
    assert (result.identity.model, result.identity.version) == ("BAAI/bge-reranker-v2-m3", "1")
    assert sum(result.batch_sizes) == len(TEXTS)
    assert sorted(range(len(TEXTS)), key=lambda i: result.scores[i]) == [0, 5, 2, 3, 1, 4]


async def test_score_of_a_pair_does_not_depend_on_its_batch(server: LocalTriton) -> None:
    scorer = TritonScorer(TritonOptions(server.url, batch_tokens=100_000))
    together = await scorer.score(FOCUS, TEXTS)
    alone = [(await scorer.score(FOCUS, [text]))[0] for text in TEXTS]
    await scorer.close()
    assert together == pytest.approx(alone, abs=1e-6)


@pytest.mark.parametrize("config_name", ["twin", "twin-fp16", "twin-fp32"])
async def test_ensemble_of_the_gpu_gives_the_scores_of_the_cpus_model(
    server: LocalTriton, files: TritonFiles, weights: Path, tmp_path: Path, config_name: str
) -> None:
    """The repository as a GPU gets it, but for the backend of its inner model."""
    repository = assembled(weights, tmp_path / "repository", config_name, "reranker")
    ensemble = LocalTriton(
        repository=repository, weights=None, files=files, models=("reranker",), config_name=config_name
    )
    await asyncio.to_thread(ensemble.start)
    scores = []
    try:
        for triton in (server, ensemble):
            scorer = TritonScorer(TritonOptions(triton.url))
            scores.append(await scorer.score(FOCUS, TEXTS))
            await scorer.close()
    finally:
        await asyncio.to_thread(ensemble.stop)
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


def test_weights_of_another_name_are_not_served(files: TritonFiles, weights: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bge-reranker-v2-m3"
    shutil.copytree(weights / "bge-reranker-v2-m3", folder)
    write_manifest(folder, Manifest("someone/else", "r1", "none"), ("model.onnx",))
    triton = LocalTriton(repository=REPOSITORY, weights=tmp_path, files=files, models=("reranker",))
    with pytest.raises(ModelUnavailable, match="someone/else"):
        triton.start()


async def test_killed_server_leaves_a_scored_run_and_is_used_again_when_it_is_back(
    files: TritonFiles, weights: Path
) -> None:
    first = LocalTriton(repository=REPOSITORY, weights=weights, files=files, models=("reranker",))
    await asyncio.to_thread(first.start)
    primary = TritonScorer(TritonOptions(first.url, timeout_s=5))
    scorer = FallbackScorer(primary, LexicalScorer(), retry_after_s=0)
    before = await scorer.score_and_report(FOCUS, TEXTS)
    assert first.process is not None
    os.killpg(first.process.pid, signal.SIGKILL)
    first.process.wait()
    without = await scorer.score_and_report(FOCUS, TEXTS)
    ports = (0, first.grpc_port, 0)
    first.stop()
    second = LocalTriton(repository=REPOSITORY, weights=weights, files=files, models=("reranker",), ports=ports)
    await asyncio.to_thread(second.start)
    try:
        after = await _until_undegraded(scorer)
    finally:
        await primary.close()
        await asyncio.to_thread(second.stop)
    assert before.degradation is None
    assert without.identity.name == "lexical"
    assert without.degradation is not None
    assert after == before.scores


async def test_two_servers_behind_one_name_share_the_work_and_the_death_of_one_is_not_noticed(
    server: LocalTriton, files: TritonFiles, weights: Path
) -> None:
    """All went to the first of them, and its death sent every run to a stand-in for a while."""
    second = LocalTriton(repository=REPOSITORY, weights=weights, files=files, models=("reranker",))
    await asyncio.to_thread(second.start)
    primary = TritonScorer(TritonOptions(f"ipv4:{server.url},{second.url}"))
    scorer = FallbackScorer(primary, LexicalScorer(), retry_after_s=60)
    try:
        for _ in range(10):  # until both are connected
            await primary.check()
        before = [answered(server), answered(second)]
        for n in range(100):
            await primary.score(FOCUS, [ScorableText("Apixaban", f"Stroke was rarer in {n} patients.")])
        shares = [answered(triton) - n for triton, n in zip((server, second), before, strict=True)]
        assert second.process is not None
        os.killpg(second.process.pid, signal.SIGKILL)
        after = [await scorer.score_and_report(FOCUS, TEXTS) for _ in range(10)]
    finally:
        await primary.close()
        await asyncio.to_thread(second.stop)
    assert shares == [50, 50]
    assert [result.degradation for result in after] == [None] * 10


def answered(triton: LocalTriton) -> int:
    """Inferences of the reranker that a server has answered, as it counts them."""
    with urllib.request.urlopen(f"http://127.0.0.1:{triton.metrics_port}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    found = re.search(r'^nv_inference_request_success\{model="reranker",[^}]*\} (\d+)', text, re.MULTILINE)
    return int(found[1]) if found else 0


async def test_inference_model_judges_the_same_in_whatever_batch_and_its_quotations_stand_in_the_source(
    files: TritonFiles, tmp_path: Path
) -> None:
    """The made-up one finds long pairs entailed, and called by other labels contradicted."""
    triton = LocalTriton(repository=REPOSITORY, weights=stand_in_nli(tmp_path), files=files, models=("nli",))
    await asyncio.to_thread(triton.start)
    source = "Stroke was rarer with apixaban than with warfarin in these patients. Bleeding was rarer too. " * 3
    items = [EvidenceItem(n=1, text=source)]
    claims = tuple(verify_claim(t, (1,), items) for t in ("All patients had less stroke.", "Fewer bled on apixaban."))
    sections = (AnswerSection(kind=SectionKind.EVIDENCE, heading="", claims=claims),)
    asked = claims_to_ask(sections, items)
    found = []
    try:
        for options in (
            NliOptions("nli", labels=("entailment", "neutral", "contradiction")),
            NliOptions("nli", labels=("entailment", "neutral", "contradiction"), max_pairs=1),
            NliOptions("nli", labels=("contradiction", "neutral", "entailment")),
        ):
            judge = NliJudge(TritonOptions(triton.url, batch_tokens=100_000), options)
            await judge.check()
            found.append(await judge.judge(asked, items, run_on(bus_of_today()), deadline_at=None))
            await judge.close()
    finally:
        await asyncio.to_thread(triton.stop)
    assert found[0] == found[1]
    assert {answer.verdict for answer in found[0]} == {Judgement.ENTAILED}
    assert {answer.verdict for answer in found[2]} == {Judgement.CONTRADICTED}
    assert all(answer.quote in source for answers in found for answer in answers)
    assert apply(sections, asked, found[0], items, who="it").n_asked == len(asked) > 0


async def _until_undegraded(scorer: FallbackScorer) -> tuple[float, ...]:
    for _ in range(100):
        result = await scorer.score_and_report(FOCUS, TEXTS)
        if result.degradation is None:
            return result.scores
        await asyncio.sleep(0.1)
    raise AssertionError("the server that came back was not used")


async def test_dead_model_process_is_found_by_the_check_alone(files: TritonFiles, weights: Path) -> None:
    """Readiness stays green, which is why liveness is an inference."""
    triton = LocalTriton(repository=REPOSITORY, weights=weights, files=files, models=("reranker",))
    await asyncio.to_thread(triton.start)
    scorer = TritonScorer(TritonOptions(triton.url, timeout_s=5))
    try:
        await scorer.check()
        for pid in model_processes(triton):
            os.kill(pid, signal.SIGKILL)
        # Two instances: the one that is still to notice its end may be asked first.
        with pytest.raises(OpenWorkError) as raised:
            await _check_often(scorer)
        assert triton.is_ready()
    finally:
        await scorer.close()
        await asyncio.to_thread(triton.stop)
    assert "/" not in str(raised.value)


async def _check_often(scorer: TritonScorer) -> None:
    for _ in range(20):
        await scorer.check()
