"""The two stages. Everything found in, a shortlist and full-text requests out; the texts in, the best passages out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from openwork_bus.run import Run
from openwork_bus.telemetry import document_attributes
from openwork_contracts.evidence import EvidenceCandidate, EvidenceNormalised
from openwork_contracts.meta import Event
from openwork_contracts.plan import DeadlineReached, SearchPlanned, part_of
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import (
    DocumentsRanked,
    EvidenceRanked,
    FulltextCompleted,
    FulltextRequested,
    ScorerReport,
    TextSection,
)
from openwork_contracts.subjects import parse_subject, spec_of

from openwork_reranker.domain.documents import rank_documents, split_readable
from openwork_reranker.domain.focus import focus_of
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.passages import Passage, split_passages
from openwork_reranker.domain.policies import SourcePolicies, scorable_text
from openwork_reranker.domain.recommendations import extract_recommendations
from openwork_reranker.domain.results import ScoringResult, score_and_report
from openwork_reranker.domain.scoring import ScorableText, Scorer, ScorerIdentity, break_ties, scorer_report
from openwork_reranker.domain.selection import PassageRanking, passage_texts, rank_passages
from openwork_reranker.domain.trial_fit import trial_fit
from openwork_reranker.settings import Settings

_JOINER = "reranker-passages"
_DOC = "-doc-"
"""Between the round and the document in the part of a full-text event: `affirmative-1-doc-07`."""
_SHOWN_IN_SPAN = 10
_LIBRARY = "library"


async def on_evidence_normalised(event: EvidenceNormalised, run: Run, *, scorer: Scorer, settings: Settings) -> None:
    """Stage 1: documents to a shortlist."""
    part = part_of(event.track, event.round)
    policies = SourcePolicies(event.policies, settings.minimum_score)
    readable, _ = split_readable(event.candidates)
    texts = {c.candidate_id: scorable_text(c, policies) for c in readable}
    scores, report, identity = await _score(run, "documents", event.analysis, scorer, settings, texts)
    if not identity.is_lexical:
        policies = replace(policies, minimum_score=settings.model_minimum_score)
    ranking = rank_documents(
        readable,
        scores,
        policies=policies,
        current_year=event.meta.occurred_at.year,
        limit=settings.shortlist_length,
        recent_years=settings.recent_years,
    )
    by_id = {candidate.candidate_id: candidate for candidate in readable}
    due = await _fulltext_due(run, part, settings)
    wanted = [by_id[s.candidate_id] for s in ranking.shortlist] if settings.fulltext else []
    requests = [_request(run, part, place, c, due) for place, c in enumerate(wanted, 1) if _may_have_full_text(c)]
    ranked = DocumentsRanked(
        meta=run.meta(DocumentsRanked, part),
        analysis=event.analysis,
        track=event.track,
        round=event.round,
        shortlist=ranking.shortlist,
        fulltext_parts=tuple(parse_subject(r.meta.event_id).part for r in requests),
        report=report,
        below_threshold=ranking.below_threshold,
    )
    timers = [run.timer(_JOINER, part, due)] if requests else []
    await run.publish_all([ranked, *requests], timers)


async def _fulltext_due(run: Run, part: str, settings: Settings) -> datetime:
    """When stage 2 goes on without the texts that are missing: at most half of the time that the run has left."""
    now = datetime.now(UTC)
    plan = await run.require(SearchPlanned, part)
    return now + min(timedelta(seconds=settings.fulltext_deadline_s), max(plan.run_deadline_at - now, timedelta()) / 2)


async def on_text_arrival(
    event: DocumentsRanked | FulltextCompleted | DeadlineReached, run: Run, *, scorer: Scorer, settings: Settings
) -> None:
    """Stage 2, when the shortlist needs no full text, when the last one is in, or when the time is up."""
    part = parse_subject(event.meta.event_id).part.split(_DOC)[0]
    stored = await run.stored()
    if spec_of(EvidenceRanked).subject(run.id, part) in stored:
        return
    documents = await run.require(DocumentsRanked, part)
    spec = spec_of(FulltextCompleted)
    wanted = [spec.subject(run.id, p) for p in documents.fulltext_parts]
    arrived = [subject for subject in wanted if subject in stored]
    if len(arrived) < len(wanted) and not isinstance(event, DeadlineReached):
        return
    normalised = await run.require(EvidenceNormalised, part)
    fulltexts = await run.bus.read_subjects(arrived)
    await run.publish(await _rank(run, part, documents, normalised, fulltexts, scorer, settings))


async def _rank(
    run: Run,
    part: str,
    documents: DocumentsRanked,
    normalised: EvidenceNormalised,
    fulltexts: Sequence[Event],
    scorer: Scorer,
    settings: Settings,
) -> EvidenceRanked:
    sections = {e.candidate_id: e.sections for e in fulltexts if isinstance(e, FulltextCompleted) and e.sections}
    scores = {s.candidate_id: s.score for s in documents.shortlist}
    by_id = {c.candidate_id: c for c in normalised.candidates if c.candidate_id in scores}
    passages = await run.in_thread(_split, [by_id[i] for i in scores], sections, settings)
    texts = dict(zip((p.passage_id for p in passages), passage_texts(passages, by_id), strict=True))
    passage_scores, report, _ = await _score(run, "passages", documents.analysis, scorer, settings, texts)
    ranking = rank_passages(
        passages,
        passage_scores,
        scores,
        by_id,
        fits={i: trial_fit(documents.analysis, c) for i, c in by_id.items()},
        limit=settings.passages,
        max_per_document=settings.passages_per_document,
        diversity=settings.passage_diversity,
        passage_share=settings.passage_share,
    )
    return EvidenceRanked(
        meta=run.meta(EvidenceRanked, part),
        analysis=documents.analysis,
        track=documents.track,
        round=documents.round,
        passages=ranking.passages,
        documents=_with_recommendations(ranking),
        reports=(documents.report, report),
        sources=normalised.sources,
        counts=normalised.counts,
        n_fulltext=len(sections),
        n_shortlisted=len(documents.shortlist),
        degradations=_late(len(documents.fulltext_parts) - len(fulltexts)),
    )


def _late(missing: int) -> tuple[str, ...]:
    return (f"{missing} full texts had not arrived by the deadline; abstracts were read",) if missing else ()


def _split(
    candidates: Sequence[EvidenceCandidate], sections: Mapping[str, tuple[TextSection, ...]], settings: Settings
) -> list[Passage]:
    return [
        passage
        for candidate in candidates
        for passage in split_passages(
            candidate,
            sections.get(candidate.candidate_id, ()),
            passage_chars=settings.passage_chars,
            overlap_chars=settings.passage_overlap_chars,
        )
    ]


def _with_recommendations(ranking: PassageRanking) -> tuple[EvidenceCandidate, ...]:
    """The cited works, each with the graded recommendations that its passages hold."""
    documents = []
    for n, document in enumerate(ranking.documents, start=1):
        found = [r for p in ranking.passages if p.n == n for r in extract_recommendations(p.text)]
        known = {r.text for r in document.recommendations}
        added = tuple(r for r in found if r.text not in known)
        documents.append(document.model_copy(update={"recommendations": (*document.recommendations, *added)}))
    return tuple(documents)


async def _score(
    run: Run,
    stage: str,
    analysis: QuestionAnalysis,
    scorer: Scorer,
    settings: Settings,
    texts_by_id: Mapping[str, ScorableText],
) -> tuple[list[float], ScorerReport, ScorerIdentity]:
    """Scores and who gave them, the lexical tie-breaker blended in where a model tells the texts apart too little."""
    focus = focus_of(analysis)
    texts = list(texts_by_id.values())
    with run.telemetry.span(f"rerank {stage}", "RERANKER") as span:
        result = await score_and_report(scorer, focus, texts) if texts else ScoringResult((), scorer.identity)
        scores, identity, broken = list(result.scores), result.identity, False
        if not identity.is_lexical:
            lexical = await LexicalScorer(settings.lexical).score(focus, texts)
            scores, broken = break_ties(
                scores, lexical, min_separation=settings.tie_breaker_separation, weight=settings.tie_breaker_weight
            )
        span.set_attributes(_scorer_attributes(result, len(texts)))
        if run.telemetry.content:
            span.set_attribute("reranker.query", analysis.question)
            best = sorted(zip(scores, texts_by_id.items(), strict=True), key=lambda pair: -pair[0])[:_SHOWN_IN_SPAN]
            shown = [(identifier, text.whole[:500], score) for score, (identifier, text) in best]
            span.set_attributes(document_attributes("reranker.output_documents", shown))
    report = scorer_report(stage, identity, scores, tie_breaker=broken, degradation=result.degradation)
    return scores, report.model_copy(update={"from_cache": result.from_cache}), identity


def _scorer_attributes(result: ScoringResult, n_texts: int) -> dict[str, str | int | bool | list[int]]:
    """What the trace says of one scoring."""
    identity = result.identity
    return {
        "reranker.model_name": identity.model or identity.name,
        "reranker.top_k": n_texts,
        "openwork.scorer.name": identity.name,
        "openwork.scorer.version": identity.version or "",
        "openwork.scorer.degradation": result.degradation or "",
        "openwork.scorer.from_cache": result.from_cache,
        "openwork.scorer.batch_sizes": list(result.batch_sizes),
        "openwork.scorer.queue_full": result.queue_full,
    }


def _may_have_full_text(candidate: EvidenceCandidate) -> bool:
    """Found outside, and something to ask with. What only the library gave is answered from the library."""
    return set(candidate.sources) != {_LIBRARY} and bool(
        candidate.identifiers.pmcid or candidate.identifiers.doi or candidate.identifiers.pmid
    )


def _request(run: Run, part: str, place: int, candidate: EvidenceCandidate, due: datetime) -> FulltextRequested:
    return FulltextRequested(
        meta=run.meta(FulltextRequested, f"{part}{_DOC}{place:02d}"),
        candidate_id=candidate.candidate_id,
        identifiers=candidate.identifiers,
        title=candidate.title,
        deadline_at=due,
    )
