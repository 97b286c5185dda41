"""The ranked evidence in; a request for the synthesis, for one more round of search, or the honest end out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.telemetry import OUTPUT_VALUE
from openwork_contracts.answer import AnswerConcluded, AnswerStatus
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.evidence import EvidenceCandidate, EvidenceNormalised
from openwork_contracts.gap import Assessment, GapAssessment, GapRecommendation, SynthesisRequested
from openwork_contracts.plan import RetrievalRequested, SearchPlanned
from openwork_contracts.progress import Progress
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import EvidenceRanked
from openwork_contracts.verdict import VerificationScores
from openwork_evidence.library.references import resolved_candidate
from openwork_llm.client import LanguageModel

from openwork_gap.domain.assess import RetryPlan, assess, retry_plan
from openwork_gap.domain.messages import too_little_message
from openwork_gap.domain.model_judgement import ModelGap, fillings_of, gap_prompt, merge
from openwork_gap.domain.thresholds import GapThresholds
from openwork_gap.settings import Settings

_NOTHING_CLAIMED = VerificationScores(claims=0, supported=0, unsupported=0, grounding_score=1.0, citation_coverage=1.0)


async def on_evidence_ranked(
    event: EvidenceRanked,
    run: Annotated[Run, Provided()],
    settings: Annotated[Settings, Provided()],
    model: Annotated[LanguageModel, Provided()],
) -> None:
    """Is it enough? Ask once more, go on, or say that it is not."""
    if run.redelivered and await _decided(run):
        return
    await run.progress("judge the evidence")
    plan = await run.plan()
    documents = tuple(map(resolved_candidate, event.documents))
    with run.telemetry.span("gap analysis", "EVALUATOR") as span:
        year = event.meta.occurred_at.year
        # On the event loop: a pack of passages is read in ms, and threads for such steps cost an answer 5 ms more.
        gap = assess(plan.analysis, event.passages, documents, current_year=year, thresholds=settings.gap)
        if run.telemetry.content:
            span.set_attribute(OUTPUT_VALUE, gap.model_dump_json())
    if model.enabled and event.passages and gap.assessment is not Assessment.INSUFFICIENT:
        gap = await _judged_by_model(event, run, plan, documents, gap, model, settings.gap)
    await run.bus.progress(Progress.of(run, "judge the evidence", assessment=gap.assessment))
    if await _ask_again(event, run, plan, gap, settings):
        return
    if gap.assessment is Assessment.INSUFFICIENT or not event.passages:
        await run.conclude(await _too_little(run, gap, model))
        return
    await run.publish(SynthesisRequested(meta=run.meta(SynthesisRequested), gap=gap))


async def _decided(run: Run) -> bool:
    """Whether this evidence was judged before a crash: time and models would judge differently the second time."""
    outcome = await run.read(AnswerConcluded, round_=0)
    if outcome is not None:
        await run.conclude(outcome)
        return True
    further = run.subject(SearchPlanned, round_=run.round + 1)
    return bool(await run.stored(run.subject(SynthesisRequested), further))


async def _too_little(run: Run, gap: GapAssessment, model: LanguageModel) -> AnswerConcluded:
    """The honest outcome of this track: what was searched, and what is missing."""
    searched = await run.require(EvidenceNormalised)
    account = await model.account(run)
    return AnswerConcluded(
        meta=run.meta(AnswerConcluded, round_=0),
        status=AnswerStatus.TOO_LITTLE_EVIDENCE,
        message=too_little_message(searched, gap),
        verification=_NOTHING_CLAIMED,
        gap=gap,
        usage=account.usage,
        degradations=account.notes,
    )


async def _judged_by_model(
    event: EvidenceRanked,
    run: Run,
    plan: SearchPlanned,
    documents: tuple[EvidenceCandidate, ...],
    gap: GapAssessment,
    model: LanguageModel,
    thresholds: GapThresholds,
) -> GapAssessment:
    """The assessment with the model's judgement; without a usable one, as it was."""
    fillings = fillings_of(plan.analysis, event.passages, documents)
    try:
        answer = await model.ask(gap_prompt(), fillings, ModelGap, run, deadline_at=plan.run_deadline_at)
    except OpenWorkError as error:
        await model.note(run, f"Whether the evidence is enough was judged by rules alone: {error}.")
        return gap
    return merge(gap, answer.value, plan.analysis, event.passages, model=answer.model, thresholds=thresholds)


async def _ask_again(
    event: EvidenceRanked, run: Run, plan: SearchPlanned, gap: GapAssessment, settings: Settings
) -> bool:
    """At most one further round, on the sources kept for it; False when there is none to ask."""
    if run.round > 1 or gap.recommendation is GapRecommendation.PROCEED or not settings.gap_source_names:
        return False
    now = datetime.now(UTC)
    left = plan.run_deadline_at - now
    if left < timedelta(seconds=settings.gap_least_s):
        return False
    due = now + min(timedelta(seconds=settings.retrieval_deadline_s), left / 2)
    round_ = run.round + 1
    due = await run.set_deadline("normaliser", due, round_=round_)
    retry = retry_plan(plan.analysis, gap, current_year=event.meta.occurred_at.year, thresholds=settings.gap)
    further = SearchPlanned(
        meta=run.meta(SearchPlanned, round_=round_),
        analysis=_narrowed(plan.analysis, retry),
        tracks=plan.tracks,
        sources=settings.gap_source_names,
        retrieval_deadline_at=due,
        run_deadline_at=plan.run_deadline_at,
        reason=retry.reason if retry else gap.recommendation.value,
    )
    requests = [
        RetrievalRequested(
            meta=run.meta(RetrievalRequested, route=source, round_=round_),
            source=source,
            limit=settings.gap_records,
            deadline_at=due,
        )
        for source in settings.gap_source_names
    ]
    await run.publish_all([further, *requests])
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
