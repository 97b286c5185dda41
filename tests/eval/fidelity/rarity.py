"""How rare a word is in abstracts: `python -m tests.eval.fidelity.rarity` writes the list the gate weighs words by."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from openwork_language.wording import concepts

from tests.eval.fidelity.sources import (
    REPOSITORY,
    data_directory,
    evidence_inference_abstracts,
    pubmedqa_abstracts,
)

RARITY = REPOSITORY / "packages/knowledge/openwork_knowledge/data/words/abstract-words.tsv"
_TIERS = (("everywhere", 0.25), ("often", 0.08), ("sometimes", 0.03))
"""Least shares of abstracts that hold a word."""


def rarity_file(data: Path) -> str:
    """`data/words/abstract-words.tsv` of openwork_knowledge: which words most abstracts hold."""
    counts: Counter[str] = Counter()
    n = 0
    for abstract in (*pubmedqa_abstracts(data), *evidence_inference_abstracts(data)):
        counts.update(concepts(f"{abstract.title} {abstract.text}"))
        n += 1
    lines = [
        f"# source: shares of {n} abstracts of PubMedQA and Evidence Inference (both MIT) that hold a word; words are "
        "concepts",
        f"# date: {datetime.now(UTC).date().isoformat()}",
        "# owner: openwork_verifier.domain.frequencies",
        "# Written by `python -m tests.eval.fidelity.rarity`; do not edit.",
        f"# {'; '.join(f'{name}: in {least:.0%} of abstracts or more' for name, least in _TIERS)}.",
    ]
    above = 1.1
    for name, least in _TIERS:
        lines += [f"{name}\t{word}" for word in sorted(w for w, c in counts.items() if least <= c / n < above)]
        above = least
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    directory = data_directory()
    if directory is None:
        sys.exit("the data set is not here: set OPENWORK_DATA")
    RARITY.write_text(rarity_file(directory), encoding="utf-8")
