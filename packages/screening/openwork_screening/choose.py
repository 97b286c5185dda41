"""Which of the included studies are read, and in what order, where there are more than the review reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_knowledge.designs import OBSERVATIONAL, SYNTHESES, TRIALS
from openwork_language.people_studied import people_studied

from openwork_screening.studies import Study

MAX_STUDIES = 20
"""Read by default: a rapid review. 19 of 26 published reviews of SYNERGY (DOI 10.34894/HE6NAQ) included more."""
MOST_STUDIES = 200
SYNTHESES_SHARE = 4
"""One in so many studies read is a synthesis, while there are others: their figures are other studies' and are not
pooled (docs/adr/0030)."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is read, and what is not."""

    read: tuple[Study, ...]
    never_read: tuple[Study, ...]
    """Not excluded and not read, since there were more than the review reads: named and counted."""


def choose(
    studies: Sequence[Study],
    relevance: Mapping[str, float],
    max_studies: int = MAX_STUDIES,
    unsure: Set[str] = frozenset(),
) -> Chosen:
    """Reviews, then trials by people, then observational studies by people, then the rest; equal ones by relevance.

    Reviews are at most a quarter of what is read while there are other studies.

    Studies of which no report was surely to be included stand behind all others: in doubt a report is read (Cochrane
    Handbook 4.6.4), as far as there is room. Size is a rank: no study is left out for being small.

    Args:
        relevance: candidate id -> score of the first ranking; absent = 0.
        max_studies: in [1, 200].
        unsure: ids of candidates about which nobody could tell.
    Raises:
        ValueError: `max_studies` outside these.
    """
    if not 1 <= max_studies <= MOST_STUDIES:
        raise ValueError(f"max_studies is {max_studies}; give 1 to {MOST_STUDIES}")
    ordered = sorted(studies, key=lambda study: _rank(study, relevance))
    syntheses = [study for study in ordered if study.main.study_design in SYNTHESES and not is_unsure(study, unsure)]
    surplus = {study.study_id for study in syntheses[-(-max_studies // SYNTHESES_SHARE) :]}
    ordered.sort(key=lambda study: (is_unsure(study, unsure), study.study_id in surplus))
    return Chosen(tuple(ordered[:max_studies]), tuple(ordered[max_studies:]))


def is_unsure(study: Study, unsure: Set[str]) -> bool:
    """Whether no report of a study was surely to be included."""
    return all(report.candidate_id in unsure for report in study.reports)


def _rank(study: Study, relevance: Mapping[str, float]) -> tuple[int, int, float]:
    design = study.main.study_design
    people = max(map(_people, study.reports), default=0)
    best = max((relevance.get(report.candidate_id, 0.0) for report in study.reports), default=0.0)
    if design in SYNTHESES:
        return 0, 0, -best
    group = 1 if design in TRIALS or design is StudyDesign.TRIAL_REGISTRATION else 2 if design in OBSERVATIONAL else 3
    return group, -people, -best


def _people(report: EvidenceCandidate) -> int:
    """People of a report: its source's own field, else what its abstract says; 0 = neither does."""
    if report.sample_size:
        return report.sample_size
    told = people_studied(" ".join(part.text for part in report.abstract))
    return told.people if told else 0
