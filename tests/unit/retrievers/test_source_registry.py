"""The table of sources is complete and consistent."""

from __future__ import annotations

import pytest
from openwork_bus.settings import DEFAULT_SOURCES
from openwork_contracts.errors import UsageError
from openwork_retrievers.adapters.ports import HttpRequest, Identity
from openwork_retrievers.domain.registry import BY_ROUTE, SOURCES, AdapterName, SourceSpec, build_adapter, source
from pydantic import SecretStr

KEY = SecretStr("a key")
WANTED = (
    "pubmed",
    "pubmed-reviews",
    "cochrane",
    "cochrane-recent",
    "pubmed-guidelines",
    "aap-guidelines",
    "pmc",
    "pmc-reviews",
    "bookshelf",
    "europepmc-recent",
    "europepmc-cited",
    "europepmc-open",
    "openalex",
    "openalex-reviews",
    "semanticscholar",
    "semanticscholar-cited",
    "clinicaltrials",
    "dailymed",
    "openfda-labels",
    "openfda-events",
    "rxnav",
    "tavily",
    "google-scholar",
)

every_source = pytest.mark.parametrize("spec", SOURCES, ids=[spec.route for spec in SOURCES])


def test_every_wanted_source_is_there_once() -> None:
    assert set(WANTED) <= set(BY_ROUTE)
    assert len(BY_ROUTE) == len(SOURCES)


@every_source
def test_entry_has_limits_terms_and_an_adapter(spec: SourceSpec) -> None:
    assert spec.description
    assert spec.terms_url.startswith("https://")
    assert 1 <= spec.limit <= spec.review_limit <= 500 or spec.review_limit < spec.limit <= 500
    assert 0 < spec.timeout_s < spec.review_timeout_s
    assert spec.rate.budget().per_second > 0
    assert spec.rate.budget(KEY).per_second >= spec.rate.budget().per_second
    assert build_adapter(spec, Identity(), "http://127.0.0.1:1")


@every_source
def test_source_without_address_or_key_is_off_or_names_its_setting(spec: SourceSpec) -> None:
    if not spec.base_url:
        assert spec.needs
        with pytest.raises(UsageError, match=spec.needs):
            build_adapter(spec, Identity())


def test_what_is_reference_beside_the_evidence_is_never_ranked() -> None:
    reference = {spec.route for spec in SOURCES if spec.policy.top_k == 0}
    assert reference == {"openfda-labels", "openfda-events", "rxnav", "crossref"}


def test_guidelines_reviews_and_labels_are_trusted_before_the_literature_and_the_web_last() -> None:
    tiers = {route: spec.policy.trust_tier for route, spec in BY_ROUTE.items()}
    assert tiers["pubmed-guidelines"] == tiers["cochrane"] == tiers["dailymed"] == 1
    assert 1 < tiers["pubmed"] < tiers["openalex"] < tiers["tavily"]


def test_what_is_on_searches_pubmed_once_and_tells_guidelines_and_syntheses_from_its_records() -> None:
    on = [name for name in DEFAULT_SOURCES.split(",") if name in BY_ROUTE]
    ncbi = [name for name in on if BY_ROUTE[name].adapter is AdapterName.NCBI]
    assert ncbi == ["guidelines", "pubmed"]  # the first asks NCBI only of a country or a body that was asked for
    assert all(BY_ROUTE[name].default_on for name in on)
    assert {spec.route for spec in SOURCES if spec.default_on} == set(on)
    pubmed = BY_ROUTE["pubmed"].policy
    for types, journal, narrow in (
        (("Journal Article", "Practice Guideline"), "Circulation", "pubmed-guidelines"),
        (("Journal Article", "Meta-Analysis", "Systematic Review"), "BMJ", "pubmed-reviews"),
        (("Journal Article", "Systematic Review"), "The Cochrane database of systematic reviews", "cochrane"),
    ):
        numbers, wanted = pubmed.class_of(types, journal), BY_ROUTE[narrow].policy
        assert numbers is not None
        assert (numbers.trust_tier, numbers.top_k) == (wanted.trust_tier, wanted.top_k)
        assert numbers.minimum_score_factor == wanted.minimum_score_factor
    assert pubmed.class_of(("Journal Article", "Review"), "Lancet") is None


def test_entries_of_one_service_share_one_budget() -> None:
    budgets = {spec.rate.key: spec.rate for spec in SOURCES}
    assert all(spec.rate == budgets[spec.rate.key] for spec in SOURCES)
    assert budgets["ncbi"].budget().per_second == 3
    assert budgets["ncbi"].budget(KEY).per_second == 10


def test_unknown_source_is_told_what_there_is() -> None:
    with pytest.raises(UsageError, match="pubmed"):
        source("pubmedd")


def test_shown_request_can_be_repeated_and_has_no_secret() -> None:
    params = (("term", "a b"), ("api_key", "k"), ("email", "e@x"), ("tool", "t"))
    assert HttpRequest("GET", "https://a.org/x", params).shown() == "GET https://a.org/x?term=a+b"
