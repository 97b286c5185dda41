"""One study in; what it reports, as cells, out. A study that cannot be read fails no run."""

from __future__ import annotations

from time import monotonic
from typing import Annotated

from openwork_answers.asked import read_question
from openwork_bus.provided import Provided
from openwork_bus.run import Run
from openwork_bus.service import end_in_failure, public_message
from openwork_bus.texts import sections_of
from openwork_contracts.evidence import EvidenceCandidate, EvidenceNormalised
from openwork_contracts.extraction import ExtractionRequested, StudyExtracted
from openwork_contracts.meta import Event
from openwork_contracts.plan import SearchPlanned
from openwork_contracts.progress import Progress
from openwork_contracts.question import Track
from openwork_contracts.ranking import FulltextCompleted, TextSection
from openwork_contracts.screening import SelectedStudy, StudiesSelected
from openwork_contracts.subjects import parse_subject
from openwork_language.searching.ladder import strategy_of
from openwork_screening.reports import works_in

from openwork_extractor.domain.reading import read_study
from openwork_extractor.settings import Settings


async def on_fulltext_completed(
    event: FulltextCompleted, run: Annotated[Run, Provided()], settings: Annotated[Settings, Provided()]
) -> None:
    """A study whose full text was looked for."""
    await _extract(event, run, settings, await sections_of(run.bus, event))


async def on_extraction_requested(
    event: ExtractionRequested, run: Annotated[Run, Provided()], settings: Annotated[Settings, Provided()]
) -> None:
    """A study of which its sources gave all there is."""
    await _extract(event, run, settings, ())


async def _extract(
    event: FulltextCompleted | ExtractionRequested, run: Run, settings: Settings, sections: tuple[TextSection, ...]
) -> None:
    started = monotonic()
    part = parse_subject(event.meta.event_id).part
    selected = await run.require(StudiesSelected)
    study = next(one for one in selected.studies if one.part == part)
    plan = await run.require(SearchPlanned, track=Track.AFFIRMATIVE)
    question = read_question(plan.analysis, plan.strategy or strategy_of(plan.analysis))
    reports = await _reports(run, study)
    with run.telemetry.span("extract study", "CHAIN", {"openwork.candidate_id": study.candidate_id}) as span:
        read = await run.in_thread(read_study, question, reports, sections, settings.extracted_results)
        span.set_attribute("openwork.n_results", len(read.results))
    text = event if isinstance(event, FulltextCompleted) else None
    await run.publish(
        StudyExtracted(
            meta=run.meta(StudyExtracted, part),
            study_id=study.study_id,
            candidate_id=study.candidate_id,
            fulltext_source=text.fulltext_source if text and sections else None,
            license=text.license if text and sections else None,
            results=read.results,
            variables=read.variables,
            reason=text.reason if text else None,
            elapsed_s=round(monotonic() - started, 4),
        )
    )
    note = reports[0].title[:200]
    await run.bus.progress(Progress.of(run, "extract studies", note=note))


async def _reports(run: Run, study: SelectedStudy) -> list[EvidenceCandidate]:
    """The reports of a study, the main one first."""
    found = [await run.require(EvidenceNormalised, track=track) for track in study.tracks]
    return list(works_in(found, study.reports).values())


async def on_exhausted(event: Event | None, run: Run, error: Exception) -> None:
    """A study that no retry helped: the review goes on without it and says so."""
    if not isinstance(event, FulltextCompleted | ExtractionRequested):
        await end_in_failure(event, run, error)
        return
    part = parse_subject(event.meta.event_id).part
    await run.publish(
        StudyExtracted(
            meta=run.meta(StudyExtracted, part),
            study_id=event.candidate_id,
            candidate_id=event.candidate_id,
            not_extracted=public_message("extractor", error),
            elapsed_s=0.0,
        )
    )
