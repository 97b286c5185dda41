"""Claims about one cell of a result: two arms, one outcome, one time, and the ways of telling them wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from openwork_contracts.verdict import EvidenceItem

from tests.eval.fidelity.judging import Case

RIGHT, EXCHANGED, OTHER, OTHER_TIME, OFF = (
    "right cell",
    "arms exchanged",
    "figures of another outcome",
    "another time",
    "number off",
)
_COUNTS = (
    "{P}{o} {was} recorded in {a} of {n} {A} and in {b} of {m} {B}.",
    "{P}{o} {was} recorded in {a} ({pa}) of {n} {A}, against {b} ({pb}) of {m} {B}.",
    "{P}{a}/{n} {A} and {b}/{m} {B} were recorded with {o}.",
    "{P}the rate of {o} was {pa} {A} versus {pb} {B}.",
    "{P}the rates of {o} {A} and {B} were {pa} and {pb}, respectively.",
)
# Where the passage does not say of how many.
_BARE_COUNTS = (
    "{P}the number with {o} was {a} {A} and {b} {B}.",
    "{P}{o} {was} counted {a} times {A}, compared with {b} times {B}.",
)
_MEANS = (
    "{P}mean {o} was {a} {A} and {b} {B}.",
    "{P}{o} averaged {a} {A}, compared with {b} {B}.",
    "{P}mean {o} was {a} versus {b} ({A} versus {B}).",
    "{P}mean {o} {A} and {B} was {a} and {b}, respectively.",
)
_PLURAL = re.compile(
    r"\b(?:births|errors|rejections|outcomes|effects|complications|clicks|antidepressants|triglycerides)\b"
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What was found in one arm: a count with its group, or a mean as it is written."""

    value: str
    n: int | None = None

    def percent(self, places: int) -> str:
        """The count as a percentage of its group."""
        return f"{100 * int(self.value) / (self.n or 1):.{places}f}%"


@dataclass(frozen=True, slots=True)
class Cell:
    """One result of two arms, and where it stands."""

    key: str
    outcome: str
    arms: tuple[str, str]
    """With their prepositions: "with placebo", "after the training"."""
    figures: tuple[Figures, Figures]
    evidence: EvidenceItem
    unit: str = ""
    study: str = ""
    time: str = ""
    other_time: str = ""
    says_n: bool = True
    """Whether the evidence says the groups' sizes, so that a percentage can be worked out."""

    @property
    def is_count(self) -> bool:
        """Counts have groups, means have none."""
        return self.figures[0].n is not None


def told(cell: Cell, random: Random, how_many: int) -> list[str]:
    """The cell in so many wordings, drawn."""
    wordings = (_COUNTS if cell.says_n else _BARE_COUNTS) if cell.is_count else _MEANS
    return [_filled(w, cell) for w in random.sample(wordings, min(how_many, len(wordings)))]


def claims_of(cell: Cell, others: Sequence[Cell], kind: str, random: Random, per_cell: int) -> list[Case]:
    """Right and wrong claims of a cell; `others` are the cells that stand in the same evidence."""
    wrong = {EXCHANGED: exchanged(cell), OTHER: of_another(cell, others, random), OFF: off(cell, random)}
    wrong[OTHER_TIME] = replace(cell, time=cell.other_time) if cell.other_time else None
    made = [
        Case(f"{kind} | {RIGHT}", text, (cell.evidence,), True, origin=cell.key)
        for text in told(cell, random, per_cell)
    ]
    for name, changed in wrong.items():
        if changed is not None:
            texts = told(changed, random, per_cell)
            made += [Case(f"{kind} | {name}", text, (cell.evidence,), False, origin=cell.key) for text in texts]
    return made


def exchanged(cell: Cell) -> Cell | None:
    """The figures of the two arms change places, unless they say the same."""
    return replace(cell, figures=cell.figures[::-1]) if _differ(cell.figures, cell.figures[::-1]) else None


def of_another(cell: Cell, others: Sequence[Cell], random: Random) -> Cell | None:
    """The figures of another cell of the same evidence, told of this one."""
    fit = [o for o in others if o.is_count == cell.is_count and o.arms == cell.arms and o.study == cell.study]
    fit = [
        o for o in fit or () if (o.outcome, o.time) != (cell.outcome, cell.time) and _differ(o.figures, cell.figures)
    ]
    return replace(cell, figures=random.choice(fit).figures) if fit else None


def off(cell: Cell, random: Random) -> Cell | None:
    """One digit of the first arm's figure is changed: the new figure stands nowhere in the evidence."""
    first, second = cell.figures
    places = [i for i, c in enumerate(first.value) if c.isdigit()][:2]
    for i in random.sample(places, len(places)):
        for digit in random.sample("123456789", 9):
            value = first.value[:i] + digit + first.value[i + 1 :]
            changed = (Figures(value, first.n), second)
            too_many = first.n is not None and int(value) > first.n
            if not too_many and not stands_in(value, cell.evidence.text) and _differ(changed, cell.figures):
                return replace(cell, figures=changed)
    return None


def plain(text: str) -> str:
    """Figures in one notation: no separators of thousands, one minus sign."""
    return re.sub(r"(?<=\d)[,\s](?=\d{3}(?!\d))", "", re.sub("[−‒–]", "-", text)).replace("·", ".")


def stands_in(value: str, text: str) -> bool:
    """Whether a figure stands in a text as a number of its own."""
    return bool(re.search(rf"(?<![\d.,]){re.escape(value)}(?!\d|[.,]\d)", plain(text)))


def _differ(one: tuple[Figures, Figures], other: tuple[Figures, Figures]) -> bool:
    """Whether no reader could take one for the other: figures or shares a tenth apart or more in one arm."""
    return any(_far(a, b) for a, b in zip(one, other, strict=True))


def _far(a: Figures, b: Figures) -> bool:
    first, second = (float(f.value) / (f.n or 1) for f in (a, b))
    least = 0.002 if a.n else 0.0  # shares are told to a tenth of a percent at best
    return abs(first - second) > max(0.1 * max(abs(first), abs(second)), least)


def _filled(wording: str, cell: Cell) -> str:
    first, second = cell.figures
    prefix = ", ".join(part for part in (f"in {cell.study}" if cell.study else "", cell.time) if part)
    places = 0 if cell.is_count and _apart(first, second) else 1
    unit = cell.unit if cell.unit == "%" else f" {cell.unit}" if cell.unit else ""
    text = wording.format(
        P=f"{prefix}, " if prefix else "",
        o=cell.outcome,
        was="were" if _PLURAL.search(cell.outcome) else "was",
        a=f"{first.value}{'' if cell.is_count else unit}",
        b=f"{second.value}{'' if cell.is_count else unit}",
        n=first.n,
        m=second.n,
        pa=first.percent(places) if cell.is_count else "",
        pb=second.percent(places) if cell.is_count else "",
        A=cell.arms[0],
        B=cell.arms[1],
    )
    return text[0].upper() + text[1:]


def _apart(first: Figures, second: Figures) -> bool:
    """Whether whole percentages still tell the two arms apart."""
    shares = [100 * int(f.value) / (f.n or 1) for f in (first, second)]
    return min(shares) >= 1 and round(shares[0]) != round(shares[1])
