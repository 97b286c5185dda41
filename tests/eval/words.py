"""What the word lists do on text that they were not made from.

    python -m tests.eval.words                          # scope of questions, and INN stems
    python -m tests.eval.words --general FILE           # with TREC-6: a label and a question a line
    python -m tests.eval.words --show                   # also what was decided wrongly

Sets are read where they are (`OPENWORK_DATA`), see docs/evaluation.md. A question *is let through* when it is not
rejected as not biomedical; other rejections (advice, instructions) are not counted here.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("OPENWORK_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
BENCHMARKS = DATA / "benchmarks"
OTHER_KINDS = re.compile(
    r"(?:HUM:|LOC:|NUM:(?:date|money|dist|speed|ord|code)|ENTY:(?:cremat|sport|event|lang|religion|currency|letter|color|word"
    r"|veh|instru|symbol))"
)
"""Classes of TREC-6 whose questions ask for a person, a place, a work of art and the like."""
BIOMEDICAL_FIELDS = {
    "Medicine",
    "Biology",
    "Psychology",
    "Chemistry",
    "Environmental Science",
    "Agricultural and Food Sciences",
}


def text_of(path: Path) -> str:
    """A file, which may be compressed; nothing where it is absent."""
    if not path.is_file():
        return ""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace")


def lines(path: Path) -> list[str]:
    """Lines of such a file that hold anything."""
    return [line for line in text_of(path).split("\n") if line.strip()]


def loaded(path: Path) -> Any:
    """Such a file of JSON."""
    return json.loads(text_of(path) or "[]")


def biomedical() -> dict[str, list[str]]:
    """Questions, claims and titles of medicine and biology, by set."""
    bioasq = loaded(BENCHMARKS / "bioasq/bioasq_12b_golden.json.gz")
    pubmedqa = loaded(BENCHMARKS / "pubmedqa/pqa_labeled.json.gz")
    screening = sorted((BENCHMARKS / "screening").glob("*.csv.gz"))
    return {
        "BioASQ questions": [q["body"] for q in (bioasq["questions"] if isinstance(bioasq, dict) else bioasq)],
        "PubMedQA questions": [q["QUESTION"] for q in (pubmedqa.values() if isinstance(pubmedqa, dict) else pubmedqa)],
        "MedQuAD questions": [json.loads(x)["question"] for x in lines(BENCHMARKS / "medquad/medquad_sample.jsonl.gz")],
        "TREC-COVID questions": [t["question"] for t in loaded(BENCHMARKS / "trec-covid/topics.json")],
        "HealthVer questions": sorted(
            {json.loads(x).get("question") or "" for x in lines(BENCHMARKS / "healthver/healthver.jsonl.gz")} - {""}
        ),
        "SciFact claims": [json.loads(x)["claim"] for x in lines(BENCHMARKS / "scifact/claims.jsonl")],
        "Citation-Integrity claims": [
            json.loads(x)["claim"] for x in lines(BENCHMARKS / "citation-integrity/claims.jsonl.gz")
        ],
        "titles screened for reviews": [
            row.get("title") or row.get("Title") or "" for p in screening for row in csv.DictReader(lines(p))
        ],
    }


def other(general: Path | None) -> dict[str, list[str]]:
    """Questions, tasks and titles that are of no biomedical kind, by set."""
    attacks = loaded(DATA / "hostile/prompt-injection/bipia_text_attack_train.json")
    titles: dict[str, None] = {}
    for path in sorted((DATA / "recorded/semanticscholar").glob("*_200.json*")):
        for work in _works(loaded(path)):
            fields = set(work.get("fieldsOfStudy") or []) | {
                f.get("category") for f in work.get("s2FieldsOfStudy") or []
            }
            if fields and not fields & BIOMEDICAL_FIELDS:
                titles[work["title"]] = None
    found = {
        "tasks for assistants (BIPIA)": [text for texts in dict(attacks).values() for text in texts],
        "titles of other fields (Semantic Scholar)": list(titles),
    }
    if general is not None:
        pairs = (line.partition(" ") for line in lines(general))
        found["general questions (TREC-6)"] = [q for label, _, q in pairs if OTHER_KINDS.match(label)]
    return found


def _works(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("title"), str) and ("fieldsOfStudy" in value or "s2FieldsOfStudy" in value):
            yield value
        for inner in value.values():
            yield from _works(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _works(inner)
    elif isinstance(value, str) and value.startswith(("{", "[")):
        try:
            yield from _works(json.loads(value))
        except ValueError:
            return


def scope_table(general: Path | None, *, show: bool) -> None:
    """Share of each set that is let through."""
    from openwork_query.domain.analysis import entities_of
    from openwork_query.domain.scope import is_biomedical

    print("| set | n | let through | % |\n| --- | --- | --- | --- |")
    for wanted, sets in ((True, biomedical()), (False, other(general))):
        for name, texts in sets.items():
            wrong = [t for t in texts if is_biomedical(t, entities_of(t)) is not wanted]
            n = len(texts)
            through = n - len(wrong) if wanted else len(wrong)
            print(f"| {name}, {'to pass' if wanted else 'to stop'} | {n} | {through} | {through / n if n else 0:.1%} |")
            if show:
                print(*(f"    {'stopped' if wanted else 'passed'}: {t}" for t in wrong), sep="\n")


def stems_table(*, show: bool) -> None:
    """Of the lexicon's drugs, how many are built like an INN; of other words in text, how many look so."""
    from openwork_contracts.question import EntityKind
    from openwork_knowledge.inn import is_inn
    from openwork_knowledge.lexicon import lexicon, read_table

    table = lexicon()
    concepts = [table.concept(i) for i in range(len(table.lines))]
    names = {c.name.casefold() for c in concepts if c.kind is EntityKind.DRUG and not c.is_class and c.name.isalpha()}
    medicines = {row[0].casefold() for row in read_table("drugs.tsv") if row[0].isalpha()}
    known = {word for key in table.keys for word in re.findall(r"[a-z]{5,}", key)}
    known |= {w for c in concepts for n in (c.name, *c.synonyms) for w in re.findall(r"[a-z]{5,}", n.casefold())}
    counts: Counter[str] = Counter()
    texts = [*biomedical()["Citation-Integrity claims"], *biomedical()["BioASQ questions"]]
    texts += lines(BENCHMARKS / "nli4ct/statements.jsonl.gz") + lines(BENCHMARKS / "bioasq/bioasq_12b_golden.json.gz")
    for text in texts:
        counts.update(w.casefold() for w in re.findall(r"\b[A-Za-z]{5,}\b", text))
    plain = {w for w in counts if w not in known and w.removesuffix("s") not in known}
    taken = sorted(w for w in plain if is_inn(w))
    print("| INN stems | n | matched | % |\n| --- | --- | --- | --- |")
    for label, listed in (("medicines of the table of drugs", medicines), ("substances of the lexicon", names)):
        found = [n for n in listed if is_inn(n)]
        print(f"| {label} | {len(listed)} | {len(found)} | {len(found) / len(listed):.1%} |")
    print(f"| other words in text, each once | {len(plain)} | {len(taken)} | {len(taken) / max(1, len(plain)):.2%} |")
    if show:
        print(*taken)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--general", type=Path, help="a file of the TREC-6 questions: label, blank, question")
    parser.add_argument("--show", action="store_true", help="print what was decided wrongly")
    asked = parser.parse_args()
    scope_table(asked.general, show=asked.show)
    print()
    stems_table(show=asked.show)


if __name__ == "__main__":
    main()
