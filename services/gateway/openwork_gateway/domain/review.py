"""A deep review out of a run's events: records with their decisions, studies with their cells, the table, the flow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from openwork_answers.naming import study_name
from openwork_contracts.evidence import EvidenceCandidate, EvidenceNormalised
from openwork_contracts.extraction import StudyExtracted
from openwork_contracts.meta import Event
from openwork_contracts.question import Track
from openwork_contracts.ranking import DocumentsRanked, FulltextCompleted
from openwork_contracts.review import Review, ReviewStudy, ReviewWork, ScreenedRecord, TrackDecision
from openwork_contracts.screening import ScreeningCompleted, ScreeningDecision, SelectedStudy, StudiesSelected
from openwork_contracts.subjects import parse_subject
from openwork_contracts.tabulation import EvidenceTabulated
from openwork_evidence.library.references import resolved_candidate

E = TypeVar("E", bound=Event)

_PLACES = {track.value: place for place, track in enumerate(Track)}


@dataclass(frozen=True, slots=True)
class _Known:
    """What the events tell, by what they are of."""

    works: Mapping[str, EvidenceCandidate]
    decisions: Mapping[str, Mapping[Track, ScreeningDecision]]
    found_by: Mapping[str, Sequence[Track]]
    scores: Mapping[tuple[Track, str], float]
    extracted: Mapping[str, StudyExtracted]
    texts: Mapping[str, FulltextCompleted]


def review_of(events: Sequence[Event]) -> Review | None:
    """The review; `None` = it did not come to its table."""
    tabulated = _last(events, EvidenceTabulated)
    selected = _last(events, StudiesSelected)
    if tabulated is None or selected is None:
        return None
    known = _known(events)
    named = {signal.candidate_id for signal in tabulated.signals}
    return Review(
        flow=tabulated.flow,
        outcomes=tabulated.outcomes,
        studies=tuple(_study(one, known) for one in selected.studies),
        never_read=tuple(_study(one, known) for one in selected.never_read),
        screened=tuple(_screened(known)),
        signals=tabulated.signals,
        signal_works=tuple(_work(known.works[name]) for name in known.works if name in named),
        summary=tabulated.summary,
        limits=tabulated.limits,
    )


def _last(events: Sequence[Event], model: type[E]) -> E | None:
    return next((event for event in reversed(events) if isinstance(event, model)), None)


def _place(track: str) -> int:
    """Of a track among the tracks; one that is not known comes last."""
    return _PLACES.get(track, len(_PLACES))


def _known(events: Sequence[Event]) -> _Known:
    """What the events tell, the same whichever track was the faster one."""
    works: dict[str, EvidenceCandidate] = {}
    decisions: dict[str, dict[Track, ScreeningDecision]] = {}
    found_by: dict[str, list[Track]] = {}
    scores: dict[tuple[Track, str], float] = {}
    extracted: dict[str, StudyExtracted] = {}
    texts: dict[str, FulltextCompleted] = {}
    for event in sorted(events, key=lambda event: _place(event.meta.track)):
        match event:
            case EvidenceNormalised():
                for one in event.candidates:
                    works.setdefault(one.candidate_id, resolved_candidate(one))
                    found_by.setdefault(one.candidate_id, []).append(Track(event.meta.track))
            case ScreeningCompleted():
                for decision in event.decisions:
                    decisions.setdefault(decision.candidate_id, {})[Track(event.meta.track)] = decision
            case DocumentsRanked():
                scores |= {(Track(event.meta.track), one.candidate_id): one.score for one in event.shortlist}
            case StudyExtracted():
                extracted[parse_subject(event.meta.event_id).part] = event
            case FulltextCompleted():
                texts[parse_subject(event.meta.event_id).part] = event
            case _:
                pass
    return _Known(works, decisions, found_by, scores, extracted, texts)


def _study(study: SelectedStudy, known: _Known) -> ReviewStudy:
    work = known.works[study.candidate_id]
    extracted, text = known.extracted.get(study.part or ""), known.texts.get(study.part or "")
    late = "nothing had come of it by the deadline" if study.part and extracted is None else None
    return ReviewStudy(
        study_id=study.study_id,
        name=study_name(work),
        work=_work(work),
        reports=study.reports,
        tracks=study.tracks,
        unsure=study.unsure,
        sample_size=work.sample_size,
        funding=work.funding,
        fulltext_source=extracted.fulltext_source if extracted else None,
        fulltext_url=text.url if text and extracted and extracted.fulltext_source else None,
        license=extracted.license if extracted else None,
        reason=extracted.reason if extracted else None,
        results=extracted.results if extracted else (),
        variables=extracted.variables if extracted else (),
        not_extracted=extracted.not_extracted if extracted else late,
    )


def _screened(known: _Known) -> Iterator[ScreenedRecord]:
    """Records in the order of the tracks, each where it was found first, best first within."""

    def key(name: str) -> tuple[int, float]:
        first = known.found_by[name][0]
        return _place(first.value), -known.scores.get((first, name), 0.0)

    for name in sorted(known.works, key=key):
        yield ScreenedRecord(
            work=_work(known.works[name]),
            decisions=tuple(
                TrackDecision(
                    track=track,
                    decision=known.decisions.get(name, {}).get(track),
                    score=known.scores.get((track, name)),
                )
                for track in known.found_by[name]
            ),
        )


def _work(one: EvidenceCandidate) -> ReviewWork:
    return ReviewWork(
        candidate_id=one.candidate_id,
        title=one.title,
        identifiers=one.identifiers,
        authors=one.authors[:6],
        collective_author=one.collective_author,
        journal=one.journal,
        year=one.year,
        study_design=one.study_design,
        status=one.status,
        sources=one.sources,
    )
