"""What a question asks for: the query service's rules against labelled wordings, and whether drug labels are asked.

    python -m tests.eval.intents            # both halves
    python -m tests.eval.intents --show     # also the wordings of the development half that were decided otherwise

The set is `intents.tsv`; its head defines the labels. `intents_outside.tsv` holds labels of questions that others
wrote, measured where the benchmarks are (`OPENWORK_DATA`). Wordings of a held-out half are never printed.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from openwork_query.domain.analysis import entities_of
from openwork_query.domain.cleaning import clean_question
from openwork_query.domain.intent import intent_of
from openwork_query.domain.sources import DAILYMED, sources_for

from tests.eval.words import BENCHMARKS, loaded

SET = Path(__file__).with_name("intents.tsv")
OUTSIDE = Path(__file__).with_name("intents_outside.tsv")
PARTS = ("dev", "held_out")


@dataclass(frozen=True, slots=True)
class Wording:
    """One row of the set."""

    question: str
    intent: str
    second: str
    """Another label that is as defensible; "-" = none."""
    label_can_answer: bool
    part: str


@dataclass(frozen=True, slots=True)
class Decided:
    """A wording and what the rules made of it."""

    wording: Wording
    intent: str
    asks_label: bool

    @property
    def is_first(self) -> bool:
        """Whether the rules gave the first label."""
        return self.intent == self.wording.intent

    @property
    def is_right(self) -> bool:
        """Whether the rules gave the first label or the second."""
        return self.intent in {self.wording.intent, self.wording.second}


def part_of(question: str) -> str:
    """The half a wording belongs to: by its own letters, so that nobody chooses."""
    return PARTS[hashlib.sha256(question.encode()).digest()[0] % 2]


def wordings() -> tuple[Wording, ...]:
    """The whole set.

    Raises:
        ValueError: a row lacks a column or stands in the wrong half.
    """
    found = []
    for line in SET.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        question, intent, second, can_answer, part = line.split("\t")
        if part != part_of(question) or can_answer not in {"yes", "no"}:
            raise ValueError(f"row of {question!r}: wrong half, or label_can_answer is neither yes nor no")
        found.append(Wording(question, intent, second, can_answer == "yes", part))
    return tuple(found)


def outside_wordings() -> tuple[Wording, ...]:
    """The labelled questions of the benchmarks; none where these are absent. Not marked: `label_can_answer`."""
    bioasq = loaded(BENCHMARKS / "bioasq/bioasq_12b_golden.json.gz")
    pubmedqa = loaded(BENCHMARKS / "pubmedqa/pqa_labeled.json.gz")
    texts = {f"bioasq:{q['id']}": q["body"] for q in (bioasq["questions"] if isinstance(bioasq, dict) else bioasq)}
    texts |= {f"pubmedqa:{pmid}": q["QUESTION"] for pmid, q in (pubmedqa.items() if isinstance(pubmedqa, dict) else ())}
    rows = [line.split("\t") for line in OUTSIDE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return tuple(Wording(texts[i], intent, second, False, part_of(i)) for i, intent, second in rows if i in texts)


def decide(wording: Wording) -> Decided:
    """What the query service's rules say without RxNorm and without a model."""
    question = clean_question(wording.question)
    entities = entities_of(question)
    intent = intent_of(question, entities)
    asked = sources_for(question, intent, entities, ("pubmed", DAILYMED))
    return Decided(wording, intent.value, DAILYMED in asked)


def rate(good: int, of: int) -> str:
    """A share with its counts; of nothing, a dash."""
    return f"{good:3d}/{of:<3d} {good / of:4.0%}" if of else "  -"


def table(decided: Sequence[Decided]) -> str:
    """The confusion table: a row per first label, a column per decision; a second label counts as right."""
    names = list(dict.fromkeys([*(d.wording.intent for d in decided), *(d.intent for d in decided)]))
    counts = Counter((d.wording.intent, d.wording.intent if d.is_right else d.intent) for d in decided)
    lines = ["label \\ decided".ljust(22) + "".join(f"{name[:9]:>10}" for name in names) + "   recall      first label"]
    for name in names:
        own = [d for d in decided if d.wording.intent == name]
        cells = "".join(f"{counts[name, other] or '.':>10}" for other in names)
        recalls = rate(sum(d.is_right for d in own), len(own)) + "   " + rate(sum(d.is_first for d in own), len(own))
        lines.append(f"{name:22}{cells}   {recalls}")
    return "\n".join(lines)


def scorecard(decided: Sequence[Decided], name: str) -> str:
    """Agreement and the confusion table."""
    return "\n".join(
        (
            f"== {name}: {len(decided)} wordings",
            f"first or second label {rate(sum(d.is_right for d in decided), len(decided))}",
            f"first label           {rate(sum(d.is_first for d in decided), len(decided))}",
            table(decided),
        )
    )


def label_sides(decided: Sequence[Decided]) -> str:
    """How often labels are asked, where they can answer and where they cannot."""
    can = [d for d in decided if d.wording.label_can_answer]
    cannot = [d for d in decided if not d.wording.label_can_answer]
    return "\n".join(
        (
            f"labels asked when they can answer    {rate(sum(d.asks_label for d in can), len(can))}",
            f"labels asked when they cannot answer {rate(sum(d.asks_label for d in cannot), len(cannot))}",
        )
    )


def main() -> None:
    """Print both halves of both sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print what was decided otherwise in the development half")
    shown = parser.parse_args().show
    own = [decide(wording) for wording in wordings()]
    outside = [decide(wording) for wording in outside_wordings()]
    for part in PARTS:
        half = [d for d in own if d.wording.part == part]
        print(scorecard(half, part), label_sides(half), sep="\n", end="\n\n")
    for part in PARTS if outside else ():
        print(scorecard([d for d in outside if d.wording.part == part], f"outside, {part}"), end="\n\n")
    for d in (*own, *outside) if shown else ():
        wrong_label = d in own and d.asks_label is not d.wording.label_can_answer
        if d.wording.part == "dev" and (wrong_label or not d.is_right):
            label = " label asked" if d.asks_label else " label not asked"
            print(f"{d.wording.intent:20} -> {d.intent:20}{label if wrong_label else '':16} {d.wording.question}")


if __name__ == "__main__":
    main()
