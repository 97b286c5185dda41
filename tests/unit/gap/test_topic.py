"""On topic or not: the difference between an answer and an honest "too little evidence"."""

from __future__ import annotations

import pytest
from openwork_contracts.evidence import AbstractPart, EvidenceCandidate, Identifiers, Provenance, StudyDesign
from openwork_contracts.gap import Assessment
from openwork_contracts.question import Entity, Intent, QuestionAnalysis
from openwork_gap.domain.assess import assess
from openwork_language.terms import find_terms

TRIAL = EvidenceCandidate(
    candidate_id="pmid:21870978",
    identifiers=Identifiers(pmid="21870978"),
    title="Apixaban versus warfarin in patients with atrial fibrillation",
    abstract=(
        AbstractPart(
            label="RESULTS",
            text="Apixaban lowered stroke and major bleeding compared with warfarin; many patients had hypertension.",
        ),
    ),
    mesh_terms=("Atrial Fibrillation", "Stroke", "Hypertension"),
    year=2011,
    study_design=StudyDesign.RCT,
    provenance=(Provenance(source="library", source_id="a", rank=1, retrieved_at="2026-01-01T00:00:00Z"),),
)


def is_insufficient(text: str) -> bool:
    entities = tuple(
        Entity(kind=t.kind, text=t.text, start=t.start, end=t.end, name=t.name, synonyms=t.synonyms)
        for t in find_terms(text)
    )
    analysis = QuestionAnalysis(
        question=text,
        intent=Intent.TREATMENT_GUIDELINE,
        entities=entities,
        search_variants=(text, f"{text} trial", f"{text} review"),
        complexity=0.4,
        sources=("library",),
    )
    return assess(analysis, (), (TRIAL,), current_year=2026).assessment is Assessment.INSUFFICIENT


@pytest.mark.parametrize(
    "question",
    [
        "Does apixaban lower stroke in atrial fibrillation?",
        "Is major bleeding rarer with apixaban than with warfarin?",
        "Which anticoagulant prevents stroke in AF?",
        "Eliquis or warfarin for AFib?",
    ],
)
def test_a_document_about_the_question_counts_under_any_name(question: str) -> None:
    assert not is_insufficient(question)


@pytest.mark.parametrize(
    "question",
    [
        "Is there a connection between sublingual varices and hypertension?",
        "Does apixaban shrink hepatocellular carcinoma?",
        "Does insulin pump therapy help adolescents with type 1 diabetes?",
        "Do hospitals provide lower quality care on weekends?",
        "What is the best dressing for diabetic foot ulcers?",
    ],
)
def test_one_shared_word_does_not_make_a_document_speak_of_the_question(question: str) -> None:
    assert is_insufficient(question)
