"""Whether what is typed is known for what is printed, one slot of a question at a time.

python -m tests.eval.wordings [outcomes] [people] [treatments] [--misses]      (`make eval-wordings`)

Each wording is put into a plain question, which is read as the product reads it, and its slot is held against what a
trial prints as results are. Half of the pairs, by a hash, are kept apart: their counts are printed, never their words.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from openwork_answers.asked import Question, read_question
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import read_outcome
from openwork_answers.people import people_fit
from openwork_answers.sides import sides_of
from openwork_contracts.conclusion import Fit
from openwork_language.searching.ladder import strategy_of
from openwork_query.domain.analysis import Rejection, analyse

from tests.unit.answers.made import record

HERE = Path(__file__).parent
_BEST = (Fit.ASKED, Fit.PART, Fit.WIDER, Fit.NOT_TOLD, Fit.OTHER)
_KNOWN = {
    "same": frozenset({Fit.ASKED, Fit.PART}),
    "part": frozenset({Fit.ASKED, Fit.PART, Fit.WIDER}),
    "wider": frozenset({Fit.WIDER}),
    "other": frozenset({Fit.OTHER, Fit.NOT_TOLD}),
}
"""How a relation is rightly read; of what is wider, "asked" would be a wrong answer, of another thing anything near."""
_NEAR = frozenset({Fit.ASKED, Fit.PART, Fit.WIDER})


@dataclass(frozen=True, slots=True)
class Pair:
    """One wording beside another, and how they stand to each other."""

    slot: str
    asked: str
    told: str
    relation: str

    @property
    def is_open(self) -> bool:
        """Whether it may be looked at; by the SHA-256 of its words."""
        return int(hashlib.sha256(f"{self.asked}|{self.told}".encode()).hexdigest(), 16) % 2 == 0


@dataclass(frozen=True, slots=True)
class Read:
    """How a pair was read; `None` = the question was rejected."""

    pair: Pair
    fit: Fit | None

    @property
    def is_right(self) -> bool:
        if self.fit is None:
            return self.pair.relation == "other"
        return self.fit in _KNOWN[self.pair.relation]

    @property
    def is_wrong(self) -> bool:
        """Whether an answer would be of another thing, or said to be exactly of it where it is of a wider one."""
        if self.pair.relation == "other":
            return self.fit in _NEAR
        return self.pair.relation == "wider" and self.fit in {Fit.ASKED, Fit.PART}


def _outcome(pair: Pair, question: Question) -> Fit:
    told = read_outcome(pair.told)
    fits = [fit_of(told, asked) for asked in question.outcomes]
    return min(fits, key=_BEST.index, default=Fit.NOT_TOLD)


def _people(pair: Pair, question: Question) -> Fit:
    return people_fit(question.people, record(pair.told)) if question.people else Fit.NOT_TOLD


def _treatment(pair: Pair, question: Question) -> Fit:
    return sides_of(question, (pair.told, "placebo"), "").fit


SLOTS: Mapping[str, tuple[str, Callable[[Pair, Question], Fit]]] = {
    "outcomes": ("Does aspirin reduce {}?", _outcome),
    "people": ("Does aspirin reduce death in {}?", _people),
    "treatments": ("Does {} reduce death?", _treatment),
}
"""Slot -> the question that its wordings are put into, and how they are held against what is printed."""


def pairs(slot: str) -> list[Pair]:
    """The pairs of a slot, in the order of the file."""
    with (HERE / f"{slot}.tsv").open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Pair(slot, row["asked"], row["told"], row["relation"]) for row in rows]


def read(pair: Pair) -> Read:
    """A pair through a plain question."""
    template, held = SLOTS[pair.slot]
    analysis = analyse(template.format(pair.asked), available_sources=("library",), current_year=2026)
    if isinstance(analysis, Rejection):
        return Read(pair, None)
    return Read(pair, held(pair, read_question(analysis, strategy_of(analysis))))


def table(found: Iterable[Read]) -> str:
    """Counts by slot, half and relation: rightly read, wrongly, and neither."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for one in found:
        verdict = "right" if one.is_right else "wrong" if one.is_wrong else "rejected" if one.fit is None else "missed"
        counts[one.pair.slot, "looked at" if one.pair.is_open else "apart", one.pair.relation, verdict] += 1
    lines = [
        "| slot | half | relation | pairs | right | missed | rejected | wrong |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for key in sorted({key[:3] for key in counts}):
        right, missed, rejected, wrong = (counts[*key, v] for v in ("right", "missed", "rejected", "wrong"))
        n = right + missed + rejected + wrong
        lines.append(
            f"| {' | '.join(key)} | {n} | {right} ({100 * right / n:.0f} %) | {missed} | {rejected} | {wrong} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Read every pair and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slots", nargs="*", choices=[*SLOTS, []], help="which; all when left out")
    parser.add_argument("--misses", action="store_true", help="the pairs looked at that are not read rightly")
    chosen = parser.parse_args()
    found = [read(pair) for slot in chosen.slots or SLOTS for pair in pairs(slot)]
    if chosen.misses:
        for one in found:
            if one.pair.is_open and not one.is_right:
                fit = one.fit.value if one.fit else "rejected"
                print(f"{one.pair.slot} {one.pair.relation} -> {fit}: {one.pair.asked!r} | {one.pair.told!r}")
    print(table(found))


if __name__ == "__main__":
    main()
