"""What becomes of a question at the door: searched for, or turned away and why.

    python -m tests.eval.door            # real questions, attacks, and the labelled questions of this folder
    python -m tests.eval.door --show     # also what was decided wrongly, except of the questions kept apart

Sets of others are read where they are (`OPENWORK_DATA`). See docs/evaluation.md, "The question guard".
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from openwork_query.domain.analysis import Rejection, analyse

from tests.eval.words import BENCHMARKS, DATA, biomedical, lines, loaded

HERE = Path(__file__).parent
PARTS = {
    "development": HERE / "development.tsv",
    "second": HERE / "second.tsv",
    "third": HERE / "third.tsv",
    "fourth": HERE / "fourth.tsv",
    "voices": HERE / "voices.tsv",
    "held out": HERE / "held_out.tsv",
}
SEARCH = "search"
QUESTIONS = (
    "BioASQ questions",
    "PubMedQA questions",
    "MedQuAD questions",
    "TREC-COVID questions",
    "HealthVer questions",
)
"""Of the sets of medicine those that hold questions; the rest are claims and titles."""


def decision(question: str) -> str:
    """What becomes of a question: `search`, or the reason for which it is turned away."""
    found = analyse(question, available_sources=("pubmed", "library"), current_year=2026)
    return found.reason.value if isinstance(found, Rejection) else SEARCH


def labelled(part: str) -> list[tuple[str, str, str]]:
    """Rows of a part: decision, kind, question."""
    rows = (line.split("\t") for line in PARTS[part].read_text(encoding="utf-8").splitlines() if line[:1] != "#")
    return [(wanted, kind, question) for wanted, kind, question in rows]


def real() -> dict[str, list[str]]:
    """Questions that people asked and that the literature answers, by set."""
    sets = biomedical()
    found = {name: sets[name] for name in QUESTIONS}
    clef = lines(BENCHMARKS / "clef-tar/clef2019_task2_intervention.jsonl.gz")
    return found | {"CLEF review titles": [json.loads(line)["title"] for line in clef]}


def attacks() -> dict[str, list[str]]:
    """Texts that give orders to a model, and tasks that have nothing to do with medicine."""
    direct = lines(DATA / "hostile/prompt-injection/giskard_prompt_injections.jsonl")
    tasks = loaded(DATA / "hostile/prompt-injection/bipia_text_attack_train.json")
    return {
        "prompt injections (Giskard)": [json.loads(line)["prompt"] for line in direct],
        "tasks for assistants (BIPIA)": [text for texts in dict(tasks).values() for text in texts],
    }


def table_of(sets: dict[str, list[str]], *, show: bool, wanted_search: bool) -> None:
    """How many of each set are searched for, and the reasons of the others."""
    counts = {name: Counter(map(decision, texts)) for name, texts in sets.items()}
    reasons = sorted({reason for found in counts.values() for reason in found} - {SEARCH})
    head = ["set", "n", "searched", *reasons, "turned away"]
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for name, found in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        n = sum(found.values())
        share = (n - found[SEARCH]) / n if n else 0.0
        cells = [name, n, found[SEARCH], *(found[reason] for reason in reasons), f"{share:.1%}"]
        print("| " + " | ".join(map(str, cells)) + " |")
    if show:
        for text in (text for texts in sets.values() for text in texts):
            if ((made := decision(text)) == SEARCH) is not wanted_search:
                print(f"    {made}: {text}")


def confusion(rows: Sequence[tuple[str, str, str]]) -> Iterable[str]:
    """Rows of a table: kind of question, what it was to be, what became of it."""
    kinds = list(dict.fromkeys((wanted, kind) for wanted, kind, _ in rows))
    made = {key: Counter(decision(q) for wanted, kind, q in rows if (wanted, kind) == key) for key in kinds}
    yield "| to be | kind | n | right | otherwise |\n| --- | --- | --- | --- | --- |"
    for (wanted, kind), found in made.items():
        n, right = sum(found.values()), found[wanted]
        others = ", ".join(f"{reason} {count}" for reason, count in found.most_common() if reason != wanted)
        yield f"| {wanted} | {kind} | {n} | {right} ({right / n:.0%}) | {others} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print what was decided wrongly")
    show = parser.parse_args().show
    print("Real questions\n")
    table_of(real(), show=show, wanted_search=True)
    print("\nAttacks and other tasks\n")
    table_of(attacks(), show=show, wanted_search=False)
    for part in PARTS:
        rows = labelled(part)
        print(f"\nLabelled questions, {part}\n")
        print(*confusion(rows), sep="\n")
        if show and part not in ("fourth", "held out"):
            print(*(f"    {made} for {w}: {q}" for w, _, q in rows if (made := decision(q)) != w), sep="\n")


if __name__ == "__main__":
    main()
