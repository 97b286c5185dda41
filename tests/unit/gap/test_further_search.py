"""What a further round looks for: the missing element by its names, and never what was asked already."""

from __future__ import annotations

from openwork_contracts.gap import AspectCoverage, Assessment, GapAssessment, GapRecommendation, QualityDistribution
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.strategy import SearchStrategy, StudyFilter
from openwork_gap.domain.further import FurtherSearch, further_search
from openwork_language.searching.ladder import strategy_of
from openwork_query.domain.analysis import analyse

YEAR = 2026
QUESTION = "Does apixaban compared with warfarin reduce mortality in atrial fibrillation with cirrhosis?"


def read(question: str) -> QuestionAnalysis:
    found = analyse(question, available_sources=("pubmed",), current_year=YEAR)
    assert isinstance(found, QuestionAnalysis)
    return found


def lacking(
    *uncovered: tuple[str, str],
    covered: tuple[tuple[str, str], ...] = (),
    missing: tuple[str, ...] = (),
    recommendation: GapRecommendation = GapRecommendation.SEARCH_SPECIFIC_GAP,
) -> GapAssessment:
    aspects = [AspectCoverage(slot=s, term=t, covered=False) for s, t in uncovered]
    aspects += [AspectCoverage(slot=s, term=t, covered=True, citations=(1,)) for s, t in covered]
    return GapAssessment(
        assessment=Assessment.PARTIAL,
        coverage=0.5,
        aspects=tuple(aspects),
        recency_concern=False,
        quality=QualityDistribution(),
        missing_elements=missing,
        recommendation=recommendation,
    )


def further(gap: GapAssessment, question: str = QUESTION) -> FurtherSearch | None:
    analysis = read(question)
    return further_search(analysis, strategy_of(analysis), gap, current_year=YEAR)


def groups(strategy: SearchStrategy, rung: int = 0) -> list[set[str]]:
    return [{c.name for n in g for c in strategy.blocks[n].concepts} for g in strategy.rungs[rung].numbers]


def test_missing_outcome_is_searched_for_by_its_names_with_the_questions_treatment_and_condition() -> None:
    found = further(lacking(("outcome", "mortality"), missing=("evidence on the outcome mortality",)))
    assert found is not None
    assert {"mortality"} in groups(found.strategy)
    assert {"apixaban", "warfarin"} in groups(found.strategy)
    names = next(c for b in found.strategy.blocks for c in b.concepts if c.name == "mortality").names()
    assert {"mortality", "death", "survival"} <= set(names)
    assert found.reason == "the first search lacked evidence on the outcome mortality"


def test_missing_comparison_asks_for_both_arms_in_trials_and_syntheses() -> None:
    gap = lacking(
        ("comparison_pair", "apixaban and warfarin"),
        covered=(("intervention", "apixaban"), ("comparison", "warfarin")),
    )
    found = further(gap)
    assert found is not None
    assert groups(found.strategy)[:2] == [{"apixaban"}, {"warfarin"}]
    assert StudyFilter.RANDOMISED_TRIAL in found.strategy.rungs[0].filters.studies


def test_missing_country_is_searched_for_among_guidelines() -> None:
    found = further(
        lacking(("setting", "India")), "What do Indian guidelines recommend for newly diagnosed type 2 diabetes?"
    )
    assert found is not None
    assert {"India"} in groups(found.strategy)
    assert found.strategy.rungs[0].filters.studies == (StudyFilter.GUIDELINE,)


def test_words_that_no_list_knows_are_searched_for_as_they_stand() -> None:
    found = further(lacking(("population", "nursing home residents")))
    assert found is not None
    assert {"nursing home residents"} in groups(found.strategy)


def test_missing_recent_evidence_sets_the_date_floor() -> None:
    found = further(lacking(recommendation=GapRecommendation.SEARCH_RECENT))
    assert found is not None
    assert found.strategy.rungs[0].filters.since_year == YEAR - 3


def test_years_that_the_asker_chose_confine_a_further_search_too() -> None:
    asked = read(QUESTION).model_copy(update={"from_year": 2001, "to_year": 2010})
    for gap in (lacking(recommendation=GapRecommendation.SEARCH_RECENT), lacking(("population", "cirrhosis"))):
        found = further_search(asked, strategy_of(asked), gap, current_year=YEAR)
        assert found is not None
        assert {(r.filters.since_year, r.filters.until_year) for r in found.strategy.rungs} == {(2001, 2010)}


def test_what_was_asked_already_is_never_asked_again() -> None:
    for gap in (
        lacking(("outcome", "mortality")),
        lacking(("population", "cirrhosis")),
        lacking(("intervention", "apixaban"), ("comparison", "warfarin"), ("population", "atrial fibrillation")),
        lacking(),
    ):
        found = further(gap)
        first = strategy_of(read(QUESTION))
        if found is None:
            continue
        asked = [(groups(first, n), r.filters) for n, r in enumerate(first.rungs)]
        for n, rung in enumerate(found.strategy.rungs):
            assert (groups(found.strategy, n), rung.filters) not in asked


def test_enough_evidence_needs_no_further_search() -> None:
    assert further(lacking(recommendation=GapRecommendation.PROCEED)) is None
