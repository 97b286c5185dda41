"""Sentences written by hand from shared abstracts, in words of their own: honest ones, and wrong ones in named ways.

`development.jsonl` and `held_out.jsonl` were written before the gate was rebuilt; the first may be looked at while it
is changed, the second is run once. `second.jsonl` and `third.jsonl` are of other writers, and of abstracts that the
first two leave alone: `second` was looked at too, of `third` only what was called contradicted. A line is
{"source": "<source>:<key>", "text", "honest": bool, "style": "free" | "prompt", "way", "note"}: `source` names an
abstract of `sources.abstracts`, `style` says whether it is written freely or as the synthesiser's prompt demands,
`way` names the error of a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from openwork_contracts.verdict import EvidenceItem

from tests.eval.fidelity.judging import Case, Figure, Judged, at_least, at_most, caught, contradicted, supported
from tests.eval.fidelity.sources import abstracts, read_jsonl

PART = "handwritten"
HERE = Path(__file__).parent / "handwritten"
SETS = ("development", "held_out", "second", "third")
FIRST = ("development", "held_out")
"""Written before the gate was rebuilt."""
STYLES = ("free", "prompt")


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence."""

    source: str
    text: str
    honest: bool
    style: str
    way: str = ""
    note: str = ""


def read(path: Path) -> list[Line]:
    """The lines of a file. Raises ValueError that names the line of an unknown style or a wrong one without a way."""
    lines = []
    for n, row in enumerate(read_jsonl(path), start=1):
        line = Line(
            row["source"], row["text"], row["honest"], row["style"], row.get("way") or "", row.get("note") or ""
        )
        if line.style not in STYLES or (not line.honest and not line.way):
            raise ValueError(f"{path.name} line {n}: style {line.style!r}, way {line.way!r}")
        lines.append(line)
    return lines


@cache
def texts(data: Path | None) -> dict[str, EvidenceItem]:
    """Every abstract as evidence, by "source:key"; built once, SciFact's corpus is read for it."""
    return {f"{a.source}:{a.key}": EvidenceItem(n=1, title=a.title, text=a.text) for a in abstracts(data) if a.text}


def cases(lines: Iterable[Line], known: dict[str, EvidenceItem]) -> Iterator[Case]:
    """A case per line, against the whole abstract. Raises ValueError where a line names no abstract of the data."""
    for line in lines:
        if line.source not in known:
            raise ValueError(f"no abstract {line.source!r} for {line.text!r}: the form is '<source>:<key>'")
        kind = f"honest, {line.style}" if line.honest else f"wrong: {line.way}"
        yield Case(kind, line.text, (known[line.source],), line.honest, origin=f"{line.source} {line.note}".strip())


def files(folder: Path = HERE) -> dict[str, Path]:
    """The sets that are written."""
    return {name: folder / f"{name}.jsonl" for name in SETS if (folder / f"{name}.jsonl").exists()}


def figures(name: str, judged: Sequence[Judged]) -> list[Figure]:
    """Honest ones beside wrong ones, then each way of being wrong."""
    wrong = [j for j in judged if not j.case.right]
    kinds = sorted({j.case.kind for j in wrong})
    ways = {kind: [j for j in wrong if j.case.kind == kind] for kind in kinds}
    return [
        *summary(name, judged),
        *(caught(PART, f"{name}: {kind.replace('_', ' ')}, caught", of, at_least(0.9)) for kind, of in ways.items()),
    ]


def summary(name: str, judged: Sequence[Judged]) -> list[Figure]:
    """Honest ones beside wrong ones."""
    honest = [j for j in judged if j.case.right]
    wrong = [j for j in judged if not j.case.right]
    free = [j for j in honest if j.case.kind.endswith("free")]
    prompt = [j for j in honest if j.case.kind.endswith("prompt")]
    return [
        supported(PART, f"{name}: honest, free words, supported", free, at_least(0.8)),
        supported(PART, f"{name}: honest, as the prompt demands, supported", prompt, at_least(0.95)),
        contradicted(PART, f"{name}: honest, called contradicted", honest, at_most(0.02)),
        caught(PART, f"{name}: wrong, caught", wrong, at_least(0.9)),
    ]
