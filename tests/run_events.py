"""A run's events, claims and references as the services would have stored them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from openwork_bus.bus import StoredEvent
from openwork_contracts.answer import (
    AnswerConcluded,
    AnswerDrafted,
    AnswerSection,
    AnswerStatus,
    Reference,
    SectionKind,
    Usage,
)
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import EvidenceNormalised, PrismaCounts, SourceReport, SourceStatus
from openwork_contracts.meta import ALL, Event, EventMeta
from openwork_contracts.pipelines import ANSWER
from openwork_contracts.plan import RetrievalCompleted, SearchPlanned
from openwork_contracts.question import QuerySubmitted, RejectionReason, Track
from openwork_contracts.ranking import DocumentScore, DocumentsRanked, EvidenceRanked, ScorerReport
from openwork_contracts.subjects import spec_of
from openwork_contracts.verdict import ClaimVerdict, Verdict, VerificationScores

from tests.builders import QUESTION, analysis

RUN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
TRACE = "0" * 31 + "1"
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
COUNTS = PrismaCounts(identified=9, duplicates=2, excluded_notices=1, excluded_no_text=1, screened=5)
SCORES = VerificationScores(claims=1, supported=1, unsupported=0, grounding_score=1.0, citation_coverage=1.0)


def meta(
    model: type[Event],
    *,
    part: str = "0",
    route: str = ALL,
    track: str = ALL,
    round_: int = 0,
    pipeline: str = ANSWER,
    parents: tuple[str, ...] = (),
) -> EventMeta:
    """Where an event of this module's run stands."""
    return EventMeta(
        event_id=spec_of(model).subject(RUN, part, pipeline=pipeline, route=route, track=track, round_=round_),
        run_id=RUN,
        pipeline=pipeline,
        track=track,
        round=round_,
        contract_version=1,
        parent_ids=parents,
        occurred_at=AT,
        producer="test",
        trace_id=TRACE,
    )


def in_track(
    model: type[Event], track: str = "affirmative", *, round_: int = 1, route: str = ALL, part: str = "0"
) -> EventMeta:
    """Of an event that belongs to a track."""
    return meta(model, track=track, round_=round_, route=route, part=part)


def stored(events: Sequence[Event]) -> list[StoredEvent]:
    """The events as the stream holds them, half a second apart."""
    return [
        StoredEvent(n + 1, event.meta.event_id, AT + timedelta(seconds=0.5 * n), event)
        for n, event in enumerate(events)
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


def submitted(question: str = QUESTION, *, pipeline: str = ANSWER) -> QuerySubmitted:
    return QuerySubmitted(meta=meta(QuerySubmitted, pipeline=pipeline), question=question)


def planned(
    track: str = "affirmative",
    *,
    round_: int = 1,
    tracks: tuple[Track, ...] = (Track.AFFIRMATIVE,),
    run_deadline_at: datetime = AT,
) -> SearchPlanned:
    return SearchPlanned(
        meta=in_track(SearchPlanned, track, round_=round_),
        analysis=analysis(),
        tracks=tracks,
        sources=("library", "pubmed"),
        retrieval_deadline_at=AT,
        run_deadline_at=run_deadline_at,
        reason="nothing recent" if round_ > 1 else None,
    )


def normalised(*degradations: str, track: str = "affirmative", counts: PrismaCounts = COUNTS) -> EvidenceNormalised:
    sources = (
        SourceReport(name="library", status=SourceStatus.COMPLETED, found=9, kept=5, elapsed_s=0.25),
        SourceReport(
            name="pubmed", status=SourceStatus.FAILED, reason=FailureReason.RATE_LIMITED, message="asked too often"
        ),
    )
    return EvidenceNormalised(
        meta=in_track(EvidenceNormalised, track),
        candidates=(),
        sources=sources,
        counts=counts,
        degradations=degradations,
    )


def scored(stage: str, *, degradation: str | None = None, scorer: str = "lexical") -> ScorerReport:
    return ScorerReport(stage=stage, scorer=scorer, model="m1" if scorer == "triton" else None, degradation=degradation)


def shortlisted(report: ScorerReport | None = None) -> DocumentsRanked:
    return DocumentsRanked(
        meta=in_track(DocumentsRanked),
        shortlist=(DocumentScore(candidate_id="a", score=0.5), DocumentScore(candidate_id="b", score=0.4)),
        report=report or scored("documents"),
    )


def ranked(report: ScorerReport | None = None, *, degradations: tuple[str, ...] = ()) -> EvidenceRanked:
    return EvidenceRanked(
        meta=in_track(EvidenceRanked),
        passages=(),
        documents=(),
        report=report,
        n_fulltext=1,
        degradations=degradations,
    )


def drafted(*degradations: str, method: str = "extractive") -> AnswerDrafted:
    return AnswerDrafted(
        meta=in_track(AnswerDrafted),
        revision=0,
        sections=(),
        method=method,
        usage=Usage(),
        degradations=degradations,
    )


def concluded(
    *degradations: str,
    status: AnswerStatus = AnswerStatus.ANSWERED,
    track: str = "affirmative",
    text: str = "Apixaban lowered stroke.",
) -> AnswerConcluded:
    enough = status is AnswerStatus.ANSWERED
    return AnswerConcluded(
        meta=in_track(AnswerConcluded, track, round_=0),
        status=status,
        sections=(section(claim(text, 1), kind=SectionKind.DIRECT_ANSWER),) if enough else (),
        message=None if enough else "There is too little evidence.",
        references=(reference(),) if enough else (),
        withheld=(claim("Apixaban cures.", 1, verdict=Verdict.UNSUPPORTED),) if enough else (),
        verification=SCORES,
        usage=Usage(input_tokens=7),
        degradations=degradations,
    )


def completed(*tracks: str) -> RunEnded:
    """The end of a run whose tracks have their outcomes."""
    results = tuple(concluded(track=track).meta.event_id for track in tracks or ("affirmative",))
    return RunEnded(meta=meta(RunEnded), kind=EndKind.COMPLETED, results=results)


def ended(kind: EndKind, message: str | None = None, *, pipeline: str = ANSWER) -> RunEnded:
    """The end of a run in another way."""
    rejection = RejectionReason.EMPTY if kind is EndKind.REJECTED else None
    failure = FailureReason.INTERNAL if kind is EndKind.FAILED else None
    return RunEnded(
        meta=meta(RunEnded, pipeline=pipeline), kind=kind, message=message, rejection=rejection, failure=failure
    )


def rejected() -> RunEnded:
    return ended(EndKind.REJECTED, "Ask a question.")


def failed(message: str = "It could not be done.") -> RunEnded:
    return ended(EndKind.FAILED, message)


def late() -> RetrievalCompleted:
    """A source whose answer is stored after the run has ended."""
    return RetrievalCompleted(
        meta=in_track(RetrievalCompleted, route="pubmed"), source="pubmed", elapsed_s=9.0, degradations=("late",)
    )
