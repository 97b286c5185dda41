"""Scores and times of one server: asked by the client of the services, with texts that were never sent before."""

from __future__ import annotations

import asyncio
import random
import re
import statistics
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from openwork_reranker.adapters.triton.scorer import TritonScorer
from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.scoring import ScorableText
from openwork_serving.client import ServedModel, TritonOptions
from openwork_serving.numbers import sigmoid

from deploy.triton.gpu_check.cells import BATCHES, BUCKETS, QUESTION, median_and_95th

CANDIDATES = 100
"""Of one question: about what a search brings to the ranker."""
CANDIDATE_TOKENS = 256
_TRIED = 32
"""Passages per look at the tokenizer."""
TIMEOUT_S = 300.0
"""For a rehearsal; a GPU needs milliseconds."""
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured."""

    times: int = 50
    """Requests per cell of the latencies."""
    rounds: int = 5
    """Questions per figure of the throughput."""
    together: int = 8
    """Questions at once."""
    batches: Sequence[int] = BATCHES


@dataclass(slots=True)
class Figures:
    """What one config showed."""

    first_start_s: float | None = None
    second_start_s: float | None = None
    """With what the first start has kept; `None` = started once."""
    logit_difference: float | None = None
    """The largest to the reference, over all batchings."""
    score_difference: float | None = None
    pairs_per_s: dict[int, float] = field(default_factory=dict)
    """By questions at once."""
    latency_ms: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Median and 95th percentile by "<tokens> x <pairs>"."""
    gpu_memory_gb: float | None = None
    failed: str = ""
    """Why there is no more; empty = nothing failed."""


class Texts:
    """Passages of as many tokens as a bucket holds, each of them once."""

    def __init__(self, words: Sequence[str], url: str) -> None:
        """Args:
        words: of a text in English, some thousand.
        url: of a server, whose tokenizer counts.
        """
        self._words = words
        self._random = random.Random(0)
        self._tokenizer = ServedModel("rerank_tokenize", TritonOptions(url, timeout_s=TIMEOUT_S))
        self._lengths = {bucket: bucket // 2 for bucket in BUCKETS}
        """Words per passage, by bucket: a guess that each request improves."""

    async def close(self) -> None:
        """Close the connection."""
        await self._tokenizer.close()

    async def passages(self, bucket: int, n: int) -> list[str]:
        """n passages that each fall into a bucket, no two alike and none given before."""
        shorter = max((other for other in BUCKETS if other < bucket), default=0)
        found: list[str] = []
        while len(found) < n:
            tried = [self._passage(self._lengths[bucket]) for _ in range(_TRIED)]
            counts = await self._tokens(tried)
            # As many as the bucket holds may be a text that was cut.
            found += [text for text, count in zip(tried, counts, strict=True) if shorter < count < bucket]
            aim = 0.85 * bucket / statistics.fmean(counts)
            self._lengths[bucket] = max(1, round(self._lengths[bucket] * min(1.2, max(0.8, aim))))
        return found[:n]

    async def _tokens(self, passages: Sequence[str]) -> list[int]:
        columns = {"QUERY": [QUESTION] * len(passages), "PASSAGE": passages}
        inference = await self._tokenizer.infer([columns], "attention_mask")
        counts: list[int] = inference.outputs[0].sum(axis=1).tolist()
        return counts

    def _passage(self, n_words: int) -> str:
        start = self._random.randrange(len(self._words) - n_words)
        return f"{self._random.randrange(10**6)} {' '.join(self._words[start : start + n_words])}"


async def differences(url: str, pairs: Sequence[Pair], logits: Sequence[float]) -> tuple[float, float]:
    """Largest differences of a logit and of a score to the reference: alone, all together, and in groups."""
    model = ServedModel("reranker", TritonOptions(url, timeout_s=TIMEOUT_S))
    everyone = list(range(len(pairs)))
    found: list[tuple[float, float]] = []
    try:
        for batches in ([[i] for i in everyone], _cut(everyone, 64), [everyone[n::5] for n in range(5)]):
            columns = [{"QUERY": [pairs[i][0] for i in b], "PASSAGE": [pairs[i][1] for i in b]} for b in batches]
            inference = await model.infer(columns, "score")
            for batch, output in zip(batches, inference.outputs, strict=True):
                found += [(v, logits[i]) for i, v in zip(batch, output.reshape(-1).tolist(), strict=True)]
    finally:
        await model.close()
    return max(abs(a - b) for a, b in found), max(abs(sigmoid(a) - sigmoid(b)) for a, b in found)


def _cut(indices: list[int], most: int) -> list[list[int]]:
    return [indices[i : i + most] for i in range(0, len(indices), most)]


async def throughput(url: str, texts: Texts, together: int, rounds: int) -> float:
    """Pairs per second of so many questions at once, each with its candidates, one after the other."""
    scorer = TritonScorer(TritonOptions(url, timeout_s=TIMEOUT_S))

    async def ask_all(runs: Sequence[Sequence[str]]) -> None:
        for passages in runs:
            await scorer.score(QuestionFocus(QUESTION, ()), [ScorableText("", text) for text in passages])

    try:
        asked = [[await texts.passages(CANDIDATE_TOKENS, CANDIDATES) for _ in range(rounds)] for _ in range(together)]
        warm = [await texts.passages(CANDIDATE_TOKENS, CANDIDATES)]
        await ask_all(warm)
        begun = time.perf_counter()
        await asyncio.gather(*(ask_all(runs) for runs in asked))
        return together * rounds * CANDIDATES / (time.perf_counter() - begun)
    finally:
        await scorer.close()


async def latencies(url: str, texts: Texts, effort: Effort) -> dict[str, tuple[float, float]]:
    """Milliseconds of one request at a time, by tokens and pairs: median and 95th percentile."""
    model = ServedModel("reranker", TritonOptions(url, timeout_s=TIMEOUT_S))
    found = {}
    try:
        for bucket in BUCKETS:
            for size in effort.batches:
                taken = [await _one_request(model, await texts.passages(bucket, size)) for _ in range(effort.times + 1)]
                found[f"{bucket} x {size}"] = median_and_95th(taken[1:])
    finally:
        await model.close()
    return found


async def _one_request(model: ServedModel, passages: Sequence[str]) -> float:
    columns = {"QUERY": [QUESTION] * len(passages), "PASSAGE": passages}
    begun = time.perf_counter()
    await model.infer([columns], "score")
    return 1_000 * (time.perf_counter() - begun)


async def measure(
    url: str, metrics_port: int, words: Sequence[str], pairs: Sequence[Pair], logits: Sequence[float], effort: Effort
) -> Figures:
    """Everything of one running server but for its starts."""
    figures = Figures()
    texts = Texts(words, url)
    try:
        figures.logit_difference, figures.score_difference = await differences(url, pairs, logits)
        for together in (1, effort.together):
            figures.pairs_per_s[together] = await throughput(url, texts, together, effort.rounds)
        figures.latency_ms = await latencies(url, texts, effort)
    finally:
        await texts.close()
    figures.gpu_memory_gb = await asyncio.to_thread(gpu_memory_gb, metrics_port)
    return figures


def gpu_memory_gb(metrics_port: int) -> float | None:
    """What the server's metrics say that its GPUs use, summed; `None` where they say nothing."""
    with urllib.request.urlopen(f"http://127.0.0.1:{metrics_port}/metrics", timeout=5) as answer:
        used = list(_values(answer.read().decode(), "nv_gpu_memory_used_bytes"))
    return sum(used) / 1e9 if used else None


def _values(text: str, name: str) -> Iterator[float]:
    yield from (float(value) for value in re.findall(rf"^{name}\{{[^}}]*\}} (\S+)", text, re.MULTILINE))


def as_json(figures: Figures) -> dict[str, Any]:
    """Figures with names that say their units."""
    return {
        "first_start_s": figures.first_start_s,
        "second_start_s": figures.second_start_s,
        "largest_logit_difference": figures.logit_difference,
        "largest_score_difference": figures.score_difference,
        "pairs_per_s": {f"{n} at once": value for n, value in figures.pairs_per_s.items()},
        "latency_ms": {cell: {"p50": p50, "p95": p95} for cell, (p50, p95) in figures.latency_ms.items()},
        "gpu_memory_gb": figures.gpu_memory_gb,
        "failed": figures.failed or None,
    }
