"""From the decisions of all tracks to the studies that are read: each study once, whoever found it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import Track
from openwork_contracts.screening import RecordsScreened, SelectedStudy

from openwork_screening.choose import MAX_STUDIES, choose, is_unsure
from openwork_screening.studies import Study, studies_of


@dataclass(frozen=True, slots=True)
class Screened:
    """One track: what was found, what was decided, how relevant each record seemed."""

    track: Track
    candidates: Mapping[str, EvidenceCandidate]
    """By id."""
    decided: RecordsScreened
    relevance: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Selection:
    """The studies of a review."""

    read: tuple[SelectedStudy, ...]
    never_read: tuple[SelectedStudy, ...]


def select(tracks: Sequence[Screened], max_studies: int = MAX_STUDIES) -> Selection:
    """Studies of the records that no track excluded. Of a record that several found the first track's stands.

    Raises:
        ValueError: `max_studies` outside [1, 200].
    """
    works: dict[str, EvidenceCandidate] = {}
    found_by: dict[str, list[Track]] = {}
    for track in tracks:
        for name in (*track.decided.included, *track.decided.unsure):
            works.setdefault(name, track.candidates[name])
            found_by.setdefault(name, []).append(track.track)
    included = {name for track in tracks for name in track.decided.included}
    relevance: dict[str, float] = {}
    for track in tracks:
        for name, score in track.relevance.items():
            relevance[name] = max(score, relevance.get(name, 0.0))
    unsure = frozenset(works) - included
    chosen = choose(studies_of(list(works.values())), relevance, max_studies, unsure)

    def selected(study: Study, part: str | None) -> SelectedStudy:
        names = tuple(report.candidate_id for report in study.reports)
        return SelectedStudy(
            study_id=study.study_id,
            part=part,
            candidate_id=study.main.candidate_id,
            reports=names,
            tracks=tuple(track.track for track in tracks if any(track.track in found_by[name] for name in names)),
            unsure=is_unsure(study, unsure),
        )

    return Selection(
        tuple(selected(study, f"work-{place:03d}") for place, study in enumerate(chosen.read, 1)),
        tuple(selected(study, None) for study in chosen.never_read),
    )
