"""One question in; a search plan with its requests and deadlines out, or a rejection."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated

from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.span_attributes import INPUT_VALUE, OUTPUT_MIME_TYPE, OUTPUT_VALUE
from openwork_contracts.errors import FailureReason, OpenWorkError
from openwork_contracts.meta import Event
from openwork_contracts.pipelines import REVIEW, pipeline_named
from openwork_contracts.plan import RetrievalRequested, SearchPlanned
from openwork_contracts.question import QuerySubmitted, QuestionAnalysis, RejectionReason, Track
from openwork_language.searching.falsification import falsification_of
from openwork_language.searching.ladder import strategy_of
from openwork_llm.client import LanguageModel

from openwork_query.domain.analysis import Rejection, analyse
from openwork_query.domain.cleaning import clean_question
from openwork_query.domain.drug_names import LookedUp, RxNormLookup, unknown_names
from openwork_query.domain.model_reading import ModelQuestion, fillings_of, merge, model_rejection, query_prompt
from openwork_query.domain.sources import STORED
from openwork_query.settings import Settings


async def on_query_submitted(
    event: QuerySubmitted,
    run: Annotated[Run, Provided()],
    settings: Annotated[Settings, Provided()],
    model: Annotated[LanguageModel, Provided()],
    rxnorm: Annotated[RxNormLookup, Provided()],
) -> None:
    """Plan the search, or say why there will be none."""
    if run.redelivered and await run.stored(_plan_subject(run)):
        return  # planned before a crash that came before the acknowledgement
    await run.progress("analyse the question")
    available = settings.first_round_sources
    year = run.stored_at.year
    with run.telemetry.span("question analysis", "GUARDRAIL") as span:
        read = partial(analyse, event.question, available_sources=available, current_year=year)
        outcome = read()  # a ms, on the event loop: a thread would cost as much again
        looked_up = await _unknown_drugs(event, run, outcome, rxnorm)
        if looked_up.names:
            outcome = read(drug_names=looked_up.names)
        span.set_attributes(_read_attributes(outcome))
        if run.telemetry.content:
            span.set_attributes({INPUT_VALUE: event.question, OUTPUT_VALUE: outcome.model_dump_json()})
    if model.enabled and isinstance(outcome, QuestionAnalysis):  # what the rules reject, no model ever sees
        outcome = await _read_by_model(event, run, outcome, settings, model)
    if isinstance(outcome, Rejection):
        await run.reject(outcome.reason, outcome.message, usage=await model.usage(run))
        return
    sources = _chosen(event, outcome, settings)
    if not sources:
        await run.fail(FailureReason.REFUSED, _no_source(event, settings))
        return
    chosen = {"sources": sources, "from_year": event.options.from_year, "to_year": event.options.to_year}
    await _fan_out(event, run, settings, outcome.model_copy(update=chosen), looked_up)


def _read_attributes(outcome: QuestionAnalysis | Rejection) -> dict[str, str]:
    """What the trace says of a reading, without its words."""
    told = {OUTPUT_MIME_TYPE: "application/json"}
    if isinstance(outcome, Rejection):
        return told | {"openwork.rejection": outcome.reason.value}
    return told | {"openwork.intent": outcome.intent.value}


async def _unknown_drugs(
    event: QuerySubmitted, run: Run, outcome: QuestionAnalysis | Rejection, rxnorm: RxNormLookup
) -> LookedUp:
    """What RxNorm knows of names that the lexicon does not have. Asked only where outside sources are."""
    only_stored = event.options.sources is not None and STORED.issuperset(event.options.sources)
    if only_stored or (isinstance(outcome, Rejection) and outcome.reason is not RejectionReason.NOT_BIOMEDICAL):
        return LookedUp()
    question = clean_question(event.question)
    entities = outcome.entities if isinstance(outcome, QuestionAnalysis) else ()
    words = unknown_names(question, entities, rejected=isinstance(outcome, Rejection))
    if not words:
        return LookedUp()
    with run.telemetry.span("look up drug names", "TOOL") as span:
        looked_up = await rxnorm.look_up(words)
        if run.telemetry.content:
            read = "; ".join(f"{names.asked}: {names.generic}" for names in looked_up.names)
            # The question beside the words, so that a person whom it names is masked among them.
            span.set_attributes({INPUT_VALUE: question, "openwork.words": words, OUTPUT_VALUE: read})
    return looked_up


async def _read_by_model(
    event: QuerySubmitted, run: Run, analysis: QuestionAnalysis, settings: Settings, model: LanguageModel
) -> QuestionAnalysis | Rejection:
    """The analysis with what the model adds to it, or the model's rejection; without a usable answer, as it was."""
    try:
        answer = await model.ask(
            query_prompt(), fillings_of(analysis), ModelQuestion, run, deadline_at=_run_due(event, run, settings)
        )
    except OpenWorkError as error:
        await model.note(run, f"The question was analysed by rules alone: {error}.")
        return analysis
    rejection = model_rejection(analysis, answer.value)
    if rejection is not None:
        return rejection
    merged = merge(analysis, answer.value, available_sources=settings.first_round_sources)
    with run.telemetry.span("model reading merged", "GUARDRAIL") as span:
        span.set_attribute("openwork.n_refused", len(merged.refused))
        if run.telemetry.content:
            span.set_attributes({INPUT_VALUE: analysis.question, OUTPUT_VALUE: "\n".join(merged.refused)})
    return merged.analysis


def _run_due(event: QuerySubmitted, run: Run, settings: Settings) -> datetime:
    """As the gateway set it. A question that was copied into the stream by hand has none: counted from when it came."""
    within_s = event.options.deadline_s or settings.deadline_s_of(pipeline_named(run.pipeline))
    return run.deadline_at or run.stored_at + timedelta(seconds=within_s)


def _chosen(event: QuerySubmitted, analysis: QuestionAnalysis, settings: Settings) -> tuple[str, ...]:
    """The asker's choice where there is one, else the analysis'; never a source without a retriever."""
    wanted = analysis.sources if event.options.sources is None else event.options.sources
    return tuple(dict.fromkeys(name for name in wanted if name in settings.source_names))


def _not_configured(event: QuerySubmitted, settings: Settings) -> tuple[str, ...]:
    """Sources that the asker wanted and that have no retriever here."""
    missing = [name for name in event.options.sources or () if name not in settings.source_names]
    return (f"{', '.join(missing)} was asked for and is not configured here",) if missing else ()


def _no_source(event: QuerySubmitted, settings: Settings) -> str:
    asked = ", ".join(event.options.sources or ()) or "none"
    return f"None of the sources asked for ({asked}) is configured. Configured: {', '.join(settings.source_names)}."


def _plan_subject(run: Run) -> str:
    return run.subject(SearchPlanned, track=Track.AFFIRMATIVE, round_=1)


async def _fan_out(
    event: QuerySubmitted, run: Run, settings: Settings, analysis: QuestionAnalysis, looked_up: LookedUp
) -> None:
    """The deadline of each track's search, then all plans and requests in one atomic batch: stored together or not."""
    now = datetime.now(UTC)
    run_due = _run_due(event, run, settings)
    # At most half of the time that is left: ranking and writing need the rest, or a slow source would cost the answer.
    within = settings.review_retrieval_deadline_s if run.pipeline == REVIEW else settings.retrieval_deadline_s
    wanted_due = now + min(timedelta(seconds=within), (run_due - now) / 2)
    batch: list[Event] = []
    for track in pipeline_named(run.pipeline).tracks:
        due = await run.set_deadline("normaliser", wanted_due, track=track, round_=1)
        plan = SearchPlanned(
            meta=run.meta(SearchPlanned, track=track, round_=1),
            analysis=analysis,
            strategy=_STRATEGIES[track](analysis),
            tracks=pipeline_named(run.pipeline).tracks,
            sources=analysis.sources,
            retrieval_deadline_at=due,
            run_deadline_at=run_due,
            lookups=looked_up.log,
            degradations=(*_not_configured(event, settings), *looked_up.degradations),
        )
        batch += [plan, *_requests(run, settings, plan, due)]
    await run.publish_all(batch)


_STRATEGIES = {Track.AFFIRMATIVE: strategy_of, Track.FALSIFICATION: falsification_of}


def _requests(run: Run, settings: Settings, plan: SearchPlanned, due: datetime) -> list[RetrievalRequested]:
    """One for each source of a track."""
    limit = settings.records_per_source or pipeline_named(run.pipeline).budgets.records_per_source
    track, round_ = plan.meta.track, plan.meta.round
    return [
        RetrievalRequested(
            meta=run.meta(RetrievalRequested, route=source, track=track, round_=round_),
            source=source,
            limit=limit,
            deadline_at=due,
        )
        for source in plan.sources
    ]
