"""The weights that are checked, and what their scores ought to be.

Those in models/bge-reranker-v2-m3 where they have been exported; else random ones of exactly that architecture, made
and exported once: they cost what the trained ones cost, and PyTorch says what they score.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from openwork_contracts.errors import UsageError
from openwork_reranker.export.manifest import FILE_NAME, read_manifest

from deploy.triton.local import REPOSITORY

FOLDER = "bge-reranker-v2-m3"
MODEL = "BAAI/bge-reranker-v2-m3"
_PYTHON = REPOSITORY / ".export-venv/bin/python"
_STAND_IN = REPOSITORY / "deploy/triton/stand_in.py"
_OF_THE_GRAPH = """
import json, sys
from pathlib import Path
from openwork_reranker.export.cross_encoder import onnx_logits
print(json.dumps(onnx_logits(Path(sys.argv[1]), "model.onnx", json.load(sys.stdin))))
"""


@dataclass(frozen=True, slots=True)
class Weights:
    """Exported weights and their origin."""

    models: Path
    """The folder with `bge-reranker-v2-m3/`."""
    words: str
    """What they are, for the table."""
    original: str | None
    """Folder or name that PyTorch loads them from; `None` = it is not there."""


def find_or_make(models: Path, scratch: Path, size: str, original: str | None) -> Weights:
    """The exported weights, else a stand-in in `scratch`, made when it is not there yet.

    Args:
        models: where exported weights lie; looked into for the original's size only.
        size: of the stand-in, see stand_in.py.
        original: where PyTorch finds the exported weights, if it is to be asked.
    Raises:
        UsageError: .export-venv is not there.
    """
    if not _PYTHON.exists():
        raise UsageError(f"{_PYTHON} does not exist; run scripts/export-setup.sh")
    if size == "bge" and (models / FOLDER / FILE_NAME).is_file():
        manifest = read_manifest(models / FOLDER)
        return Weights(models, f"{manifest.model}, {manifest.revision}", original)
    source, made = scratch / f"{size}-original", scratch / size
    if not (made / FOLDER / FILE_NAME).is_file():
        texts = [REPOSITORY / name for name in ("README.md", "docs/serving.md", "docs/evaluation.md")]
        _run(_STAND_IN, "make", source, size, *texts)
        export = ("-m", "openwork_reranker.export.cross_encoder", "--model", source, "--to", made / FOLDER)
        _run(*export, "--name", MODEL, "--revision", "random")
    return Weights(made, f"random weights, size {size!r}", str(source))


def reference_logits(weights: Weights, pairs: Sequence[tuple[str, str]]) -> tuple[list[float], str]:
    """Logits of each pair by itself, in FP32 on this machine's CPU, and whose they are."""
    asked = json.dumps(pairs)
    if weights.original is not None:
        return json.loads(_run(_STAND_IN, "logits", weights.original, text=asked)), "PyTorch, FP32, CPU"
    folder = weights.models / FOLDER
    checked = read_manifest(folder).checks["model.onnx"]
    words = f"the exported FP32 graph on a CPU, itself within {checked:.1g} of PyTorch when it was exported"
    return json.loads(_run("-c", _OF_THE_GRAPH, folder, text=asked)), words


def _run(*arguments: object, text: str | None = None) -> str:
    """Standard output of PyTorch's Python; UsageError with the end of what it complained of."""
    command = [str(_PYTHON), *map(str, arguments)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(f"{' '.join(command[1:3])} failed: {done.stderr.strip()[-1_000:]}")
    return done.stdout
