"""Whether treatment as such is asked about, of a disease that is told, and no drug by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import PopulationKind, PopulationTerm
from openwork_knowledge.notation import any_of
from openwork_language.mentions import Idea
from openwork_language.quantities.number_words import NUMBER_WORDS

_TREATED = re.compile(
    r"\b(?:treating|treatment of|therapy (?:of|for)|drug treatment|lowering)\s|\b(?:is|are|gets?|being|be) treated\b"
    r"|\b(?:i|we) treat\b|\btreat (?:it|this|him|her|them)\b",
    re.IGNORECASE,
)
_COURSE = re.compile(r"\b(?:treatment|therapy|treat|course|regimen)\b", re.IGNORECASE)
_AMOUNT = re.compile(
    rf"(?:\d+|{any_of(NUMBER_WORDS)})(?:[- ]?(?:hours?|d|days?|wks?|weeks?|mo|months?|yrs?|years?))?", re.IGNORECASE
)

_ENOUGH = re.compile(r"\b(?:enough|suffic\w+|adequate)\b(?! (?:evidence|data|proof|power))", re.IGNORECASE)
_DURATION = re.compile(rf"\b(?:\d+|{any_of(NUMBER_WORDS)})[- ]?(?:days?|wks?|weeks?|mo|months?|yrs?|years?)\b", re.I)


def is_treated(question: str, people: Sequence[PopulationTerm]) -> bool:
    """Whether treatment as such is asked about, of a disease that is told: of none, anything given would be."""
    return _has_a_disease(people) and _TREATED.search(question) is not None


def is_a_course(question: str, people: Sequence[PopulationTerm]) -> bool:
    """Whether a course of treatment of a disease that is told is asked about."""
    return _has_a_disease(people) and _COURSE.search(question) is not None


def asks_if_enough(question: str) -> bool:
    """Whether a duration is asked to be enough: of one against placebo nothing follows about a longer one."""
    return _ENOUGH.search(question) is not None and _DURATION.search(question) is not None


def has_a_duration(text: str) -> bool:
    """Whether words tell how long something is given: "for 5 days"."""
    return _DURATION.search(text) is not None


def asks_for_how_long(question: str) -> bool:
    """Whether a question asks how long something is given, and not whether: of one duration nothing follows."""
    return _ASKS_HOW_LONG.search(question) is not None


_ASKS_HOW_LONG = re.compile(r"\b(?:for )?how (?:long|many (?:days|weeks|months|years))\b", re.IGNORECASE)


def _has_a_disease(people: Sequence[PopulationTerm]) -> bool:
    return any(term.kind is PopulationKind.CONDITION and term.wanted for term in people)


def are_amounts(treatments: Sequence[Idea]) -> bool:
    """Whether what is given is told by how much of it alone: "10 mg"."""
    return bool(treatments) and all(_DOSE.fullmatch(idea.term.strip()) for idea in treatments)


_DOSE = re.compile(r"\d[\d.,]*\s?(?:mg|g|mcg|micrograms?|units?|IU)(?:/kg)?", re.IGNORECASE)


def are_only_figures(treatments: Sequence[Idea], comparators: Sequence[Idea]) -> bool:
    """Whether what is set against each other are amounts alone: "4 mo", "6"."""
    ideas = (*treatments, *comparators)
    return bool(ideas) and all(not idea.names and _AMOUNT.fullmatch(idea.term.strip()) for idea in ideas)
