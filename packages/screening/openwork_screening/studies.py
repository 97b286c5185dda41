"""Reports of one study: joined by the number of its registration. One study counts once, however often it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_knowledge.designs import SYNTHESES

_REGISTERED_AS = "registered_as"


@dataclass(frozen=True, slots=True)
class Study:
    """One study and its reports."""

    study_id: str
    """The registration, e.g. "NCT01035255"; of a study without one the id of its only report."""
    reports: tuple[EvidenceCandidate, ...]
    """The main one first: a published trial before its registration, the oldest publication before later ones."""

    @property
    def main(self) -> EvidenceCandidate:
        """The report that stands for the study."""
        return self.reports[0]


def studies_of(candidates: Sequence[EvidenceCandidate]) -> tuple[Study, ...]:
    """Candidates by study, in the order of their first report.

    Only what says itself of which one registration it is is joined: syntheses and guidelines name those of others, and
    a publication that names several pools them.
    """
    by_study: dict[str, list[EvidenceCandidate]] = {}
    for candidate in candidates:
        by_study.setdefault(_study_of(candidate), []).append(candidate)
    return tuple(Study(name, tuple(sorted(reports, key=_place))) for name, reports in by_study.items())


def _study_of(candidate: EvidenceCandidate) -> str:
    if candidate.study_design in SYNTHESES or candidate.study_design is StudyDesign.GUIDELINE:
        return candidate.candidate_id
    numbers = dict.fromkeys(
        (
            *candidate.identifiers.nct_ids,
            *(link.nct_id for link in candidate.links if link.kind == _REGISTERED_AS and link.nct_id),
        )
    )
    return next(iter(numbers)) if len(numbers) == 1 else candidate.candidate_id


def _place(candidate: EvidenceCandidate) -> tuple[bool, int, str]:
    """A registration after publications, an older publication first."""
    is_registration = candidate.study_design is StudyDesign.TRIAL_REGISTRATION
    return is_registration, candidate.year or 9999, candidate.candidate_id
