"""The one further round: the missing element becomes a search of its own, which is never what was asked already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openwork_contracts.gap import AspectCoverage, GapAssessment, GapRecommendation
from openwork_contracts.question import Intent, QuestionAnalysis
from openwork_contracts.strategy import (
    BlockRole,
    SearchBlock,
    SearchConcept,
    SearchFilters,
    SearchRung,
    SearchStrategy,
    StudyFilter,
    grouped,
)
from openwork_language.searching.blocks import settings_in
from openwork_language.searching.concepts import named_concept, outcomes_in
from openwork_language.searching.ladder import of_chosen_years, plain_words

from openwork_gap.domain.aspects import COMPARISON, INTERVENTION, OUTCOME, PAIR, POPULATION, SETTING
from openwork_gap.domain.thresholds import THRESHOLDS, GapThresholds

BEST_STUDIES = (StudyFilter.SYNTHESIS, StudyFilter.RANDOMISED_TRIAL, StudyFilter.GUIDELINE)
_ROLES = {
    POPULATION: BlockRole.POPULATION,
    INTERVENTION: BlockRole.INTERVENTION,
    COMPARISON: BlockRole.COMPARISON,
    OUTCOME: BlockRole.OUTCOME,
    SETTING: BlockRole.SETTING,
}
_TREATS = (BlockRole.INTERVENTION, BlockRole.COMPARISON)


@dataclass(frozen=True, slots=True)
class FurtherSearch:
    """What a further round looks for, and why."""

    reason: str
    """Plain words for the asker."""
    strategy: SearchStrategy


@dataclass(frozen=True, slots=True)
class _Need:
    """One missing element: the blocks that stand for it, and the kinds of study that would supply it."""

    named: str
    """In words that finish "the first search lacked ..."."""
    blocks: tuple[SearchBlock, ...]
    studies: tuple[StudyFilter, ...] = ()
    since_year: int | None = None


def further_search(
    analysis: QuestionAnalysis,
    first: SearchStrategy,
    gap: GapAssessment,
    *,
    current_year: int,
    thresholds: GapThresholds = THRESHOLDS,
) -> FurtherSearch | None:
    """The search for the first missing element that can be searched for and was not yet.

    Args:
        first: the strategy of the round before; a rung of it is never asked again.
    Returns:
        `None` when the assessment says to proceed, or everything it misses was asked for already.
    """
    if gap.recommendation is GapRecommendation.PROCEED:
        return None
    since = _since(analysis, gap, current_year, thresholds)
    for need in _needs(analysis, first, gap, since):
        strategy = _strategy_for(need, first, of_chosen_years(analysis))
        if strategy is not None:
            return FurtherSearch(f"the first search lacked {need.named}", strategy)
    return None


def _since(analysis: QuestionAnalysis, gap: GapAssessment, current_year: int, thresholds: GapThresholds) -> int | None:
    if gap.recommendation is not GapRecommendation.SEARCH_RECENT or analysis.to_year is not None:
        return analysis.since_year
    return analysis.since_year or current_year - thresholds.recent_years


def _needs(analysis: QuestionAnalysis, first: SearchStrategy, gap: GapAssessment, since: int | None) -> Iterable[_Need]:
    """What is missing, the most specific first."""
    if gap.recommendation is GapRecommendation.SEARCH_RECENT and analysis.to_year is None:
        yield _Need(f"evidence from {since} or later", (), since_year=since)
    absent = {t.text.casefold() for b in first.blocks if b.negated for c in b.concepts for t in c.terms}
    uncovered = [aspect for aspect in gap.aspects if not aspect.covered and aspect.term.casefold() not in absent]
    for aspect in sorted(uncovered, key=lambda a: (a.slot != PAIR, a.slot != SETTING)):
        if blocks := _blocks_of(aspect, first, gap.aspects):
            yield _Need(_in_words(aspect, gap), blocks, _studies_for(aspect, analysis), since)
    if "guideline" in gap.missing_elements:
        yield _Need("a guideline", (), (StudyFilter.GUIDELINE,), since)
    yield _Need("enough studies of high quality", (), BEST_STUDIES, since)


def _in_words(aspect: AspectCoverage, gap: GapAssessment) -> str:
    """As the assessment tells of it, else the term."""
    return next((words for words in gap.missing_elements if aspect.term in words), f"evidence on {aspect.term}")


def _studies_for(aspect: AspectCoverage, analysis: QuestionAnalysis) -> tuple[StudyFilter, ...]:
    if aspect.slot == PAIR:
        return (StudyFilter.SYNTHESIS, StudyFilter.RANDOMISED_TRIAL, StudyFilter.COMPARATIVE)
    if aspect.slot == SETTING and analysis.intent is Intent.TREATMENT_GUIDELINE:
        return (StudyFilter.GUIDELINE,)
    return ()


def _blocks_of(
    aspect: AspectCoverage, first: SearchStrategy, aspects: Sequence[AspectCoverage]
) -> tuple[SearchBlock, ...]:
    """A block for each thing that the aspect names; both arms of a comparison are wanted together."""
    if aspect.slot == PAIR:
        arms = [a for a in aspects if a.slot in (INTERVENTION, COMPARISON) and a.term in aspect.term]
        return tuple(block for arm in arms for block in _blocks_of(arm, first, ()))
    if aspect.slot == SETTING:
        return tuple(settings_in(aspect.term.removeprefix("the ")))
    role = _ROLES.get(aspect.slot, BlockRole.TOPIC)
    concepts = _concepts_for(aspect.term, first)
    return tuple(SearchBlock(role=role, concepts=(concept,)) for concept in concepts)


def _concepts_for(term: str, first: SearchStrategy) -> tuple[SearchConcept, ...]:
    """The concept as the first search had it, else a listed outcome, else what the lexicon makes of the words."""
    low = term.casefold()
    for block in first.blocks:
        for concept in block.concepts:
            if not block.negated and low in (t.text.casefold() for t in concept.terms):
                return (concept,)
    if listed := outcomes_in(term):
        return listed
    named = named_concept(term)
    return (named,) if named else ()


def _strategy_for(need: _Need, first: SearchStrategy, always: SearchFilters) -> SearchStrategy | None:
    """The need together with the question's treatments and conditions; `None` when each rung was asked already.

    Args:
        always: what also the rung without filters leaves out.
    """
    lacking = {concept.name for block in need.blocks for concept in block.concepts}
    kept = [b for b in first.blocks if not b.negated and not lacking & {c.name for c in b.concepts}]
    treatments = tuple(b for b in kept if b.role in _TREATS)
    conditions = tuple(b for b in kept if b.role is BlockRole.POPULATION and any(c.kind for c in b.concepts))
    topic = () if need.blocks or treatments or conditions else tuple(b for b in kept if b.role is BlockRole.TOPIC)[:2]
    blocks = (*need.blocks, *treatments, *conditions, *topic)
    if not blocks:
        return None
    n, t, c = len(need.blocks), len(treatments), len(conditions)
    own = tuple((i,) for i in range(n))
    either = (tuple(range(n, n + t)),) if t else ()
    each = tuple((i,) for i in range(n + t, n + t + c + len(topic)))
    pair = sum(block.role in _TREATS for block in need.blocks) > 1
    strict = own + (() if pair else either) + each
    filters = SearchFilters(
        studies=need.studies,
        english=True,
        no_opinion=True,
        humans=True,
        since_year=need.since_year,
        until_year=always.until_year,
    )
    rungs = [
        SearchRung(
            name="the missing element with the question's concepts", groups=grouped(strict or own), filters=filters
        )
    ]
    if own and (either or each):
        looser = own + (() if pair else either or each[:1])
        rungs.append(
            SearchRung(name="the missing element, no filter", groups=grouped(looser), broad=True, filters=always)
        )
    asked = {_asks(first, rung) for rung in first.rungs}
    made = SearchStrategy(blocks=blocks, rungs=tuple(rungs), plain=plain_words(blocks, rungs[0]))
    new = tuple(rung for rung in made.rungs if _asks(made, rung) not in asked)
    return made.model_copy(update={"rungs": new}) if new else None


def _asks(strategy: SearchStrategy, rung: SearchRung) -> tuple[frozenset[frozenset[str]], SearchFilters, bool]:
    """What a rung asks for, whatever the order of its blocks."""
    groups = (frozenset(c.name for n in group for c in strategy.blocks[n].concepts) for group in rung.numbers)
    return frozenset(groups), rung.filters, rung.broad
