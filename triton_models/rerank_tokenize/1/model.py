"""Text pairs to token ids, on the CPU of a GPU node. Runs inside Triton's Python backend.

Every request is padded to the smallest of a few lengths that holds its longest pair: the backends behind it batch only
requests of equal length, so few lengths make full batches. The client sends pairs of similar length together.

Weights: `tokenizer.json` in $OPENWORK_MODELS/<weights_folder>/, else in this folder.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils  # type: ignore[import-not-found,unused-ignore]
from tokenizers import Tokenizer  # type: ignore[import-not-found,unused-ignore]


class TritonPythonModel:
    """What the Python backend calls; the method names are Triton's."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the tokenizer; an exception here keeps the model from becoming ready."""
        parameters = {k: v["string_value"] for k, v in json.loads(args["model_config"])["parameters"].items()}
        self._tokenizer = Tokenizer.from_file(str(weights_folder(args, parameters) / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(int(parameters["max_pair_tokens"]))
        self._padding_id = self._tokenizer.token_to_id("<pad>") or 0
        self._buckets = sorted(int(size) for size in parameters["buckets"].split(","))

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        """One response per request; a request whose text is not UTF-8 fails alone."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Any) -> Any:
        columns = [pb_utils.get_input_tensor_by_name(request, name).as_numpy() for name in ("QUERY", "PASSAGE")]
        try:
            query, passage = ([value.decode("utf-8") for value in column.ravel()] for column in columns)
        except UnicodeDecodeError:
            error = pb_utils.TritonError("QUERY and PASSAGE must be UTF-8", pb_utils.TritonError.INVALID_ARG)
            return pb_utils.InferenceResponse(error=error)
        encodings = self._tokenizer.encode_batch(list(zip(query, passage, strict=True)))
        width = self._bucket(max(len(e.ids) for e in encodings))
        ids = np.full((len(encodings), width), self._padding_id, dtype=np.int64)
        mask = np.zeros((len(encodings), width), dtype=np.int64)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        tensors = [pb_utils.Tensor("input_ids", ids), pb_utils.Tensor("attention_mask", mask)]
        return pb_utils.InferenceResponse(tensors)

    def _bucket(self, length: int) -> int:
        place = bisect_left(self._buckets, length)
        return self._buckets[place] if place < len(self._buckets) else length


def weights_folder(args: dict[str, str], parameters: dict[str, str]) -> Path:
    """Where the weights lie: the shared folder when there is one, else the model's own version folder."""
    shared = os.environ.get("OPENWORK_MODELS")
    if shared:
        return Path(shared) / parameters["weights_folder"]
    return Path(args["model_repository"]) / args["model_version"]
