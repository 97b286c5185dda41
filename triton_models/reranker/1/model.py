"""The cross-encoder on a CPU: text pairs in, one logit per pair out. Runs inside Triton's Python backend.

All pairs of all requests that Triton batched together are tokenised, sorted by length and scored in micro-batches of at
most `batch_tokens` tokens, padding included; the logits are put back in the order of the requests. Long batches lose on
a CPU even without padding, since their activations leave the cache.

Weights: this folder, else $OPENWORK_MODELS/<weights_folder>/: `tokenizer.json`, the ONNX file and `export.json`, which
the export command wrote and which must name the weights that config.pbtxt promises.
$OPENWORK_RERANKER_ONNX chooses another file of that folder, e.g. model.onnx (FP32) for golden scores: the logits of
dynamic INT8 change with the batch.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "reranker" / "shared"))

from openwork_models import (
    answered,
    check_origin,
    micro_batches,
    open_session,
    open_tokenizer,
    padded,
    parameters_of,
    texts_of,
    weights_folder,
)


class TritonPythonModel:
    """What the Python backend calls; the method names are Triton's."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load tokenizer and session; an exception here keeps the model from becoming ready."""
        parameters = parameters_of(args)
        folder = weights_folder(args, parameters)
        check_origin(folder, parameters["weights"])
        self._batch_tokens = int(parameters["batch_tokens"])
        self._tokenizer = open_tokenizer(
            folder / parameters["tokenizer_file"], max_tokens=int(parameters["max_pair_tokens"])
        )
        self._padding_id = self._tokenizer.token_to_id("<pad>") or 0
        self._session = open_session(folder / (os.environ.get("OPENWORK_RERANKER_ONNX") or parameters["model_file"]))

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        """One response per request; a request whose text is not UTF-8 fails alone."""
        columns = [texts_of(request, "QUERY", "PASSAGE") for request in requests]
        pairs = [list(zip(*one, strict=True)) if isinstance(one, list) else one for one in columns]
        logits = self._score([pair for one in pairs if isinstance(one, list) for pair in one])
        return answered(pairs, "score", logits.reshape(-1, 1))

    def _score(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray[Any, np.dtype[np.float32]]:
        encodings = self._tokenizer.encode_batch(list(pairs))
        lengths = [len(e.ids) for e in encodings]
        logits = np.empty(len(pairs), dtype=np.float32)
        for batch in micro_batches(lengths, self._batch_tokens):
            ids, mask = padded([encodings[i] for i in batch], max(lengths[i] for i in batch), self._padding_id)
            logits[batch] = self._session.run(["score"], {"input_ids": ids, "attention_mask": mask})[0]
        return logits
