"""What somebody types as one identifier is that identifier, or none: never the half of something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.evidence import Identifiers
from openwork_evidence.named import IdKind, Named, named_by


@pytest.mark.parametrize(
    ("typed", "kind", "value"),
    [
        ("32678530", IdKind.PMID, "32678530"),
        (" PMID 32678530 ", IdKind.PMID, "32678530"),
        ("pmid: 32678530.", IdKind.PMID, "32678530"),
        ("[32678530],", IdKind.PMID, "32678530"),
        ("PMID 32678530.2", IdKind.PMID, "32678530"),
        ("https://pubmed.ncbi.nlm.nih.gov/32678530/", IdKind.PMID, "32678530"),
        ("pubmed.ncbi.nlm.nih.gov/32678530", IdKind.PMID, "32678530"),
        ("https://europepmc.org/article/MED/32678530", IdKind.PMID, "32678530"),
        ("PMC7383595", IdKind.PMCID, "PMC7383595"),
        ("PMCID: PMC7383595", IdKind.PMCID, "PMC7383595"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC7383595/", IdKind.PMCID, "PMC7383595"),
        ("https://europepmc.org/article/PMC/PMC7383595", IdKind.PMCID, "PMC7383595"),
        ("10.1056/NEJMoa2021436", IdKind.DOI, "10.1056/nejmoa2021436"),
        ("doi:10.1056/NEJMoa2021436.", IdKind.DOI, "10.1056/nejmoa2021436"),
        ("DOI 10.1056/NEJMoa2021436", IdKind.DOI, "10.1056/nejmoa2021436"),
        ("https://doi.org/10.1056/NEJMoa2021436", IdKind.DOI, "10.1056/nejmoa2021436"),
        ("https://www.nejm.org/doi/full/10.1056/NEJMoa2021436", IdKind.DOI, "10.1056/nejmoa2021436"),
        ("10.1016/S0140-6736(24)02600-X", IdKind.DOI, "10.1016/s0140-6736(24)02600-x"),
        ("10.1016/0140-6736(90)90001(x)", IdKind.DOI, "10.1016/0140-6736(90)90001(x)"),
        ("NCT04381936", IdKind.NCT, "NCT04381936"),
        ("nct 04381936;", IdKind.NCT, "NCT04381936"),
        ("https://clinicaltrials.gov/study/NCT04381936", IdKind.NCT, "NCT04381936"),
    ],
)
def test_an_identifier_is_read_however_it_is_typed(typed: str, kind: IdKind, value: str) -> None:
    assert named_by(typed) == Named(kind, value)


@pytest.mark.parametrize(
    "typed",
    [
        "",
        " ",
        "0",
        "007",
        "2.13",  # a figure, and no second version of PMID 2
        "1234567890",
        "dexamethasone",
        "ISRCTN50189673",
        "978-3-16-148410-0",
        "PMC",
        "NCT0438193",
        "NCT043819366",
        "10.1056",
        "10.1056/",
        "doi",
        "10.1056/a 10.1056/b",
        "10.1056/a;10.1056/b",
        "32678530, 31535829",
        "PMID: 32678530; PMCID: PMC7383595",
        "Horby P. N Engl J Med 2021; 10.1056/NEJMoa2021436",
        "https://example.org/32678530",
        "٣٢٦٧٨٥٣٠",
    ],
)
def test_what_is_none_or_more_than_one_is_refused(typed: str) -> None:
    assert named_by(typed) is None


@given(st.text(max_size=60))
def test_whatever_is_typed_what_comes_out_names_itself(typed: str) -> None:
    """Read again it is the same, so that no identifier turns into another on its way."""
    named = named_by(typed)
    assert named is None or named_by(str(named)) == named


def test_a_record_is_meant_only_by_an_identifier_of_its_own() -> None:
    ids = Identifiers(pmid="1", pmcid="PMC2", doi="10.1000/a", nct_ids=("NCT00000003", "NCT00000004"))
    assert all(named.names(ids) for named in map(named_by, ("1", "PMC2", "10.1000/A", "NCT00000004")) if named)
    assert not any(named.names(ids) for named in map(named_by, ("2", "PMC1", "10.1000/ab", "NCT00000001")) if named)
    assert not any(named.names(Identifiers()) for named in map(named_by, ("1", "PMC2", "10.1000/a")) if named)
