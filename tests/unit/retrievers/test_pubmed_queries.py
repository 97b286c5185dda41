"""What PubMed and PMC are sent for a strategy."""

from __future__ import annotations

import pytest
from openwork_contracts.question import EntityKind, Intent, QuestionAnalysis, Track
from openwork_language.searching.ladder import strategy_of
from openwork_query.domain.analysis import analyse
from openwork_retrievers.adapters.ncbi.query import HUMANS, PubmedQuery, ladder
from source_fakes import analysis, entity


def queries(question: QuestionAnalysis, **options: object) -> tuple[PubmedQuery, ...]:
    return ladder(strategy_of(question), **options)  # type: ignore[arg-type]


def test_names_go_to_title_and_abstract_and_headings_to_the_headings_field() -> None:
    term = queries(analysis())[0].term
    assert '"apixaban"[nm]' in term
    assert '"Eliquis"[tw]' in term
    assert '"Atrial Fibrillation"[mh]' in term
    assert '"auricular fibrillation"[tiab]' in term
    assert '"AF"' not in term  # two letters mean too many things


def test_class_is_searched_under_its_heading_its_action_and_its_members() -> None:
    """ "beta blockers" is no heading of MeSH; "Adrenergic beta-Antagonists" is, and [pa] finds every drug of it."""
    blockers = entity(EntityKind.DRUG, "beta blockers", "D000319", "beta-blockers")
    term = queries(analysis("Do beta blockers prevent migraine?", entities=(blockers,)))[0].term
    assert '"Adrenergic beta-Antagonists"[mh]' in term
    assert '"Adrenergic beta-Antagonists"[pa]' in term
    assert '"beta blockers"[mh]' not in term
    assert '"metoprolol"[tw]' in term
    assert '"beta blocker"[tw]' in term


def test_filters_follow_the_intent_and_the_broad_rungs_have_none() -> None:
    therapy = queries(analysis())
    assert "randomized controlled trial[pt]" in therapy[0].term
    assert all("randomized" not in query.term for query in therapy[1:])
    mechanism = queries(analysis(intent=Intent.MECHANISM))[0].term
    assert HUMANS not in mechanism
    harms = queries(analysis(intent=Intent.ADVERSE_EVENTS))[0].term
    assert "[pt] OR" in harms.split("NOT")[-1]
    assert "randomized" not in harms
    assert "[la]" not in therapy[-1].term
    assert "[pt]" not in therapy[-1].term


def test_date_floor_only_where_recent_evidence_was_asked_for() -> None:
    assert "[dp]" not in queries(analysis())[0].term
    assert "2023:3000[dp]" in queries(analysis(recent_since_year=2023))[0].term


@pytest.mark.parametrize(
    ("years", "since", "term"),
    [
        ((2015, 2020), None, "2015:2020[dp]"),
        ((2015, None), None, "2015:3000[dp]"),
        ((None, 2020), None, "1000:2020[dp]"),
        ((2015, 2020), 2018, "2018:2020[dp]"),
        ((2018, None), 2015, "2018:3000[dp]"),
    ],
)
def test_the_years_that_were_chosen_confine_every_query(
    years: tuple[int | None, int | None], since: int | None, term: str
) -> None:
    """And the later of two beginnings counts, where the question says one too."""
    found = queries(analysis(recent_since_year=since, years=years))
    assert term in found[0].term


def test_filter_of_the_entry_is_in_every_query_in_place_of_the_types() -> None:
    found = queries(analysis(), route_filter="cochrane[sb]")
    assert all("(cochrane[sb])" in query.term for query in found)
    assert all("randomized controlled trial[pt]" not in query.term for query in found)


def test_falsification_track_asks_for_harm_and_no_effect() -> None:
    assert "no benefit" in queries(analysis(), track=Track.FALSIFICATION)[0].term


def test_pmc_has_no_title_and_abstract_tag() -> None:
    found = queries(analysis(), db="pmc")
    assert all("[tiab]" not in query.term and "[pt]" not in query.term for query in found)


def test_search_syntax_in_a_question_stays_text() -> None:
    hostile = entity(EntityKind.DRUG, 'a"b) OR all[sb] NOT (c*', None)
    term = queries(analysis('x" OR "y', entities=(hostile,)))[-1].term
    assert '"a b or all sb not c"[tw]' in term
    assert "all[sb]" not in term


def test_telling_word_that_no_list_knows_is_left_to_the_engine_to_map() -> None:
    read = analyse("Does zosuquidarin help in infarction?", available_sources=("pubmed",), current_year=2026)
    assert isinstance(read, QuestionAnalysis)
    term = queries(read)[0].term
    assert "(zosuquidarin" in term


def test_subject_that_mesh_knows_is_searched_under_its_heading() -> None:
    read = analyse("Does troponin rule out infarction?", available_sources=("pubmed",), current_year=2026)
    assert isinstance(read, QuestionAnalysis)
    assert '("Troponin"[mh] OR "troponin"[tiab]' in queries(read)[0].term
