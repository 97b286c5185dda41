"""What the models of this repository share.

It lies in a model's folder since Triton takes every folder beside the models, a `__pycache__` too, for a model. The
models find it by their own place, so the repository has to be deployed as a whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils  # type: ignore[import-not-found,unused-ignore]
from tokenizers import Encoding, Tokenizer  # type: ignore[import-not-found,unused-ignore]

Ids = np.ndarray[Any, np.dtype[np.int64]]
MANIFEST = "export.json"
"""What a folder of weights says of itself."""


def parameters_of(args: dict[str, str]) -> dict[str, str]:
    """The `parameters` of a model's config.pbtxt."""
    return {k: v["string_value"] for k, v in json.loads(args["model_config"])["parameters"].items()}


def weights_folder(args: dict[str, str], parameters: dict[str, str]) -> Path:
    """Where the weights lie: the version folder where assemble.py has put them, else below $OPENWORK_MODELS."""
    own = Path(args["model_repository"]) / args["model_version"]
    shared = os.environ.get("OPENWORK_MODELS")
    if shared and not (own / MANIFEST).is_file():
        return Path(shared) / parameters["weights_folder"]
    return own


def check_origin(folder: Path, promised: str | None) -> None:
    """Refuse weights that do not say what they are, or that are not those the config names.

    Args:
        promised: the config's name; `None` where it names none.
    Raises:
        pb_utils.TritonModelException: `export.json` is missing or names others.
    """
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise pb_utils.TritonModelException("the weights have no export.json: see README.md of the model repository")
    found = json.loads(manifest.read_text())["model"]
    if promised is not None and found != promised:
        raise pb_utils.TritonModelException(f"config.pbtxt promises {promised!r}, the weights are {found!r}")


def open_session(path: Path) -> Any:
    """An onnxruntime session of one thread: Triton runs several instances beside each other."""
    import onnxruntime  # type: ignore[import-not-found,import-untyped,unused-ignore]  # the tokenizer's model has none

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def open_tokenizer(path: Path, *, max_tokens: int) -> Tokenizer:
    """The tokenizer that lies with the weights: it cuts at `max_tokens` and does not pad."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def texts_of(request: Any, *names: str) -> list[list[str]] | Any:
    """The input columns as texts, or the `TritonError` to answer with when one is not UTF-8."""
    columns = [pb_utils.get_input_tensor_by_name(request, name).as_numpy() for name in names]
    try:
        return [[value.decode("utf-8") for value in column.ravel()] for column in columns]
    except UnicodeDecodeError:
        return pb_utils.TritonError(f"{' and '.join(names)} must be UTF-8", pb_utils.TritonError.INVALID_ARG)


def padded(encodings: Sequence[Encoding], width: int, padding_id: int) -> tuple[Ids, Ids]:
    """Token ids and attention mask, each of shape (n, width)."""
    ids = np.full((len(encodings), width), padding_id, dtype=np.int64)
    mask = np.zeros((len(encodings), width), dtype=np.int64)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    return ids, mask


def micro_batches(lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Indices in order of length, cut so that count x longest stays within the budget; a long text goes alone."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[i] > batch_tokens:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def answered(texts: Sequence[Any], name: str, rows: np.ndarray[Any, np.dtype[np.float32]]) -> list[Any]:
    """One response per request: its rows of the joint result as the output `name`, or the error that `texts` holds."""
    responses, start = [], 0
    for one in texts:
        if not isinstance(one, list):
            responses.append(pb_utils.InferenceResponse(error=one))
            continue
        part = rows[start : start + len(one)]
        start += len(one)
        responses.append(pb_utils.InferenceResponse([pb_utils.Tensor(name, part)]))
    return responses
