"""The rungs of a strategy, from strict to broad, and the policy of filters.

What is required follows the Cochrane Handbook (chapter 4, 4.4.2): health condition and intervention; outcomes are not,
since abstracts do not name all of them, unless there is no second concept without them. Filters are a policy by
intent: publication types on the strict rung alone, so that an older pivotal trial or a safety cohort without the type
is found on the next; a date floor only where the asker wanted recent evidence; an abstract is never required.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openwork_contracts.question import Intent, QuestionAnalysis
from openwork_contracts.strategy import (
    BlockRole,
    SearchBlock,
    SearchFilters,
    SearchRung,
    SearchStrategy,
    StudyFilter,
    TermKind,
    grouped,
)

from openwork_language.searching.blocks import blocks_of
from openwork_language.searching.concepts import clean_term, listed_people, words_concept
from openwork_language.searching.topic import is_technical

ENOUGH_CONCEPTS = 2
"""Concepts from which words beside them need not occur: a treatment and a condition, say."""
MAX_TECHNICAL_WORDS = 2
"""Technical words that the strict rung requires beside two concepts."""
MAX_WORDS = 3
"""Words that a strict rung requires where no concept was recognised. Of 204 BioASQ questions, the words alone match
some of the evidence of 79 % with two words, of 73 % with three, of 65 % with four."""

Groups = tuple[tuple[int, ...], ...]

_TRIALS = (StudyFilter.RANDOMISED_TRIAL, StudyFilter.CLINICAL_TRIAL)
STUDIES_BY_INTENT: dict[Intent, tuple[StudyFilter, ...]] = {
    Intent.TREATMENT_GUIDELINE: (StudyFilter.GUIDELINE, StudyFilter.SYNTHESIS, StudyFilter.RANDOMISED_TRIAL),
    Intent.EFFICACY: (StudyFilter.SYNTHESIS, *_TRIALS, StudyFilter.COMPARATIVE),
    Intent.COMPARATIVE_ANALYSIS: (StudyFilter.SYNTHESIS, *_TRIALS, StudyFilter.COMPARATIVE),
    Intent.DOSING: (StudyFilter.SYNTHESIS, *_TRIALS, StudyFilter.GUIDELINE),
    Intent.DIAGNOSTIC_CRITERIA: (StudyFilter.GUIDELINE, StudyFilter.SYNTHESIS, StudyFilter.VALIDATION),
    Intent.SCREENING: (StudyFilter.GUIDELINE, StudyFilter.SYNTHESIS, *_TRIALS),
}
"""None for mechanism, adverse events, diagnosis and prognosis: cohorts and bench work answer those, untyped."""


def strategy_of(analysis: QuestionAnalysis) -> SearchStrategy:
    """The strategy of a question. Pure and deterministic."""
    blocks = blocks_of(analysis)
    if not any(not block.negated for block in blocks):
        blocks = (*blocks, *whole_question(analysis))
    rungs = ladder(
        blocks, filters_of(analysis, typed=True), filters_of(analysis, typed=False), of_chosen_years(analysis)
    )
    return SearchStrategy(
        blocks=blocks, rungs=rungs, plain=plain_words(blocks, rungs[0]), left_out=tuple(_left_out(blocks))
    )


def ladder(
    blocks: Sequence[SearchBlock], strict: SearchFilters, lighter: SearchFilters, always: SearchFilters
) -> tuple[SearchRung, ...]:
    """From strict to broad; a rung that would ask the same as the one before it is left out."""
    parts = Parts.of(blocks)
    rungs = (
        SearchRung(name="every concept, filters of the intent", groups=grouped(parts.strict()), filters=strict),
        SearchRung(name="treatments as alternatives, light filters", groups=grouped(parts.broad()), filters=lighter),
        *(
            SearchRung(name=name, groups=grouped(groups), broad=True, filters=always)
            for name, groups in (
                ("any treatment, any condition, no filter", parts.broader()),
                ("treatment alone, or condition alone, no filter", parts.alone()),
            )
        ),
    )
    return tuple(each_asked_once(rungs))


@dataclass(frozen=True, slots=True)
class Parts:
    """Numbers of the blocks that a rung may require, by what they are."""

    treatments: tuple[int, ...]
    conditions: tuple[int, ...]
    """Diseases; without one a disease that is an outcome, else groups of people, else another outcome."""
    people: tuple[int, ...]
    """Groups of people beside a condition."""
    settings: tuple[int, ...]
    technical: tuple[int, ...]
    words: tuple[int, ...]
    has_class: bool
    """Whether a treatment is a class of drugs."""
    only_people: bool
    """Whether nothing but groups of people stands for the condition."""
    compares: bool
    """Whether treatments are set against each other; else two of them are wanted together."""

    @classmethod
    def of(cls, blocks: Sequence[SearchBlock]) -> Parts:
        def numbers(*roles: BlockRole) -> tuple[int, ...]:
            return tuple(n for n, block in enumerate(blocks) if block.role in roles and not block.negated)

        meant, outcomes = numbers(BlockRole.POPULATION), numbers(BlockRole.OUTCOME)
        treatments = numbers(BlockRole.INTERVENTION, BlockRole.COMPARISON)
        diseases = tuple(n for n in meant if _is_condition(blocks[n]))
        groups = tuple(n for n in meant if n not in diseases)
        wanted = max(1, ENOUGH_CONCEPTS - len(treatments))
        asked = tuple(n for n in outcomes if any(concept.kind for concept in blocks[n].concepts))
        conditions = diseases or asked[:wanted] or groups
        if len(treatments) + len(conditions) < ENOUGH_CONCEPTS:
            more = tuple(n for n in outcomes if n not in conditions)
            conditions += more[: ENOUGH_CONCEPTS - len(treatments) - len(conditions)]
        words = numbers(BlockRole.TOPIC)
        technical = tuple(n for n in words if is_technical(blocks[n]))[:MAX_TECHNICAL_WORDS]
        if treatments and not conditions:
            conditions, technical = technical[:1], technical[1:]
        return cls(
            treatments=treatments,
            conditions=conditions,
            people=tuple(n for n in groups if n not in conditions),
            settings=numbers(BlockRole.SETTING),
            technical=technical,
            words=tuple(n for n in words if n not in conditions),
            only_people=bool(groups) and conditions[: len(groups)] == groups,
            compares=bool(numbers(BlockRole.COMPARISON)),
            has_class=any(t.kind is TermKind.MEMBER for n in treatments for c in blocks[n].concepts for t in c.terms),
        )

    @property
    def concepts(self) -> tuple[int, ...]:
        """Treatments and conditions."""
        return self.treatments + self.conditions

    def alone(self) -> Groups:
        """Treatments without the condition, but for a class, which too much is about; or the condition, if alone."""
        if self.treatments:
            return self.broader() if self.has_class else self._any_treatment()
        return any_of(self.conditions) if self.conditions and not self.only_people else self.broader()

    def strict(self) -> Groups:
        """Everything that is named; with one concept or none the most telling words besides."""
        alone = len(self.concepts) < ENOUGH_CONCEPTS or self.only_people
        words = self.words[: max(0, MAX_WORDS - len(self.concepts))] if alone else self.technical
        return each_of((*self.concepts, *self.people, *words, *self.settings))

    def broad(self) -> Groups:
        """Any of the treatments compared, every condition; with one concept or none one telling word fewer."""
        groups = (any_of(self.treatments) if self.compares else each_of(self.treatments)) + each_of(self.conditions)
        if len(self.concepts) >= ENOUGH_CONCEPTS:
            return groups
        return (groups + each_of(self.words[: MAX_WORDS - 1 - len(self.concepts)])) or self.strict()

    def broader(self) -> Groups:
        """Any treatment and any condition; one concept with any of the telling words; the most telling word."""
        if len(self.concepts) >= ENOUGH_CONCEPTS:
            # A group of people and an outcome are no alternatives of each other.
            return self._any_treatment() + (each_of if self.only_people else any_of)(self.conditions)
        groups = any_of(self.treatments) + any_of(self.conditions)
        return groups + (any_of(self.words) if groups else each_of(self.words[:1])) or self.strict()

    def _any_treatment(self) -> Groups:
        """Two treatments that are neither compared nor given for a condition are only wanted together."""
        return any_of(self.treatments) if self.compares or self.conditions else each_of(self.treatments)


def _is_condition(block: SearchBlock) -> bool:
    """Whether it is a disease or a symptom, not a group of people."""
    people = {heading.mesh_id for concept in listed_people() for heading in concept.headings}
    return any(concept.kind or {h.mesh_id for h in concept.headings} - people for concept in block.concepts)


def filters_of(analysis: QuestionAnalysis, *, typed: bool) -> SearchFilters:
    """The policy for an intent."""
    return SearchFilters(
        studies=STUDIES_BY_INTENT.get(analysis.intent, ()) if typed else (),
        humans=analysis.intent is not Intent.MECHANISM,
        no_opinion=True,
        english=True,
        since_year=analysis.since_year,
        until_year=analysis.to_year,
    )


def of_chosen_years(analysis: QuestionAnalysis) -> SearchFilters:
    """What every rung leaves out, also one without filters: what its asker wants on no account."""
    return SearchFilters(since_year=analysis.from_year, until_year=analysis.to_year)


def plain_words(blocks: Sequence[SearchBlock], rung: SearchRung) -> str:
    """The blocks of the strict rung as they are said, then what else the question names, for engines that rank."""
    first = [n for group in rung.numbers for n in group]
    rest = [n for n, block in enumerate(blocks) if n not in first and not block.negated]
    spoken = (concept.spoken for n in (*first, *rest) for concept in blocks[n].concepts)
    return " ".join(dict.fromkeys(spoken))


def whole_question(analysis: QuestionAnalysis) -> tuple[SearchBlock, ...]:
    """A question of words that tell nothing by themselves is searched for as it stands."""
    text = clean_term(analysis.question) or "evidence"
    concept = words_concept(text, (text,))
    return (SearchBlock(role=BlockRole.TOPIC, concepts=(concept,)),) if concept else ()


def each_of(numbers: Sequence[int]) -> Groups:
    """Every one of these blocks has to be met."""
    return tuple((n,) for n in dict.fromkeys(numbers))


def any_of(numbers: tuple[int, ...]) -> Groups:
    """Any of these blocks has to be met; no group where there is none."""
    return (numbers,) if numbers else ()


def each_asked_once(rungs: Iterable[SearchRung]) -> list[SearchRung]:
    """Rungs without those that ask the same as the one before."""
    kept: list[SearchRung] = []
    for rung in rungs:
        if not kept or (rung.groups, rung.filters, rung.broad) != (kept[-1].groups, kept[-1].filters, kept[-1].broad):
            kept.append(rung)
    return kept


def _left_out(blocks: Sequence[SearchBlock]) -> Iterable[str]:
    for block in blocks:
        if block.negated:
            named = " or ".join(concept.spoken for concept in block.concepts)
            yield f"absence of {named}: not sent as NOT, which would lose studies of people with and without it"
