"""The ranked evidence in; a request for the synthesis, for one more round of search, or the honest end out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

from openwork_answers.conclude import conclude
from openwork_answers.too_little import too_little
from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.span_attributes import INPUT_VALUE, OUTPUT_MIME_TYPE, OUTPUT_VALUE
from openwork_contracts.answer import AnswerConcluded, AnswerStatus
from openwork_contracts.conclusion import Conclusion
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.evidence import EvidenceCandidate, EvidenceNormalised, SourceStatus
from openwork_contracts.gap import Assessment, GapAssessment, SynthesisRequested
from openwork_contracts.plan import RetrievalRequested, SearchPlanned
from openwork_contracts.progress import Progress
from openwork_contracts.ranking import EvidenceRanked
from openwork_contracts.verdict import VerificationScores
from openwork_evidence.library.references import resolved_candidate
from openwork_language.searching.ladder import strategy_of
from openwork_llm.client import LanguageModel

from openwork_gap.domain.assess import assess, with_conclusion
from openwork_gap.domain.further import further_search
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
        strategy = plan.strategy or strategy_of(plan.analysis)
        conclusion = conclude(plan.analysis, strategy, event.passages, documents)
        gap = with_conclusion(gap, conclusion)
        told = {OUTPUT_MIME_TYPE: "application/json", "openwork.gap.assessment": gap.assessment.value}
        span.set_attributes(told)
        if run.telemetry.content:
            span.set_attributes({INPUT_VALUE: plan.analysis.question, OUTPUT_VALUE: gap.model_dump_json()})
    if model.enabled and event.passages and gap.assessment is not Assessment.INSUFFICIENT:
        gap = await _judged_by_model(event, run, plan, documents, gap, model, settings.gap)
    await run.bus.progress(Progress.of(run, "judge the evidence", assessment=gap.assessment))
    if await _ask_again(event, run, plan, gap, settings):
        return
    message = None
    if gap.assessment is Assessment.INSUFFICIENT or not event.passages:
        conclusion = too_little(conclusion, plan.analysis, strategy, event.passages, documents)
        message = too_little_message(await run.require(EvidenceNormalised), gap, conclusion)
        if not conclusion.tells_nearest:
            await run.conclude(await _too_little(run, gap, conclusion, message, model))
            return
    requested = SynthesisRequested(meta=run.meta(SynthesisRequested), gap=gap, conclusion=conclusion, message=message)
    await run.publish(requested)


async def _decided(run: Run) -> bool:
    """Whether this evidence was judged before a crash: time and models would judge differently the second time."""
    outcome = await run.read(AnswerConcluded, round_=0)
    if outcome is not None:
        await run.conclude(outcome)
        return True
    further = run.subject(SearchPlanned, round_=run.round + 1)
    return bool(await run.stored(run.subject(SynthesisRequested), further))


async def _too_little(
    run: Run, gap: GapAssessment, conclusion: Conclusion, message: str, model: LanguageModel
) -> AnswerConcluded:
    """The honest outcome of this track: what was searched, and what is missing."""
    account = await model.account(run)
    return AnswerConcluded(
        meta=run.meta(AnswerConcluded, round_=0),
        status=AnswerStatus.TOO_LITTLE_EVIDENCE,
        message=message,
        conclusion=conclusion,
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
    """At most one further round; False when there is nothing to ask, nobody to ask or no time."""
    now = datetime.now(UTC)
    left = plan.run_deadline_at - now
    if run.round > 1 or left < timedelta(seconds=settings.gap_least_s):
        return False
    first = plan.strategy or strategy_of(plan.analysis)
    year = event.meta.occurred_at.year
    further = further_search(plan.analysis, first, gap, current_year=year, thresholds=settings.gap)
    sources = await _sources(run, plan, settings) if further else ()
    if further is None or not sources:
        return False
    due = now + min(timedelta(seconds=settings.retrieval_deadline_s), left / 2)
    round_ = run.round + 1
    due = await run.set_deadline("normaliser", due, round_=round_)
    planned = SearchPlanned(
        meta=run.meta(SearchPlanned, round_=round_),
        analysis=plan.analysis,
        strategy=further.strategy,
        tracks=plan.tracks,
        sources=sources,
        retrieval_deadline_at=due,
        run_deadline_at=plan.run_deadline_at,
        reason=further.reason,
    )
    requests = [
        RetrievalRequested(
            meta=run.meta(RetrievalRequested, route=source, round_=round_),
            source=source,
            limit=settings.gap_records,
            deadline_at=due,
        )
        for source in sources
    ]
    await run.publish_all([planned, *requests])
    return True


async def _sources(run: Run, plan: SearchPlanned, settings: Settings) -> tuple[str, ...]:
    """Literature of the first round, and what was kept for a further one.

    Not what failed in the first: one that hangs is waited for once. Nor what the asker did not want searched.
    """
    searched = await run.require(EvidenceNormalised)
    failed = {report.name for report in searched.sources if report.status is not SourceStatus.COMPLETED}
    again = (name for name in settings.gap_literature_names if name in plan.sources)
    return tuple(dict.fromkeys(name for name in (*again, *settings.gap_source_names) if name not in failed))
