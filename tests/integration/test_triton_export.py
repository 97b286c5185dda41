"""From PyTorch to a score: a cross-encoder of BGE's kind, exported by our exporter, in the repository of a GPU.

The model is small and its weights are random; graph, tokenizer, inputs, buckets, ensemble, batching and client are as
the original's. Only the backend of the inner model is another: the twin's, since a CPU's server has no onnxruntime.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from openwork_reranker.adapters.triton.scorer import TritonScorer
from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.scoring import ScorableText
from openwork_reranker.export.checks import MAX_DIFFERENCE, SAMPLE_PAIRS
from openwork_reranker.export.manifest import read_manifest
from openwork_serving.client import ServedModel, TritonOptions
from openwork_serving.numbers import sigmoid

from deploy.triton.local import LocalTriton, TritonFiles
from tests.triton_server import REPOSITORY, ROOT, assembled, triton_files

pytestmark = pytest.mark.triton
pytest.importorskip("tritonclient.grpc", reason="the extra openwork-serving[client] is not installed")

FOLDER = "bge-reranker-v2-m3"
QUESTION = "Does apixaban cause less bleeding than warfarin?"
SENTENCES = (
    "Major bleeding was rarer with apixaban than with warfarin.",
    "The kidney filters about 180 litres of plasma a day.",
    "Stroke or systemic embolism occurred in 1.27 % of patients per year.",
)
PAIRS = [
    *SAMPLE_PAIRS,
    *((QUESTION, f"{SENTENCES[n % 3]} " * n) for n in (1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 60)),
]
"""Of every bucket, up to texts that are cut."""
FP32_TOLERANCE = 1e-5
"""Of a logit: the order of additions alone."""


@pytest.fixture(scope="module")
def files() -> TritonFiles:
    return triton_files()


@pytest.fixture(scope="module")
def python() -> Path:
    """Of the environment that has PyTorch."""
    found = ROOT / ".export-venv/bin/python"
    if not found.exists():
        pytest.skip("no PyTorch here; scripts/export-setup.sh installs it")
    return found


@pytest.fixture(scope="module")
def original(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model as PyTorch has it, its tokenizer trained on this repository's pages."""
    folder = tmp_path_factory.mktemp("original")
    texts = [ROOT / name for name in ("README.md", "docs/serving.md", "docs/evaluation.md")]
    command = [python, ROOT / "deploy/triton/stand_in.py", "make", folder, "tiny", *texts]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def weights(python: Path, original: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What our exporter makes of it, under the name that the configs promise."""
    models = tmp_path_factory.mktemp("models")
    command = [python, "-m", "openwork_reranker.export.cross_encoder", "--model", original]
    command += ["--to", models / FOLDER, "--name", "BAAI/bge-reranker-v2-m3"]
    subprocess.run(command, check=True, capture_output=True)
    return models


@pytest.fixture(scope="module")
def logits(python: Path, original: Path) -> list[float]:
    """PyTorch's, of each pair by itself."""
    command = [python, ROOT / "deploy/triton/stand_in.py", "logits", original]
    done = subprocess.run(command, input=json.dumps(PAIRS), check=True, capture_output=True, text=True)
    found: list[float] = json.loads(done.stdout)
    return found


@asynccontextmanager
async def serving(triton: LocalTriton) -> AsyncIterator[str]:
    await asyncio.to_thread(triton.start)
    try:
        yield triton.url
    finally:
        await asyncio.to_thread(triton.stop)


def twin(files: TritonFiles, weights: Path, folder: Path, config_name: str) -> LocalTriton:
    repository = assembled(weights, folder / "repository", config_name, "reranker")
    return LocalTriton(repository=repository, weights=None, files=files, models=("reranker",), config_name=config_name)


async def served(url: str, batches: Sequence[Sequence[int]]) -> list[float]:
    """The server's logits of the pairs, asked in these batches."""
    model = ServedModel("reranker", TritonOptions(url, timeout_s=60))
    requests = [{"QUERY": [PAIRS[i][0] for i in b], "PASSAGE": [PAIRS[i][1] for i in b]} for b in batches]
    inference = await model.infer(requests, "score")
    await model.close()
    found = [0.0] * len(PAIRS)
    for batch, output in zip(batches, inference.outputs, strict=True):
        for i, value in zip(batch, output.reshape(-1).tolist(), strict=True):
            found[i] = value
    return found


@pytest.mark.parametrize("half", ["model.cuda.onnx", "model.fp16.onnx"])
def test_the_exported_half_precision_is_one_file_of_half_the_size(weights: Path, half: str) -> None:
    """So that it can be fetched and linked by itself."""
    folder = weights / FOLDER
    manifest = read_manifest(folder)
    assert half in manifest.sha256
    assert f"{half}.data" not in manifest.sha256
    full = sum((folder / name).stat().st_size for name in ("model.onnx", "model.onnx.data"))
    assert (folder / half).stat().st_size < 0.75 * full


_FUSE = """
import sys
import onnx
from openwork_reranker.export.fused import GraphUnknown, fuse_attention
whole = onnx.load(sys.argv[1], load_external_data=False)
print(fuse_attention(whole, heads=4, hidden=64), sum(node.op_type == "Softmax" for node in whole.graph.node))
changed = onnx.load(sys.argv[1], load_external_data=False)
for node in changed.graph.node:
    if node.op_type == "Softmax":
        node.op_type = "LogSoftmax" if sys.argv[2] == "none" else "Softmax"
        after = next(other for other in changed.graph.node if node.output[0] in other.input)
        after.op_type = after.op_type if sys.argv[2] == "none" else "Add"
try:
    fuse_attention(changed, heads=4, hidden=64)
except GraphUnknown as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("change", "said"), [("none", "there is no attention in it"), ("product", "not to one MatMul")]
)
def test_every_layers_attention_is_fused_and_one_of_another_form_is_refused(
    python: Path, weights: Path, change: str, said: str
) -> None:
    """Half of the layers fused would be served without a word, slower."""
    command = [python, "-c", _FUSE, weights / FOLDER / "model.onnx", change]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    counted, refused = done.stdout.splitlines()
    assert counted == "3 0"
    assert said in refused


def test_exported_files_can_be_read_by_whoever_serves_them(weights: Path) -> None:
    """The image's user is not the one who exported."""
    folder = weights / FOLDER
    assert all((folder / name).stat().st_mode & 0o044 == 0o044 for name in read_manifest(folder).sha256)


@pytest.mark.parametrize(
    ("config_name", "tolerance"),
    [
        ("twin-fp32", FP32_TOLERANCE),
        ("twin", MAX_DIFFERENCE["model.cuda.onnx"]),
        ("twin-fp16", MAX_DIFFERENCE["model.fp16.onnx"]),
    ],
)
async def test_the_served_logits_are_pytorchs_in_whatever_batch(
    files: TritonFiles, weights: Path, logits: list[float], tmp_path: Path, config_name: str, tolerance: float
) -> None:
    """Neither padding to a bucket nor neighbours change a score."""
    everyone = range(len(PAIRS))
    async with serving(twin(files, weights, tmp_path, config_name)) as url:
        alone = await served(url, [[i] for i in everyone])
        together = await served(url, [list(everyone)])  # all padded to the longest: 512
        mixed = await served(url, [list(everyone[n::4]) for n in range(4)])
        scorer = TritonScorer(TritonOptions(url, timeout_s=60))
        texts = [ScorableText("", passage) for question, passage in PAIRS if question == QUESTION]
        scores = await scorer.score(QuestionFocus(QUESTION, ()), texts)
        await scorer.close()
    assert max(logits) - min(logits) > 0.5  # so that agreeing means something
    for found in (alone, together, mixed):
        assert found == pytest.approx(logits, abs=tolerance)
    wanted = [sigmoid(logit) for (question, _), logit in zip(PAIRS, logits, strict=True) if question == QUESTION]
    assert scores == pytest.approx(wanted, abs=tolerance)


async def test_a_cpus_model_gives_pytorchs_scores_too(
    files: TritonFiles, weights: Path, logits: list[float], tmp_path: Path
) -> None:
    """Another config, another code, the same file."""
    triton = LocalTriton(
        repository=REPOSITORY,
        weights=weights,
        files=files,
        models=("reranker",),
        environment={"OPENWORK_RERANKER_ONNX": "model.onnx"},
    )
    async with serving(triton) as url:
        found = await served(url, [list(range(len(PAIRS)))])
    assert found == pytest.approx(logits, abs=FP32_TOLERANCE)


async def test_every_request_is_padded_to_a_bucket(files: TritonFiles, weights: Path, tmp_path: Path) -> None:
    """What the inner model gets: one of four lengths, ones where there is text, the vocabulary's padding elsewhere."""
    import tritonclient.grpc.aio as grpc  # type: ignore[import-not-found,import-untyped,unused-ignore]

    seen = set()
    async with serving(twin(files, weights, tmp_path, "twin")) as url:
        client = grpc.InferenceServerClient(url)
        for question, passage in PAIRS:
            inputs = []
            for name, text in (("QUERY", question), ("PASSAGE", passage)):
                inputs.append(grpc.InferInput(name, [1, 1], "BYTES"))
                inputs[-1].set_data_from_numpy(as_bytes(text))
            answer = await client.infer("rerank_tokenize", inputs)
            (ids,), (mask,) = answer.as_numpy("input_ids"), answer.as_numpy("attention_mask")
            used = int(mask.sum())
            seen.add(len(ids))
            assert mask.tolist() == [1] * used + [0] * (len(ids) - used)
            assert (ids[0], ids[used - 1]) == (0, 2)  # <s>, </s>
            assert set(ids[used:].tolist()) <= {1}  # <pad>
            assert ids.tolist().count(2) == 3  # after the question twice, after the passage once
        await client.close()
    assert seen == {64, 128, 256, 512}


def as_bytes(text: str) -> object:
    import numpy

    return numpy.array([[text.encode()]], dtype=numpy.object_)
