"""A small evidence pack for tests of what models are shown: three works on one question."""

from __future__ import annotations

from datetime import UTC, datetime

from openwork_answers.conclude import conclude
from openwork_contracts.conclusion import Conclusion
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    EvidenceStatus,
    Identifiers,
    Provenance,
    Recommendation,
    StudyDesign,
)
from openwork_contracts.gap import (
    Assessment,
    GapAssessment,
    GapRecommendation,
    QualityDistribution,
)
from openwork_contracts.meta import EventMeta
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage, TrialFit
from openwork_language.searching.ladder import strategy_of
from openwork_query.domain.analysis import Rejection, analyse
from openwork_synthesiser.domain.assignment import Assignment

QUESTION = "Does apixaban lower stroke compared with warfarin in atrial fibrillation?"
TEXTS = (
    "Apixaban lowered stroke compared with warfarin in atrial fibrillation (HR 0.79, 95% CI 0.66 to 0.95). "
    "Major bleeding was lower with apixaban than with warfarin (HR 0.69, 95% CI 0.60 to 0.80).",
    "There was no significant difference in stroke between apixaban and warfarin in adults with atrial fibrillation on "
    "dialysis (HR 0.95, 95% CI 0.80 to 1.13).",
    "The guideline recommends direct oral anticoagulants over warfarin in atrial fibrillation.",
)
_DESIGNS = (StudyDesign.RCT, StudyDesign.COHORT, StudyDesign.GUIDELINE)


def question_analysis(question: str = QUESTION) -> QuestionAnalysis:
    """The question as the rules understand it."""
    outcome = analyse(question, available_sources=("library",), current_year=2026)
    assert not isinstance(outcome, Rejection)
    return outcome


def documents() -> tuple[EvidenceCandidate, ...]:
    """Three works."""
    return tuple(
        EvidenceCandidate(
            candidate_id=f"hash:{n}",
            identifiers=Identifiers(doi=f"10.1000/{n}"),
            title=f"Work {n} on apixaban",
            abstract=(AbstractPart(text=text),),
            year=2010 + n,
            study_design=_DESIGNS[n - 1],
            status=EvidenceStatus.NONE,
            recommendations=(Recommendation(text=text, strength="strong", class_of_recommendation="I"),)
            if n == 3
            else (),
            provenance=(
                Provenance(source="library", source_id=str(n), rank=n, retrieved_at=datetime(2026, 1, 1, tzinfo=UTC)),
            ),
        )
        for n, text in enumerate(TEXTS, start=1)
    )


def passages(misfit: int | None = None) -> tuple[RankedPassage, ...]:
    """One passage of each work; that of `misfit` is marked."""
    return tuple(
        RankedPassage(
            n=n,
            passage_id=f"p{n}",
            candidate_id=f"hash:{n}",
            section="Abstract",
            start=0,
            end=len(text),
            text=text,
            score=0.9,
            passage_score=0.9,
            document_score=0.9,
            fit=TrialFit(misfit=True, message="tested edoxaban") if n == misfit else TrialFit(),
        )
        for n, text in enumerate(TEXTS, start=1)
    )


def gap_assessment(
    missing: tuple[str, ...] = (), coverage: float = 1.0, assessment: Assessment = Assessment.SUFFICIENT
) -> GapAssessment:
    """An assessment as the rules would make it."""
    return GapAssessment(
        assessment=assessment,
        coverage=coverage,
        recency_concern=False,
        oldest_year=2011,
        newest_year=2024,
        quality=QualityDistribution(guidelines=1, rcts=1, observational=1),
        missing_elements=missing,
        recommendation=GapRecommendation.PROCEED,
    )


def assignment(
    gap: GapAssessment | None = None, misfit: int | None = None, conclusion: Conclusion | None = None
) -> Assignment:
    """What the synthesiser writes from."""
    analysis = question_analysis()
    return Assignment(
        analysis, passages(misfit), documents(), gap or gap_assessment(), strategy_of(analysis), conclusion
    )


def concluded() -> Conclusion:
    """The answer object of the pack."""
    analysis = question_analysis()
    return conclude(analysis, strategy_of(analysis), passages(), documents())


def meta() -> EventMeta:
    """Of an event whose place does not matter."""
    return EventMeta(
        contract_version=1,
        event_id="x",
        run_id="01J0000000000000000000000A",
        occurred_at=datetime(2026, 1, 1, tzinfo=UTC),
        producer="test",
    )
