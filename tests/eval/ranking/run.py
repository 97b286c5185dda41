"""How well the scorers rank, beside plain BM25: `python tests/eval/ranking/run.py [--whole] [--no-model] [set ...]`.

Two groups of tables, one per metric. The first has every question of each set and the scorers that need no model. The
second has 40 questions of each set and the local model as well: alone, and fused with the lexical order as it ships; it
needs the extra `local-model` and some fifteen minutes on two cores. With `--whole`, 25 queries of each set are ranked
over its whole collection instead of pools of about 100 candidates, without the model.

Every method sees the same candidates in the same random order. The last column is the paired difference of what ships
to plain BM25, with its own bootstrap interval. The exit status is 1 when that is worse
than plain BM25 in nDCG@10 on some set.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from openwork_language.tokens import tokenise
from openwork_reranker.adapters.minilm import MiniLm, is_installed
from openwork_reranker.domain.batch import BatchCandidate, rank_batch
from openwork_reranker.domain.focus import focus_of_text
from openwork_reranker.domain.hybrid import MAX_CHARS, HybridScorer
from openwork_reranker.domain.jaccard import JaccardScorer
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.scoring import ScorableText
from plain_bm25 import PlainBm25
from ranking_metrics import mean_interval, ndcg, recall, reciprocal_rank
from ranking_sets import SETS, Task, data_root

N_WHOLE = 25
"""Queries per set with `--whole`: SciFact's 5,183 abstracts take about a second each."""
N_MODEL = 40
"""Questions per set with the local model: it reads a hundred texts for each, four core-seconds."""
MINILM, FUSED = "MiniLM", "lexical + MiniLM"
SHIPPED, PLAIN = "lexical (shipped)", "plain BM25"
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
    PLAIN: rank_plain,
    "BM25, our tokens": rank_plain_with_our_tokens,
    "Jaccard": rank_jaccard,
    SHIPPED: rank_lexical,
}


def model_rankers(runner: asyncio.Runner, model: MiniLm) -> dict[str, Ranker]:
    """The local model by itself, and as the service uses it."""
    hybrid = HybridScorer(model)

    def alone(task: Task) -> list[str]:
        texts = [ScorableText(c.title, c.text).whole[:MAX_CHARS] for c in task.candidates]
        return _ordered(task, runner.run(model.similarities(task.query, texts)))

    def fused(task: Task) -> list[str]:
        candidates = [BatchCandidate(c.id, c.title, c.text) for c in task.candidates]
        return [c for c, _ in runner.run(rank_batch(hybrid, task.query, candidates)).order]

    return {MINILM: alone, FUSED: fused}


METRICS: dict[str, Callable[[Sequence[str], Mapping[str, int]], float]] = {
    "nDCG@10": partial(ndcg, depth=10),
    "MRR": reciprocal_rank,
    "recall@20": partial(recall, depth=20),
}


def _cell(values: Sequence[float]) -> str:
    mean, low, high = mean_interval(values)
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def _row(name: str, n_tasks: int, by_ranker: Mapping[str, Sequence[float]], ours: str) -> str:
    gain = [a - b for a, b in zip(by_ranker[ours], by_ranker[PLAIN], strict=True)]
    mean, low, high = mean_interval(gain)
    cells = [name, str(n_tasks), *map(_cell, by_ranker.values()), f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"]
    return f"| {' | '.join(cells)} |"


def report(rankers: Mapping[str, Ranker], sets: Mapping[str, Sequence[Task]], ours: str) -> list[str]:
    """Print the tables; the sets on which `ours` is worse than plain BM25 in nDCG@10."""
    rows: dict[str, list[str]] = {metric: [] for metric in METRICS}
    behind = []
    for name, tasks in sets.items():
        rankings = {ranker: [rank(task) for task in tasks] for ranker, rank in rankers.items()}
        for metric, measure in METRICS.items():
            values = {r: [measure(x, t.gains) for x, t in zip(xs, tasks, strict=True)] for r, xs in rankings.items()}
            rows[metric].append(_row(name, len(tasks), values, ours))
            if metric == "nDCG@10" and sum(values[ours]) < sum(values[PLAIN]):
                behind.append(name)
    for metric, lines in rows.items():
        print(f"\n**{metric}**, mean over questions [95% bootstrap interval]\n")
        print(f"| set | questions | {' | '.join(rankers)} | {ours} - plain |")
        print(f"|{'---|' * (len(rankers) + 3)}")
        print("\n".join(lines), flush=True)
    return behind


def main(arguments: Sequence[str]) -> int:
    """Rank every set, print the tables."""
    root = data_root()
    if root is None:
        print("no benchmark data: set OPENWORK_DATA to the data folder")
        return 2
    whole, without_model = "--whole" in arguments, "--no-model" in arguments
    names = [name for name in arguments if not name.startswith("--")] or list(SETS)
    sets = {name: SETS[name](root, N_WHOLE if whole else None) for name in names}
    behind = report(RANKERS, sets, SHIPPED)
    if whole or without_model:
        pass
    elif not is_installed():
        print("\nthe local model is not installed (extra openwork-reranker[local-model]): its tables are left out")
    else:
        with asyncio.Runner() as runner:
            model = MiniLm()
            some = {name: tasks[:N_MODEL] for name, tasks in sets.items()}
            behind += report({**RANKERS, **model_rankers(runner, model)}, some, FUSED)
            runner.run(model.close())
    if behind:
        print(f"\nworse than plain BM25: {', '.join(behind)}")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
