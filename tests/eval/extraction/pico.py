"""EBM-NLP: tokens of people, treatments and outcomes that the finder of terms marks, against the marked ones.

There is no reader of PICO spans here. What is measured is what names alone give: diseases as people, drugs and
procedures as treatments, the words of the list of outcomes as outcomes.
"""

from __future__ import annotations

import gzip
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from openwork_contracts.question import EntityKind
from openwork_language.terms import find_terms

DATA = Path(os.environ.get("OPENWORK_DATA", "../shared/data")) / "benchmarks" / "ebm-nlp" / "ebmnlp_test.conll.gz"
_KINDS = {EntityKind.DISEASE: "I-PAR", EntityKind.DRUG: "I-INT", EntityKind.PROCEDURE: "I-INT"}
_NAMES = {"I-PAR": "people", "I-INT": "treatments", "I-OUT": "outcomes"}


def sentences() -> Iterator[tuple[list[str], list[str]]]:
    """(tokens, tags) of each sentence."""
    tokens: list[str] = []
    tags: list[str] = []
    for line in gzip.decompress(DATA.read_bytes()).decode().splitlines():
        if not line.strip() or line.startswith("-DOCSTART-"):
            if tokens:
                yield tokens, tags
            tokens, tags = [], []
        else:
            token, *_, tag = line.split()
            tokens.append(token)
            tags.append(tag)
    if tokens:
        yield tokens, tags


def marked(tokens: list[str]) -> list[str]:
    """A tag for each token, by the names in the sentence."""
    starts, text = [], ""
    for token in tokens:
        starts.append(len(text))
        text += token + " "
    found = ["O"] * len(tokens)
    for term in find_terms(text):
        tag = _KINDS.get(term.kind)
        for place, start in enumerate(starts):
            if tag and term.start <= start < term.end:
                found[place] = tag
    return found


def scorecard() -> str:
    """Precision and recall of tokens, for each kind."""
    counts: Counter[tuple[str, str]] = Counter()
    for tokens, tags in sentences():
        for wanted, got in zip(tags, marked(tokens), strict=True):
            counts[wanted, "wanted"] += 1
            counts[got, "got"] += 1
            if wanted == got:
                counts[got, "right"] += 1
    lines = [
        "== EBM-NLP, tokens by names alone (there is no reader of spans)",
        f"{'':12}{'precision':>10}{'recall':>8}",
    ]
    for tag, name in _NAMES.items():
        right, got, wanted = (counts[tag, what] for what in ("right", "got", "wanted"))
        precision = f"{100 * right / got:.1f} %" if got else "-"
        lines.append(f"{name:12}{precision:>10}{f'{100 * right / wanted:.1f} %':>8}")
    return "\n".join(lines)
