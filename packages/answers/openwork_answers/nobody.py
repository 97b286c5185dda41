"""Terms read as who is meant that are nobody: where an event was, the last of a list, what makes no difference."""

from __future__ import annotations

import re
from functools import cache

from openwork_contracts.question import EntityKind, PopulationKind, PopulationTerm, QuestionAnalysis
from openwork_knowledge import mesh
from openwork_knowledge.tables import words

from openwork_answers.outcomes import groups_in
from openwork_answers.terms_asked_about import is_asked_about

_WORD = re.compile(r"[^\W_][\w'-]*")
_WHATEVER = re.compile(
    r"\b(?:irrespective|regardless|independent(?:ly)?)\s+of\s+(?:(?:the|their|his|her|its|a|an)\s+)?"
    r"(?:(?!(?:in|after|with|among|for|on|during)\b)[\w-]+\s+){0,2}$",
    re.IGNORECASE,
)
_OF_THE_EVIDENCE = re.compile(
    r"^(?:taking|considering|pooling|looking at|putting|across)\b.*\b(?:trials?|stud(?:y|ies)|data|evidence)\b",
    re.IGNORECASE,
)
""" "[Taking all the big trials together], does ...?"."""
_ELSEWHERE = re.compile(r"(?:an?\s+)?(?:another|different|new|second|other)\s", re.IGNORECASE)
_IN = re.compile(r"\s+in\s+(?:an?\s+)?", re.IGNORECASE)
_OR = re.compile(r"\s+or\s+$", re.IGNORECASE)


def makes_no_difference(before: str) -> bool:
    """Whether what stands before words says that they restrict nobody and are not asked about: "irrespective of
    [baseline cholesterol]"."""
    return _WHATEVER.search(before) is not None


def is_nobody(term: PopulationTerm, analysis: QuestionAnalysis) -> bool:
    """Whether a term for people is of none."""
    if makes_no_difference(analysis.question[: term.start]) or _OF_THE_EVIDENCE.search(term.text):
        return True
    if _is_either_way(term, analysis.question):
        return True
    if _ON_ECG.search(term.text) or _is_grade_of_harm(term, analysis.question):
        return True
    is_unknown = term.kind in _BY_WORDS and term.name is None and term.measure is None
    if is_unknown and (_is_of_the_sentence(term) or is_organ(term.text)):
        return True
    return term.kind is PopulationKind.OTHER and (_is_where_it_was(term, analysis) or _ends_a_list(term, analysis))


_ITS = re.compile(r"(?:the|his|her|their|its)\s+(?P<what>[a-z]+)", re.IGNORECASE)


_SOMEBODY = frozenset(
    {"fetus", "foetus", "mother", "father", "family", "baby", "child", "infant", "newborn", "neonate"}
)


def is_organ(text: str) -> bool:
    """Whether words name a part of the body and no more: "to spare [the kidneys]"."""
    found = _ITS.fullmatch(text)
    if found is not None and found["what"].lower() in _SOMEBODY:
        return False
    named = mesh.subject(found["what"]) if found else None
    return named is not None and not named.is_condition and not mesh.trees_of(named.mesh_id)


_WITH_OR = re.compile(r"\bwith\s+(?:or|and)\s+$", re.IGNORECASE)
_LACKS = re.compile(r"(?:without|not|no)\b", re.IGNORECASE)
_OR_NOT = re.compile(r"\s+or\s+not\b", re.IGNORECASE)
_ASIDE = re.compile(r"(?:,|\bwhether)\s+(?:(?:they\s+are|or not)\s+)?$", re.IGNORECASE)


def said_either_way(analysis: QuestionAnalysis) -> tuple[PopulationTerm, ...]:
    """The terms that restrict nobody, since who has it and who has not are meant alike."""
    return tuple(term for term in analysis.pico.people if _is_either_way(term, analysis.question))


def _is_either_way(term: PopulationTerm, question: str) -> bool:
    """Whether people who have something are meant as well as those who have not: "with or [without diabetes]", "HFrEF
    patients, [diabetic] or not"; what ends a question by "or not?" is asked of them."""
    before = question[: term.start]
    if _WITH_OR.search(before) and _LACKS.match(term.text):
        return True
    return _ASIDE.search(before) is not None and _OR_NOT.match(question, term.end) is not None


_ON_ECG = re.compile(r"\bST(?:[- ]segment)?[- ]depression\b")
""" "With ST depression" tells of a tracing, and of no low mood."""


def _is_grade_of_harm(term: PopulationTerm, question: str) -> bool:
    """Whether a grade is that of what a treatment does unwanted: "serious ([grade 3] or worse) side effects"."""
    if term.kind is not PopulationKind.STAGE or not _GRADE.match(term.text):
        return False
    return _HARM_BEHIND.match(question, term.end) is not None or _HARM_BEFORE.search(question[: term.start]) is not None


_GRADE = re.compile(r"grades?\s", re.IGNORECASE)
_HARM = r"(?:adverse\s+(?:events?|effects?|reactions?)|side[- ]effects?|toxicit\w+|reactions?)"
_HARM_BEHIND = re.compile(
    rf"\s*(?:(?:or|and|to)\s+(?:worse|higher|more|above|\d)\s*)?\)?\s*(?:[\w-]+\s+){{0,2}}?{_HARM}\b", re.IGNORECASE
)
_HARM_BEFORE = re.compile(rf"\b{_HARM}\s+(?:of\s+|at\s+)?\(?$", re.IGNORECASE)
_BY_WORDS = frozenset({PopulationKind.OTHER, PopulationKind.CONDITION, PopulationKind.TIME_COURSE})
"""Kinds of terms that may be free words, known to no list."""


def _is_of_the_sentence(term: PopulationTerm) -> bool:
    """Whether words are of the sentence and of anybody ("oxygen for [everyone] with chest pain", "[yes] or no"): only
    those that are listed as such, for any other word may say of whom."""
    written = _WORD.findall(term.text)
    return term.wanted and bool(written) and all(word.lower() in _nobody() for word in written)


@cache
def _nobody() -> frozenset[str]:
    return frozenset(words("everyday-health", "nobody"))


def _is_where_it_was(term: PopulationTerm, analysis: QuestionAnalysis) -> bool:
    """Whether words behind an event tell where it was: "a stroke in [another vascular territory]"."""
    if not _ELSEWHERE.match(term.text):
        return False
    return any(_IN.fullmatch(analysis.question, end, term.start) for _, end in _events_before(term, analysis))


def _ends_a_list(term: PopulationTerm, analysis: QuestionAnalysis) -> bool:
    """Whether a word that no list knows is joined by "or" to an event that nobody is said to have: "admission for
    atrial fibrillation or [flutter]"."""
    question = analysis.question
    if not _OR.search(question[: term.start]):
        return False
    had = [(t.start, t.end) for t in analysis.pico.people if not is_asked_about(t, question)]
    joined = [start for start, end in _events_before(term, analysis) if _OR.fullmatch(question, end, term.start)]
    return bool(joined) and not any(a <= start < b for start in joined for a, b in had)


def _events_before(term: PopulationTerm, analysis: QuestionAnalysis) -> list[tuple[int, int]]:
    """Where diseases and events are named that end before a term."""
    named = [(e.start, e.end) for e in analysis.entities if e.kind is EntityKind.DISEASE]
    return [(start, end) for start, end in (*named, *groups_in(analysis.question)) if end < term.start]
