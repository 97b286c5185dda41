"""The cross-encoder over token ids on a CPU: twin of the onnxruntime model that GPUs run.

With it the whole of the GPU's repository is started where there is none: `--model-config-name=twin` and its like.

The ONNX file lies in this folder, where the onnxruntime backend looks for it too, else in $OPENWORK_MODELS.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils  # type: ignore[import-not-found,unused-ignore]

sys.path.append(str(Path(__file__).resolve().parents[2] / "reranker" / "shared"))

from openwork_models import check_origin, open_session, parameters_of, weights_folder


class TritonPythonModel:
    """What the Python backend calls; the method names are Triton's."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the session; an exception here keeps the model from becoming ready."""
        parameters = parameters_of(args)
        folder = weights_folder(args, parameters)
        check_origin(folder, parameters["weights"])
        self._session = open_session(folder / parameters["model_file"])

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
