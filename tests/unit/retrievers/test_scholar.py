"""Scholar's results through SearXNG, and which sites are trusted.

No recorded answer of SearXNG was at hand: the results here have the fields of its engine `google_scholar` as its source
names them (searx/engines/google_scholar.py). Tavily's snippets are recorded ones.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from openwork_contracts.evidence import EvidenceRecord
from openwork_knowledge.tables import table
from openwork_retrievers.adapters.web import MOST_DOMAINS, TRUSTED_DOMAINS, parse_results
from openwork_retrievers.domain.registry import source
from openwork_retrievers.domain.scholar import Told, cited_by, told_before
from openwork_retrievers.domain.trusted_sites import TRUSTED_PAGE, page_types, trusted_site, trusted_sites

from tests.unit.retrievers.test_library_import_real_files import DATA

AT = datetime(2026, 1, 1, tzinfo=UTC)
SCHOLAR = {
    "template": "paper.html",
    "type": None,
    "url": "https://www.nejm.org/doi/full/10.1056/NEJMoa1107039",
    "title": "Apixaban versus warfarin in patients with atrial fibrillation",
    "authors": ["CB Granger", "JH Alexander", "JJV McMurray…"],
    "publisher": "Mass Medical Soc",
    "journal": "New England Journal …",
    "publishedDate": "2011-01-01T00:00:00",
    "content": "… apixaban was superior to warfarin in preventing stroke or systemic embolism …",
    "comments": "Cited by 11,234",
    "html_url": None,
    "pdf_url": None,
}


def scholar(**changed: object) -> EvidenceRecord:
    body = json.dumps({"query": "x", "results": [{**SCHOLAR, **changed}]}).encode()
    (record,) = parse_results("google-scholar", body, AT)
    return record


def test_a_result_of_scholar_has_year_venue_citations_and_authors_as_papers_print_them() -> None:
    found = scholar()
    assert (found.year, found.cited_by_count) == (2011, 11234)
    assert found.authors == ("Granger CB", "Alexander JH", "McMurray JJV")
    assert found.journal == "New England Journal …"
    assert found.identifiers.doi == "10.1056/nejmoa1107039"


@pytest.mark.parametrize("comments", [None, "", "Cited by", "Related articles", "17"])
def test_what_is_no_count_of_citations_is_none(comments: str | None) -> None:
    assert scholar(comments=comments).cited_by_count is None


def test_suggestions_and_corrections_among_the_results_are_no_records() -> None:
    body = json.dumps({"results": [{"suggestion": "apixaban stroke"}, SCHOLAR]}).encode()
    assert len(parse_results("google-scholar", body, AT)) == 1


@pytest.mark.parametrize(
    ("snippet", "told", "rest"),
    [
        (
            "by H Hays · 2026 · Cited by 1 -- Attention mechanisms represent a shift",
            Told(("Hays H",), None, 2026, 1),
            "Attention mechanisms represent a shift",
        ),
        ("by A Roe, BC Doe · 2019 -- Text", Told(("Roe A", "Doe BC"), None, 2019, None), "Text"),
        (
            "CB Granger, JH Alexander - The Lancet, 2011 - Elsevier\nApixaban was superior.",
            Told(("Granger CB", "Alexander JH"), "The Lancet", 2011, None),
            "Apixaban was superior.",
        ),
        ("A Roe - 2015 - Springer\nText", Told(("Roe A",), None, 2015, None), "Text"),
        ("Results by group - 2015 was the last year", Told(), "Results by group - 2015 was the last year"),
        ("By 2019 mortality had halved.", Told(), "By 2019 mortality had halved."),
    ],
)
def test_what_stands_before_a_snippet_is_read_and_taken_off(snippet: str, told: Told, rest: str) -> None:
    assert told_before(snippet) == (told, rest)


def test_a_recorded_snippet_of_a_web_search_tells_its_year_and_citations() -> None:
    path = DATA / "recorded" / "tavily" / "factory_with_bound_params-1_200.json"
    if not path.is_file():
        pytest.skip("the recorded data set is not there (set OPENWORK_DATA to its folder)")
    body = json.loads(path.read_text(encoding="utf-8"))["response"]["body"]
    records = parse_results("tavily", json.dumps(body).encode(), AT)
    (told,) = [one for one in records if one.source_id == "https://arxiv.org/abs/2601.03329"]
    assert (told.year, told.cited_by_count, told.authors) == (2026, 1, ("Hays H",))
    assert told.abstract[0].text.startswith("Attention mechanisms represent")


def test_citations_are_read_with_their_thousands() -> None:
    assert (cited_by("Cited by 1,234"), cited_by("cited by 7"), cited_by(None)) == (1234, 7, None)


@pytest.mark.parametrize(
    ("host", "country"),
    [
        ("www.nice.org.uk", "United Kingdom"),
        ("main.icmr.gov.in", "India"),
        ("pubmed.ncbi.nlm.nih.gov", "United States"),
        ("WHO.INT.", "international"),
        ("nice.org.uk.example.com", None),
        ("notwho.int", None),
        ("example.org", None),
        ("", None),
    ],
)
def test_a_site_is_trusted_by_its_whole_domain(host: str, country: str | None) -> None:
    site = trusted_site(host)
    assert (site.country if site else None) == country


def test_a_page_of_a_trusted_site_counts_more_than_any_other() -> None:
    policy = source("google-scholar").policy
    trusted, other = scholar(), scholar(url="https://blog.example.org/apixaban")
    assert trusted.publication_types == (TRUSTED_PAGE, "Journal, international")
    assert other.publication_types == ()
    of_trusted = policy.class_of(trusted.publication_types, trusted.journal)
    assert of_trusted is not None
    assert of_trusted.trust_tier < policy.trust_tier
    assert policy.class_of(other.publication_types, other.journal) is None


def test_the_list_names_kind_and_country_of_each_and_fits_into_one_request() -> None:
    rows = table("trusted_sites").rows
    assert all(len(row) == 4 and all(row) for row in rows)
    assert len(trusted_sites()) == len(rows) == len(TRUSTED_DOMAINS) <= MOST_DOMAINS
    assert len({site.country for site in trusted_sites().values()}) >= 20
    assert page_types("cdsco.gov.in") == (TRUSTED_PAGE, "Regulator, India")
