"""What of a question tells a target ("systolic below 120") and no people, and where a target stands for a drug."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from openwork_contracts.question import PopulationKind, PopulationTerm, QuestionAnalysis
from openwork_knowledge.classes import class_named
from openwork_language.mentions import Idea

from openwork_answers.given import asking_from
from openwork_answers.targets import Target, is_aimed_at, is_implied, is_measure, names_measure, target_of

SET_AGAINST = re.compile(r"\b(?:versus|vs|v|compared (?:with|to)|against)\b", re.IGNORECASE)


def are_classes_to_a_target(treatments: Sequence[Idea], analysis: QuestionAnalysis) -> bool:
    """Whether only classes are named, and set two targets against each other: "antihypertensives, below 120 or 140"."""
    if not all(class_named(name) for idea in treatments for name in list(idea.names)[:1]):
        return False
    target = target_of(analysis.question, apart_from_targets(analysis.pico.people, analysis.question))
    return target is not None and bool(target.tested) and bool(target.compared)


def is_bound(term: PopulationTerm) -> bool:
    """ "SBP <130": where nothing is given, what is aimed at."""
    return term.kind is PopulationKind.MEASURE and term.low is None and term.high is not None


def aims_without_drug(treatments: Sequence[Idea], analysis: QuestionAnalysis) -> bool:
    """Whether who asks tells of a drug and then asks about a target: "On noradrenaline. Is a MAP of 60 enough?"."""
    if (which := _WHICH_TARGET.search(analysis.question)) is not None and names_measure(which[0]):
        target = target_of(analysis.question, apart_from_targets(analysis.pico.people, analysis.question))
        return target is not None and bool(target.tested)
    start = asking_from(analysis.question)
    if not start or any(analysis.question.find(idea.term, start) >= 0 for idea in treatments):
        return False
    target = target_of(analysis.question[start:], ())
    return target is not None and bool(target.tested)


_WHICH_TARGET = re.compile(
    r"\b(?:what|which|how (?:low|high))\b[^?.;]{0,30}\b(?:targets?|aims?|goals?|thresholds?|aim for)\b"
    r"|\b(?:what|which)\b[^?.;]{2,30}\bshould (?:i|we|one) (?:target|aim for|go for|accept)\b",
    re.IGNORECASE,
)
""" "What MAP should I target?", "which haemoglobin threshold?": whatever drug is told beside it."""


def apart_from_targets(people: Iterable[PopulationTerm], question: str) -> list[PopulationTerm]:
    """Without what tells a target: "aiming below 120", and a measure with two figures: "SBP <120 vs <140"."""
    return [
        term
        for term in people
        if not is_aimed_at(term.text)
        and not (_tells_figure(term) and _OTHER_FIGURE.match(question[term.end :].lstrip()))
    ]


_OTHER_FIGURE = re.compile(
    rf"{SET_AGAINST.pattern}|(?:instead of|rather than|or)\s+(?:[a-z]+\s+){{0,3}}\d", re.IGNORECASE
)


def _tells_figure(term: PopulationTerm) -> bool:
    """Whether a term is a figure of what may be treated to a target: "MAP around 80"."""
    return term.kind is PopulationKind.MEASURE or (
        term.kind in {PopulationKind.OTHER, PopulationKind.TIME_COURSE}
        and names_measure(term.text)
        and re.search(r"\d", term.text) is not None
    )


def is_of_target(term: PopulationTerm, target: Target) -> bool:
    """Whether a term tells the target and no people: "aiming below 120", "systolic under 120"."""
    figures = {figure for _, figure in (*target.tested, *target.compared)}
    if term.wanted and is_implied(target, term):
        return True
    return term.kind in {PopulationKind.MEASURE, PopulationKind.OTHER} and (
        is_measure(target, term.text) or term.low in figures or term.high in figures
    )
