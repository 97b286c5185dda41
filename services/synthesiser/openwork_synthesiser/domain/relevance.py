"""How well a sentence answers the question, in [0, 1], and whether it may stand in the direct answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from openwork_contracts.evidence import EvidenceStatus, StudyDesign
from openwork_contracts.gap import GapAssessment
from openwork_contracts.question import EntityKind, Intent, QuestionAnalysis
from openwork_knowledge.designs import weight
from openwork_knowledge.patterns import pattern
from openwork_language.effects.find import stance_of
from openwork_language.mentions import Idea, idea_of, idea_tokens, names_in, speaks_of
from openwork_language.quantities.compare import find_quantities
from openwork_language.quantities.quantity import QuantityKind
from openwork_language.ranges import Ranges, agreement, ranges_in
from openwork_language.terms import find_terms, is_member
from openwork_language.tokens import COMMON_TOKENS

from openwork_synthesiser.domain.statements import Role, Statement
from openwork_synthesiser.domain.thresholds import LIMITS, RelevanceWeights

_OTHER_LEVEL = 0.3
_ROLE_WEIGHT = {Role.RECOMMENDATION: 1.0, Role.RESULT: 1.0, Role.CONCLUSION: 0.9, Role.OTHER: 0.5, Role.LIMITATION: 0.0}
_FIRST_CHOICE = re.compile(
    rf"\b(?:{pattern('question-cues', 'first')}|first[- ][a-z]+ treatment|(?:places?|names?|gives?) \w+ first\b)",
    re.IGNORECASE,
)
_ASKS_FOR_GUIDELINE = re.compile(rf"\b{pattern('question-cues', 'guideline')}\b", re.IGNORECASE)
_ASKS_FOR_DRUG = re.compile(
    rf"\b(?:what|which)\b.*\b{pattern('question-cues', 'drug')}\b|\bfirst[- ]line\b", re.IGNORECASE
)
_DEFINES = re.compile(r"\bdefin(?:es?|ed)\b|\bdefinition of\b", re.IGNORECASE)
_DEFINITION_INTENTS = frozenset({Intent.DIAGNOSTIC_CRITERIA, Intent.DIAGNOSIS, Intent.SCREENING})
_LABEL_INTENTS = frozenset({Intent.DOSING, Intent.ADVERSE_EVENTS})


@dataclass(frozen=True, slots=True)
class _Term:
    idea: Idea
    citations: frozenset[int]
    ranges: Ranges
    """Ages, kidney function or ejection fraction that the term names."""


class Scorer:
    """The question, read once, against which sentences are scored."""

    def __init__(
        self, analysis: QuestionAnalysis, gap: GapAssessment, weights: RelevanceWeights = LIMITS.relevance
    ) -> None:
        self._weights = weights
        question = analysis.question
        self._population = _terms(analysis, gap, "population")
        self._interventions = _terms(analysis, gap, "intervention")
        self._comparisons = _terms(analysis, gap, "comparison")
        self._outcomes = _terms(analysis, gap, "outcome")
        self._settings = [frozenset(a.citations) for a in gap.aspects if a.slot == "setting"]
        self._asked = idea_tokens(question) - COMMON_TOKENS
        self._ranges = ranges_in(question)
        self._named = {name for e in analysis.entities for name in names_in(e.text)}
        self._has_treatment = bool(self._interventions or self._comparisons)
        self._has_both = self._has_treatment and bool(self._population)
        self._asks_for_drug = not self._has_treatment and bool(_ASKS_FOR_DRUG.search(question))
        self._asks_first = bool(_FIRST_CHOICE.search(question))
        self._asks_guideline = bool(_ASKS_FOR_GUIDELINE.search(question))
        self._asks_definition = analysis.intent in _DEFINITION_INTENTS
        self._prefers_label = analysis.intent in _LABEL_INTENTS

    def score(self, statement: Statement) -> Statement:
        """The statement with its relevance."""
        weights = self._weights
        treatment = self._treatment(statement)
        population = _mean([self._credit(t, statement) for t in self._population], empty=1.0)
        outcome = _mean([self._outcome(t, statement) for t in self._outcomes], empty=self._clinical(statement))
        setting = all(statement.n in citations for citations in self._settings)
        people = self._people(statement)
        relevance = (
            weights.treatment * treatment
            + weights.population * population
            + (weights.outcome if self._outcomes else weights.clinical_outcome) * outcome
            + weights.words * self._overlap(statement)
            + weights.level * self._level(statement)
            + weights.role * self._role(statement)
            + weights.recency * _recency(statement)
            + weights.passage * statement.passage.score
            + weights.people * people
            + weights.place / (1 + statement.place)
            + weights.first_choice * self._first_choice(statement)
            - weights.only_defines * self._only_defines(statement)
            - weights.other_drugs * self._about_other_drugs(statement, treatment)
        )
        on_topic = treatment > 0 and population >= weights.min_population_on_topic and setting
        on_topic = on_topic and (self._has_both or self._shared(statement) >= weights.min_shared_words)
        if people <= weights.other_people and agreement(self._ranges, ranges_in(statement.text)) == 0:
            on_topic = False  # Only its title tells that it is about other people: alone, the sentence would mislead.
        return replace(
            statement,
            relevance=max(0.0, min(1.0, (relevance if setting else relevance / 2) / weights.sum_of_weights)),
            directness=treatment,
            on_topic=on_topic,
            answers=on_topic
            and people > weights.other_people
            and treatment >= (1.0 if self._comparisons else 0.5)
            and population >= weights.min_population
            and not statement.passage.fit.misfit
            and statement.document.status is not EvidenceStatus.CONCERN
            and statement.role is not Role.LIMITATION,
        )

    def _outcome(self, term: _Term, statement: Statement) -> float:
        """A document about an outcome reports others too: only the sentence itself counts in full."""
        return (
            1.0
            if speaks_of(statement.text, term.idea)
            else min(self._weights.in_document, self._credit(term, statement))
        )

    def _people(self, statement: Statement) -> float:
        """Whether the figures for age, kidney function or ejection fraction are those asked about: -1 to 1."""
        return agreement(self._ranges, _told(statement))

    def _credit(self, term: _Term, statement: Statement) -> float:
        if speaks_of(statement.text, term.idea):
            return 1.0
        in_document = self._weights.in_document
        if term.ranges:
            told = agreement(term.ranges, _told(statement))
            return 1.0 if told > 0 else in_document if told == 0 else 0.0
        if speaks_of(". ".join((statement.document.title, *statement.document.mesh_terms)), term.idea):
            return self._weights.in_title
        return in_document if statement.n in term.citations else 0.0

    def _role(self, statement: Statement) -> float:
        is_guideline = statement.document.study_design is StudyDesign.GUIDELINE
        if is_guideline and statement.role is not Role.RECOMMENDATION:
            return self._weights.guideline_aside
        return _ROLE_WEIGHT[statement.role]

    def _overlap(self, statement: Statement) -> float:
        """Share of the question's own words in the sentence and, for less, in the title."""
        if not self._asked:
            return 0.0
        title = idea_tokens(statement.document.title)
        return (0.6 * len(self._asked & self._words_of(statement)) + 0.4 * len(self._asked & title)) / len(self._asked)

    def _words_of(self, statement: Statement) -> frozenset[str]:
        """The sentence's words, and those of the terms that it names otherwise: icosapent ethyl says omega-3."""
        named = (t for t in (*self._interventions, *self._comparisons) if speaks_of(statement.text, t.idea))
        return statement.tokens.union(*(idea_tokens(t.idea.term) for t in named))

    def _shared(self, statement: Statement) -> float:
        words = self._words_of(statement) | idea_tokens(statement.document.title)
        return len(self._asked & words) / len(self._asked) if self._asked else 0.0

    def _first_choice(self, statement: Statement) -> float:
        """A question for the first choice is answered by sentences that say what comes first."""
        if not self._asks_first:
            return 0.0
        return 1.0 if _FIRST_CHOICE.search(statement.text) else -0.5

    def _only_defines(self, statement: Statement) -> bool:
        return not self._asks_definition and _DEFINES.search(statement.text) is not None

    def _treatment(self, statement: Statement) -> float:
        if not self._has_treatment and not self._asks_for_drug:
            return 1.0
        if self._asks_for_drug:
            return float(any(t.kind is EntityKind.DRUG for t in find_terms(statement.text)))
        named = [speaks_of(statement.text, t.idea) for t in self._interventions]
        others = [speaks_of(statement.text, t.idea) for t in self._comparisons]
        if not self._comparisons:
            return max(
                _mean([float(x) for x in named], empty=1.0), self._weights.by_class * self._names_class(statement)
            )
        if any(others) and (any(named) or not named):
            return 1.0
        return (
            self._weights.one_arm
            if any(named) or any(others)
            else self._weights.by_class * self._names_class(statement)
        )

    def _names_class(self, statement: Statement) -> bool:
        """Guidelines often speak of the class and not of the drug: "a factor Xa inhibitor"."""
        classes = [t.name for t in find_terms(statement.text) if t.is_class]
        return any(is_member(drug, drug_class) for drug in self._named for drug_class in classes)

    def _level(self, statement: Statement) -> float:
        design = statement.document.study_design
        if self._prefers_label and design is StudyDesign.DRUG_LABEL:
            return 1.0
        level = weight(design, _OTHER_LEVEL)
        return level if design is StudyDesign.GUIDELINE or not self._asks_guideline else 0.6 * level

    def _clinical(self, statement: Statement) -> float:
        """No outcome was asked for: what matters to patients, best with its figures."""
        clinical = stance_of(statement.text).clinical_outcome
        figures = any(q.kind is QuantityKind.EFFECT for q in find_quantities(statement.text))
        return 0.4 + 0.3 * clinical + 0.3 * figures

    def _about_other_drugs(self, statement: Statement, treatment: float) -> bool:
        """Names a drug that is not asked about, and not both that are: "apixaban or warfarin"."""
        if treatment >= 1.0 or not self._comparisons:
            return False
        drugs = {t.name.casefold() for t in find_terms(statement.text) if t.kind is EntityKind.DRUG}
        return any(not any(d == asked or is_member(d, asked) for asked in self._named) for d in drugs)


def _terms(analysis: QuestionAnalysis, gap: GapAssessment, slot: str) -> list[_Term]:
    terms = []
    for aspect in gap.aspects:
        if aspect.slot == slot:
            synonyms = [
                s
                for e in analysis.entities
                if e.text.casefold() in aspect.term.casefold()
                for s in (e.name, *e.synonyms)
            ]
            terms.append(_Term(idea_of(aspect.term, synonyms), frozenset(aspect.citations), ranges_in(aspect.term)))
    return terms


def _told(statement: Statement) -> Ranges:
    """The people a sentence is about: its own figures before those of the title."""
    return {**ranges_in(statement.document.title), **ranges_in(statement.text)}


def _mean(values: Sequence[float], *, empty: float) -> float:
    return sum(values) / len(values) if values else empty


def _recency(statement: Statement) -> float:
    """0 for 1995 and before, 1 for 2025 and after."""
    year = statement.document.year
    return 0.3 if year is None else max(0.0, min(1.0, (year - 1995) / 30))
