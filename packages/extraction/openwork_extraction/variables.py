"""What is recorded of every study beside its results: each with value, place and words, or why none.

The table is `variables.toml`. Code fills what one sentence says; what needs judgement (a mechanism, a risk of bias, a
summary) is for a model or a person and says so. `not_reported` is told from `not_found`: the first needs the part of
the text where it would stand.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Literal

from openwork_contracts.cells import CellPlace
from openwork_contracts.ranking import TextSection
from openwork_knowledge.countries import countries_in, country_name
from openwork_language.sentences import split_sentences
from pydantic import BaseModel, ConfigDict, Field

from openwork_extraction.results import ArmNumbers, StudyResult
from openwork_extraction.spans import people_spans
from openwork_extraction.study import StudyText

_ELSEWHERE = re.compile(r"\b(?:introduction|background|discussion|references|conclusions?)\b", re.IGNORECASE)
_MOST_CHARS = 400


class Status(StrEnum):
    """What became of a variable."""

    GIVEN = "given"
    NOT_REPORTED = "not_reported"
    """The part where it would stand was read, and says nothing of it."""
    NOT_FOUND = "not_found"
    """There is no text, or not the part of it where this would stand."""
    NOT_BY_CODE = "not_by_code"
    """It takes judgement: a model or a person fills it."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a study."""

    name: str
    status: Status
    value: str | None = None
    place: CellPlace | None = None
    words: str | None = None
    """The sentence or the cell it stands in; `None` = it is a field of the record."""


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z_]*$")
    by: Literal["code", "record", "results", "model"]
    parts: str | None = None
    find: tuple[str, ...] = ()
    none: tuple[str, ...] = ()


class _Rows(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    variable: tuple[_Row, ...]


@cache
def _table() -> tuple[_Row, ...]:
    text = files("openwork_extraction").joinpath("variables.toml").read_text("utf-8")
    return _Rows.model_validate(tomllib.loads(text)).variable


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


def names_by(who: Literal["code", "record", "results", "model"]) -> tuple[str, ...]:
    """The variables that are filled by `who`, in the order of the table."""
    return tuple(row.name for row in _table() if row.by == who)


def variables_of(study: StudyText, result: StudyResult | None = None) -> tuple[Variable, ...]:
    """Every variable of a study, in the order of the table.

    Args:
        result: of the outcome that is asked: its effect, the rates and the sizes of its arms.
    """
    return tuple(_variable(row, study, result) for row in _table())


def people_of(study: StudyText) -> int | None:
    """How many people the study has, where its text says a number in digits; `None` = it does not."""
    row = next(row for row in _table() if row.name == "sample_size_total")
    found = _of_text(row, study)
    digits = (found.value or "").replace(",", "") if found else ""
    return int(digits) if digits.isdigit() else None


def _variable(row: _Row, study: StudyText, result: StudyResult | None) -> Variable:
    if row.by == "model":
        return Variable(row.name, Status.NOT_BY_CODE)
    if row.by == "record":
        return _of_record(row.name, study)
    if row.by == "results":
        return _of_result(row.name, result)
    found = _READERS.get(row.name, _of_text)(row, study)
    if found is not None:
        return found
    if row.name == "funding_source" and study.funding:
        return Variable(row.name, Status.GIVEN, study.funding)
    return Variable(row.name, Status.NOT_REPORTED if _part_was_read(row, study) else Status.NOT_FOUND)


def _of_record(name: str, study: StudyText) -> Variable:
    ids = study.identifiers
    url = ids.url or (f"https://doi.org/{ids.doi}" if ids.doi else None)
    value = {"pmid": ids.pmid, "doi": ids.doi, "title": study.title or None, "url": url}[name]
    return Variable(name, Status.GIVEN if value else Status.NOT_FOUND, value)


def _of_result(name: str, result: StudyResult | None) -> Variable:
    """Of the effect and the arms of a result; a rate is events over people, as a fraction."""
    if result is None:
        return Variable(name, Status.NOT_FOUND)
    if name == "effect_size":
        cell = result.effect
        if cell is None or cell.interval is None:
            return Variable(name, Status.NOT_FOUND)
        value = f"{cell.measure or 'effect'} {cell.value} ({cell.interval.low} to {cell.interval.high})"
        return Variable(name, Status.GIVEN, value, cell.place, cell.words)
    arm = result.intervention if name in ("experimental_event_rate", "sample_size_intervention") else result.comparator
    if arm is None or arm.n is None:
        return Variable(name, Status.NOT_FOUND)
    if name.startswith("sample_size"):
        return Variable(name, Status.GIVEN, arm.n.value, arm.n.place, arm.n.words)
    return _rate(name, arm)


def _rate(name: str, arm: ArmNumbers) -> Variable:
    if arm.events is None or arm.n is None or int(arm.n.value) == 0:
        return Variable(name, Status.NOT_FOUND)
    value = f"{int(arm.events.value) / int(arm.n.value):.4f}"
    return Variable(name, Status.GIVEN, value, arm.events.place or arm.n.place, arm.events.words)


def _sections(row: _Row, study: StudyText) -> Iterator[TextSection]:
    """Where a variable may stand: the title, then the abstract, then the sections of its parts."""
    if study.title and row.parts and "title" in row.parts:
        yield TextSection(path=("Title",), text=study.title, start=0, end=len(study.title))
    prose = study.prose
    if not any(section.kind == "abstract" for section in prose):
        for part in study.abstract:
            path = ("Abstract", part.label) if part.label else ("Abstract",)
            yield TextSection(path=path, text=part.text, start=0, end=len(part.text), kind="abstract")
    for section in prose:
        path_words = " > ".join(section.path)
        if section.kind != "abstract" and _ELSEWHERE.search(path_words):
            continue
        if row.parts is None or _pattern(row.parts).search(path_words):
            yield section


def _of_text(row: _Row, study: StudyText) -> Variable | None:
    sections = tuple(_sections(row, study))
    for source, says_none in (*((s, True) for s in row.none), *((s, False) for s in row.find)):
        pattern = _pattern(source)
        for section in sections:
            for sentence in split_sentences(section.text):
                match = pattern.search(sentence.text)
                if match is None:
                    continue
                group = 0 if says_none else "value"
                start, end = sentence.start + match.start(group), sentence.start + match.end(group)
                place = CellPlace(section=" > ".join(section.path), start=start, end=end)
                said = sentence.text if says_none else match[group]
                value = " ".join(said.split()).strip(" ,:")[:_MOST_CHARS]
                return Variable(row.name, Status.GIVEN, value, place, sentence.text)
    return None


_WHERE = re.compile(
    r"\b(?:conducted|performed|carried\s+out|recruited|enrolled|undertaken|hospitals?|clinics?|universit(?:y|ies)|"
    r"participants|patients|cent(?:er|re)s?)\b",
    re.IGNORECASE,
)


def _of_country(row: _Row, study: StudyText) -> Variable | None:
    """The first country of a sentence that says where people came from."""
    for section in _sections(row, study):
        for sentence in split_sentences(section.text):
            found = countries_in(sentence.text) if _WHERE.search(sentence.text) else ()
            if found:
                place = CellPlace(
                    section=" > ".join(section.path),
                    start=sentence.start + found[0].start,
                    end=sentence.start + found[0].end,
                )
                return Variable(row.name, Status.GIVEN, country_name(found[0].name), place, sentence.text)
    return None


def _of_people(row: _Row, study: StudyText) -> Variable | None:
    """Who was studied, in the text's own words: the first people who are told of with a number, else the first."""
    first: Variable | None = None
    for section in _sections(row, study):
        for sentence in split_sentences(section.text):
            for span in people_spans(sentence.text):
                words = " ".join(sentence.text[span.start : span.end].split())
                if len(words.split()) < 2:
                    continue
                place = CellPlace(
                    section=" > ".join(section.path), start=sentence.start + span.start, end=sentence.start + span.end
                )
                found = Variable(row.name, Status.GIVEN, words[:_MOST_CHARS], place, sentence.text)
                if _COUNTED.match(words):
                    return found
                first = first or found
    return first


_COUNTED = re.compile(r"(?:a total of )?\d", re.IGNORECASE)
_READERS = {"country": _of_country, "population": _of_people}
"""By the name of a variable that no pattern of one sentence finds."""


def _part_was_read(row: _Row, study: StudyText) -> bool:
    """Whether the text has the part where a variable would stand: its abstract alone is not enough."""
    body = [section for section in study.prose if section.kind != "abstract"]
    if not body:
        return False
    if row.parts is None:
        return True
    return any(_pattern(row.parts).search(" > ".join(section.path)) for section in body)
