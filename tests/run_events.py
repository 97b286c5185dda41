"""A run's events, claims and references as the services would have stored them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from openwork_bus.bus import StoredEvent
from openwork_contracts.answer import (
    AnswerCompleted,
    AnswerDrafted,
    AnswerSection,
    AnswerStatus,
    Reference,
    RunFailed,
    SectionKind,
    Usage,
)
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import EvidenceNormalised, PrismaCounts, SourceReport, SourceStatus
from openwork_contracts.meta import Event, EventMeta
from openwork_contracts.plan import RetrievalCompleted, SearchPlanned
from openwork_contracts.question import QueryRejected, QuerySubmitted, RejectionReason
from openwork_contracts.ranking import DocumentScore, DocumentsRanked, EvidenceRanked, ScorerReport
from openwork_contracts.subjects import spec_of
from openwork_contracts.verdict import ClaimVerdict, Verdict, VerificationScores

from tests.builders import QUESTION, analysis

RUN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
TRACE = "0" * 31 + "1"
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
COUNTS = PrismaCounts(identified=9, duplicates=2, excluded_notices=1, excluded_no_text=1, screened=5)
SCORES = VerificationScores(claims=1, supported=1, unsupported=0, grounding_score=1.0, citation_coverage=1.0)


def meta(model: type[Event], part: str = "end", route: str = "all") -> EventMeta:
    subject = spec_of(model).subject(RUN, part, route)
    return EventMeta(event_id=subject, run_id=RUN, occurred_at=AT, producer="test", trace_id=TRACE)


def stored(events: Sequence[Event]) -> list[StoredEvent]:
    """The events as the stream holds them, half a second apart."""
    return [
        StoredEvent(n, event.meta.event_id, AT + timedelta(seconds=0.5 * n), event) for n, event in enumerate(events)
    ]


def claim(
    text: str = "Apixaban lowered stroke.", *citations: int, verdict: Verdict = Verdict.SUPPORTED
) -> ClaimVerdict:
    return ClaimVerdict(text=text, citations=citations, verdict=verdict)


def section(
    *claims: ClaimVerdict, heading: str = "Evidence", kind: SectionKind = SectionKind.EVIDENCE
) -> AnswerSection:
    return AnswerSection(kind=kind, heading=heading, claims=claims)


def reference(n: int = 1, /, **changes: object) -> Reference:
    fields: dict[str, object] = {"n": n, "source": "library", "id": f"pmid:{n}", "title": "Apixaban versus warfarin"}
    return Reference.model_validate(fields | changes)


def submitted() -> QuerySubmitted:
    return QuerySubmitted(meta=meta(QuerySubmitted, "0", "answer"), question=QUESTION)


def planned() -> SearchPlanned:
    return SearchPlanned(
        meta=meta(SearchPlanned, "affirmative-1"),
        analysis=analysis(),
        sources=("library", "pubmed"),
        retrieval_deadline_at=AT,
        run_deadline_at=AT,
    )


def normalised(*degradations: str) -> EvidenceNormalised:
    sources = (
        SourceReport(name="library", status=SourceStatus.COMPLETED, found=9, kept=5, elapsed_s=0.25),
        SourceReport(
            name="pubmed", status=SourceStatus.FAILED, reason=FailureReason.RATE_LIMITED, message="asked too often"
        ),
    )
    return EvidenceNormalised(
        meta=meta(EvidenceNormalised, "affirmative-1"),
        analysis=analysis(),
        candidates=(),
        sources=sources,
        counts=COUNTS,
        degradations=degradations,
    )


def scored(stage: str, *, degradation: str | None = None, scorer: str = "lexical") -> ScorerReport:
    return ScorerReport(stage=stage, scorer=scorer, model="m1" if scorer == "triton" else None, degradation=degradation)


def shortlisted(report: ScorerReport | None = None) -> DocumentsRanked:
    return DocumentsRanked(
        meta=meta(DocumentsRanked, "affirmative-1"),
        analysis=analysis(),
        shortlist=(DocumentScore(candidate_id="a", score=0.5), DocumentScore(candidate_id="b", score=0.4)),
        report=report or scored("documents"),
    )


def ranked(*reports: ScorerReport, degradations: tuple[str, ...] = ()) -> EvidenceRanked:
    return EvidenceRanked(
        meta=meta(EvidenceRanked, "affirmative-1"),
        analysis=analysis(),
        passages=(),
        documents=(),
        reports=reports,
        counts=COUNTS,
        n_fulltext=1,
        degradations=degradations,
    )


def drafted(*degradations: str, method: str = "extractive") -> AnswerDrafted:
    return AnswerDrafted(
        meta=meta(AnswerDrafted, "0"), revision=0, sections=(), method=method, usage=Usage(), degradations=degradations
    )


def answered(*degradations: str, status: AnswerStatus = AnswerStatus.ANSWERED) -> AnswerCompleted:
    enough = status is AnswerStatus.ANSWERED
    return AnswerCompleted(
        meta=meta(AnswerCompleted),
        status=status,
        sections=(section(claim("Apixaban lowered stroke.", 1), kind=SectionKind.DIRECT_ANSWER),) if enough else (),
        message=None if enough else "There is too little evidence.",
        references=(reference(),) if enough else (),
        withheld=(claim("Apixaban cures.", 1, verdict=Verdict.UNSUPPORTED),) if enough else (),
        verification=SCORES,
        usage=Usage(input_tokens=7),
        degradations=degradations,
    )


def rejected() -> QueryRejected:
    return QueryRejected(
        meta=meta(QueryRejected), question=QUESTION, reason=RejectionReason.EMPTY, message="Ask a question."
    )


def failed(message: str = "It could not be done.") -> RunFailed:
    return RunFailed(meta=meta(RunFailed), reason=FailureReason.INTERNAL, stage="gap", message=message)


def late() -> RetrievalCompleted:
    """A source whose answer is stored after the run has ended."""
    return RetrievalCompleted(
        meta=meta(RetrievalCompleted, "affirmative-1", "pubmed"), source="pubmed", elapsed_s=9.0, degradations=("late",)
    )
