"""A cross-encoder for natural language inference on a CPU: pairs of texts in, one logit per label and pair out.

Runs inside Triton's Python backend, with the batching of the model `reranker`. Which model it is stands in
`export.json` beside the weights: $OPENWORK_MODELS/<weights_folder>/, else this folder, with `tokenizer.json` and the
ONNX file. Its graph takes `input_ids`, `attention_mask` and, where it has them, `token_type_ids`; its first output is
the logits.
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
        check_origin(folder, None)
        self._batch_tokens = int(parameters["batch_tokens"])
        self._tokenizer = open_tokenizer(
            folder / parameters["tokenizer_file"], max_tokens=int(parameters["max_pair_tokens"])
        )
        self._padding_id = next((i for name in ("[PAD]", "<pad>") if (i := self._tokenizer.token_to_id(name))), 0)
        self._session = open_session(folder / parameters["model_file"])
        self._inputs = {one.name for one in self._session.get_inputs()}

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        """One response per request; a request whose text is not UTF-8 fails alone."""
        columns = [texts_of(request, "PREMISE", "HYPOTHESIS") for request in requests]
        pairs = [list(zip(*one, strict=True)) if isinstance(one, list) else one for one in columns]
        return answered(pairs, "logits", self._judge([pair for one in pairs if isinstance(one, list) for pair in one]))

    def _judge(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray[Any, np.dtype[np.float32]]:
        encodings = self._tokenizer.encode_batch(list(pairs))
        lengths = [len(e.ids) for e in encodings]
        rows: list[Any] = [None] * len(pairs)
        for batch in micro_batches(lengths, self._batch_tokens):
            width = max(lengths[i] for i in batch)
            ids, mask = padded([encodings[i] for i in batch], width, self._padding_id)
            inputs = {"input_ids": ids, "attention_mask": mask}
            if "token_type_ids" in self._inputs:
                inputs["token_type_ids"] = np.zeros_like(ids)
                for row, i in enumerate(batch):
                    inputs["token_type_ids"][row, : lengths[i]] = encodings[i].type_ids
            logits = self._session.run(None, inputs)[0]
            for i, row in zip(batch, logits, strict=True):
                rows[i] = row
        return np.stack(rows).astype(np.float32) if rows else np.empty((0, 1), dtype=np.float32)
