"""The two stages. Everything found in, a shortlist and full-text requests out; the texts in, the best passages out."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated

from openwork_answers.as_asked import closeness
from openwork_answers.asked import readings_of
from openwork_bus.join import join, without_work
from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.texts import sections_of
from openwork_contracts.evidence import EvidenceCandidate, EvidenceNormalised
from openwork_contracts.pipelines import pipeline_named
from openwork_contracts.plan import DeadlineReached, SearchPlanned
from openwork_contracts.progress import Progress
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import (
    DocumentScore,
    DocumentsRanked,
    EvidenceRanked,
    FulltextCompleted,
    FulltextRequested,
    ScorerReport,
    TextSection,
)
from openwork_evidence.findable import may_have_full_text, may_live_by_title
from openwork_evidence.library.references import referred_candidate, resolved_candidate
from openwork_evidence.pmc import fulltext_requests
from openwork_language.searching.ladder import strategy_of

from openwork_reranker.domain.documents import DocumentRanking, rank_documents, split_readable
from openwork_reranker.domain.focus import focus_of
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.passages import Passage, split_passages
from openwork_reranker.domain.policies import SourcePolicies, minimum_score_of, scorable_text
from openwork_reranker.domain.recommendations import extract_recommendations
from openwork_reranker.domain.results import ScoringResult, score_and_report
from openwork_reranker.domain.scoring import ScorableText, Scorer, break_ties, scorer_report
from openwork_reranker.domain.selection import Answers, PassageRanking, passage_texts, rank_passages
from openwork_reranker.domain.trial_fit import trial_fit
from openwork_reranker.settings import Settings
from openwork_reranker.tracing import scoring_attributes

_JOINER = "reranker-passages"


async def on_evidence_normalised(
    event: EvidenceNormalised,
    run: Annotated[Run, Provided()],
    scorer: Annotated[Scorer, Provided()],
    settings: Annotated[Settings, Provided()],
) -> None:
    """Stage 1: documents to a shortlist."""
    if run.redelivered and await run.stored(run.subject(DocumentsRanked)):
        return  # ranked before a crash that came before the acknowledgement
    plan = await run.plan()
    policies = SourcePolicies(event.policies, settings.minimum_score)
    readable, bare = split_readable(tuple(map(resolved_candidate, event.candidates)))
    await run.progress("rank documents", total=len(readable))
    texts = {c.candidate_id: scorable_text(c, policies) for c in readable}
    scores, report, given = await _score(run, "documents", plan.analysis, scorer, settings, texts)
    if not given.identity.is_lexical:
        policies = replace(policies, minimum_score=minimum_score_of(given.identity, settings.model_minimum_score))
    ranking = rank_documents(
        readable,
        scores,
        given=given.scores,
        policies=policies,
        current_year=event.meta.occurred_at.year,
        limit=settings.shortlist_length,
        recent_years=settings.recent_years,
    )
    titles = await _rank_titles(run, plan, bare, scorer, policies, settings, event.meta.occurred_at.year)
    shortlist = (*ranking.shortlist, *titles.shortlist)
    by_id = {candidate.candidate_id: candidate for candidate in (*readable, *bare)}
    wanted = [by_id[s.candidate_id] for s in shortlist] if settings.fulltext else []
    requests = {
        f"doc-{place:02d}": candidate for place, candidate in enumerate(wanted, 1) if may_have_full_text(candidate)
    }
    due = _fulltext_due(plan, settings)
    if requests:
        due = await run.set_deadline(_JOINER, due)
    ranked = DocumentsRanked(
        meta=run.meta(DocumentsRanked),
        shortlist=shortlist,
        title_only=tuple(one.candidate_id for one in titles.shortlist),
        fulltext_parts=tuple(requests),
        fulltext_deadline_at=due if requests else None,
        report=report,
        below_threshold=ranking.below_threshold + titles.below_threshold,
    )
    counts = {"shortlisted": len(ranked.shortlist)}
    await run.bus.progress(Progress.of(run, "shortlist", counts=counts))
    calls = pipeline_named(run.pipeline).budgets.ncbi_calls_of(run.round).texts
    await run.publish_all([ranked, *fulltext_requests(requests, due, calls, partial(run.meta, FulltextRequested))])


async def on_evidence_of_review(
    event: EvidenceNormalised,
    run: Annotated[Run, Provided()],
    scorer: Annotated[Scorer, Provided()],
    settings: Annotated[Settings, Provided()],
) -> None:
    """An order of everything that was found, for a review: no shortlist, no minimum score, no full texts yet."""
    if run.redelivered and await run.stored(run.subject(DocumentsRanked)):
        return  # ranked before a crash that came before the acknowledgement
    plan = await run.plan()
    policies = SourcePolicies(event.policies, settings.minimum_score)
    works = tuple(map(resolved_candidate, event.candidates))
    await run.progress("rank documents", total=len(works))
    texts = {work.candidate_id: scorable_text(work, policies) for work in works}
    scores, report, _ = await _score(run, "documents", plan.analysis, scorer, settings, texts)
    ordered = sorted(zip(texts, scores, strict=True), key=lambda one: -one[1])
    ranking = tuple(DocumentScore(candidate_id=name, score=score) for name, score in ordered)
    await run.publish(DocumentsRanked(meta=run.meta(DocumentsRanked), shortlist=ranking, report=report))


async def _rank_titles(
    run: Run,
    plan: SearchPlanned,
    bare: Sequence[EvidenceCandidate],
    scorer: Scorer,
    policies: SourcePolicies,
    settings: Settings,
    current_year: int,
) -> DocumentRanking:
    """Works without an abstract, among themselves: a title beside abstracts would lose, or take one's place."""
    works = [work for work in bare if may_live_by_title(work)] if settings.fulltext else []
    texts = {work.candidate_id: ScorableText(work.title.strip(), "") for work in works}
    if not works:
        return DocumentRanking((), 0, None)
    scores, _, given = await _score(run, "titles", plan.analysis, scorer, settings, texts)
    return rank_documents(
        works,
        scores,
        given=given.scores,
        policies=policies,
        current_year=current_year,
        limit=settings.shortlist_titles,
        recent_years=None,
    )


def _fulltext_due(plan: SearchPlanned, settings: Settings) -> datetime:
    """When stage 2 goes on without the texts that are missing: at most half of the time that the run has left."""
    now = datetime.now(UTC)
    return now + min(timedelta(seconds=settings.fulltext_deadline_s), max(plan.run_deadline_at - now, timedelta()) / 2)


async def on_text_arrival(
    event: DocumentsRanked | FulltextCompleted | DeadlineReached,
    run: Annotated[Run, Provided()],
    scorer: Annotated[Scorer, Provided()],
    settings: Annotated[Settings, Provided()],
) -> None:
    """Stage 2, when the shortlist needs no full text, when the last one is in, or when the time is up."""
    if await without_work(run, DocumentsRanked):
        return
    documents = event if isinstance(event, DocumentsRanked) else await run.require(DocumentsRanked)
    arrived = await join(
        run,
        expected={part: (run.subject(FulltextCompleted, part),) for part in documents.fulltext_parts},
        outcomes=(FulltextCompleted,) if documents.fulltext_parts else (),
        into=EvidenceRanked,
        deadline_at=documents.fulltext_deadline_at,
    )
    if arrived is None:
        return
    plan, normalised = await asyncio.gather(run.plan(), run.require(EvidenceNormalised))
    completed = [e for e in arrived.outcomes if isinstance(e, FulltextCompleted)]
    found = await asyncio.gather(*(sections_of(run.bus, one) for one in completed))
    sections = {e.candidate_id: s for e, s in zip(completed, found, strict=True) if s}
    ranked = await _rank(run, plan, documents, normalised, sections, len(arrived.missing), completed, scorer, settings)
    counts = {"fulltext": ranked.n_fulltext, "passages": len(ranked.passages)}
    await run.bus.progress(Progress.of(run, "choose passages", counts=counts))
    await run.publish(ranked)


async def _rank(
    run: Run,
    plan: SearchPlanned,
    documents: DocumentsRanked,
    normalised: EvidenceNormalised,
    sections: Mapping[str, tuple[TextSection, ...]],
    n_missing: int,
    completed: Sequence[FulltextCompleted],
    scorer: Scorer,
    settings: Settings,
) -> EvidenceRanked:
    scores = {s.candidate_id: s.score for s in documents.shortlist}
    works = tuple(map(resolved_candidate, normalised.candidates))
    by_id = {work.candidate_id: work for work in works if work.candidate_id in scores}
    _, bare = split_readable(works)
    passages = await run.in_thread(_split, [by_id[i] for i in scores], sections, settings)
    await run.progress("rank passages", total=len(passages))
    texts = dict(zip((p.passage_id for p in passages), passage_texts(passages, by_id), strict=True))
    passage_scores, report, _ = await _score(run, "passages", plan.analysis, scorer, settings, texts)
    ranking = rank_passages(
        passages,
        passage_scores,
        scores,
        by_id,
        fits={i: trial_fit(plan.analysis, c) for i, c in by_id.items()},
        outcomes=plan.analysis.pico.outcome,
        answers=_answers_to(plan),
        limit=settings.passages,
        max_per_document=settings.passages_per_document,
        diversity=settings.passage_diversity,
        passage_share=settings.passage_share,
    )
    parents = (documents.meta.event_id, *(one.meta.event_id for one in completed))
    return EvidenceRanked(
        meta=run.meta(EvidenceRanked, parents=parents),
        passages=ranking.passages,
        documents=tuple(map(referred_candidate, _with_recommendations(ranking))),
        report=report,
        n_fulltext=len(sections),
        n_shortlisted=len(documents.shortlist),
        without_text=tuple(work.candidate_id for work in bare if work.candidate_id not in sections),
        degradations=_late(n_missing),
    )


def _answers_to(plan: SearchPlanned) -> Answers:
    """How close a work's results come to what a plan's question asks."""
    question = next(readings_of(plan.analysis, plan.strategy or strategy_of(plan.analysis)))
    return lambda work, passage: closeness(question, passage.n, work, (passage,))


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
        found = [
            r.model_copy(update={"text_origin": p.text_origin})
            for p in ranking.passages
            if p.n == n
            for r in extract_recommendations(p.text)
        ]
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
) -> tuple[list[float], ScorerReport, ScoringResult]:
    """Scores, the lexical tie-breaker blended in where a model tells the texts apart too little; also as given."""
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
        if run.telemetry.enabled:
            span.set_attributes(
                {"reranker.query": analysis.question, **scoring_attributes(result, texts_by_id, scores)}
            )
    report = scorer_report(stage, identity, scores, tie_breaker=broken, degradation=result.degradation)
    return scores, report.model_copy(update={"from_cache": result.from_cache}), result
