"""How long ranking takes: `python tests/eval/ranking/speed.py`. Median over 20 warm runs, on texts of SciFact."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from statistics import median
from time import perf_counter

from openwork_contracts.evidence import AbstractPart, EvidenceCandidate, Identifiers, Provenance
from openwork_contracts.ranking import TextSection
from openwork_language.tokens import tokenise
from openwork_reranker.domain.focus import focus_of_text
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.passages import Passage, split_passages
from openwork_reranker.domain.scoring import ScorableText
from openwork_reranker.domain.selection import rank_passages
from ranking_sets import data_root, read_lines

QUESTION = "Does apixaban lower the risk of stroke in atrial fibrillation compared with warfarin?"


def _median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(21):
        start = perf_counter()
        work()
        times.append((perf_counter() - start) * 1000)
    return median(times[1:])


def main() -> int:
    """Print milliseconds for the two stages and the tokeniser's rate."""
    root = data_root()
    if root is None:
        print("no benchmark data: set OPENWORK_DATA to the data folder")
        return 2
    bodies = [" ".join(row["abstract"]) for row in read_lines(root / "scifact/corpus.jsonl.gz")]
    words = " ".join(bodies)
    texts = [ScorableText("A title of usual length for a trial", words[i * 1500 : (i + 1) * 1500]) for i in range(120)]
    focus, scorer = focus_of_text(QUESTION), LexicalScorer()
    print(f"120 candidates of 1,500 characters: {_median_ms(lambda: scorer.score_now(focus, texts)):.1f} ms")

    found = Provenance(source="pubmed", source_id="1", rank=1, retrieved_at=datetime(2024, 1, 1, tzinfo=UTC))
    work = EvidenceCandidate(
        candidate_id="w", identifiers=Identifiers(), title="T", abstract=(AbstractPart(text="A."),), provenance=(found,)
    )
    body = words[:82_000]
    section = TextSection(path=("Results",), text=body, start=0, end=len(body))

    def stage_2() -> tuple[Passage, ...]:
        passages = split_passages(work, [section])
        scores = scorer.score_now(focus, [ScorableText(work.title, p.text) for p in passages])
        rank_passages(passages, scores, {"w": 0.5}, {"w": work})
        return passages

    n_passages = len(stage_2())
    print(f"splitting, scoring and choosing of {n_passages} passages: {_median_ms(stage_2):.1f} ms")
    print(f"of this, splitting: {_median_ms(lambda: split_passages(work, [section])):.1f} ms")
    print(f"tokeniser: {len(words) / 1e3 / _median_ms(lambda: tokenise(words)):.1f} MB/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
