"""The labelled questions of `labels.txt`: what each asks of which abstract, and the facts of a right reading."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

DEVELOPMENT, APART = "development", "apart"
_FACT = re.compile(r"(?P<sign>[=~s])(?P<kind>[em]?) (?P<rest>.+)")
_EFFECT = re.compile(r"(?P<measure>\w+) (?P<numbers>\S+ \S+ \S+): (?P<tested>.+) v (?P<comparator>.+)")
_ARM = re.compile(r"(?P<name>[^:]+): (?P<figures>.+)")
_FIGURE = re.compile(
    r"(?P<percent>[\d.]+)%|(?P<events>\d+)(?:/(?P<n>\d+))?(?![\d.])|(?P<mean>-?[\d.]+)(?: \((?P<sd>[\d.]+)\))?"
)
_MEAN = re.compile(r"(?P<mean>-?[\d.]+)(?: \((?P<sd>[\d.]+)\))?")


@dataclass(frozen=True, slots=True)
class LabelledArm:
    """An arm's names and figures; what is `None` is not printed."""

    names: tuple[str, ...]
    percent: Decimal | None = None
    events: int | None = None
    n: int | None = None
    mean: Decimal | None = None
    deviation: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of an abstract: figures of arms, or an effect with the sides that it compares."""

    sign: str
    """"=" asked, "~" true and near, "s" of a part of the people."""
    arms: tuple[LabelledArm, ...] = ()
    measure: str | None = None
    numbers: tuple[float, ...] = ()

    @property
    def is_of_means(self) -> bool:
        return any(arm.mean is not None for arm in self.arms)


@dataclass(frozen=True, slots=True)
class Row:
    """A question to one abstract."""

    source: str
    key: str
    question: str
    facts: tuple[Fact, ...]

    @property
    def part(self) -> str:
        """Two thirds of the abstracts develop; which, the letters of the identifier say."""
        return DEVELOPMENT if hashlib.sha256(self.key.encode()).digest()[0] % 3 else APART

    @property
    def kind(self) -> str:
        """nothing, means alone, or figures: shares of arms or an effect."""
        asked = [fact for fact in self.facts if fact.sign == "="]
        if not asked:
            return "nothing"
        return "means" if all(fact.is_of_means for fact in asked) else "figures"


@cache
def rows() -> tuple[Row, ...]:
    """All rows, in the order of the file.

    Raises:
        ValueError: a line is not written as the file's head says.
    """
    found: list[tuple[str, list[Fact]]] = []
    for line in Path(__file__).with_name("labels.txt").read_text().splitlines():
        if line.startswith("@"):
            found.append((line[2:], []))
        elif not line.startswith("#") and line.strip():
            found[-1][1].append(_fact(line))
    rows = []
    for head, facts in found:
        source, key, question = re.split(r" \| | ", head, maxsplit=2)
        rows.append(Row(source, key, question.removeprefix("| "), tuple(facts)))
    return tuple(rows)


def _fact(line: str) -> Fact:
    match = _FACT.fullmatch(line)
    if match is None:
        raise ValueError(f"not a fact: {line!r}")
    if match["kind"] == "e":
        effect = _EFFECT.fullmatch(match["rest"])
        if effect is None:
            raise ValueError(f"not an effect: {line!r}")
        sides = tuple(LabelledArm(tuple(effect[side].split("|"))) for side in ("tested", "comparator"))
        return Fact(match["sign"], sides, effect["measure"], tuple(map(float, effect["numbers"].split())))
    _, _, arms = match["rest"].partition(": ")
    return Fact(match["sign"], tuple(_arm(arm, means=match["kind"] == "m") for arm in arms.split("; ")))


def _arm(text: str, *, means: bool) -> LabelledArm:
    match = _ARM.fullmatch(text)
    if match is None:
        raise ValueError(f"not an arm: {text!r}")
    names = tuple(match["name"].split("|"))
    found: dict[str, str] = {}
    for figure in (_MEAN if means else _FIGURE).finditer(match["figures"]):
        found |= {name: value for name, value in figure.groupdict().items() if value is not None}
    if "mean" in found and not means:  # a rate: "0.20"
        found["percent"] = found.pop("mean")
    return LabelledArm(
        names,
        Decimal(found["percent"]) if "percent" in found else None,
        int(found["events"]) if "events" in found else None,
        int(found["n"]) if "n" in found else None,
        Decimal(found["mean"]) if "mean" in found else None,
        Decimal(found["sd"]) if "sd" in found else None,
    )
