"""Part 2: labelled claim sets. supported = entailed, contradicted = refuted, anything else = not enough.

Development halves only; nothing is fitted on them. HealthVer, NLI4CT and Citation-Integrity have no licence file:
evaluation only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from openwork_contracts.verdict import EvidenceItem, Verdict
from openwork_verifier.domain.gate import verify_answer, verify_claim

from tests.eval.fidelity.sources import read_jsonl
from tests.eval.fidelity.statistics import confusion, macro_f1, share_line

SUPPORT, REFUTE, NEUTRAL = "support", "refute", "neutral"
VERDICTS = {Verdict.SUPPORTED: SUPPORT, Verdict.CONTRADICTED: REFUTE}


@dataclass(frozen=True, slots=True)
class Item:
    """One labelled claim."""

    key: str
    claim: str
    title: str
    evidence: str
    label: str


def scifact(data: Path) -> Iterator[Item]:
    """Claim against each cited abstract; no evidence listed = not enough."""
    corpus = {row["doc_id"]: row for row in read_jsonl(data / "benchmarks/scifact/corpus.jsonl.gz")}
    names = {"SUPPORT": SUPPORT, "CONTRADICT": REFUTE}
    for row in read_jsonl(data / "benchmarks/scifact/claims.jsonl"):
        for doc_id in row["cited_doc_ids"]:
            found = row["evidence"].get(str(doc_id))
            document = corpus[doc_id]
            label = names[found[0]["label"]] if found else NEUTRAL
            yield Item(f"{row['id']}-{doc_id}", row["claim"], document["title"], " ".join(document["abstract"]), label)


def healthver(data: Path) -> Iterator[Item]:
    """Claim against one evidence statement."""
    names = {"Supports": SUPPORT, "Refutes": REFUTE, "Neutral": NEUTRAL}
    for row in read_jsonl(data / "benchmarks/healthver/healthver.jsonl.gz"):
        yield Item(str(row["id"]), row["claim"], "", row["evidence"], names[row["label"]])


def citation_integrity(data: Path) -> Iterator[Item]:
    """Citing sentence against the cited paper's passages; the citation marks are taken out."""
    corpus = {row["doc_id"]: row for row in read_jsonl(data / "benchmarks/citation-integrity/corpus.jsonl.gz")}
    names = {"SUPPORT": SUPPORT, "REFUTE": REFUTE}
    for row in read_jsonl(data / "benchmarks/citation-integrity/claims.jsonl.gz"):
        claim = re.sub(r"\[?(?:<\|(?:multi_|other_)?cit\|>[,\s\d–-]*)+\]?", "", row["claim"])
        for doc_id in row["cited_doc_ids"]:
            found = row["evidence"].get(str(doc_id))
            text = " ".join(corpus[doc_id]["abstract"])
            yield Item(f"{row['id']}-{doc_id}", claim, "", text, names[found[0]["label"]] if found else NEUTRAL)


def nli4ct(data: Path) -> Iterator[Item]:
    """Statement about the named section of one or two trial records."""
    trials = {
        row.get("Clinical Trial ID") or row.get("id"): row
        for row in read_jsonl(data / "benchmarks/nli4ct/trials.jsonl.gz")
    }
    names = {"Entailment": SUPPORT, "Contradiction": REFUTE}
    for row in read_jsonl(data / "benchmarks/nli4ct/statements.jsonl.gz"):
        parts = [("Primary trial", row["Primary_id"])]
        if row.get("Secondary_id"):
            parts.append(("Secondary trial", row["Secondary_id"]))
        text = "\n".join(f"{name}:\n" + "\n".join(trials[i][row["Section_id"]]) for name, i in parts)
        yield Item(row["uuid"], row["Statement"], "", text, names[row["Label"]])


def medhallu(data: Path) -> Iterator[Item]:
    """The true and the hallucinated answer against the abstract without its conclusion."""
    for i, row in enumerate(read_jsonl(data / "benchmarks/medhallu/medhallu_pqa_labeled.jsonl.gz")):
        text = "\n".join(row["Knowledge"])
        yield Item(f"{i}-true", row["Ground Truth"], row["Question"], text, SUPPORT)
        yield Item(f"{i}-false", row["Hallucinated Answer"], row["Question"], text, REFUTE)


SETS: dict[str, tuple[Callable[[Path], Iterable[Item]], tuple[str, ...]]] = {
    "SciFact": (scifact, (SUPPORT, REFUTE, NEUTRAL)),
    "HealthVer": (healthver, (SUPPORT, REFUTE, NEUTRAL)),
    "Citation-Integrity": (citation_integrity, (SUPPORT, REFUTE, NEUTRAL)),
    "NLI4CT": (nli4ct, (SUPPORT, REFUTE)),
    "MedHallu": (medhallu, (SUPPORT, REFUTE)),
}


def judge(item: Item) -> str:
    """The gate's label for one claim of one sentence."""
    evidence = [EvidenceItem(n=1, title=item.title, text=item.evidence)]
    return VERDICTS.get(verify_claim(item.claim, (1,), evidence).verdict, NEUTRAL)


def judge_answer(item: Item) -> str:
    """The gate's label for an answer of several sentences: contradicted if any is, supported if all are."""
    evidence = [EvidenceItem(n=1, title=item.title, text=item.evidence)]
    cited = re.sub(r"(?<=[.!?])(?=\s|$)", "[1]", item.claim)
    verdicts = {c.verdict for c in verify_answer(cited, evidence).claims} - {Verdict.NOT_A_CLAIM}
    if Verdict.CONTRADICTED in verdicts:
        return REFUTE
    return SUPPORT if verdicts <= {Verdict.SUPPORTED} else NEUTRAL


def results(name: str, data: Path) -> list[tuple[str, str]]:
    """(truth, said) for every item of one set."""
    read, _ = SETS[name]
    decide = judge_answer if name == "MedHallu" else judge
    return [(item.label, decide(item)) for item in read(data)]


def report(data: Path, only: str | None = None) -> str:
    """Confusion matrix, macro F1 and false alarms of every set."""
    blocks = []
    for name, (_, labels) in SETS.items():
        if only and only.lower() not in name.lower():
            continue
        pairs = results(name, data)
        lines = [f"\n{name}: {len(pairs)} claims", confusion(pairs, labels, (SUPPORT, REFUTE, NEUTRAL))]
        if len(labels) == 3:
            lines.append(f"macro F1 (3 labels)        {macro_f1(pairs, labels):.3f}")
        binary = [(t == SUPPORT, s == SUPPORT) for t, s in pairs]
        two = [(str(t), str(s)) for t, s in binary]
        lines.append(f"macro F1 (support or not)  {macro_f1(two, ('True', 'False')):.3f}")
        wrong = [s for t, s in binary if not t]
        right = [s for t, s in binary if t]
        lines.append(share_line("wrong claims caught", sum(not s for s in wrong), len(wrong)))
        lines.append(share_line("false alarms", sum(not s for s in right), len(right)))
        blocks.append("\n".join(lines))
    return "\n".join(blocks)
