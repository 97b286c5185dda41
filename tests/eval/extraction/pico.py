"""EBM-NLP: tokens of people, treatments and outcomes that the reader of spans marks, against those that experts marked.

The abstracts of the test set, split by a hash of their PMID: of one half the spans may be looked at, of the other only
totals are printed. Beside the reader what names alone give: diseases as people, drugs and procedures as treatments.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from openwork_contracts.question import EntityKind
from openwork_extraction.spans import SpanKind, pico_spans
from openwork_language.terms import find_terms

from tests.eval.extraction.rows import APART, DEVELOPMENT

DATA = Path(os.environ.get("OPENWORK_DATA", "../shared/data")) / "benchmarks" / "ebm-nlp" / "ebmnlp_test.conll.gz"
_KINDS = {EntityKind.DISEASE: "I-PAR", EntityKind.DRUG: "I-INT", EntityKind.PROCEDURE: "I-INT"}
_SPANS = {SpanKind.PEOPLE: "I-PAR", SpanKind.TREATMENT: "I-INT", SpanKind.OUTCOME: "I-OUT"}
_NAMES = {"I-PAR": "people", "I-INT": "treatments", "I-OUT": "outcomes"}
Places = list[tuple[int, int, str]]
"""(start, end, tag) in characters."""


@dataclass(slots=True)
class Abstract:
    """One abstract as its tokens, each with the tag that experts gave it."""

    pmid: str
    tokens: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)

    @property
    def part(self) -> str:
        """Half of them develop; nobody chooses which."""
        return DEVELOPMENT if hashlib.sha256(self.pmid.encode()).digest()[0] % 2 else APART

    @property
    def text(self) -> str:
        """The tokens, parted by single blanks."""
        return " ".join(self.tokens)

    def marked(self, places: Places) -> list[str]:
        """A tag for each token."""
        found, start = [], 0
        for token in self.tokens:
            found.append(next((tag for low, high, tag in places if low <= start < high), "O"))
            start += len(token) + 1
        return found


def abstracts() -> Iterator[Abstract]:
    """Those of the test set."""
    one: Abstract | None = None
    for line in gzip.decompress(DATA.read_bytes()).decode().splitlines():
        if line.startswith("-DOCSTART-"):
            if one is not None:
                yield one
            one = Abstract(line.rpartition("(")[2].rstrip(")"))
        elif line.strip() and one is not None:
            token, *_, tag = line.split()
            one.tokens.append(token)
            one.tags.append(tag)
    if one is not None:
        yield one


def by_names(text: str) -> Places:
    """What names alone give."""
    return [(term.start, term.end, tag) for term in find_terms(text) if (tag := _KINDS.get(term.kind))]


def by_spans(text: str) -> Places:
    """What the reader gives."""
    return [(span.start, span.end, _SPANS[span.kind]) for span in pico_spans(text)]


def scorecard() -> str:
    """Precision, recall and F1 of tokens for each kind, part and reader."""
    lines = ["== EBM-NLP, by token", f"{'':42}{'precision':>10}{'recall':>8}{'F1':>6}"]
    for part in (DEVELOPMENT, APART):
        chosen = [one for one in abstracts() if one.part == part]
        for name, read in (("names alone", by_names), ("spans", by_spans)):
            lines += _rows(f"{part} ({len(chosen)}), {name}", chosen, read)
    return "\n".join(lines)


def _rows(title: str, chosen: list[Abstract], read: Callable[[str], Places]) -> Iterator[str]:
    counts: Counter[tuple[str, str]] = Counter()
    for one in chosen:
        for wanted, got in zip(one.tags, one.marked(read(one.text)), strict=True):
            counts[wanted, "wanted"] += 1
            counts[got, "got"] += 1
            counts[got, "right"] += wanted == got
    for tag, name in _NAMES.items():
        right, got, wanted = (counts[tag, what] for what in ("right", "got", "wanted"))
        precision, recall = right / got if got else 0.0, right / wanted
        f1 = 2 * precision * recall / (precision + recall) if right else 0.0
        yield f"{title}: {name:<12}".ljust(42) + f"{100 * precision:8.1f} %{100 * recall:6.1f} %{100 * f1:5.0f}"
