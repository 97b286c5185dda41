"""The cross-encoder over token ids on a CPU: twin of the onnxruntime model that GPUs run, for tests of the ensemble.

Weights: $OPENWORK_MODELS/<weights_folder>/, else this folder; $OPENWORK_RERANKER_ONNX chooses another file of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-not-found,import-untyped,unused-ignore]
import triton_python_backend_utils as pb_utils  # type: ignore[import-not-found,unused-ignore]


class TritonPythonModel:
    """What the Python backend calls; the method names are Triton's."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the session; an exception here keeps the model from becoming ready."""
        parameters = {k: v["string_value"] for k, v in json.loads(args["model_config"])["parameters"].items()}
        folder = weights_folder(args, parameters)
        check_origin(folder, parameters["weights"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        name = os.environ.get("OPENWORK_RERANKER_ONNX") or parameters["model_file"]
        self._session = onnxruntime.InferenceSession(folder / name, options, providers=["CPUExecutionProvider"])

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        """One response per request. The batcher joins requests of one length only, so they concatenate."""
        columns = [
            [pb_utils.get_input_tensor_by_name(request, name).as_numpy() for request in requests]
            for name in ("input_ids", "attention_mask")
        ]
        ids, mask = (np.concatenate(column) for column in columns)
        logits = self._session.run(["score"], {"input_ids": ids, "attention_mask": mask})[0]
        ends = np.cumsum([len(one) for one in columns[0]])[:-1]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("score", part)]) for part in np.split(logits, ends)]


def weights_folder(args: dict[str, str], parameters: dict[str, str]) -> Path:
    """Where the weights lie: the shared folder when there is one, else the model's own version folder."""
    shared = os.environ.get("OPENWORK_MODELS")
    if shared:
        return Path(shared) / parameters["weights_folder"]
    return Path(args["model_repository"]) / args["model_version"]


def check_origin(folder: Path, promised: str) -> None:
    """Refuse weights that are not those the config names.

    Raises:
        pb_utils.TritonModelException: `export.json` is missing or names others.
    """
    manifest = folder / "export.json"
    if not manifest.is_file():
        raise pb_utils.TritonModelException("the weights have no export.json: see README.md of the model repository")
    found = json.loads(manifest.read_text())["model"]
    if found != promised:
        raise pb_utils.TritonModelException(f"config.pbtxt promises {promised!r}, the weights are {found!r}")
