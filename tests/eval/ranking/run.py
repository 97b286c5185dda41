"""How well the built-in scorers rank, beside plain BM25: `python tests/eval/ranking/run.py [--whole] [set ...]`.

With `--whole`, 25 queries of each set are ranked over its whole collection instead of pools of about 100 candidates.
Prints one markdown table per metric. Every method sees the same candidates in the same random order. The last column is
the paired difference of the shipped scorer to plain BM25, with its own bootstrap interval. The exit status is 1 when
the shipped scorer does not beat plain BM25 in nDCG@10 on some set.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from openwork_language.tokens import tokenise
from openwork_reranker.batch import BatchCandidate, rank_batch
from openwork_reranker.focus import focus_of_text
from openwork_reranker.jaccard import JaccardScorer
from openwork_reranker.lexical import LexicalScorer
from openwork_reranker.scoring import ScorableText
from plain_bm25 import PlainBm25
from ranking_metrics import mean_interval, ndcg, recall, reciprocal_rank
from ranking_sets import SETS, Task, data_root

N_WHOLE = 25
"""Queries per set with `--whole`: SciFact's 5,183 abstracts take about a second each."""
Ranker = Callable[[Task], list[str]]


def _ordered(task: Task, scores: Sequence[float]) -> list[str]:
    return [task.candidates[i].id for i in sorted(range(len(scores)), key=lambda i: -scores[i])]


def rank_plain(task: Task) -> list[str]:
    """The baseline."""
    return _ordered(task, PlainBm25([f"{c.title} {c.text}" for c in task.candidates]).scores(task.query))


def rank_plain_with_our_tokens(task: Task) -> list[str]:
    """The baseline over our tokens: what the tokeniser alone brings."""
    return _ordered(task, PlainBm25([f"{c.title} {c.text}" for c in task.candidates], tokenise).scores(task.query))


def rank_jaccard(task: Task) -> list[str]:
    """The floor."""
    texts = [ScorableText(c.title, c.text) for c in task.candidates]
    return _ordered(task, JaccardScorer().score_now(focus_of_text(task.query), texts))


def rank_lexical(task: Task) -> list[str]:
    """What ships: exactly what `openwork rank` runs without a model."""
    candidates = [BatchCandidate(c.id, c.title, c.text) for c in task.candidates]
    return [c for c, _ in asyncio.run(rank_batch(LexicalScorer(), task.query, candidates)).order]


RANKERS: dict[str, Ranker] = {
    "plain BM25": rank_plain,
    "BM25, our tokens": rank_plain_with_our_tokens,
    "Jaccard": rank_jaccard,
    "lexical (shipped)": rank_lexical,
}
METRICS: dict[str, Callable[[Sequence[str], Mapping[str, int]], float]] = {
    "nDCG@10": partial(ndcg, depth=10),
    "MRR": reciprocal_rank,
    "recall@20": partial(recall, depth=20),
}


def _cell(values: Sequence[float]) -> str:
    mean, low, high = mean_interval(values)
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def _row(name: str, n_tasks: int, by_ranker: Mapping[str, Sequence[float]]) -> str:
    gain = [a - b for a, b in zip(by_ranker["lexical (shipped)"], by_ranker["plain BM25"], strict=True)]
    mean, low, high = mean_interval(gain)
    cells = [name, str(n_tasks), *map(_cell, by_ranker.values()), f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"]
    return f"| {' | '.join(cells)} |"


def main(names: Sequence[str]) -> int:
    """Rank every set, print the tables."""
    root = data_root()
    if root is None:
        print("no benchmark data: set OPENWORK_DATA to the data folder")
        return 2
    n_queries = N_WHOLE if "--whole" in names else None
    names = [name for name in names if name != "--whole"]
    rows: dict[str, list[str]] = {metric: [] for metric in METRICS}
    behind = []
    for name in names or SETS:
        tasks = SETS[name](root, n_queries)
        rankings = {ranker: [rank(task) for task in tasks] for ranker, rank in RANKERS.items()}
        for metric, measure in METRICS.items():
            values = {r: [measure(x, t.gains) for x, t in zip(xs, tasks, strict=True)] for r, xs in rankings.items()}
            rows[metric].append(_row(name, len(tasks), values))
            if metric == "nDCG@10" and sum(values["lexical (shipped)"]) <= sum(values["plain BM25"]):
                behind.append(name)
    for metric, lines in rows.items():
        print(f"\n**{metric}**, mean over questions [95% bootstrap interval]\n")
        print(f"| set | questions | {' | '.join(RANKERS)} | shipped - plain |")
        print(f"|{'---|' * (len(RANKERS) + 3)}")
        print("\n".join(lines))
    if behind:
        print(f"\nnot better than plain BM25: {', '.join(behind)}")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
