"""How well the people of a question are read: precision and recall by kind.

    python -m tests.eval.reading [--held-out] [--misses]

A labelled term is found when a term of the same polarity has most of its words, and, where it is a figure, the same
measure and bounds. Its kind need not agree; how often it does is printed apart.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from openwork_contracts.question import PopulationTerm
from openwork_language.mentions import idea_of, speaks_of
from openwork_language.tokens import token_set
from openwork_query.domain.analysis import entities_of
from openwork_query.domain.pico import pico_of

HERE = Path(__file__).resolve().parent
_LABEL = re.compile(r"(?P<no>-?)(?P<kind>\w+): (?P<text>[^=|]+?)(?: = (?P<measure>\S+) (?P<low>\S+) (?P<high>\S+))?$")
_CUES = token_set(
    "after before during following within on with without in at undergoing taking receiving who have had "
    "not no but never non are is"
)
_PEOPLE = token_set("patients people women men adults subjects recipients carriers population")
_ENOUGH = 0.6
"""Share of the words of a label and of a term that both must have (Jaccard); a figure needs its bounds instead."""


@dataclass(frozen=True)
class Label:
    """One term as a person wrote it down."""

    kind: str
    text: str
    wanted: bool
    measure: str | None
    low: float | None
    high: float | None


def labels_of(cell: str) -> tuple[Label, ...]:
    """The terms of one row.

    Raises:
        ValueError: a term is not written as the file's head says.
    """
    found = []
    for part in filter(None, (p.strip() for p in cell.split(" | "))):
        match = _LABEL.match(part)
        if match is None:
            raise ValueError(f"not a label: {part!r}")
        low, high = (None if match[end] in (None, "_") else float(match[end]) for end in ("low", "high"))
        measure = match["measure"].replace("_", " ") if match["measure"] else None
        found.append(Label(match["kind"], match["text"], not match["no"], measure, low, high))
    return tuple(found)


def rows(path: Path) -> list[tuple[str, tuple[Label, ...]]]:
    """Questions with their labels."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    cells = [[*line.split("\t"), ""][:3] for line in lines]
    return [(question, labels_of(labels)) for _, question, labels in cells]


def _words(text: str) -> frozenset[str]:
    tokens = token_set(text)
    return (tokens - _CUES - _PEOPLE) or (tokens - _CUES) or tokens


def agrees(label: Label, term: PopulationTerm) -> bool:
    """Whether the reader's term is the one labelled."""
    if label.wanted is not term.wanted:
        return False
    if label.measure is not None and term.measure is not None:
        same = (term.low or None, term.high) == (label.low or None, label.high)
        return same and label.measure.casefold() == term.measure.casefold()
    if label.measure is not None:
        return False
    asked, told = _words(label.text), _words(term.text)
    return len(asked & told) >= _ENOUGH * len(asked | told)


@dataclass
class Score:
    """Counts by kind."""

    labelled: Counter[str]
    found: Counter[str]
    read: Counter[str]
    right: Counter[str]
    same_kind: int = 0
    whole: int = 0
    questions: int = 0


def measure(path: Path, *, misses: bool) -> Score:
    """Read every question and compare."""
    score = Score(Counter(), Counter(), Counter(), Counter())
    for question, labels in rows(path):
        terms = list(pico_of(question, entities_of(question)).people)
        missed = []
        for label in labels:
            score.labelled[label.kind] += 1
            term = next((t for t in terms if agrees(label, t)), None)
            if term is None:
                missed.append(label)
                continue
            terms.remove(term)
            score.found[label.kind] += 1
            score.read[term.kind] += 1
            score.right[term.kind] += 1
            score.same_kind += label.kind == term.kind
        for term in terms:
            score.read[term.kind] += 1
        score.questions += 1
        score.whole += not missed and not terms
        if misses and (missed or terms):
            left = [f"{'' if t.wanted else '-'}{t.kind.value}: {t.text} {t.measure or ''}" for t in terms]
            sys.stdout.write(f"{question}\n    missed {[f'{m.kind}: {m.text}' for m in missed]}\n    besides {left}\n")
    return score


def pairs_right(path: Path) -> list[tuple[str, bool]]:
    """Each pair of names with whether it meets, or does not, as it should."""
    judged = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            should, asked, text = line.split("\t")
            others = [name for entity in entities_of(asked) for name in (entity.name, *entity.synonyms)]
            judged.append((line, speaks_of(text, idea_of(asked, others)) is (should == "yes")))
    return judged


def _pairs(path: Path, *, misses: bool) -> str:
    judged = pairs_right(path)
    lines = [row for row, right in judged if not right and misses]
    for kind, words in (
        ("no", "names of different things kept apart"),
        ("yes", "names of one thing, or a kind of it, met"),
    ):
        of_kind = [right for row, right in judged if row.startswith(kind)]
        lines.append(f"{words}: {sum(of_kind)} of {len(of_kind)}")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", action="store_true", help="the third kept apart")
    parser.add_argument("--misses", action="store_true", help="print what was missed and what was read besides")
    arguments = parser.parse_args()
    score = measure(HERE / ("held_out.tsv" if arguments.held_out else "open.tsv"), misses=arguments.misses)
    out = ["| kind | labelled | found | read | right |", "| --- | --- | --- | --- | --- |"]
    out += [_row(score, kind) for kind in sorted(score.labelled | score.read)]
    labelled, found, read = score.labelled.total(), score.found.total(), score.read.total()
    out.append(f"| all | {labelled} | {_share(found, labelled)} | {read} | {_share(score.right.total(), read)} |")
    out.append(f"\n{score.whole} of {score.questions} questions without fault")
    out.append(f"kind as labelled in {score.same_kind} of {found}")
    out.append(_pairs(HERE / ("held_out_pairs.tsv" if arguments.held_out else "pairs.tsv"), misses=arguments.misses))
    sys.stdout.write("\n".join(out) + "\n")


def _row(score: Score, kind: str) -> str:
    found = _share(score.found[kind], score.labelled[kind])
    right = _share(score.right[kind], score.read[kind])
    return f"| {kind} | {score.labelled[kind]} | {found} | {score.read[kind]} | {right} |"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


if __name__ == "__main__":
    main()
