"""The studies of a review as the table reads them."""

from __future__ import annotations

from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceCandidate, StudyDesign
from openwork_contracts.extraction import ExtractedResult
from openwork_knowledge.designs import OBSERVATIONAL, SYNTHESES


@dataclass(frozen=True, slots=True)
class StudyInTable:
    """One study that was read."""

    study_id: str
    name: str
    """The trial's name or the first author, and the year."""
    document: EvidenceCandidate
    """The report that stands for it."""
    results: tuple[ExtractedResult, ...]

    @property
    def design(self) -> StudyDesign:
        """Of the main report."""
        return self.document.study_design

    @property
    def is_synthesis(self) -> bool:
        """It holds other studies, which would count twice."""
        return self.design in SYNTHESES or self.design in (StudyDesign.GUIDELINE, StudyDesign.REVIEW)

    @property
    def is_observational(self) -> bool:
        """Nobody was randomised."""
        return self.design in OBSERVATIONAL
