"""A library record: a study in our own words, with identifiers, counts, effects, and where each was confirmed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, date, datetime
from importlib.resources import files
from pathlib import Path

from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import (
    AbstractPart,
    EvidenceRecord,
    EvidenceStatus,
    Identifiers,
    OutcomeResult,
    Recommendation,
    TextOrigin,
    TrialArm,
)
from pydantic import BaseModel, ConfigDict, Field, ValidationError

SOURCE = "library"
_SHARED = set(OutcomeResult.model_fields)
"""What of a result goes into evidence; the rest stays in the library."""
SHIPPED_AT = datetime(2026, 11, 21, tzinfo=UTC)
"""Retrieval time of the records that come with the project: the day they were last confirmed."""


class Rate(BaseModel):
    """Events per person-time of one arm: never a share of people."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    arm: str
    rate: float = Field(ge=0)
    per: str = Field(pattern=r"^[1-9][\d,]* (?:person|patient|woman)-(?:year|month|week|day)s$")
    """The person-time that `rate` is for, e.g. "100 person-years"."""


class LibraryResult(OutcomeResult):
    """An outcome, and why its effect is not what its counts give, where it is not."""

    rates: tuple[Rate, ...] = ()
    """Where rates per person-time were published; `arms` hold only counts of people."""
    recompute_note: str | None = None


class Confirmation(BaseModel):
    """Where facts of a record were confirmed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    facts: str
    reference: str
    url: str | None = None


class SecondReading(BaseModel):
    """A record read again beside its reference, by eyes that did not write it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    on: date
    references: tuple[str, ...] = Field(min_length=1)
    """What was read: PubMed identifiers, addresses."""
    corrected: tuple[str, ...] = ()
    """What was wrong and has been mended, or was taken out because nothing reachable states it."""


class LibraryRecord(BaseModel):
    """One record as its JSON file holds it. Text is ours, facts are the publication's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    topic: str
    pmid: str | None
    pmcid: str | None
    doi: str | None
    nct_id: str | None
    registration: str | None = None
    """Number in another registry than ClinicalTrials.gov: "ISRCTN12345678"."""
    title: str
    authors: tuple[str, ...]
    collective_author: str | None
    journal: str | None
    year: int | None
    publication_types: tuple[str, ...]
    mesh_terms: tuple[str, ...]
    status: EvidenceStatus
    summary: tuple[AbstractPart, ...] = Field(min_length=1)
    arms: tuple[TrialArm, ...]
    results: tuple[LibraryResult, ...]
    recommendations: tuple[Recommendation, ...]
    follow_up: str | None
    funding: str | None
    url: str | None
    confirmed_in: tuple[Confirmation, ...]
    unconfirmed: tuple[str, ...]
    """What was looked for and found nowhere that could be reached; it is left out of the record."""
    second_reading: SecondReading | None = None

    def to_evidence(self) -> EvidenceRecord:
        """The record as the normaliser takes it."""
        ns = tuple(arm.n for arm in self.arms if arm.n)
        return EvidenceRecord(
            source=SOURCE,
            source_id=self.key,
            identifiers=Identifiers(
                pmid=self.pmid,
                pmcid=self.pmcid,
                doi=self.doi,
                nct_ids=(self.nct_id,) if self.nct_id else (),
                url=self.url,
            ),
            title=self.title,
            abstract=self.summary,
            authors=self.authors,
            collective_author=self.collective_author,
            journal=self.journal,
            year=self.year,
            publication_types=self.publication_types,
            mesh_terms=self.mesh_terms,
            language="eng",
            sample_size=sum(ns) if ns and len(ns) == len(self.arms) else None,
            status=self.status,
            arms=self.arms,
            results=tuple(OutcomeResult(**result.model_dump(include=_SHARED)) for result in self.results),
            recommendations=self.recommendations,
            funding=self.funding,
            text_origin=TextOrigin.OUR_SUMMARY,
            retrieved_at=SHIPPED_AT,
        )


def load_shipped() -> tuple[LibraryRecord, ...]:
    """The starter library, sorted by key."""
    folder = files("openwork_evidence.library") / "records"
    return _load(
        (entry.name, entry.read_text(encoding="utf-8")) for entry in folder.iterdir() if entry.name.endswith(".json")
    )


IMPORTED = "imported.jsonl"
"""File of imported records in the library folder: one `EvidenceRecord` a line."""


def load_imported(folder: Path) -> tuple[EvidenceRecord, ...]:
    """Records that `openwork library import` wrote; none when nothing was imported.

    One that was written before records said whose words they are is a document of the asker's: nothing else is known.

    Raises:
        UsageError: a line is not a record; the message names the line and the first field that is wrong.
    """
    path = folder / IMPORTED
    if not path.is_file():
        return ()
    records = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            records.append(_with_origin(EvidenceRecord.model_validate_json(line)))
        except ValidationError as error:
            raise UsageError(f"{path}, line {number} cannot be read: {_first(error)}; import the file again") from error
    return tuple(records)


def _with_origin(record: EvidenceRecord) -> EvidenceRecord:
    known = record.text_origin is not TextOrigin.UNKNOWN_ORIGIN
    return record if known else record.model_copy(update={"text_origin": TextOrigin.USER_DOCUMENT})


def _load(texts: Iterable[tuple[str, str]]) -> tuple[LibraryRecord, ...]:
    records = []
    for name, text in texts:
        try:
            records += [LibraryRecord.model_validate(item) for item in json.loads(text)]
        except (ValueError, TypeError, ValidationError) as error:
            raise UsageError(f"library file {name} cannot be read: {_first(error)}") from error
    return tuple(sorted(records, key=lambda record: record.key))


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        found = error.errors(include_input=False)[0]
        return f"{'.'.join(map(str, found['loc']))}: {found['msg']}"
    return str(error)
