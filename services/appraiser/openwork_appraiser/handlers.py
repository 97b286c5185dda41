"""The studies of a review in, one after another; their table, with which the review ends, out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

from openwork_answers.naming import study_name
from openwork_bus.join import join, without_work
from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.extraction import StudyExtracted
from openwork_contracts.plan import DeadlineReached, SearchPlanned
from openwork_contracts.progress import Progress
from openwork_contracts.question import Track
from openwork_contracts.screening import RecordsScreened, SelectedStudy, StudiesSelected
from openwork_contracts.tabulation import EvidenceTabulated
from openwork_screening.flow import review_flow, track_flow
from openwork_screening.reports import works_in

from openwork_appraiser.domain.studies import StudyInTable
from openwork_appraiser.domain.tabulate import answers_the_question, tabulate
from openwork_appraiser.domain.words import limits_of, summary_of
from openwork_appraiser.settings import Settings


async def on_extraction_arrival(
    event: StudiesSelected | StudyExtracted | DeadlineReached,
    run: Annotated[Run, Provided()],
    settings: Annotated[Settings, Provided()],
) -> None:
    """When every chosen study is in, when none was chosen, or when the time is up."""
    if run.redelivered and (made := await run.read(EvidenceTabulated)) is not None:
        await _end(run, made)  # a crash came between the table and the end
        return
    if await without_work(run, StudiesSelected):
        return
    selected = event if isinstance(event, StudiesSelected) else await run.require(StudiesSelected)
    arrived = await join(
        run,
        expected={one.part: (run.subject(StudyExtracted, one.part),) for one in selected.studies if one.part},
        outcomes=(StudyExtracted,) if selected.studies else (),
        into=EvidenceTabulated,
        deadline_at=selected.extraction_deadline_at,
    )
    if arrived is None:
        done = await _done(run, selected)
        await run.progress("extract studies", done=done, total=len(selected.studies))
        return
    extracted = [one for one in arrived.outcomes if isinstance(one, StudyExtracted)]
    tabulated = await _tabulated(run, selected, extracted, settings)
    counts = {"outcomes": len(tabulated.outcomes), "pooled": sum(one.pooled is not None for one in tabulated.outcomes)}
    await run.bus.progress(Progress.of(run, "compute effects", counts=counts))
    await run.publish(tabulated)
    await _end(run, tabulated)


async def _done(run: Run, selected: StudiesSelected) -> int:
    stored = await run.stored(*(run.subject(StudyExtracted, one.part) for one in selected.studies if one.part))
    return len(stored)


async def _end(run: Run, tabulated: EvidenceTabulated) -> None:
    results = (tabulated.meta.event_id,)
    await run.end(RunEnded(meta=run.meta(RunEnded), kind=EndKind.COMPLETED, results=results))


async def _tabulated(
    run: Run, selected: StudiesSelected, extracted: Sequence[StudyExtracted], settings: Settings
) -> EvidenceTabulated:
    plan = await run.require(SearchPlanned, track=Track.AFFIRMATIVE)
    found, screened = await asyncio.gather(
        asyncio.gather(*(run.require(EvidenceNormalised, track=track) for track in plan.tracks)),
        asyncio.gather(*(run.require(RecordsScreened, track=track) for track in plan.tracks)),
    )
    works = works_in(found, [one.candidate_id for one in selected.studies])
    by_part = {one.meta.event_id.rpartition(".")[2]: one for one in extracted}
    read = [
        StudyInTable(one.study_id, study_name(works[one.candidate_id]), works[one.candidate_id], of.results)
        for one in selected.studies
        if (of := by_part.get(one.part or "")) is not None and of.not_extracted is None
    ]
    tested = ", ".join(plan.analysis.pico.intervention) or "what was asked about"
    with run.telemetry.span("compute effects", "CHAIN", {"openwork.n_studies": len(read)}):
        outcomes = await run.in_thread(
            lambda: tabulate(read, tested, level=settings.confidence_level, most=settings.tabulated_outcomes)
        )
    flow = review_flow(
        [
            track_flow(track, normalised.counts, decided)
            for track, normalised, decided in zip(plan.tracks, found, screened, strict=True)
        ],
        selected,
        with_fulltext=sum(one.fulltext_source is not None for one in extracted),
        not_extracted=_not_extracted(selected.studies, by_part),
        with_results=sum(map(answers_the_question, read)),
    )
    return EvidenceTabulated(
        meta=run.meta(EvidenceTabulated, parents=[one.meta.event_id for one in (selected, *extracted)]),
        outcomes=outcomes,
        flow=flow,
        signals=tuple(signal for one in screened for signal in one.signals),
        summary=summary_of(outcomes, flow, found),
        limits=limits_of(flow, found, outcomes=outcomes),
        degradations=tuple(dict.fromkeys(line for one in screened for line in one.degradations)),
    )


def _not_extracted(studies: Sequence[SelectedStudy], by_part: dict[str, StudyExtracted]) -> int:
    """Studies of which nothing came in time, or nothing could be read out."""
    outcomes = [by_part.get(one.part or "") for one in studies]
    return sum(one is None or one.not_extracted is not None for one in outcomes)
