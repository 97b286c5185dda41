"""Whether a trial tested what the question asks. A trial cited for what it did not test misleads.

ARISE (NCT00975793) tested early goal-directed therapy; that its patients got vasopressors says nothing about which
vasopressor to choose. So only the places where a trial says what it tested count: its title, its arms, and the
sentences of its abstract about allocation and aim. A drug that occurs only among the results was not tested.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import EntityKind, Intent, QuestionAnalysis
from openwork_contracts.ranking import TrialFit
from openwork_evidence.text import abstract_text, render_parts
from openwork_knowledge.designs import TRIALS
from openwork_knowledge.patterns import pattern
from openwork_knowledge.tables import words
from openwork_language.abbreviations import definitions_in
from openwork_language.sentences import split_sentences
from openwork_language.terms import class_members, find_terms, is_member, same_term
from openwork_language.tokens import COMMON_TOKENS, token_set, tokenise

_RESULT_LABELS = words("trial-aims", "result_label")
_TESTED = re.compile(rf"\b{pattern('trial-aims', 'tested')}\b", re.IGNORECASE)
"""Where a trial says what it tests. Not "randomization": "in the first 6 hours after randomization" is a result."""
_RESULT = re.compile(r"\d(?:\.\d+)?\s*%|\bP\s*[<=>]|\b95\s?% ?CI\b|\bhazard ratio\b|\bvs?\.? \d", re.IGNORECASE)
"""A sentence with such figures reports a result, even where an abstract has no labels."""
ENOUGH_WORDS = 0.6
"""Share of a name's telling words that must occur: "goal-directed resuscitation" is "early goal-directed therapy"."""
_NO_INTERVENTION = re.compile(rf"\b{pattern('comparators', 'no_intervention')}\b", re.IGNORECASE)
_UNTESTABLE_INTENTS = frozenset({Intent.DIAGNOSTIC_CRITERIA, Intent.DIAGNOSIS, Intent.SCREENING, Intent.PROGNOSIS})
"""Questions that no allocation answers: a trial's cohort may serve them whatever was allocated."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One intervention of the question under its names."""

    label: str
    names: tuple[str, ...]
    is_slot: bool = False
    """Words of a slot that the lexicon does not know as one term."""


def trial_fit(analysis: QuestionAnalysis, candidate: EvidenceCandidate) -> TrialFit:
    """Whether a trial tested an intervention that the question names, its class, or a drug of that class.

    Marks a misfit only when it is known what the trial tested and nothing of it is asked about. A trial of one of two
    compared treatments fits, with a message that the comparison is indirect. Other designs, and questions that name no
    intervention, always fit.
    """
    if candidate.study_design not in TRIALS or analysis.intent in _UNTESTABLE_INTENTS:
        return TrialFit()
    asked = _asked(analysis)
    tested = _tested_text(candidate)
    if not asked or not tested:
        return TrialFit()
    names = _tested_names(candidate, tested)
    spoken = token_set(tested)
    matched = [a for a in asked if _is_tested(a, names, spoken)]
    if not matched:
        what = _describe(candidate, names)
        return TrialFit(misfit=True, message=f"tested {what}; the question is about {_listed(a.label for a in asked)}")
    missing = [a for a in asked if a not in matched]
    if analysis.intent is Intent.COMPARATIVE_ANALYSIS and missing and len(names) > 1:
        text = f"tested {_describe(candidate, names)}, not {_listed(a.label for a in missing)}: an indirect comparison"
        return TrialFit(message=text)
    return TrialFit()


def _asked(analysis: QuestionAnalysis) -> list[_Asked]:
    """Drugs of the question, procedures in its intervention and comparison slots, and what else stands there.

    What stands in the outcome slot alone is measured, not given: cortisol as a stress marker, morphine as rescue.
    """
    slots = [s for s in (*analysis.pico.intervention, *analysis.pico.comparison) if not _NO_INTERVENTION.search(s)]
    asked = [
        _Asked(e.text, (e.text, e.name, *e.synonyms))
        for e in analysis.entities
        if _stands_in(e.text, slots) or (e.kind is EntityKind.DRUG and not _stands_in(e.text, analysis.pico.outcome))
    ]
    for slot in slots:
        covered = any(name.lower() in slot.lower() or slot.lower() in name.lower() for a in asked for name in a.names)
        if not covered and token_set(slot) - COMMON_TOKENS:
            asked.append(_Asked(slot, (slot,), is_slot=True))
    return asked


def _stands_in(text: str, slots: Iterable[str]) -> bool:
    return any(text.lower() in slot.lower() or slot.lower() in text.lower() for slot in slots)


def _tested_text(candidate: EvidenceCandidate) -> str:
    """Title, arms and the sentences on allocation and aim; empty when arms and such sentences are both missing."""
    parts = [p for p in candidate.abstract if not any(word in (p.label or "").lower() for word in _RESULT_LABELS)]
    sentences = [s.text for s in split_sentences(render_parts(parts))]
    stated = [s for s in sentences if _TESTED.search(s) and not _RESULT.search(s)]
    arms = [arm.name for arm in candidate.arms]
    if not arms and not stated:
        return ""
    tested = "\n".join([candidate.title, *arms, *stated])
    longs = [long for short, long in definitions_in(abstract_text(candidate)).items() if short in tested]
    return "\n".join([tested, *longs])


def _tested_names(candidate: EvidenceCandidate, tested: str) -> tuple[str, ...]:
    kinds = (EntityKind.DRUG, EntityKind.PROCEDURE)
    found = (t for t in find_terms(tested) if t.kind in kinds and not _NO_INTERVENTION.search(t.text))
    return tuple(dict.fromkeys(t.name for t in found))


def _is_tested(asked: _Asked, names: tuple[str, ...], words: frozenset[str]) -> bool:
    if any(_mostly_in(name, words) for name in asked.names) or (asked.is_slot and _begins_in(asked.label, words)):
        return True
    if any(words >= token_set(member) for name in asked.names for member in class_members(name)):
        return True
    return any(_related(asked_name, name) for asked_name in asked.names for name in names)


def _begins_in(slot: str, words: frozenset[str]) -> bool:
    """Whether the first telling word of a slot is tested, or any two: a slot trails doses and durations."""
    telling = [t for t in tokenise(slot) if t not in COMMON_TOKENS and t.isalpha()]
    return bool(telling) and (telling[0] in words or len(words.intersection(telling)) > 1)


def _mostly_in(name: str, words: frozenset[str]) -> bool:
    tokens = token_set(name)
    telling = tokens - COMMON_TOKENS or tokens
    return bool(telling) and len(telling & words) >= ENOUGH_WORDS * len(telling)


def _related(asked: str, tested: str) -> bool:
    return same_term(asked, tested) or is_member(tested, asked) or is_member(asked, tested)


def _describe(candidate: EvidenceCandidate, names: tuple[str, ...]) -> str:
    arms = [arm.name for arm in candidate.arms if arm.name]
    known = arms[:4] or (names[:4] if len(names) > 1 else ())
    return _listed(known) if known else f'what its title says ("{candidate.title.rstrip(".")}")'


def _listed(names: Iterable[str]) -> str:
    *first, last = [*dict.fromkeys(names)] or [""]
    return f"{', '.join(first)} and {last}" if first else last
