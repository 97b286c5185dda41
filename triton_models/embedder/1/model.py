"""MiniLM on a CPU: texts in, one unit vector of 384 numbers per text out. Runs inside Triton's Python backend.

The vector is the mean of the token states of the attended tokens, scaled to length 1, as the model was trained
(sentence-transformers, mean pooling). Texts are sorted by length and embedded in micro-batches of at most
`batch_tokens` tokens, padding included.

Weights: $OPENWORK_MODELS/<weights_folder>/, else this folder: `tokenizer.json`, `model.onnx` and `export.json`, all put
there by `scripts/triton-setup.sh`. The weight-only INT8 file gives the same vector for a text in whatever batch.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-not-found,import-untyped,unused-ignore]
import triton_python_backend_utils as pb_utils  # type: ignore[import-not-found,unused-ignore]
from tokenizers import Tokenizer  # type: ignore[import-not-found,unused-ignore]


class TritonPythonModel:
    """What the Python backend calls; the method names are Triton's."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load tokenizer and session; an exception here keeps the model from becoming ready."""
        parameters = {k: v["string_value"] for k, v in json.loads(args["model_config"])["parameters"].items()}
        folder = weights_folder(args, parameters)
        check_origin(folder, parameters["weights"])
        self._batch_tokens = int(parameters["batch_tokens"])
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(int(parameters["max_tokens"]))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            folder / parameters["model_file"], options, providers=["CPUExecutionProvider"]
        )

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        """One response per request; a request whose text is not UTF-8 fails alone."""
        texts = [self._texts(request) for request in requests]
        vectors = self._embed([text for one in texts if isinstance(one, list) for text in one])
        responses, start = [], 0
        for one in texts:
            if not isinstance(one, list):
                responses.append(pb_utils.InferenceResponse(error=one))
                continue
            part = vectors[start : start + len(one)]
            start += len(one)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("embedding", part)]))
        return responses

    def _texts(self, request: Any) -> list[str] | Any:
        column = pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy()
        try:
            return [value.decode("utf-8") for value in column.ravel()]
        except UnicodeDecodeError:
            return pb_utils.TritonError("TEXT must be UTF-8", pb_utils.TritonError.INVALID_ARG)

    def _embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        encodings = self._tokenizer.encode_batch(list(texts))
        lengths = [len(e.ids) for e in encodings]
        vectors = np.empty((len(texts), 384), dtype=np.float32)
        for batch in micro_batches(lengths, self._batch_tokens):
            width = max(lengths[i] for i in batch)
            ids = np.zeros((len(batch), width), dtype=np.int64)
            mask = np.zeros((len(batch), width), dtype=np.int64)
            for row, i in enumerate(batch):
                ids[row, : lengths[i]] = encodings[i].ids
                mask[row, : lengths[i]] = 1
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            states = self._session.run(["last_hidden_state"], inputs)[0]
            means = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
            vectors[batch] = means / np.linalg.norm(means, axis=1, keepdims=True)
        return vectors


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


def micro_batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Indices in order of length, cut so that count x longest stays within the budget; a long pair goes alone."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[i] > batch_tokens:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
