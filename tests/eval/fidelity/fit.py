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
from pathlib import Path
from random import Random

from openwork_contracts.verdict import EvidenceItem
from openwork_verifier.domain.likeness import FEATURES, likeness_of, values_of
from openwork_verifier.domain.passages import read_passage
from openwork_verifier.domain.support import find_support
from openwork_verifier.domain.wording import concepts, without_authors

from tests.eval.fidelity.sources import REPOSITORY, data_directory, evidence_inference_abstracts, pubmedqa_abstracts
from tests.eval.fidelity.statistics import confusion, macro_f1
from tests.eval.fidelity.training import ENTAILED, NEUTRAL, REFUTED, Example, examples

SEED = 20241105
CLASSES = (ENTAILED, REFUTED, NEUTRAL)
_STEPS, _RATE, _PENALTY = 400, 0.5, 0.01
_PACKAGE = REPOSITORY / "services/verifier/openwork_verifier"
# Words in at least this share of abstracts, and the name of their tier in the written module.
_TIERS = (("EVERYWHERE", 0.25), ("OFTEN", 0.08), ("SOMETIMES", 0.03))
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


def table_module(table: Sequence[Sequence[float]], counts: Counter[tuple[str, str]]) -> str:
    """The source of `openwork_verifier.domain.coefficients`."""
    made = ", ".join(f"{n} {origin} {label}" for (origin, label), n in sorted(counts.items()))
    lines = [
        '"""Coefficients of `entailment`, written by `python -m tests.eval.fidelity.fit --write`; do not edit.',
        "",
        "Each row: feature, weight for entailed, weight for refuted; not enough information is the zero of both.",
        f"Fitted with seed {SEED} on:",
        *(f"{part.strip()}," for part in made.split(",")),
        "all made from Evidence Inference (MIT), PubMedQA (MIT) and BioASQ (CC BY 2.5), none from a set the gate is",
        'judged on.\n"""',
        "",
        "from __future__ import annotations",
        "",
        f"CONSTANT = ({table[0][0]:.3f}, {table[1][0]:.3f})",
        "COEFFICIENTS: dict[str, tuple[float, float]] = {",
        *(f'    "{name}": ({table[0][j]:.3f}, {table[1][j]:.3f}),' for j, name in enumerate(FEATURES, start=1)),
        "}",
    ]
    return "\n".join(lines) + "\n"


def frequency_module(data: Path) -> str:
    """The source of `openwork_verifier.domain.frequencies`: which words most abstracts hold."""
    counts: Counter[str] = Counter()
    n = 0
    for abstract in (*pubmedqa_abstracts(data), *evidence_inference_abstracts(data)):
        counts.update(concepts(f"{abstract.title} {abstract.text}"))
        n += 1
    head = [
        '"""How rare a word is in abstracts; written by `python -m tests.eval.fidelity.fit --words`, do not edit.',
        "",
        f"Shares of {n} abstracts of PubMedQA and Evidence Inference (both MIT) that hold a word; words are concepts.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
    ]
    above = 1.1
    for name, least in _TIERS:
        words = sorted(w for w, c in counts.items() if least <= c / n < above)
        head += [f'_{name} = """', *_wrapped(words), '"""', f"# In at least {least:.0%} of abstracts.", ""]
        above = least
    return "\n".join(head) + _RARITY


_RARITY = '''_TIERS = ((_EVERYWHERE, 0.25), (_OFTEN, 0.5), (_SOMETIMES, 0.75))
_WEIGHTS = {word: weight for words, weight in _TIERS for word in words.split()}
"""About -log(share of abstracts) / log(number of abstracts) in the middle of each tier."""


def rarity(word: str) -> float:
    """Weight of a word in [0.25, 1]; 1 for a word that few abstracts hold."""
    return _WEIGHTS.get(word, 1.0)
'''


def _wrapped(words: Sequence[str]) -> list[str]:
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > 110:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def main() -> None:
    """Fit on four fifths, print the other fifth, then fit on all and write."""
    parser = argparse.ArgumentParser(description="Fit the soft part of the gate.")
    parser.add_argument("--write", action="store_true", help="write openwork_verifier/coefficients.py")
    parser.add_argument("--words", action="store_true", help="write openwork_verifier/frequencies.py")
    options = parser.parse_args()
    data = data_directory()
    if data is None:
        sys.exit("the data set is not here: set OPENWORK_DATA")
    if options.words:
        (_PACKAGE / "frequencies.py").write_text(frequency_module(data), encoding="utf-8")
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
    module = table_module(table, Counter((e.origin, e.label) for e in found))
    print(module)
    if options.write:
        (_PACKAGE / "coefficients.py").write_text(module, encoding="utf-8")


if __name__ == "__main__":
    main()
