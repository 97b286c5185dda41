"""A real Triton server for tests, with weights of four nodes in place of the cross-encoder's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from openwork_reranker.adapters.minilm import TOKENIZER_FILE
from openwork_reranker.export.manifest import Manifest, write_manifest

from deploy.triton.local import TritonFiles, find_triton
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
    folder.mkdir()
    for name in ("model.onnx", "model.int8.onnx"):
        (folder / name).write_bytes(tiny_cross_encoder())
    shutil.copyfile(TOKENIZER_FILE, folder / "tokenizer.json")
    write_manifest(folder, Manifest("BAAI/bge-reranker-v2-m3", "stand-in", "none"), ("model.onnx",))
    return models


def stand_in_nli(models: Path) -> Path:
    """The same for the inference model, whose config promises nothing."""
    folder = models / "nli"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(tiny_nli())
    shutil.copyfile(TOKENIZER_FILE, folder / "tokenizer.json")
    write_manifest(folder, Manifest("test/nli", "stand-in", "none"), ("model.onnx",))
    return models
