"""MiniLM on a CPU: texts in, one unit vector of 384 numbers per text out. Runs inside Triton's Python backend.

The vector is the mean of the token states of the attended tokens, scaled to length 1, as the model was trained
(sentence-transformers, mean pooling). Texts are sorted by length and embedded in micro-batches of at most
`batch_tokens` tokens, padding included.

Weights: this folder, else $OPENWORK_MODELS/<weights_folder>/: `tokenizer.json`, `model.onnx` and `export.json`, all put
there by `scripts/triton-setup.sh`. The weight-only INT8 file gives the same vector for a text in whatever batch.
"""

from __future__ import annotations

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
            folder / parameters["tokenizer_file"], max_tokens=int(parameters["max_tokens"])
        )
        self._session = open_session(folder / parameters["model_file"])

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        """One response per request; a request whose text is not UTF-8 fails alone."""
        columns = [texts_of(request, "TEXT") for request in requests]
        texts = [one[0] if isinstance(one, list) else one for one in columns]
        vectors = self._embed([text for one in texts if isinstance(one, list) for text in one])
        return answered(texts, "embedding", vectors)

    def _embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        encodings = self._tokenizer.encode_batch(list(texts))
        lengths = [len(e.ids) for e in encodings]
        vectors = np.empty((len(texts), 384), dtype=np.float32)
        for batch in micro_batches(lengths, self._batch_tokens):
            ids, mask = padded([encodings[i] for i in batch], max(lengths[i] for i in batch), 0)
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            states = self._session.run(["last_hidden_state"], inputs)[0]
            means = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
            vectors[batch] = means / np.linalg.norm(means, axis=1, keepdims=True)
        return vectors
