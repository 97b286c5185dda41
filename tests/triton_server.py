"""A real Triton server for tests, with weights of four nodes in place of the cross-encoder's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from openwork_reranker.adapters.minilm import TOKENIZER_FILE
from openwork_reranker.export.manifest import Manifest, write_manifest

from deploy.triton.assemble import assemble
from deploy.triton.local import LocalTriton, TritonFiles, find_triton
from tests.fakes.tiny_onnx import tiny_cross_encoder, tiny_nli

ROOT = Path(__file__).resolve().parents[1]
REPOSITORY = ROOT / "triton_models"


def triton_files() -> TritonFiles:
    """The server of `.triton-venv`; the test is skipped where there is none."""
    python = ROOT / ".triton-venv" / "bin" / "python"
    if not python.exists():
        pytest.skip("no Triton server here; scripts/triton-setup.sh installs it")
    return find_triton(python)


def stand_in_weights(models: Path) -> Path:
    """A folder of weights that calls itself what the configs promise."""
    folder = models / "bge-reranker-v2-m3"
    folder.mkdir(parents=True)
    files = ("model.onnx", "model.cuda.onnx", "model.fp16.onnx", "model.int8.onnx")
    for name in files:
        (folder / name).write_bytes(tiny_cross_encoder())
    shutil.copyfile(TOKENIZER_FILE, folder / "tokenizer.json")
    write_manifest(folder, Manifest("BAAI/bge-reranker-v2-m3", "stand-in", "none"), (*files, "tokenizer.json"))
    return models


def stand_in_nli(models: Path) -> Path:
    """The same for the inference model, whose config promises nothing."""
    folder = models / "nli"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(tiny_nli())
    shutil.copyfile(TOKENIZER_FILE, folder / "tokenizer.json")
    write_manifest(folder, Manifest("test/nli", "stand-in", "none"), ("model.onnx", "tokenizer.json"))
    return models


def assembled(weights: Path, target: Path, config_name: str | None, *models: str) -> Path:
    """The GPU's repository with weights, as a pod has it; of all models when none is named."""
    chosen = models or ("reranker", "embedder", "nli")
    assemble(REPOSITORY, weights, target, config_name=config_name, models=chosen)
    return target


def all_stand_ins(models: Path) -> Path:
    """Weights of every model of the repository; MiniLM's are the real ones."""
    minilm = ROOT / "models" / "minilm"
    if not (minilm / "model.onnx").exists():
        pytest.skip("MiniLM is not in models/; scripts/triton-setup.sh puts it there")
    stand_in_nli(stand_in_weights(models))
    shutil.copytree(minilm, models / "minilm")
    return models


def model_processes(triton: LocalTriton) -> list[int]:
    """The processes of a server's models, dead ones left out."""
    assert triton.process is not None
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == triton.process.pid:
            found.append(int(status.parent.name))
    return found


def processes_of_model(triton: LocalTriton, model: str) -> list[int]:
    """Those of one model: its file stands in their command."""
    return [
        pid for pid in model_processes(triton) if f"/{model}/1/model.py" in Path(f"/proc/{pid}/cmdline").read_text()
    ]
