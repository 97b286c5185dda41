"""`python -m tests.eval.fidelity.fit [--write]`: fit the soft part of the gate; the same data give the same figures.

A softmax over the features of `openwork_verifier.domain.likeness`,
by full-batch gradient descent on standardised features,
classes and origins weighed alike, with an L2 penalty; the table that is written is in the features' own units.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from openwork_contracts.verdict import EvidenceItem
from openwork_verifier.domain.likeness import FEATURES, likeness_of, values_of
from openwork_verifier.domain.passages import read_passage
from openwork_verifier.domain.support import find_support
from openwork_language.wording import concepts, without_authors

from tests.eval.fidelity.sources import REPOSITORY, data_directory, evidence_inference_abstracts, pubmedqa_abstracts
from tests.eval.fidelity.statistics import confusion, macro_f1
from tests.eval.fidelity.training import ENTAILED, NEUTRAL, REFUTED, Example, examples

SEED = 20241105
CLASSES = (ENTAILED, REFUTED, NEUTRAL)
_STEPS, _RATE, _PENALTY = 400, 0.5, 0.01
_COEFFICIENTS = REPOSITORY / "services/verifier/openwork_verifier/data/coefficients.tsv"
_RARITY = REPOSITORY / "packages/knowledge/openwork_knowledge/data/words/abstract-words.tsv"
# Words in at least this share of abstracts, and the name of their tier.
_TIERS = (("everywhere", 0.25), ("often", 0.08), ("sometimes", 0.03))
Row = tuple[tuple[float, ...], int, float]


def features_of(example: Example) -> tuple[float, ...]:
    """What the gate would see of an example."""
    passages = [read_passage(EvidenceItem(n=1, title=example.title, text=example.evidence))]
    bare = without_authors(example.claim)
    return values_of(likeness_of(bare, find_support(bare, passages), passages))


def rows_of(found: Sequence[Example]) -> list[Row]:
    """Features, class and weight: every class of every origin weighs the same."""
    counts = Counter((e.origin, e.label) for e in found)
    return [
        (features_of(e), CLASSES.index(e.label), len(found) / (len(counts) * counts[e.origin, e.label])) for e in found
    ]


def fit(rows: Sequence[Row]) -> list[list[float]]:
    """Coefficients per class, the constant first, in the features' own units."""
    n = len(FEATURES)
    means = [sum(x[j] for x, _, _ in rows) / len(rows) for j in range(n)]
    scales = [math.sqrt(sum((x[j] - means[j]) ** 2 for x, _, _ in rows) / len(rows)) or 1.0 for j in range(n)]
    ready = [([1.0, *((x[j] - means[j]) / scales[j] for j in range(n))], y, w) for x, y, w in rows]
    total = sum(w for _, _, w in ready)
    weights = [[0.0] * (n + 1) for _ in CLASSES]
    for _ in range(_STEPS):
        gradient = [[0.0] * (n + 1) for _ in CLASSES]
        for x, y, w in ready:
            shares = softmax([sum(map(float.__mul__, row, x)) for row in weights])
            for k, share in enumerate(shares):
                error = w * (share - (k == y))
                own = gradient[k]
                for j, value in enumerate(x):
                    own[j] += error * value
        for k, row in enumerate(weights):
            for j in range(n + 1):
                row[j] -= _RATE * (gradient[k][j] / total + (_PENALTY * row[j] if j else 0.0))
    table = []
    for row in weights:
        slopes = [row[j + 1] / scales[j] for j in range(n)]
        table.append([row[0] - sum(s * m for s, m in zip(slopes, means, strict=True)), *slopes])
    return [[value - table[-1][j] for j, value in enumerate(row)] for row in table]


def softmax(logits: Sequence[float]) -> list[float]:
    """Shares that add up to 1."""
    top = max(logits)
    powers = [math.exp(v - top) for v in logits]
    return [p / sum(powers) for p in powers]


def said_by(table: Sequence[Sequence[float]], x: Sequence[float]) -> str:
    """The likeliest class."""
    logits = [row[0] + sum(c * v for c, v in zip(row[1:], x, strict=True)) for row in table]
    return CLASSES[max(range(len(CLASSES)), key=logits.__getitem__)]


def coefficients_file(table: Sequence[Sequence[float]], counts: Counter[tuple[str, str]]) -> str:
    """`data/coefficients.tsv` of openwork_verifier."""
    made = ", ".join(f"{n} {origin} {label}" for (origin, label), n in sorted(counts.items()))
    named = enumerate(("constant", *FEATURES))
    lines = [
        f"# source: fitted with seed {SEED} on {made}",
        f"# date: {datetime.now(UTC).date().isoformat()}",
        "# command: python -m tests.eval.fidelity.fit --write",
        "# All made from Evidence Inference (MIT), PubMedQA (MIT) and BioASQ (CC BY 2.5), none from a set the gate is "
        "judged on.",
        "# Feature, weight for entailed, weight for refuted; not enough information is the zero of both.",
        *(f"{name}\t{table[0][j]:.3f}\t{table[1][j]:.3f}" for j, name in named),
    ]
    return "\n".join(lines) + "\n"


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
        "# Written by `python -m tests.eval.fidelity.fit --words`; do not edit.",
        f"# {'; '.join(f'{name}: in {least:.0%} of abstracts or more' for name, least in _TIERS)}.",
    ]
    above = 1.1
    for name, least in _TIERS:
        lines += [f"{name}\t{word}" for word in sorted(w for w, c in counts.items() if least <= c / n < above)]
        above = least
    return "\n".join(lines) + "\n"


def main() -> None:
    """Fit on four fifths, print the other fifth, then fit on all and write."""
    parser = argparse.ArgumentParser(description="Fit the soft part of the gate.")
    parser.add_argument("--write", action="store_true", help="write the coefficients of the verifier")
    parser.add_argument("--words", action="store_true", help="write how rare words are")
    options = parser.parse_args()
    data = data_directory()
    if data is None:
        sys.exit("the data set is not here: set OPENWORK_DATA")
    if options.words:
        _RARITY.write_text(rarity_file(data), encoding="utf-8")
        return
    found = list(examples(data, Random(SEED)))
    rows = rows_of(found)
    held = [i for i, e in enumerate(found) if sum(e.evidence[:40].encode()) % 5 == 0]
    apart = set(held)
    trial = fit([row for i, row in enumerate(rows) if i not in apart])
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for i in held:
        pairs[found[i].origin].append((found[i].label, said_by(trial, rows[i][0])))
    for origin, own in pairs.items():
        print(f"{origin}, held out: macro F1 {macro_f1(own, CLASSES):.3f}\n{confusion(own, CLASSES, CLASSES)}")
    table = fit(rows)
    text = coefficients_file(table, Counter((e.origin, e.label) for e in found))
    print(text)
    if options.write:
        _COEFFICIENTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
