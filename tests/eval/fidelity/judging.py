"""A claim put to the gate, what it said, and the shares that are made of it.

`supported` is the only verdict that shows a claim, besides `not_a_claim` (a sentence that is not checked is shown as
well). So a right claim counts as passed only when it is `supported`, and a wrong one counts as caught by neither: both
roundings go against the gate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openwork_contracts.verdict import EvidenceItem
from openwork_verifier.domain.gate import verify_claim

from tests.eval.fidelity.statistics import wilson

SUPPORTED = "supported"
CONTRADICTED = "contradicted"
SHOWN = frozenset({SUPPORTED, "not_a_claim"})
MIN_JUDGED = 100
"""Kinds with fewer cases are printed and not judged: at 90 %, an interval of n = 100 is already 12 points wide."""


@dataclass(frozen=True, slots=True)
class Case:
    """One claim with what is true of it."""

    kind: str
    text: str
    evidence: tuple[EvidenceItem, ...]
    right: bool
    citations: tuple[int, ...] = (1,)
    origin: str = ""
    """Where it comes from or what was changed, for whoever reads the misses."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A case and the gate's verdict."""

    case: Case
    verdict: str
    reasons: str

    @property
    def is_miss(self) -> bool:
        """A right claim that is not supported, or a wrong one that is shown."""
        return (self.verdict != SUPPORTED) if self.case.right else self.verdict in SHOWN


@dataclass(frozen=True, slots=True)
class Bar:
    """What is wanted of a share."""

    share: float
    at_least: bool = True

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {100 * self.share:g} %"

    def met(self, share: float) -> bool:
        """Whether a share is good enough."""
        return share >= self.share if self.at_least else share <= self.share


def at_least(share: float) -> Bar:
    """A bar for what is to be high."""
    return Bar(share)


def at_most(share: float) -> Bar:
    """A bar for what is to be low."""
    return Bar(share, at_least=False)


@dataclass(frozen=True, slots=True)
class Figure:
    """One published share: hits of n, and what is wanted."""

    part: str
    measure: str
    hits: int
    n: int
    bar: Bar | None = None

    @property
    def share(self) -> float:
        """hits / n; 0 where n is 0."""
        return self.hits / self.n if self.n else 0.0

    @property
    def standing(self) -> str:
        """Met, missed, or not judged: too few cases. Empty where nothing is wanted."""
        if self.bar is None:
            return ""
        if self.n < MIN_JUDGED:
            return "not judged"
        return "met" if self.bar.met(self.share) else "missed"

    def as_json(self) -> dict[str, object]:
        """For `--json`."""
        low, high = wilson(self.hits, self.n)
        return {
            "part": self.part,
            "measure": self.measure,
            "hits": self.hits,
            "n": self.n,
            "share": round(self.share, 4),
            "interval": [round(low, 4), round(high, 4)],
            "bar": str(self.bar) if self.bar else None,
        }


def judge(case: Case) -> Judged:
    """The gate's verdict of one case."""
    said = verify_claim(case.text, case.citations, case.evidence)
    return Judged(case, said.verdict.value, "; ".join(f"{r.code.value}: {r.detail}" for r in said.reasons))


def judge_all(cases: Iterable[Case]) -> list[Judged]:
    """The verdicts in the order of the cases."""
    return [judge(case) for case in cases]


def of_kind(judged: Iterable[Judged], kind: str) -> list[Judged]:
    """The cases of one kind."""
    return [j for j in judged if j.case.kind == kind]


def supported(part: str, measure: str, judged: Sequence[Judged], bar: Bar | None = None) -> Figure:
    """The share of right claims that are supported, or of wrong ones that are shown."""
    hits = sum(j.verdict == SUPPORTED if j.case.right else j.verdict in SHOWN for j in judged)
    return Figure(part, measure, hits, len(judged), bar)


def contradicted(part: str, measure: str, judged: Sequence[Judged], bar: Bar | None = None) -> Figure:
    """The share that is called contradicted."""
    return Figure(part, measure, sum(j.verdict == CONTRADICTED for j in judged), len(judged), bar)


def caught(part: str, measure: str, judged: Sequence[Judged], bar: Bar | None = None) -> Figure:
    """The share of wrong claims that is not shown."""
    return Figure(part, measure, sum(j.verdict not in SHOWN for j in judged), len(judged), bar)


def table(figures: Iterable[Figure]) -> str:
    """The figures as lines for a terminal."""
    return "\n".join(_line(figure) for figure in figures)


def misses(judged: Iterable[Judged], per_kind: int) -> str:
    """Up to `per_kind` misses of every kind, with the gate's reasons."""
    shown: dict[str, int] = {}
    blocks = []
    for j in judged:
        if not j.is_miss or shown.get(j.case.kind, 0) >= per_kind:
            continue
        shown[j.case.kind] = shown.get(j.case.kind, 0) + 1
        blocks.append(
            f"\n[{j.case.kind}] {'right' if j.case.right else 'wrong'} -> {j.verdict}\n  claim:  {j.case.text}\n"
            f"  from:   {j.case.origin}\n  gate:   {j.reasons or '(no reason)'}"
        )
    return "\n".join(blocks)


def _line(figure: Figure) -> str:
    low, high = wilson(figure.hits, figure.n)
    wanted = f"  wanted {figure.bar}: {figure.standing}" if figure.bar else ""
    return f"{figure.measure:<58} {figure.share:7.1%}  [{low:.1%}, {high:.1%}]  {figure.hits}/{figure.n}{wanted}"
