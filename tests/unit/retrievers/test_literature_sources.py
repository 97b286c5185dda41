"""Europe PMC, OpenAlex, Semantic Scholar, Crossref and the web: their shapes and their traps."""

from __future__ import annotations

import json

import pytest
import source_answers as answers
from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import EvidenceStatus, TextOrigin
from openwork_retrievers.adapters import crossref, europepmc, openalex, semanticscholar, web
from openwork_retrievers.adapters.ctgov import studies
from openwork_retrievers.adapters.markup import abstract_parts, markup_text
from openwork_retrievers.adapters.ports import Identity
from openwork_retrievers.domain.registry import BY_ROUTE, build_adapter
from source_fakes import NOW, ScriptedHttp, analysis, ok, search_request


def hit(**fields: object) -> europepmc.Page:
    entry = {"id": "1", "source": "MED", "title": "Work."} | fields
    body = {"hitCount": 1, "request": {"cursorMark": "*"}, "resultList": {"result": [entry]}}
    return europepmc.parse_page("europepmc", json.dumps(body).encode(), NOW)


def test_preprint_without_pmid_is_a_record_of_its_own() -> None:
    record = hit(id="PPR12", source="PPR", doi="10.1101/1", pubType="preprint").records[0]
    assert (record.source_id, record.identifiers.pmid) == ("PPR12", None)
    assert "preprint" in [kind.lower() for kind in record.publication_types]
    assert record.status is EvidenceStatus.NOT_CHECKED


def test_missing_year_falls_back_to_the_first_publication() -> None:
    assert hit(firstPublicationDate="2019-08-22").records[0].year == 2019
    assert hit().records[0].year is None


def test_hit_with_only_an_id_is_no_record() -> None:
    assert hit(title=None).records == ()


def test_headings_in_an_abstract_are_labels() -> None:
    parts = abstract_parts("<h4>Background</h4>Why.<h4>Results</h4>HR&#160;0.5 (<i>P</i> &lt; 0.01).")
    assert [(part.label, part.text) for part in parts] == [("Background", "Why."), ("Results", "HR 0.5 (P < 0.01).")]
    assert abstract_parts("") == ()
    jats = abstract_parts("<jats:title>ABSTRACT</jats:title><jats:p>One<jats:italic>two</jats:italic>.</jats:p>")
    assert [(part.label, part.text) for part in jats] == [(None, "Onetwo.")]


def test_less_than_in_a_text_is_not_a_tag() -> None:
    assert markup_text("p < 0.05 and n > 3, 10<sup>6</sup>") == "p < 0.05 and n > 3, 10⁶"


def test_notices_of_europe_pmc_are_read() -> None:
    entry = {"type": "Retraction in", "id": "9", "source": "MED", "reference": "J Ex. 2021"}
    record = hit(
        commentCorrectionList={"commentCorrection": [entry]}, pubTypeList={"pubType": ["Journal Article"]}
    ).records[0]
    assert record.status is EvidenceStatus.RETRACTED
    assert [(link.kind, link.pmid) for link in record.links] == [("retracted_by", "9")]


def test_lite_record_has_not_been_checked_for_notices() -> None:
    assert hit(pubType="journal article").records[0].status is EvidenceStatus.NOT_CHECKED
    assert hit(pubTypeList={"pubType": ["Journal Article"]}).records[0].status is EvidenceStatus.NONE


async def test_cursor_that_was_read_otherwise_marks_the_search_and_repeated_pages_end_it() -> None:
    repeated = answers.europepmc("1", "2", cursor="%2A", next_cursor="C", hits=9)
    adapter = build_adapter(BY_ROUTE["europepmc-open"], Identity())
    result = await adapter.search(search_request("europepmc-open", limit=9), ScriptedHttp({"search": [ok(repeated)]}))
    assert len(result.records) == 2
    assert all(entry.suspect for entry in result.log)
    assert any("repeated" in text for text in result.degradations)


def test_europe_pmc_xml_tells_the_same() -> None:
    body = (
        b"<?xml version='1.0'?><responseWrapper><version>6.9</version><hitCount>1</hitCount>"
        b"<request><cursorMark>*</cursorMark>"
        b"</request><resultList><result><id>1</id><source>MED</source><pmid>1</pmid><title>A <i>b</i>.</title>"
        b"<pubYear>2020</pubYear><isOpenAccess>Y</isOpenAccess></result></resultList></responseWrapper>"
    )
    record = europepmc.parse_page("europepmc", body, NOW).records[0]
    assert (record.title, record.year, record.open_access) == ("A b.", 2020, True)


def test_abstract_is_rebuilt_by_position() -> None:
    work = json.loads(answers.openalex("1"))["results"][0]
    assert openalex.rebuilt_abstract(work["abstract_inverted_index"])[0].text == "Bleeding was Bleeding"
    assert openalex.rebuilt_abstract(None) == ()


def test_work_without_authors_or_pmid_and_one_alone_are_read() -> None:
    work: dict[str, object] = {
        "id": "https://openalex.org/W5",
        "doi": None,
        "title": "Alone",
        "authorships": [],
        "ids": {},
        "is_retracted": True,
    }
    record = openalex.parse_works("openalex", json.dumps(work).encode(), NOW)[0][0]
    assert (record.source_id, record.authors, record.status) == ("W5", (), EvidenceStatus.RETRACTED)


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("Jane van der Berg", "van der Berg J"),
        ("Jean-Paul Sartre", "Sartre JP"),
        ("Doe, Jane A.", "Doe JA"),
        ("Plato", "Plato"),
        ("Martin L. King Jr.", "King Jr ML"),
    ],
)
def test_names_are_printed_family_first(name: str, printed: str) -> None:
    assert openalex.family_first(name) == printed


def test_unknown_ids_of_a_batch_are_null_and_zero_hits_have_no_data() -> None:
    batch = b'[null, {"paperId": "p", "title": "T", "externalIds": {"PubMedCentral": "12", "DOI": "10.1000/A"}}]'
    records, _ = semanticscholar.parse_papers("semanticscholar", batch, NOW)
    assert [(r.identifiers.pmcid, r.identifiers.doi) for r in records] == [("PMC12", "10.1000/a")]
    assert semanticscholar.parse_papers("semanticscholar", b'{"total": 0, "offset": 0}', NOW)[0] == ()
    cited = (
        b'{"data": [{"citedPaper": {"paperId": null, "title": "x"}}, {"citingPaper": {"paperId": "q", "title": "y"}}]}'
    )
    assert [r.source_id for r in semanticscholar.parse_papers("semanticscholar", cited, NOW)[0]] == ["q"]


def test_update_of_another_work_is_a_link_and_update_of_this_one_its_status() -> None:
    notice = {
        "DOI": "10.1000/n",
        "title": ["Retraction: A work"],
        "update-to": [{"type": "retraction", "DOI": "10.1000/w"}],
    }
    work = {"DOI": "10.1000/w", "title": ["A work"], "updated-by": [{"type": "retraction", "DOI": "10.1000/n"}]}
    body = json.dumps({"message": {"items": [notice, work]}}).encode()
    first, second = crossref.parse_works("crossref", body, NOW)[0]
    assert (first.status, first.links[0].kind) == (EvidenceStatus.NOT_CHECKED, "retraction_of")
    assert (second.status, second.links[0].kind) == (EvidenceStatus.RETRACTED, "retracted_by")


def test_withdrawal_deposited_as_an_update_to_itself_is_the_works_status() -> None:
    work = {"DOI": "10.1000/w", "title": ["A work"], "update-to": [{"type": "Withdrawal", "DOI": "10.1000/W"}]}
    record = crossref.parse_works("crossref", json.dumps({"message": work}).encode(), NOW)[0][0]
    assert (record.status, record.links) == (EvidenceStatus.WITHDRAWN, ())


def test_web_page_is_text_without_marks_and_names_the_work_in_its_address() -> None:
    url = "https://pubmed.ncbi.nlm.nih.gov/123/"
    record = web.parse_results("tavily", answers.web_results(url).encode(), NOW)[0]
    assert record.abstract[0].text == "Heading Bold text"
    assert record.identifiers.pmid == "123"
    assert web.parse_results("tavily", answers.web_results("javascript:alert(1)").encode(), NOW) == ()


def test_queries_of_the_other_engines_name_every_concept() -> None:
    request = search_request("europepmc-cited", question=analysis(recent_since_year=2022))
    strict = request.strategy.rungs[0]
    text = europepmc.query_text(request.strategy, strict, europepmc.EuropePmcForm(filter="OPEN_ACCESS:y"))
    assert 'TITLE_ABS:"apixaban"' in text
    assert "LANG:eng AND PUB_YEAR:[2022 TO 3000] AND OPEN_ACCESS:y NOT PUB_TYPE:" in text
    cited = semanticscholar.search_request(
        "https://s", Identity(), request, semanticscholar.SemanticScholarForm(most_cited=True), strict
    )
    assert " + " in dict(cited.params)["query"]
    works = openalex.search_request(
        "https://o", Identity(), request, openalex.OpenAlexForm(filter="type:review"), strict
    )
    assert dict(works.params)["filter"] == "type:review,language:en,from_publication_date:2022-01-01"


@pytest.mark.parametrize(
    ("years", "europe_pmc", "open_alex", "scholar", "registry"),
    [
        (
            (2015, 2020),
            "PUB_YEAR:[2015 TO 2020]",
            "from_publication_date:2015-01-01,to_publication_date:2020-12-31",
            "2015-2020",
            "AREA[LastUpdatePostDate]RANGE[2015-01-01,MAX] AND AREA[StudyFirstPostDate]RANGE[MIN,2020-12-31]",
        ),
        (
            (None, 2020),
            "PUB_YEAR:[1000 TO 2020]",
            "to_publication_date:2020-12-31",
            "-2020",
            "AREA[StudyFirstPostDate]RANGE[MIN,2020-12-31]",
        ),
        (
            (2015, None),
            "PUB_YEAR:[2015 TO 3000]",
            "from_publication_date:2015-01-01",
            "2015-",
            "AREA[LastUpdatePostDate]RANGE[2015-01-01,MAX]",
        ),
    ],
)
def test_every_source_that_knows_years_is_asked_for_those_that_were_chosen(
    years: tuple[int | None, int | None], europe_pmc: str, open_alex: str, scholar: str, registry: str
) -> None:
    request = search_request("europepmc-cited", question=analysis(years=years))
    strict = request.strategy.rungs[0]
    assert europe_pmc in europepmc.query_text(request.strategy, strict, europepmc.EuropePmcForm())
    works = openalex.search_request("https://o", Identity(), request, openalex.OpenAlexForm(), strict)
    assert dict(works.params)["filter"] == f"language:en,{open_alex}"
    papers = semanticscholar.search_request(
        "https://s", Identity(), request, semanticscholar.SemanticScholarForm(), strict
    )
    assert dict(papers.params)["year"] == scholar
    trials = studies.search_request("https://c", request, strict)
    assert dict(trials.params)["filter.advanced"] == registry


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"3", b'"text"', b"{"])
def test_json_of_another_kind_is_a_changed_source(body: bytes) -> None:
    with pytest.raises(SourceChanged):
        openalex.parse_works("openalex", body, NOW)


@pytest.mark.parametrize(
    ("doi", "words_of"),
    [
        ("10.1056/NEJMoa1107039", TextOrigin.PUBLISHER),
        ("10.1101/2020.06.22.20137273", TextOrigin.PREPRINT),
        ("10.21203/rs.3.rs-1234/v1", TextOrigin.PREPRINT),
        ("10.1101/gad.12345", TextOrigin.PUBLISHER),
    ],
)
def test_a_preprint_is_told_from_a_published_paper_by_its_doi_in_every_index(doi: str, words_of: TextOrigin) -> None:
    """Cold Spring Harbor has journals under the prefix of its preprint servers."""
    paper = {"paperId": "p", "title": "Work", "abstract": "Text.", "externalIds": {"DOI": doi}}
    found = semanticscholar.paper_record(paper, "semanticscholar", NOW)
    indexed = openalex.work_record({"id": "https://openalex.org/W1", "title": "Work", "doi": doi}, "openalex", NOW)
    assert found is not None
    assert indexed is not None
    records = (hit(doi=doi).records[0], found, indexed)
    assert {record.text_origin for record in records} == {words_of}


def test_a_source_that_calls_its_record_a_preprint_is_believed() -> None:
    posted = crossref.work_record({"DOI": "10.1000/x", "title": ["Work"], "type": "posted-content"}, "crossref", NOW)
    listed = openalex.work_record(
        {"id": "https://openalex.org/W1", "title": "Work", "type": "preprint"}, "openalex", NOW
    )
    assert posted is not None
    assert listed is not None
    records = (posted, listed, hit(id="PPR12", source="PPR", pubType="preprint").records[0])
    assert {record.text_origin for record in records} == {TextOrigin.PREPRINT}


def test_an_abstract_rebuilt_from_a_list_of_words_is_still_the_publishers() -> None:
    index = {"Stroke": [0], "fell.": [1]}
    work = {"id": "https://openalex.org/W1", "title": "Work", "type": "article", "abstract_inverted_index": index}
    record = openalex.work_record(work, "openalex", NOW)
    assert record is not None
    assert (record.abstract[0].text, record.text_origin) == ("Stroke fell.", TextOrigin.PUBLISHER)
