"""One cleaner: however an identifier is printed it comes out the same, and what is none, or not certain, is `None`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.evidence import Doi, NctId, Pmcid, Pmid
from openwork_evidence.identifiers import (
    clean_doi,
    clean_nct,
    clean_pmcid,
    clean_pmid,
    clean_set_id,
    nct_numbers,
    pmcid_in,
    pmid_in,
    web_address,
)
from pydantic import TypeAdapter

ZERO_WIDTH = "\u200b"
SOFT_HYPHEN = "\u00ad"
SICI = "10.1002/(sici)1097-0142(19970101)79:1<1::aid-cncr1>3.0.co;2-k"


@pytest.mark.parametrize(
    ("printed", "doi"),
    [
        ("https://doi.org/10.1000/ABC", "10.1000/abc"),
        ("http://dx.doi.org/10.1000/abc", "10.1000/abc"),
        ("doi:10.1000/a(b)c.", "10.1000/a(b)c"),
        ("DOI: 10.1000/ABC", "10.1000/abc"),
        ("doi10.1000/abc", "10.1000/abc"),
        ("info:doi/10.1000/abc", "10.1000/abc"),
        ("(10.1000/x)", "10.1000/x"),
        ("[10.1000/x];", "10.1000/x"),
        ("“10.1000/x”,", "10.1000/x"),
        ("<10.1000/x>", "10.1000/x"),
        ("10.1016/s0140-6736(24)02600-x", "10.1016/s0140-6736(24)02600-x"),
        (SICI.upper(), SICI),
        (
            "https://doi.org/10.1002/%28SICI%291097-0142%2819970101%2979%3A1%3C1%3A%3AAID-CNCR1%3E3.0.CO%3B2-%23",
            "10.1002/(sici)1097-0142(19970101)79:1<1::aid-cncr1>3.0.co;2-#",
        ),
        ("10.1000%2Fabc", "10.1000/abc"),
        ("10.1000%252Fabc", "10.1000/abc"),
        ("10.1000/abc%20and%20more", "10.1000/abc"),
        ("10.1000/s0140\u20106736", "10.1000/s0140-6736"),
        ("10.1000/s0140\u20136736", "10.1000/s0140-6736"),
        ("10.1000/s0140\u22126736", "10.1000/s0140-6736"),
        (f"10.1000/{ZERO_WIDTH}abc{ZERO_WIDTH}d", "10.1000/abcd"),
        (f"10.1000/ab{SOFT_HYPHEN}cd", "10.1000/abcd"),
        ("10.1000/abc\u00a0(2019)", "10.1000/abc"),
        ("１０.1000／abc", "10.1000/abc"),
        ("10.1000/abc。下", "10.1000/abc"),
        (r"10.1007/978-3\_12", "10.1007/978-3_12"),
        ("10.1000/abc</a>", "10.1000/abc"),
        ("https://doi.org/10.1000/abc?utm_source=x#top", "10.1000/abc"),
        ("https://doi.org/10.1000/abc/", "10.1000/abc"),
        ("https://example.org/resolve?id=10.1000/abc&page=2", "10.1000/abc"),
        ("https://www.frontiersin.org/articles/10.3389/fmed.2020.00001/full", "10.3389/fmed.2020.00001"),
        ("https://onlinelibrary.wiley.com/doi/epdf/10.1111/abc.123", "10.1111/abc.123"),
        ("https://link.springer.com/content/pdf/10.1007/s00134-020-1.pdf", "10.1007/s00134-020-1"),
        ("https://www.medrxiv.org/content/10.1101/2020.01.02.20012345v2.full.pdf", "10.1101/2020.01.02.20012345"),
        ("https://www.medrxiv.org/content/10.1101/2020.01.02.20012345v2", "10.1101/2020.01.02.20012345"),
        ("https://doi.org/10.1000/abc/full", "10.1000/abc/full"),  # the resolver appends nothing: it is the DOI's own
        ("10.1000/abc; 10.1001/def", "10.1000/abc"),
        ("10.1000/abc;10.1001/def", "10.1000/abc"),
        ("10.1000/abc10.1001/def", "10.1000/abc"),
        ("10.1000/abchttps://doi.org/10.1001/def", "10.1000/abc"),
        ("10.1000/12310.1001/def", None),  # 10.1000/123 or 10.1000/1231?
        ("Published 2010.1234/x", None),
        ("10.1000/", None),
        ("10.1000/...", None),
        ("10.12/abc", None),
        ("none", None),
        ("", None),
        (None, None),
        (5, None),
        (["10.1000/abc"], None),
        ("10.1000/" + "a" * 3000, None),
    ],
)
def test_doi_in_any_dress(printed: object, doi: str | None) -> None:
    assert clean_doi(printed) == doi


@pytest.mark.parametrize(
    ("printed", "pmid"),
    [
        ("40120586", "40120586"),
        (40120586, "40120586"),
        (" 40120586\n", "40120586"),
        ("PMID: 40120586", "40120586"),
        ("pmid:40120586", "40120586"),
        ("PMID 40120586", "40120586"),
        ("20029612.2", "20029612"),  # a version, as PLoS Currents had them
        (f"4012{ZERO_WIDTH}0586", "40120586"),
        ("https://pubmed.ncbi.nlm.nih.gov/40120586", "40120586"),
        ("https://pubmed.ncbi.nlm.nih.gov/40120586/?from_term=x", "40120586"),
        ("http://www.ncbi.nlm.nih.gov/pubmed/40120586", "40120586"),
        ("https://europepmc.org/article/MED/40120586", "40120586"),
        ("https://example.org/articles/40120586", None),  # somebody else's number
        ("/40120586", None),
        ("PMC4012058", None),
        ("0", None),
        ("0040120586", None),
        ("1234567890", None),
        ("401 205 86", None),
        ("PPR1", None),
        (True, None),
        (-5, None),
        (None, None),
    ],
)
def test_pmid_in_any_dress(printed: object, pmid: str | None) -> None:
    assert clean_pmid(printed) == pmid


def test_a_number_too_long_to_print_is_no_pmid() -> None:
    assert clean_pmid(10**5000) is None


@pytest.mark.parametrize(
    ("printed", "pmcid"),
    [
        ("PMC4234579", "PMC4234579"),
        ("pmc4234579", "PMC4234579"),
        ("4234579", "PMC4234579"),
        ("PMC4234579.1", "PMC4234579"),
        ("PMC 4234579", "PMC4234579"),
        ("PMCID: PMC4234579", "PMC4234579"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/4234579", "PMC4234579"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC4234579/#sec2", "PMC4234579"),
        ("https://europepmc.org/articles/PMC4234579?pdf=render", "PMC4234579"),
        ("oai:pubmedcentral.nih.gov:4234579", "PMC4234579"),
        ("https://example.org/4234579", None),
        ("NIHMS4234579", None),
        ("PMC0", None),
        ("", None),
        (None, None),
    ],
)
def test_pmcid_in_any_dress(printed: object, pmcid: str | None) -> None:
    assert clean_pmcid(printed) == pmcid


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("NCT01234567", "NCT01234567"),
        ("nct01234567", "NCT01234567"),
        ("NCT 01234567", "NCT01234567"),
        ("NCT0123 4567", "NCT01234567"),
        (f"NCT0123{ZERO_WIDTH}4567", "NCT01234567"),
        ("https://clinicaltrials.gov/study/NCT01234567?tab=results", "NCT01234567"),
        ("http://www.clinicaltrials.gov/ct2/show/NCT01234567", "NCT01234567"),
        ("ClinicalTrials.gov Identifier: NCT01234567", "NCT01234567"),
        ("ISRCTN01234567", None),
        ("see NCT01234567", None),
        ("NCT01234567 and NCT07654321", None),
        ("NCT0123456", None),
        ("NCT012345678", None),
        (None, None),
    ],
)
def test_a_whole_text_as_nct_number(printed: object, number: str | None) -> None:
    assert clean_nct(printed) == number


def test_every_nct_number_of_a_text_is_found_once() -> None:
    text = "(ClinicalTrials.govNCT01234567, nct 07654321; NCT-01234567). NCT0123\n4568, XNCT11111111, NCT012345678"
    assert nct_numbers(text) == ("NCT01234567", "NCT07654321", "NCT01234568")


def test_labelled_identifiers_are_found_in_notes_and_bare_numbers_are_not() -> None:
    assert pmid_in("Extra: PMID: 31421429\nPMCID: PMC123456") == "31421429"
    assert pmid_in("https://pubmed.ncbi.nlm.nih.gov/31421429/") == "31421429"
    assert pmid_in("31421429 patients, PMID: 0, PMID: 1234567890") is None
    assert pmcid_in("Extra: PMID: 31421429\nPMCID: PMC123456") == "PMC123456"
    assert pmcid_in("PMC10 cells, XPMC123456") is None


def test_set_ids_and_addresses() -> None:
    assert clean_set_id(" A1B2C3D4-1111-2222-3333-444455556666 ") == "a1b2c3d4-1111-2222-3333-444455556666"
    assert clean_set_id("a1b2c3d4") is None
    assert web_address(" https://a.org/x ") == "https://a.org/x"
    assert web_address("ftp://a.org") is web_address("https://a b") is web_address("javascript:alert(1)") is None


PIECES = st.sampled_from(
    ["10.1000/", "10.1101/", "abc", "ABC", "%2F", "%25", "%", "2F", " ", "\u2013", "\u200b", "(", ")", "<", ">", "/",
     ".", ";", "#", "?", "\\", "v2", ".pdf", "/full", "https://doi.org/", "https://a.org/", "doi:", "NCT", "0123",
     "4567", "PMC", "PMID: ", "123", "１", "İ", "ﬁ", "J̌", "\ud800", "%0a", "%C3%84", "”"]
)  # fmt: skip
ANY_TEXT = st.lists(PIECES | st.text(max_size=4), max_size=14).map("".join)


@given(ANY_TEXT)
def test_what_is_clean_stays_as_it_is_and_fits_the_contract(text: str) -> None:
    """Idempotent, whatever the text; and the result is always what `Identifiers` accepts."""
    for clean, shape in ((clean_doi, Doi), (clean_pmid, Pmid), (clean_pmcid, Pmcid), (clean_nct, NctId)):
        found = clean(text)
        if found is not None:
            assert clean(found) == found
            assert TypeAdapter(shape).validate_python(found) == found


@given(st.text(alphabet="abcdefg0123456789-._:;", min_size=1, max_size=20).map(lambda s: f"10.1000/x({s})z"))
def test_every_dress_of_a_doi_is_the_same_doi(doi: str) -> None:
    for dress in ("https://doi.org/{}", "doi: {}.", "({})", "“{}”", "\u200b{};", "{}\n"):
        assert clean_doi(dress.format(doi.upper())) == doi
