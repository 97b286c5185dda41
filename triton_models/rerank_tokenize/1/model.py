"""Text pairs to token ids, on the CPU of a GPU node. Runs inside Triton's Python backend.

Every request is padded to the smallest of a few lengths that holds its longest pair: the backends behind it batch only
requests of equal length, so few lengths make full batches. The client sends pairs of similar length together.

`tokenizer.json` lies in this folder, else in $OPENWORK_MODELS/<weights_folder>/, with the weights' `export.json`.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import triton_python_backend_utils as pb_utils  # type: ignore[import-not-found,unused-ignore]

sys.path.append(str(Path(__file__).resolve().parents[2] / "reranker" / "shared"))

from openwork_models import check_origin, open_tokenizer, padded, parameters_of, texts_of, weights_folder


class TritonPythonModel:
    """What the Python backend calls; the method names are Triton's."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the tokenizer; an exception here keeps the model from becoming ready."""
        parameters = parameters_of(args)
        folder = weights_folder(args, parameters)
        check_origin(folder, parameters["weights"])
        self._tokenizer = open_tokenizer(
            folder / parameters["tokenizer_file"], max_tokens=int(parameters["max_pair_tokens"])
        )
        self._padding_id = self._tokenizer.token_to_id("<pad>") or 0
        self._buckets = sorted(int(size) for size in parameters["buckets"].split(","))

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        """One response per request; a request whose text is not UTF-8 fails alone."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Any) -> Any:
        columns = texts_of(request, "QUERY", "PASSAGE")
        if not isinstance(columns, list):
            return pb_utils.InferenceResponse(error=columns)
        encodings = self._tokenizer.encode_batch(list(zip(*columns, strict=True)))
        ids, mask = padded(encodings, self._bucket(max(len(e.ids) for e in encodings)), self._padding_id)
        tensors = [pb_utils.Tensor("input_ids", ids), pb_utils.Tensor("attention_mask", mask)]
        return pb_utils.InferenceResponse(tensors)

    def _bucket(self, length: int) -> int:
        place = bisect_left(self._buckets, length)
        return self._buckets[place] if place < len(self._buckets) else length
