"""What readers call a source: three searches of one service are one source."""

from __future__ import annotations

import pytest
from openwork_knowledge.source_names import is_live, source_name, source_names
from openwork_retrievers.domain.registry import SOURCES


def test_searches_of_one_service_are_one_source() -> None:
    assert source_names(["europepmc", "pubmed", "europepmc-cited", "europepmc-recent"]) == ("Europe PMC", "PubMed")


@pytest.mark.parametrize("source", [spec.route for spec in SOURCES])
def test_every_source_of_the_registry_has_a_name(source: str) -> None:
    assert source_name(source) != source


def test_a_source_without_a_name_keeps_its_id_and_counts_as_live() -> None:
    assert source_name("made-up") == "made-up"
    assert is_live("made-up")
    assert not is_live("library")
