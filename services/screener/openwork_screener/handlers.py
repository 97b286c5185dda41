"""Everything found by a track in; a decision on each record, then the studies of all tracks that are read, out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated

from openwork_bus.join import join, without_work
from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.evidence import EvidenceCandidate, EvidenceNormalised
from openwork_contracts.extraction import ExtractionRequested
from openwork_contracts.meta import ALL, Event
from openwork_contracts.pipelines import pipeline_named
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.progress import Progress
from openwork_contracts.question import QuerySubmitted, Track
from openwork_contracts.ranking import DocumentsRanked, FulltextRequested
from openwork_contracts.screening import (
    RecordsScreened,
    ScreeningCompleted,
    ScreeningDecision,
    ScreeningOutcome,
    ScreeningRequested,
    SelectedStudy,
    StudiesSelected,
)
from openwork_evidence.findable import may_have_full_text
from openwork_evidence.library.references import resolved_candidate
from openwork_evidence.pmc import fulltext_requests
from openwork_language.searching.ladder import strategy_of
from openwork_llm.client import LanguageModel
from openwork_screening.criteria import Criteria
from openwork_screening.decide import decide, signals
from openwork_screening.flow import excluded_by_criterion
from openwork_screening.reports import works_in
from openwork_screening.selection import Screened, select

from openwork_screener.domain.model_screening import (
    ModelScreening,
    agreement_of,
    checked,
    fillings_of,
    merged,
    screener_prompt,
    to_be_read,
)
from openwork_screener.settings import Settings

JOINER = "screener"
EXTRACTION_JOINER = "appraiser"
_ROUND = 1


async def on_documents_ranked(
    event: DocumentsRanked, run: Annotated[Run, Provided()], settings: Annotated[Settings, Provided()]
) -> None:
    """The records of a track in batches; a track that found nothing is screened at once."""
    if run.redelivered and await run.stored(run.subject(ScreeningRequested), run.subject(RecordsScreened)):
        return  # asked for before a crash that came before the acknowledgement
    names = [one.candidate_id for one in event.shortlist]
    if not names:
        await run.publish(RecordsScreened(meta=run.meta(RecordsScreened)))
        return
    due = await run.set_deadline(JOINER, _due(run, settings.screening_deadline_s))
    size = settings.screening_batch
    batches = [tuple(names[first : first + size]) for first in range(0, len(names), size)]
    await run.progress("screen records", total=len(names))
    await run.publish_all(
        [
            ScreeningRequested(
                meta=run.meta(ScreeningRequested, str(place)),
                candidate_ids=batch,
                n_batches=len(batches),
                deadline_at=due,
            )
            for place, batch in enumerate(batches)
        ]
    )


async def on_screening_requested(
    event: ScreeningRequested,
    run: Annotated[Run, Provided()],
    criteria: Annotated[Criteria, Provided()],
    model: Annotated[LanguageModel, Provided()],
) -> None:
    """A decision on each record of a batch: by rules, and by a model where they cannot tell and one is configured."""
    part = event.meta.event_id.rpartition(".")[2]
    if run.redelivered and await run.stored(run.subject(ScreeningCompleted, part)):
        return  # decided before a crash: a model would decide differently the second time
    plan, normalised = await asyncio.gather(run.plan(), run.require(EvidenceNormalised))
    works = works_in([normalised], event.candidate_ids)
    track, strategy = Track(run.track), plan.strategy or strategy_of(plan.analysis)
    with run.telemetry.span("screen records", "CHAIN", {"openwork.n_records": len(works)}):
        decisions = await run.in_thread(lambda: tuple(decide(one, strategy, criteria, track) for one in works.values()))
    second: tuple[ScreeningDecision, ...] = ()
    if model.enabled:
        decisions, second = await _read_by_model(event, run, plan.analysis.question, works, decisions, criteria, model)
    await run.publish(ScreeningCompleted(meta=run.meta(ScreeningCompleted, part), decisions=decisions, second=second))


async def _read_by_model(
    event: ScreeningRequested,
    run: Run,
    question: str,
    works: Mapping[str, EvidenceCandidate],
    decisions: tuple[ScreeningDecision, ...],
    criteria: Criteria,
    model: LanguageModel,
) -> tuple[tuple[ScreeningDecision, ...], tuple[ScreeningDecision, ...]]:
    """The decisions with the model's where rules were unsure, and its labels of a share of the others."""
    unsure, again = to_be_read(decisions)
    shown = [works[name] for name in (*unsure, *again)]
    if not shown:
        return decisions, ()
    track = Track(run.track)
    fillings = fillings_of(question, criteria, track, shown)
    try:
        answer = await model.ask(screener_prompt(), fillings, ModelScreening, run, deadline_at=event.deadline_at)
    except OpenWorkError as error:
        await model.note(run, f"Some records were screened by rules alone: {error}.")
        return decisions, ()
    judged = checked(answer.value, shown, criteria, track, answer.model)
    return merged(decisions, judged), tuple(judged[name] for name in again if name in judged)


async def on_screening_arrival(
    event: ScreeningCompleted | DeadlineReached,
    run: Annotated[Run, Provided()],
    model: Annotated[LanguageModel, Provided()],
) -> None:
    """When every batch of a track is in, or the time is up."""
    if await without_work(run, ScreeningRequested):
        return
    first = await run.require(ScreeningRequested)
    parts = [str(place) for place in range(first.n_batches)]
    arrived = await join(
        run,
        expected={part: (run.subject(ScreeningCompleted, part),) for part in parts},
        outcomes=(ScreeningCompleted,),
        into=RecordsScreened,
        deadline_at=first.deadline_at,
    )
    if arrived is None:
        return
    completed = [one for one in arrived.outcomes if isinstance(one, ScreeningCompleted)]
    late = [await run.require(ScreeningRequested, part) for part in arrived.missing]
    normalised = await run.require(EvidenceNormalised)
    decisions = [decision for one in completed for decision in one.decisions]
    undecided = [name for one in late for name in one.candidate_ids]
    account = await model.account(run)
    screened = RecordsScreened(
        meta=run.meta(RecordsScreened, parents=[one.meta.event_id for one in (first, *completed)]),
        batches=tuple(part for part in parts if part not in arrived.missing),
        excluded=excluded_by_criterion(decisions),
        undecided=tuple(undecided),
        included=_names(decisions, ScreeningOutcome.INCLUDE),
        unsure=(*_names(decisions, ScreeningOutcome.UNSURE), *undecided),
        signals=signals(tuple(map(resolved_candidate, normalised.candidates)))
        if run.track == Track.FALSIFICATION
        else (),
        agreement=agreement_of(completed),
        usage=account.usage,
        degradations=(*_degradations(completed, undecided), *account.notes),
    )
    counts = {
        "screened": len(decisions),
        "excluded": sum(screened.excluded.values()),
        "included": len(screened.included),
        "unsure": len(screened.unsure),
    }
    await run.bus.progress(Progress.of(run, "screen records", counts=counts))
    await run.publish(screened)


async def on_records_screened(
    event: RecordsScreened, run: Annotated[Run, Provided()], settings: Annotated[Settings, Provided()]
) -> None:
    """When every track is screened: which studies are read, of all of them together, and what is asked for each."""
    tracks = (await run.plan()).tracks
    wanted = {track: run.subject(RecordsScreened, track=track) for track in tracks}
    made = run.subject(StudiesSelected, track=ALL)
    stored = await run.stored(made, *wanted.values())
    if made in stored or not set(wanted.values()) <= stored:
        return
    found = await asyncio.gather(*(_screened(run, track) for track in tracks))
    question = await run.require(QuerySubmitted, track=ALL, round_=0)
    selection = select(found, question.options.max_studies or settings.max_studies)
    works = {name: work for one in reversed(found) for name, work in one.candidates.items()}
    due = await run.set_deadline(EXTRACTION_JOINER, _due(run, settings.extraction_deadline_s), track=ALL, round_=_ROUND)
    # The same parents whichever track came last: two that come at once publish the same.
    parents = list(wanted.values())
    selected = StudiesSelected(
        meta=run.meta(StudiesSelected, track=ALL, parents=parents),
        studies=selection.read,
        never_read=selection.never_read,
        extraction_deadline_at=due if selection.read else None,
    )
    counts = {"studies": len(selection.read), "never_read": len(selection.never_read)}
    await run.bus.progress(Progress.of(run, "select studies", counts=counts))
    await run.publish_all([selected, *_requests(run, selection.read, works, due, parents, fulltext=settings.fulltext)])


async def _screened(run: Run, track: Track) -> Screened:
    """What a track found, what was decided, and how relevant each record seemed."""
    decided, normalised, ranked = await asyncio.gather(
        run.require(RecordsScreened, track=track),
        run.require(EvidenceNormalised, track=track),
        run.require(DocumentsRanked, track=track),
    )
    relevance = {one.candidate_id: one.score for one in ranked.shortlist}
    works = works_in([normalised], [*decided.included, *decided.unsure])
    return Screened(track, works, decided, relevance)


def _due(run: Run, within_s: float) -> datetime:
    """When a step goes on with what it has: at most half of the time that the run has left."""
    now = datetime.now(UTC)
    left = max(run.deadline_at - now, timedelta()) / 2 if run.deadline_at else timedelta(seconds=within_s)
    return now + min(timedelta(seconds=within_s), left)


def _names(decisions: Iterable[ScreeningDecision], outcome: ScreeningOutcome) -> tuple[str, ...]:
    return tuple(one.candidate_id for one in decisions if one.outcome is outcome)


def _degradations(completed: Iterable[ScreeningCompleted], undecided: Sequence[str]) -> tuple[str, ...]:
    told = dict.fromkeys(line for one in completed for line in one.degradations)
    late = [f"{len(undecided)} records had no decision by the deadline and count as unsure"] if undecided else []
    return (*told, *late)


def _requests(
    run: Run,
    studies: Sequence[SelectedStudy],
    works: Mapping[str, EvidenceCandidate],
    due: datetime,
    parents: Sequence[str],
    *,
    fulltext: bool,
) -> list[Event]:
    """One for each study: its full text, or its extraction at once where there is none to look for."""
    now = datetime.now(UTC)
    text_due = now + (due - now) / 2
    main = {study.part or "": works[study.candidate_id] for study in studies}
    sought = {part: work for part, work in main.items() if fulltext and may_have_full_text(work)}
    calls = pipeline_named(run.pipeline).budgets.ncbi_calls_of(_ROUND).texts
    meta = partial(run.meta, FulltextRequested, track=ALL, parents=parents)
    texts = fulltext_requests(sought, text_due, calls, meta)
    others = [
        ExtractionRequested(
            meta=run.meta(ExtractionRequested, part, track=ALL, parents=parents),
            candidate_id=work.candidate_id,
            deadline_at=due,
        )
        for part, work in main.items()
        if part not in sought
    ]
    return [*texts, *others]
