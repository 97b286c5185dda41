"""Designs from titles alone: the normaliser's rules against labelled titles, the first run beside the present one.

    python -m tests.eval.designs                # the development part, and what it gets wrong with --show
    python -m tests.eval.designs --held-out     # counts of the part kept apart; its titles are never printed

The set is `titles.tsv`: two thirds develop, one third is kept apart, by the hash of the title, so that nobody chooses.
A title may bear several designs: any of them is right, and it counts under the first. `first_run.json` has what the
rules made of both parts before they were changed for this set.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from openwork_contracts.evidence import StudyDesign
from openwork_normaliser.domain.design import study_design

SET = Path(__file__).with_name("titles.tsv")
FIRST_RUN = Path(__file__).with_name("first_run.json")
DEVELOPMENT, HELD_OUT = "development", "held_out"


@dataclass(frozen=True, slots=True)
class Title:
    """One row of the set."""

    text: str
    designs: tuple[StudyDesign, ...]
    read_at: str

    @property
    def part(self) -> str:
        """Where it belongs, by its own letters."""
        return HELD_OUT if hashlib.sha256(self.text.encode()).digest()[0] % 3 == 0 else DEVELOPMENT


@dataclass(frozen=True, slots=True)
class Decided:
    """A title and what the rules made of it, without publication types or headings."""

    title: Title
    design: StudyDesign

    @property
    def is_right(self) -> bool:
        """Whether it is one of the designs that the title may bear."""
        return self.design in self.title.designs


def titles() -> tuple[Title, ...]:
    """The whole set.

    Raises:
        ValueError: a row names an unknown design, or a title stands twice.
    """
    found = []
    for line in SET.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        designs, text, read_at = line.split("\t")
        known = [StudyDesign(name) for name in designs.split(",")]
        if unknown := [d for d in known if d not in list(StudyDesign)]:
            raise ValueError(f"{text!r} is labelled {unknown}, which are no designs")
        found.append(Title(text, tuple(known), read_at))
    if twice := [text for text, n in Counter(one.text for one in found).items() if n > 1]:
        raise ValueError(f"titles that stand twice: {twice}")
    return tuple(found)


def decide(title: Title) -> Decided:
    """What the normaliser says of a record that has nothing but its title."""
    return Decided(title, study_design(title.text, ()))


def figures(decided: Iterable[Decided]) -> dict[str, tuple[int, int, int]]:
    """Design -> (titles that bear it first, of these right, titles wrongly called so)."""
    seen = list(decided)
    first = Counter(d.title.designs[0].value for d in seen)
    right = Counter(d.title.designs[0].value for d in seen if d.is_right)
    false = Counter(d.design.value for d in seen if not d.is_right)
    return {name: (first[name], right[name], false[name]) for name in sorted({*first, *false})}


def scorecard(name: str, now: dict[str, tuple[int, int, int]], before: dict[str, list[int]]) -> str:
    """A row per design: how many, how many right at first and now, how many wrongly called so at first and now."""
    lines = [f"== {name}: {sum(n for n, _, _ in now.values())} titles"]
    lines.append(f"{'design':22}{'titles':>7}{'right first':>13}{'now':>5}{'  wrongly so first':>19}{'now':>5}")
    for design in sorted({*now, *before}):
        n, right, false = now.get(design, (0, 0, 0))
        _, right_first, false_first = before.get(design, (0, 0, 0))
        lines.append(f"{design:22}{n:7}{right_first:13}{right:5}{false_first:19}{false:5}")
    total, first = sum(r for _, r, _ in now.values()), sum(row[1] for row in before.values())
    lines.append(f"{'all':22}{sum(n for n, _, _ in now.values()):7}{first:13}{total:5}")
    return "\n".join(lines)


def main() -> None:
    """Print the development part, or the counts of the part kept apart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print development titles that are decided otherwise")
    parser.add_argument("--held-out", action="store_true", help="counts of the part kept apart, no titles")
    arguments = parser.parse_args()
    part = HELD_OUT if arguments.held_out else DEVELOPMENT
    decided = [decide(one) for one in titles() if one.part == part]
    print(scorecard(part, figures(decided), json.loads(FIRST_RUN.read_text(encoding="utf-8"))[part]))
    for d in decided if arguments.show and part == DEVELOPMENT else ():
        if not d.is_right:
            print(f"{'|'.join(d.title.designs):34} -> {d.design:20} {d.title.text}")


if __name__ == "__main__":
    main()
