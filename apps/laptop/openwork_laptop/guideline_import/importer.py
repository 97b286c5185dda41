"""A file of the asker's becomes guidelines as records; every file and every row is accounted for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import PurePath

from openwork_contracts.errors import OpenWorkError, UsageError
from openwork_contracts.evidence import EvidenceRecord, Identifiers, Recommendation, TextOrigin
from openwork_contracts.guidance import GuidelineFacts
from openwork_evidence.findable import is_findable
from openwork_evidence.guidelines.facts import edition_year, facts_of
from openwork_evidence.guidelines.record import SOURCE, recommendations_part
from openwork_evidence.identifiers import clean_doi, clean_pmid
from openwork_knowledge.countries import code_of
from pydantic import ValidationError

from openwork_laptop.guideline_import.documents import read_document, read_rows
from openwork_laptop.guideline_import.found import find_recommendations

COLUMNS = {
    "guideline": ("guideline", "title", "document"),
    "organisation": ("organisation", "organization", "body", "society"),
    "country": ("country",),
    "year": ("year",),
    "recommendation": ("recommendation", "text", "statement"),
    "class": ("class", "cor", "class of recommendation"),
    "level": ("level", "loe", "level of evidence"),
    "strength": ("strength", "grade"),
    "number": ("number", "no", "id"),
    "page": ("page",),
    "locator": ("locator", "section", "table"),
    "url": ("url", "link", "address"),
    "doi": ("doi",),
    "pmid": ("pmid",),
    "superseded_by": ("superseded_by", "superseded by", "replaced by"),
}
"""Columns of a CSV file and the headings that stand for each; only `recommendation` has to be there."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the asker says of the files; it wins over what they say themselves."""

    organisation: str | None = None
    country: str | None = None
    year: int | None = None
    title: str | None = None
    url: str | None = None
    superseded_by: str | None = None


@dataclass(slots=True)
class FileReport:
    """What became of one file."""

    name: str
    format: str = "unknown"
    recommendations: int = 0
    graded: int = 0
    """Of them, with a class, a level or a strength."""
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Imported:
    """The guidelines and what became of every file."""

    records: tuple[EvidenceRecord, ...]
    files: tuple[FileReport, ...]


def import_guidelines(files: Sequence[tuple[str, bytes]], told: Told, *, retrieved_at: datetime) -> Imported:
    """Read files of any of the known kinds; one that cannot be read is said, and the others are still read.

    Raises:
        UsageError: a country that nobody knows was given.
    """
    if told.country and code_of(told.country) is None:
        raise UsageError(
            f"no country is called {told.country!r}; give its name or its two letters (IN), EU or international"
        )
    records: list[EvidenceRecord] = []
    reports = []
    for name, body in files:
        report = FileReport(PurePath(name).name)
        reports.append(report)
        try:
            records += _read(body, report, told, retrieved_at)
        except OpenWorkError as error:
            report.warnings.append(f"could not be read: {error}")
    return Imported(tuple(records), tuple(reports))


def _read(body: bytes, report: FileReport, told: Told, at: datetime) -> list[EvidenceRecord]:
    if report.name.lower().endswith((".csv", ".tsv")):
        return _of_rows(body, report, told, at)
    document = read_document(body, report.name)
    report.format = document.format
    report.warnings += document.warnings
    found = find_recommendations(document.blocks)
    _count(found.recommendations, report)
    for n, words in (
        (found.n_repeated, "recommendations stand there more than once and were taken once"),
        (found.n_too_long, "passages that recommend are too long to be one recommendation and were left out"),
        (
            found.n_only_should,
            "sentences say only what should be done, and were left out beside worded recommendations",
        ),
        (found.n_tables_not_read, "tables with a class or a level have no column of recommendations and were not read"),
    ):
        if n:
            report.warnings.append(f"{n} {words}")
    if not found.recommendations:
        report.warnings.append("no recommendation was recognised; a CSV of them can be imported instead")
        return []
    title = told.title or document.title or PurePath(report.name).stem
    by_itself = facts_of(f"{title} {document.opening}", None, None)
    facts = _facts(told, by_itself, title, document.year)
    ids = document.identifiers
    ids = ids.model_copy(update={"url": told.url or ids.url})
    return [_record(title, facts, ids, found.recommendations, report, at)]


def _of_rows(body: bytes, report: FileReport, told: Told, at: datetime) -> list[EvidenceRecord]:
    report.format = "csv"
    rows = read_rows(body, report.name, _column)
    if rows and not any("recommendation" in row for row in rows):
        raise UsageError(
            f"no column is called 'recommendation'; read are the columns {', '.join(COLUMNS)} (docs/guidelines.md)"
        )
    guidelines: dict[tuple[str, ...], _Rows] = {}
    n_empty = n_wrong = 0
    for row in rows:
        if not row.get("recommendation"):
            n_empty += 1
        elif (one := _recommendation(row)) is None:
            n_wrong += 1
        else:
            key = tuple(row.get(name, "") for name in ("guideline", "organisation", "year"))
            guidelines.setdefault(key, _Rows()).add(row, one)
    for n, words in ((n_empty, "rows without a recommendation"), (n_wrong, "rows whose text is not valid")):
        if n:
            report.warnings.append(f"{n} {words} were left out")
    if not rows:
        report.warnings.append("holds no rows below its header")
    return [_of_one(own, report, told, at) for own in guidelines.values()]


@dataclass(slots=True)
class _Rows:
    """The rows of one guideline: what the first of them that says it says of the document."""

    first: dict[str, str] = field(default_factory=dict)
    recommendations: list[Recommendation] = field(default_factory=list)

    def add(self, row: dict[str, str], one: Recommendation) -> None:
        self.first = {**row, **self.first}
        self.recommendations.append(one)


def _recommendation(row: dict[str, str]) -> Recommendation | None:
    page = row.get("page", "")
    try:
        return Recommendation(
            text=row["recommendation"],
            class_of_recommendation=row.get("class"),
            level_of_evidence=row.get("level"),
            strength=row.get("strength"),
            number=row.get("number"),
            locator=row.get("locator"),
            page=int(page) if page.isdecimal() and 0 < int(page) < 100_000 else None,
            text_origin=TextOrigin.USER_DOCUMENT,
        )
    except ValidationError:
        return None


def _of_one(own: _Rows, report: FileReport, told: Told, at: datetime) -> EvidenceRecord:
    row = own.first
    country, year, organisation = row.get("country", ""), row.get("year", ""), row.get("organisation")
    if country and code_of(country) is None:
        report.warnings.append(f"no country is called {country[:40]!r}; left empty")
    by_row = Told(
        organisation=told.organisation or organisation,
        country=told.country or (country if code_of(country or "-") else None),
        year=told.year or (int(year) if re.fullmatch(r"(?:19|20)\d\d", year) else None),
        superseded_by=told.superseded_by or row.get("superseded_by"),
    )
    name = told.title or row.get("guideline") or organisation or PurePath(report.name).stem
    facts = _facts(by_row, facts_of(f"{name} {organisation or ''}", None, None), name, None)
    ids = Identifiers(
        doi=clean_doi(row.get("doi", "")),
        pmid=clean_pmid(row.get("pmid", "")),
        url=_address(told.url or row.get("url", "")),
    )
    _count(own.recommendations, report)
    return _record(name, facts, ids, own.recommendations, report, at)


def _column(heading: str) -> str | None:
    bare = " ".join(heading.strip().casefold().replace("_", " ").split())
    return next((name for name, others in COLUMNS.items() if bare in {o.replace("_", " ") for o in others}), None)


def _address(url: str) -> str | None:
    return url if re.match(r"https?://\S+$", url or "") else None


def _count(recommendations: Sequence[Recommendation], report: FileReport) -> None:
    report.recommendations += len(recommendations)
    report.graded += sum(bool(r.class_of_recommendation or r.level_of_evidence or r.strength) for r in recommendations)


def _facts(told: Told, by_itself: GuidelineFacts, title: str, year: int | None) -> GuidelineFacts:
    """What the asker says, else what the document's first words say."""
    by_name = facts_of(told.organisation, None, None) if told.organisation else by_itself
    first = "/".join(by_itself.bodies[:3]) or None
    return GuidelineFacts(
        organisation=told.organisation or first,
        bodies=by_name.bodies or by_itself.bodies,
        country=code_of(told.country) if told.country else by_name.country or by_itself.country,
        year=told.year or edition_year(title) or year,
        superseded_by=told.superseded_by,
    )


def _record(
    title: str,
    facts: GuidelineFacts,
    ids: Identifiers,
    recommendations: Sequence[Recommendation],
    report: FileReport,
    at: datetime,
) -> EvidenceRecord:
    if not is_findable(ids):
        report.warnings.append(
            f"{title[:60]!r} has no DOI, PMID or address: it is listed, and no answer rests on it; give --url"
        )
    if facts.country is None:
        report.warnings.append(f"{title[:60]!r}: its country is not told; give --country")
    key = sha256("|".join((title, facts.organisation or "", str(facts.year or ""))).encode()).hexdigest()[:16]
    return EvidenceRecord(
        source=SOURCE,
        source_id=f"imported-{key}",
        identifiers=ids,
        title=title,
        abstract=(recommendations_part(tuple(recommendations)),),
        collective_author=facts.organisation,
        year=facts.year,
        publication_types=("Practice Guideline",),
        recommendations=tuple(recommendations),
        guideline=facts,
        text_origin=TextOrigin.USER_DOCUMENT,
        retrieved_at=at,
    )
