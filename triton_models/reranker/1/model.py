"""The cross-encoder on a CPU: text pairs in, one logit per pair out. Runs inside Triton's Python backend.

All pairs of all requests that Triton batched together are tokenised, sorted by length and scored in micro-batches of at
most `batch_tokens` tokens, padding included; the logits are put back in the order of the requests. Long batches lose on
a CPU even without padding, since their activations leave the cache.

Weights: $OPENWORK_MODELS/<weights_folder>/, else this folder: `tokenizer.json`, the ONNX file and `export.json`, which
the export command wrote and which must name the weights that config.pbtxt promises.
$OPENWORK_RERANKER_ONNX chooses another file of that folder, e.g. model.onnx (FP32) for golden scores: the logits of
dynamic INT8 change with the batch.
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
        self._tokenizer.enable_truncation(int(parameters["max_pair_tokens"]))
        self._padding_id = self._tokenizer.token_to_id("<pad>") or 0
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        name = os.environ.get("OPENWORK_RERANKER_ONNX") or parameters["model_file"]
        self._session = onnxruntime.InferenceSession(folder / name, options, providers=["CPUExecutionProvider"])

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        """One response per request; a request whose text is not UTF-8 fails alone."""
        texts = [self._texts(request) for request in requests]
        pairs = [pair for one in texts if isinstance(one, list) for pair in one]
        logits = self._score(pairs)
        responses, start = [], 0
        for one in texts:
            if not isinstance(one, list):
                responses.append(pb_utils.InferenceResponse(error=one))
                continue
            part = logits[start : start + len(one)].reshape(-1, 1)
            start += len(one)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("score", part)]))
        return responses

    def _texts(self, request: Any) -> list[tuple[str, str]] | Any:
        columns = [pb_utils.get_input_tensor_by_name(request, name).as_numpy() for name in ("QUERY", "PASSAGE")]
        try:
            query, passage = ([value.decode("utf-8") for value in column.ravel()] for column in columns)
        except UnicodeDecodeError:
            return pb_utils.TritonError("QUERY and PASSAGE must be UTF-8", pb_utils.TritonError.INVALID_ARG)
        return list(zip(query, passage, strict=True))

    def _score(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray[Any, np.dtype[np.float32]]:
        encodings = self._tokenizer.encode_batch(list(pairs))
        lengths = [len(e.ids) for e in encodings]
        logits = np.empty(len(pairs), dtype=np.float32)
        for batch in micro_batches(lengths, self._batch_tokens):
            width = max(lengths[i] for i in batch)
            ids = np.full((len(batch), width), self._padding_id, dtype=np.int64)
            mask = np.zeros((len(batch), width), dtype=np.int64)
            for row, i in enumerate(batch):
                ids[row, : lengths[i]] = encodings[i].ids
                mask[row, : lengths[i]] = 1
            logits[batch] = self._session.run(["score"], {"input_ids": ids, "attention_mask": mask})[0]
        return logits


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
