"""What fits into a request, and what a broad rung has that a strict one had."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.strategy import SearchRung, SearchStrategy
from openwork_language.searching.ladder import strategy_of
from openwork_query.domain.analysis import analyse
from openwork_retrievers.adapters import openalex
from openwork_retrievers.adapters.ctgov import studies
from openwork_retrievers.adapters.ladder import climb
from openwork_retrievers.adapters.paging import Page
from openwork_retrievers.adapters.ports import HttpRequest, Identity, SearchRequest
from openwork_retrievers.domain.rendering import drugs_of, groups_of, left_out, names_within
from source_fakes import NOW, ScriptedHttp, ok

LONG = "Antihypertensives versus diuretics in diabetes and hypertension and heart failure with stroke"
WIDE = (LONG, "Which antineoplastic drugs cause hearing loss?", "Do NSAIDs help in osteoarthritis?")


def read(question: str) -> QuestionAnalysis:
    found = analyse(question, available_sources=("pubmed",), current_year=2026)
    assert isinstance(found, QuestionAnalysis)
    return found


def strategy(question: str) -> SearchStrategy:
    return strategy_of(read(question))


@pytest.mark.parametrize("question", WIDE)
def test_no_address_grows_longer_than_servers_take(question: str) -> None:
    asked = read(question)
    request = SearchRequest("openalex", asked, strategy_of(asked), limit=50, retrieved_at=NOW)
    for rung in request.strategy.rungs:
        calls = (
            openalex.search_request("https://api.openalex.org", Identity(), request, openalex.OpenAlexForm(), rung),
            studies.search_request("https://clinicaltrials.gov/api/v2", request, rung),
        )
        for call in calls:
            query = [pair for pair in call.params if pair[0].startswith(("search", "query."))]
            assert len(urlencode(query)) < 3500


@pytest.mark.parametrize("question", WIDE)
def test_every_concept_keeps_its_best_known_name_however_little_fits(question: str) -> None:
    found = strategy(question)
    for rung in found.rungs:
        groups = groups_of(found, rung)
        for group, names in zip(groups, names_within(groups, broad=rung.broad, chars=300), strict=True):
            assert all(concept.names(broad=rung.broad)[0] in names for concept in group)


@pytest.mark.parametrize("question", [*WIDE, "RA biologics vs JAK inhibitors", "apixaban versus warfarin in AF"])
def test_a_broad_rung_has_the_names_of_the_strict_one(question: str) -> None:
    """Merged into one group of alternatives, two treatments have as many names as apart."""
    found = strategy(question)
    strict, broad = (
        {name for names in names_within(groups_of(found, rung), broad=False, chars=2500) for name in names}
        for rung in found.rungs[:2]
    )
    wanted = {name for group in groups_of(found, found.rungs[1]) for concept in group for name in concept.names()}
    assert strict & wanted <= broad


def test_names_that_did_not_fit_are_told() -> None:
    found = strategy(WIDE[1])
    told = left_out(found, found.rungs[0], chars=2500)
    assert told is not None
    assert told.endswith("the request would be too long")
    short = strategy("Does apixaban prevent stroke?")
    assert left_out(short, short.rungs[0], chars=50_000) is None


def test_well_known_members_of_a_class_come_before_the_others() -> None:
    names = next(c for b in strategy(WIDE[2]).blocks for c in b.concepts if c.name == "NSAIDs").names()
    assert names.index("ibuprofen") < names.index("tenidap")


def test_labels_of_a_class_are_asked_for_members_that_are_sold() -> None:
    drugs = {drug.name for drug in drugs_of(strategy("Are SSRIs safe in pregnancy?"))}
    assert drugs <= {"sertraline", "fluoxetine", "citalopram", "escitalopram", "paroxetine", "fluvoxamine"}
    assert drugs


async def test_every_rung_is_asked_while_nothing_is_found_and_each_has_its_line_in_the_log() -> None:
    asked = read("Compare apixaban with warfarin in atrial fibrillation")
    request = SearchRequest("openalex", asked, strategy_of(asked), limit=50, retrieved_at=NOW)

    def first(rung: SearchRung) -> HttpRequest:
        return HttpRequest("GET", f"https://example.org/{request.strategy.rungs.index(rung)}")

    http = ScriptedHttp({"example.org": [ok("[]")]})
    search = await climb(request, http, first, lambda call, body: Page((), hits=0), listed=())
    assert [entry.rung for entry in search.log] == [rung.name for rung in request.strategy.rungs]
    assert len(http.asked) == len(request.strategy.rungs)
    assert not search.degradations
