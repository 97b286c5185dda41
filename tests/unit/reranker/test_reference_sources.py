"""What is reference beside the evidence is never among the ranked works."""

from __future__ import annotations

from openwork_reranker.documents import rank_documents
from openwork_reranker.sources import SourcePolicies
from openwork_retrievers.sources.registry import SOURCES
from reranker_examples import candidate


def test_reference_sources_of_the_registry_get_no_place_and_all_others_do() -> None:
    """The reranker does not see the registry: both are compared here."""
    policies = SourcePolicies()
    reference = {spec.route for spec in SOURCES if not spec.ranked}
    assert reference == {"openfda-labels", "openfda-events", "rxnav", "crossref"}
    assert {spec.route for spec in SOURCES if policies.of(spec.route).top_k == 0} == reference


def test_reference_is_never_shortlisted_and_does_not_harm_what_it_is_about() -> None:
    """Neither its score nor its year brings it in; a work that a source of evidence has too is that source's."""
    found = [
        candidate("counts", sources=("openfda-events",), year=2024),
        candidate("label", sources=("openfda-labels", "dailymed")),
    ]
    ranking = rank_documents(found, [0.9, 0.8], policies=SourcePolicies(), current_year=2024)
    assert [entry.candidate_id for entry in ranking.shortlist] == ["label"]
