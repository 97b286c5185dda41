"""The starter set: recommendations of guidelines, each in one sentence of ours, with where it was confirmed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path

from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import AbstractPart, EvidenceRecord, Identifiers, Recommendation, TextOrigin
from openwork_contracts.guidance import CountryCode, GuidelineFacts
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from openwork_evidence.library.record import Confirmation

SOURCE = "guidelines"
IMPORTED = "guidelines.jsonl"
"""File of imported guidelines in the library folder: one `EvidenceRecord` a line."""
CONFIRMED_ON = datetime(2026, 11, 26, tzinfo=UTC)
"""Retrieval time of the starter set: the day it was confirmed."""
MOST_IN_TEXT = 12
"""Recommendations that a record's text holds: an imported guideline may have hundreds, an answer has three."""


class StarterRecommendation(BaseModel):
    """One recommendation: our sentence, the guideline's own grading."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(min_length=20, max_length=400, pattern=r"\.$")
    number: str | None = None
    strength: str | None = None
    class_of_recommendation: str | None = None
    level_of_evidence: str | None = None
    locator: str | None = None
    page: int | None = Field(default=None, ge=1)
    confirmed_in: tuple[Confirmation, ...] = Field(min_length=1)


class StarterGuideline(BaseModel):
    """One guideline as its file holds it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str = Field(pattern=r"^[a-z0-9-]+$")
    topic: str
    organisation: str
    bodies: tuple[str, ...] = ()
    country: CountryCode
    year: int | None = Field(ge=1990, le=2100)
    title: str
    journal: str | None = None
    pmid: str | None = None
    pmcid: str | None = None
    doi: str | None = None
    url: str | None = None
    mesh_terms: tuple[str, ...] = ()
    superseded_by: str | None = None
    wording: str = "copyrighted"
    """"copyrighted", "public domain" or a licence: whether the body's own words might be shipped. These are ours."""
    recommendations: tuple[StarterRecommendation, ...] = Field(min_length=1)
    unconfirmed: tuple[str, ...] = ()
    """What was looked for and found nowhere that could be reached."""

    def to_evidence(self) -> EvidenceRecord:
        """The record as the normaliser takes it."""
        return EvidenceRecord(
            source=SOURCE,
            source_id=self.key,
            identifiers=Identifiers(pmid=self.pmid, pmcid=self.pmcid, doi=self.doi, url=self.url),
            title=self.title,
            abstract=(recommendations_part(tuple(map(_recommendation, self.recommendations))),),
            collective_author=self.organisation,
            journal=self.journal,
            year=self.year,
            publication_types=("Practice Guideline",),
            mesh_terms=self.mesh_terms,
            language="eng",
            recommendations=tuple(map(_recommendation, self.recommendations)),
            guideline=GuidelineFacts(
                organisation=self.organisation,
                bodies=self.bodies,
                country=self.country,
                year=self.year,
                superseded_by=self.superseded_by,
            ),
            text_origin=TextOrigin.OUR_SUMMARY,
            retrieved_at=CONFIRMED_ON,
        )


def _recommendation(one: StarterRecommendation) -> Recommendation:
    return Recommendation(**one.model_dump(exclude={"confirmed_in"}), text_origin=TextOrigin.OUR_SUMMARY)


def recommendations_part(recommendations: tuple[Recommendation, ...]) -> AbstractPart:
    """Recommendations as a text that passages are cut from: a sentence each; their grading stands in their fields.

    Without a label, which would be read as a part of the first.
    """
    return AbstractPart(text=" ".join(map(_sentence, recommendations[:MOST_IN_TEXT])))


def _sentence(one: Recommendation) -> str:
    """Its text as it is, so that what reads recommendations out of passages finds the same one and no second."""
    text = one.text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


@cache
def starter() -> tuple[StarterGuideline, ...]:
    """The starter set, sorted by key.

    Raises:
        UsageError: a file is not what the model says; the message names it.
    """
    folder = files("openwork_evidence.guidelines") / "records"
    found: list[StarterGuideline] = []
    for entry in folder.iterdir():
        if entry.name.endswith(".json"):
            try:
                items = json.loads(entry.read_text(encoding="utf-8"))
                found += [StarterGuideline.model_validate(item) for item in items]
            except (ValueError, TypeError, ValidationError) as error:
                raise UsageError(f"guideline file {entry.name} cannot be read: {error}") from error
    return tuple(sorted(found, key=lambda one: one.key))


def imported(folder: Path) -> tuple[EvidenceRecord, ...]:
    """Guidelines that `openwork guidelines import` wrote; none when nothing was imported.

    Raises:
        UsageError: a line is not a record; the message names it.
    """
    path = folder / IMPORTED
    if not path.is_file():
        return ()
    records = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            records.append(EvidenceRecord.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise UsageError(
                f"{path}, line {number} cannot be read: {where}: {first['msg']}; import the file again"
            ) from error
    return tuple(records)
