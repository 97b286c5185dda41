"""Results of the library asked for in other words: which names of outcomes, treatments and people are not understood?

    python -m tests.eval.answers.other_words [--what outcomes|treatments|controls|peoples|question] [--half even|odd]
                                             [--misses]

`other_words.jsonl` has of 569 results what eight writers would call the outcome, the arms and the people, and a
question of their own. Each name stands in the place of the record's in one form of a question, which is read and
answered from that record alone: what the record's own words find and another name does not is a name that is not
understood, since nothing else differs and nothing has to be searched. Records of the even half are looked at;
`--misses` prints none of the other half.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from openwork_answers.conclude import conclude
from openwork_answers.figures_in_words import short_arm
from openwork_answers.forms import lines_of
from openwork_answers.table import table_of
from openwork_contracts.conclusion import ConclusionVerdict
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import QuestionAnalysis
from openwork_evidence.library.record import LibraryRecord, load_shipped
from openwork_language.searching.ladder import strategy_of
from openwork_normaliser.domain.normalise import SourceBatch, normalise
from openwork_query.domain.analysis import analyse
from pydantic import BaseModel, ConfigDict

from tests.eval.answers.questions import HALVES, half_of
from tests.eval.answers.reading import holds_all, plain

HERE = Path(__file__).parent
KINDS = {"outcomes": "outcome", "treatments": "tested", "controls": "control", "peoples": "people", "question": ""}
"""What is put in other words, and the slot of the question that it fills."""
LOOKED_AT = "even"
YEAR = 2026
_FORM = "Does {tested} affect {outcome} compared with {control} in {people}?"


class Named(BaseModel):
    """A result of a record, and what others would call what it is of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    outcome: str
    tested: str
    control: str
    outcomes: tuple[str, ...]
    treatments: tuple[str, ...]
    controls: tuple[str, ...]
    peoples: tuple[str, ...]
    question: str


@dataclass(frozen=True, slots=True)
class Case:
    """One question of a result."""

    named: Named
    kind: str
    """Of `KINDS`, or "own": all in the record's words."""
    question: str


def load_named() -> tuple[Named, ...]:
    """The rows of `other_words.jsonl`."""
    lines = (HERE / "other_words.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Named.model_validate(json.loads(line)) for line in lines)


def cases(named: Named, kinds: tuple[str, ...] = tuple(KINDS)) -> list[Case]:
    """A result in the record's words (of the people the writer's first), then with each other name in their place."""
    own = {
        "tested": short_arm(named.tested), "control": short_arm(named.control), "outcome": named.outcome,
        "people": named.peoples[0] if named.peoples else "adults",
    }  # fmt: skip
    found = [Case(named, "own", _FORM.format(**own))]
    for kind in kinds:
        if kind == "question":
            found.append(Case(named, kind, named.question))
        else:
            found += [Case(named, kind, _FORM.format(**own | {KINDS[kind]: word})) for word in getattr(named, kind)]
    return found


def figures_of(named: Named, record: LibraryRecord) -> list[tuple[str, ...]]:
    """The ways to show a result: its estimate with the interval, its counts, its shares; of each all strings."""
    ways: list[tuple[str, ...]] = []
    for result in record.results:
        arms = [arm.arm for arm in result.arms] or [arm.name for arm in record.arms]
        if (result.outcome, arms) != (named.outcome, [named.tested, named.control]):
            continue
        if (effect := result.effect) is not None:
            scale = 100 if effect.measure == "RD" else 1
            figures = (effect.estimate, effect.ci_low, effect.ci_high)
            ways.append(tuple(f"{round(abs(x) * scale, 4):g}" for x in figures if x is not None))
        counts = [arm for arm in result.arms if arm.events is not None and arm.n]
        if len(counts) == len(("tested", "control")):
            ways.append(tuple(f"{arm.events}" for arm in counts))
            ways += [tuple(f"{100 * (arm.events or 0) / (arm.n or 1):.{n}f}" for arm in counts) for n in (0, 1, 2)]
    return ways


def found_in(question: str, document: EvidenceCandidate, ways: list[tuple[str, ...]]) -> str:
    """Where a question finds a result in its record: "front" (verdict or table), "nearest", "not", or "rejected"."""
    analysis = analyse(question, available_sources=("library",), current_year=YEAR)
    if not isinstance(analysis, QuestionAnalysis):
        return "rejected"
    conclusion = conclude(analysis, strategy_of(analysis), (), (document,))
    told = [line.text for line in lines_of(conclusion)] + [" | ".join(row.cells) for row in table_of(conclusion)]
    text = plain("\n".join(told))
    if not any(holds_all(text, way) for way in ways):
        return "not"
    return "nearest" if conclusion.verdict is ConclusionVerdict.NOT_FOUND else "front"


def main() -> int:
    """Print what is found by each kind of name, and of what the record's own words find how much."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval.answers.other_words", description=__doc__)
    parser.add_argument("--what", choices=KINDS, action="append")
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args()
    os.environ.setdefault("OPENWORK_LOG_LEVEL", "ERROR")
    kinds = tuple(given.what or KINDS)
    records = {record.key: record for record in load_shipped()}
    counted: Counter[tuple[str, str, str, bool]] = Counter()
    for named in load_named():
        half = half_of(named.key)
        if given.half not in {None, half}:
            continue
        (document,) = normalise([SourceBatch("library", (records[named.key].to_evidence(),))]).candidates
        ways, by_own = figures_of(named, records[named.key]), ""
        for case in cases(named, kinds):
            found = found_in(case.question, document, ways)
            by_own = found if case.kind == "own" else by_own
            counted[half, case.kind, found, by_own == "front"] += 1
            if given.misses and half == LOOKED_AT and found != "front":
                sys.stdout.write(f"{case.kind} | {found} (own words: {by_own}) | {named.key} | {case.question}\n")
    for half in HALVES if given.half is None else (given.half,):
        for kind in ("own", *kinds):
            of_kind = {key[2:]: n for key, n in counted.items() if key[:2] == (half, kind)}
            known = {found: n for (found, by_own), n in of_kind.items() if by_own}
            sys.stdout.write(
                f"{half:<5} {kind:<11} {sum(of_kind.values()):>5} asked, in front {_n(of_kind, 'front'):>5}, nearest "
                f"{_n(of_kind, 'nearest'):>4}; where the record's words find it: {known.get('front', 0):>5} of "
                f"{sum(known.values()):>5}\n"
            )
    return 0


def _n(of_kind: dict[tuple[str, bool], int], found: str) -> int:
    return sum(n for (told, _), n in of_kind.items() if told == found)


if __name__ == "__main__":
    sys.exit(main())
