"""How often the trial guard marks: `python tests/eval/ranking/trial_fit_rates.py`.

From Evidence Inference: a trial's own intervention and comparator asked of itself must fit (false marks), asked of the
other trials they seldom do (marks). Questions are put in two ways: with the terms the lexicon finds alone, and with the
annotators' words in the PICO slots as well. Prompts whose intervention names no known drug are left out of the first.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from typing import Any

from openwork_contracts.evidence import AbstractPart, EvidenceCandidate, Identifiers, Provenance, StudyDesign
from openwork_contracts.question import Entity, Intent, Pico, QuestionAnalysis
from openwork_language.terms import find_terms
from openwork_reranker.domain.trial_fit import trial_fit
from ranking_sets import data_root, read_lines

_HEADING = re.compile(r"^(TITLE|ABSTRACT(?:\.[^\n:]*)?|BODY[^\n:]*):[ ]?\n", re.MULTILINE)


def _candidate(article: dict[str, Any]) -> EvidenceCandidate:
    """Title and abstract of an article as a candidate."""
    pieces = _HEADING.split(article["text"])[1:]
    named = list(zip(pieces[::2], pieces[1::2], strict=True))
    title = next((text.strip() for name, text in named if name == "TITLE"), "")
    parts = [
        AbstractPart(label=n.partition(".")[2] or None, text=t.strip()) for n, t in named if n.startswith("ABSTRACT")
    ]
    found = Provenance(source="pmc", source_id=article["pmcid"], rank=1, retrieved_at=datetime(2024, 1, 1, tzinfo=UTC))
    return EvidenceCandidate(
        candidate_id=article["pmcid"],
        identifiers=Identifiers(),
        title=title,
        abstract=tuple(p for p in parts if p.text),
        study_design=StudyDesign.RCT,
        provenance=(found,),
    )


def _analysis(prompt: dict[str, Any], *, with_slots: bool) -> QuestionAnalysis:
    question = f"Effect of {prompt['intervention']} versus {prompt['comparator']} on {prompt['outcome']}"
    entities = tuple(
        Entity(kind=t.kind, text=t.text, start=t.start, end=t.end, name=t.name, mesh_id=t.mesh_id, synonyms=t.synonyms)
        for t in find_terms(question)
    )
    pico = Pico(outcome=(prompt["outcome"],))
    if with_slots:
        pico = Pico(outcome=pico.outcome, intervention=(prompt["intervention"],), comparison=(prompt["comparator"],))
    return QuestionAnalysis(
        question=question,
        intent=Intent.TREATMENT_GUIDELINE,
        entities=entities,
        pico=pico,
        search_variants=(question,) * 3,
        complexity=0.5,
        sources=("pmc",),
    )


def main() -> int:
    """Print both rates for both ways of asking."""
    root = data_root()
    if root is None:
        print("no benchmark data: set OPENWORK_DATA to the data folder")
        return 2
    articles = list(read_lines(root / "evidence-inference/articles_v2.jsonl.gz"))
    candidates = [_candidate(a) for a in articles]
    print("| question | asked of its own trial: marked | asked of other trials: marked |\n|---|---|---|")
    for with_slots in (False, True):
        own: list[bool] = []
        others: list[bool] = []
        for place, article in enumerate(articles):
            for prompt in article["prompts"]:
                analysis = _analysis(prompt, with_slots=with_slots)
                drugs = any(e.kind.value == "drug" for e in analysis.entities)
                if not with_slots and not drugs:
                    continue
                for i, candidate in enumerate(candidates):
                    if i == place or i % 6 == place % 6:
                        (own if i == place else others).append(trial_fit(analysis, candidate).misfit)
        way = "terms and slots" if with_slots else "terms alone"
        print(f"| {way} | {sum(own)}/{len(own)} | {sum(others)}/{len(others)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
