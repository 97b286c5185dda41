"""The ranked evidence in; a request for the synthesis, for one more round of search, or the honest end out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from openwork_bus.run import Run
from openwork_bus.telemetry import OUTPUT_VALUE
from openwork_contracts.answer import AnswerCompleted, AnswerStatus
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.gap import Assessment, GapAssessment, GapRecommendation, SynthesisRequested
from openwork_contracts.plan import RetrievalRequested, SearchPlanned, part_of
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import EvidenceRanked
from openwork_contracts.verdict import VerificationScores
from openwork_llm.client import LanguageModel
from openwork_llm.deadline import run_deadline

from openwork_gap.domain.assess import RetryPlan, assess, retry_plan
from openwork_gap.domain.messages import too_little_message
from openwork_gap.domain.model_judgement import ModelGap, fillings_of, gap_prompt, merge
from openwork_gap.domain.thresholds import GapThresholds
from openwork_gap.settings import Settings

_NOTHING_CLAIMED = VerificationScores(claims=0, supported=0, unsupported=0, grounding_score=1.0, citation_coverage=1.0)


async def on_evidence_ranked(event: EvidenceRanked, run: Run, *, settings: Settings, model: LanguageModel) -> None:
    """Is it enough? Ask once more, go on, or say that it is not."""
    with run.telemetry.span("gap analysis", "EVALUATOR") as span:
        year = event.meta.occurred_at.year
        gap = await run.in_thread(
            assess, event.analysis, event.passages, event.documents, current_year=year, thresholds=settings.gap
        )
        if run.telemetry.content:
            span.set_attribute(OUTPUT_VALUE, gap.model_dump_json())
    if model.enabled and event.passages and gap.assessment is not Assessment.INSUFFICIENT:
        gap = await _judged_by_model(event, run, gap, model, settings.gap)
    if await _ask_again(event, run, gap, settings):
        return
    if gap.assessment is Assessment.INSUFFICIENT or not event.passages:
        account = await model.account(run)
        await run.end(
            AnswerCompleted(
                meta=run.meta(AnswerCompleted),
                status=AnswerStatus.TOO_LITTLE_EVIDENCE,
                message=too_little_message(event, gap),
                verification=_NOTHING_CLAIMED,
                gap=gap,
                usage=account.usage,
                degradations=account.notes,
            )
        )
        return
    await run.publish(
        SynthesisRequested(
            meta=run.meta(SynthesisRequested),
            analysis=event.analysis,
            track=event.track,
            passages=event.passages,
            documents=event.documents,
            gap=gap,
        )
    )


async def _judged_by_model(
    event: EvidenceRanked, run: Run, gap: GapAssessment, model: LanguageModel, thresholds: GapThresholds
) -> GapAssessment:
    """The assessment with the model's judgement; without a usable one, as it was."""
    fillings = fillings_of(event.analysis, event.passages, event.documents)
    try:
        answer = await model.ask(
            gap_prompt(), fillings, ModelGap, run, deadline_at=await run_deadline(run, event.track)
        )
    except OpenWorkError as error:
        await model.note(run, f"Whether the evidence is enough was judged by rules alone: {error}.")
        return gap
    return merge(gap, answer.value, event.analysis, event.passages, model=answer.model, thresholds=thresholds)


async def _ask_again(event: EvidenceRanked, run: Run, gap: GapAssessment, settings: Settings) -> bool:
    """At most one further round, on the sources kept for it; False when there is none to ask."""
    if event.round > 1 or gap.recommendation is GapRecommendation.PROCEED or not settings.gap_source_names:
        return False
    first = await run.require(SearchPlanned, part_of(event.track, event.round))
    now = datetime.now(UTC)
    left = first.run_deadline_at - now
    if left < timedelta(seconds=settings.gap_least_s):
        return False
    due = now + min(timedelta(seconds=settings.retrieval_deadline_s), left / 2)
    round_ = event.round + 1
    part = part_of(event.track, round_)
    retry = retry_plan(event.analysis, gap, current_year=event.meta.occurred_at.year, thresholds=settings.gap)
    analysis = _narrowed(event.analysis, retry)
    plan = SearchPlanned(
        meta=run.meta(SearchPlanned, part),
        analysis=analysis,
        mode=first.mode,
        track=event.track,
        round=round_,
        sources=settings.gap_source_names,
        retrieval_deadline_at=due,
        run_deadline_at=first.run_deadline_at,
        reason=retry.reason if retry else gap.recommendation.value,
    )
    requests = [
        RetrievalRequested(
            meta=run.meta(RetrievalRequested, part, route=source),
            source=source,
            analysis=analysis,
            track=event.track,
            round=round_,
            limit=settings.gap_records,
            deadline_at=due,
        )
        for source in settings.gap_source_names
    ]
    await run.publish_all([plan, *requests], [run.timer("normaliser", part, due)])
    return True


def _narrowed(analysis: QuestionAnalysis, retry: RetryPlan | None) -> QuestionAnalysis:
    """The question with its searches led to what is missing."""
    if retry is None:
        return analysis
    query = " ".join(retry.terms)
    variants = tuple(dict.fromkeys((query, *analysis.search_variants)))[:5]
    return analysis.model_copy(
        update={
            "search_variants": variants,
            "recent_since_year": retry.since_year or analysis.recent_since_year,
        }
    )
