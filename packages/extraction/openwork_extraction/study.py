"""What is read, and what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceCandidate,
    EvidenceRecord,
    Identifiers,
    OutcomeResult,
    TextOrigin,
    TrialArm,
)
from openwork_contracts.ranking import FullText, TextSection
from openwork_contracts.tables import Table


@dataclass(frozen=True, slots=True)
class Asked:
    """One comparison and one outcome, in the asker's words."""

    intervention: str
    comparator: str
    outcome: str
    time: str | None = None
    """As "6 months"; `None` = the last follow-up stands first."""
    one_group: bool = False
    """The study has no other group: every figure of its tables is of one arm, before or after."""


@dataclass(frozen=True, slots=True)
class StudyText:
    """Everything that is known of one study: its full text, its abstract, its registry results."""

    study: str
    """Name or identifier that cells carry."""
    title: str = ""
    sections: tuple[TextSection, ...] = ()
    """Of the full text; empty = there is none."""
    abstract: tuple[AbstractPart, ...] = ()
    arms: tuple[TrialArm, ...] = ()
    registered: tuple[OutcomeResult, ...] = ()
    """Results as a trial registry gives them."""
    identifiers: Identifiers = field(default_factory=Identifiers)
    funding: str | None = None
    text_origin: TextOrigin = TextOrigin.PUBLISHER

    @classmethod
    def of(cls, record: EvidenceCandidate | EvidenceRecord, fulltext: FullText | None = None) -> Self:
        """A record as sources gave it, with its full text where one was read."""
        structured = record.structured_origin if isinstance(record, EvidenceCandidate) else None
        registry = (structured or record.text_origin) is TextOrigin.REGISTRY
        name = record.candidate_id if isinstance(record, EvidenceCandidate) else record.source_id
        return cls(
            study=name,
            title=record.title,
            sections=fulltext.sections if fulltext else (),
            abstract=record.abstract,
            arms=record.arms,
            registered=record.results if registry else (),
            identifiers=record.identifiers,
            funding=record.funding,
            text_origin=record.text_origin,
        )

    @property
    def tables(self) -> tuple[tuple[TextSection, Table], ...]:
        """The tables that have rows, each with its section."""
        return tuple((s, s.table) for s in self.sections if s.table is not None and s.table.rows)

    @property
    def prose(self) -> tuple[TextSection, ...]:
        """Sections of running text of the full text, its abstract among them."""
        return tuple(s for s in self.sections if s.table is None and s.text and s.kind in ("text", "abstract"))
