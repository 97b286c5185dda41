"""Shapes of the outside APIs that the other tests of the adapters do not show; `test_quirks_index.py` lists all."""

from __future__ import annotations

import json

import pytest
import source_answers as answers
from openwork_contracts.errors import SourceRefused, SourceUnavailable
from openwork_contracts.evidence import EvidenceRecord
from openwork_language.quantities.compare import find_quantities
from openwork_laptop.saved_answers import parse_saved
from openwork_retrievers.adapters import europepmc, openalex, unpaywall, web
from openwork_retrievers.adapters.ctgov.studies import parse_studies
from openwork_retrievers.adapters.europepmc import EuropePmcForm
from openwork_retrievers.adapters.labels.dailymed import parse_list
from openwork_retrievers.adapters.labels.spl import parse_label
from openwork_retrievers.adapters.ncbi.articles import parse_articles
from openwork_retrievers.adapters.ncbi.esearch import parse_esearch
from openwork_retrievers.adapters.ncbi.links import LinkSet, parse_elink, parse_epost, parse_esummary
from openwork_retrievers.adapters.ports import Identity
from source_fakes import NOW, search_request

MATHML = (
    '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:msup><mml:mi>R</mml:mi><mml:mn>2</mml:mn></mml:msup>'
    "</mml:math>"
)


def pubmed(**fields: object) -> EvidenceRecord:
    body = answers.article_set(answers.article(**fields)).encode()  # type: ignore[arg-type]
    return next(parse_articles("pubmed", [body], NOW))


# PubMed


def test_text_after_a_formula_in_an_abstract_is_kept() -> None:
    abstract = f"<Abstract><AbstractText>The fit ({MATHML} of 0.9) was good.</AbstractText></Abstract>"
    (part,) = pubmed(abstract=abstract).abstract
    assert part.text.startswith("The fit (")
    assert part.text.endswith("of 0.9) was good.")
    assert "R" in part.text


def test_record_without_an_abstract_is_a_record() -> None:
    assert pubmed().abstract == ()
    assert pubmed().title == "A trial of one thing."


def test_group_can_be_the_only_author() -> None:
    record = pubmed(authors="<AuthorList><Author><CollectiveName>EXAMPLE Group</CollectiveName></Author></AuthorList>")
    assert (record.authors, record.collective_author) == ((), "EXAMPLE Group")


def test_original_title_of_an_english_article_does_not_replace_its_title() -> None:
    record = pubmed(extra="<VernacularTitle>Un essai.</VernacularTitle>")
    assert (record.title, record.language) == ("A trial of one thing.", "eng")


def test_doi_stands_in_the_article_ids_alone() -> None:
    """Half of the records have no ELocationID."""
    assert pubmed(data='<ArticleId IdType="doi">10.1000/A.1</ArticleId>').identifiers.doi == "10.1000/a.1"


# E-utilities


def test_errors_inside_summaries_and_posts_are_raised() -> None:
    with pytest.raises((SourceRefused, SourceUnavailable), match="Invalid uid"):
        parse_esummary("pubmed", b"<eSummaryResult><ERROR>Invalid uid 0 at position=0</ERROR></eSummaryResult>", NOW)
    two = b"<ePostResult><ERROR>IDs contain invalid characters</ERROR><ERROR>Wrong UID x</ERROR></ePostResult>"
    with pytest.raises((SourceRefused, SourceUnavailable), match=r"invalid characters.*; Wrong UID"):
        parse_epost("pubmed", two)
    with pytest.raises(SourceUnavailable, match="rate limit"):
        parse_esummary("pubmed", b'{"error":"API rate limit exceeded","count":"4","limit":"3"}', NOW)


def test_unknown_id_in_a_summary_leaves_the_others() -> None:
    result = {"uids": ["1", "2"], "1": {"uid": "1", "error": "cannot get document summary"}, "2": {"title": "B"}}
    found = parse_esummary("pubmed", json.dumps({"result": result}).encode(), NOW)
    assert [record.source_id for record in found] == ["2"]


def test_search_without_hits_names_the_phrase_that_was_not_found() -> None:
    body = (
        b"<eSearchResult><Count>0</Count><RetMax>0</RetMax><RetStart>0</RetStart><IdList/><TranslationSet/>"
        b"<QueryTranslation/><ErrorList><PhraseNotFound>abcXYZ</PhraseNotFound></ErrorList><WarningList>"
        b"<OutputMessage>No items found.</OutputMessage></WarningList></eSearchResult>"
    )
    found = parse_esearch("pubmed", body)
    assert (found.count, found.ids) == (0, ())
    assert any("abcXYZ" in warning for warning in found.warnings)


def link(inner: str) -> tuple[LinkSet, ...]:
    body = f"<eLinkResult><LinkSet><DbFrom>pubmed</DbFrom>{inner}</LinkSet></eLinkResult>"
    return parse_elink("pubmed", body.encode())


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (
            "<IdList><Id>1</Id></IdList><LinkSetDb><DbTo>pmc</DbTo><LinkName>pubmed_pmc</LinkName><Link><Id>7</Id>"
            "</Link></LinkSetDb>",
            LinkSet(("1",), "pubmed_pmc", ("7",)),
        ),
        (  # asked for with commas: which of them leads to 7 is not told
            "<IdList><Id>1</Id><Id>2</Id></IdList><LinkSetDb><DbTo>pmc</DbTo><LinkName>pubmed_pmc</LinkName><Link>"
            "<Id>7</Id></Link></LinkSetDb>",
            LinkSet(("1", "2"), "pubmed_pmc", ("7",)),
        ),
        ("<IdList><Id>1</Id></IdList>", None),
        (
            "<IdUrlList><IdUrlSet><Id>1</Id><ObjUrl><Url>https://a.org/x</Url></ObjUrl></IdUrlSet></IdUrlList>",
            LinkSet(("1",), "url", urls=("https://a.org/x",)),
        ),
        (
            '<IdCheckList><Id HasNeighbor="Y">1</Id></IdCheckList>',
            LinkSet(("1",), "check", has_links=True),
        ),
        (
            '<IdCheckList><Id HasLinkOut="N">1</Id></IdCheckList>',
            LinkSet(("1",), "check", has_links=False),
        ),
        (
            "<IdCheckList><IdLinkSet><Id>1</Id><LinkInfo><DbTo>pmc</DbTo><LinkName>pubmed_pmc</LinkName></LinkInfo>"
            "</IdLinkSet></IdCheckList>",
            LinkSet(("1",), "available", ("pubmed_pmc",), has_links=True),
        ),
    ],
)
def test_every_shape_of_elink_says_which_id_leads_where(inner: str, expected: LinkSet | None) -> None:
    assert link(inner) == (() if expected is None else (expected,))


# JATS


def test_article_without_doi_or_month_is_a_record() -> None:
    body = (
        "<article><front><journal-meta><journal-title-group><journal-title>J Ex</journal-title></journal-title-group>"
        '</journal-meta><article-meta><article-id pub-id-type="pmc">77</article-id><title-group><article-title>A'
        '</article-title></title-group><pub-date pub-type="collection"><year>2016</year></pub-date></article-meta>'
        "</front></article>"
    )
    (record,) = parse_saved("pmc", body.encode())
    assert (record.identifiers.pmcid, record.identifiers.doi, record.year) == ("PMC77", None, 2016)


@pytest.mark.parametrize("space", [chr(0x2009), chr(0x202F), chr(0x00A0)], ids=["thin", "narrow", "no-break"])
def test_thin_space_inside_a_number_does_not_part_it(space: str) -> None:
    (quantity,) = find_quantities(f"n = 12{space}345 patients")
    assert quantity.value == 12_345


# Europe PMC


def test_hit_without_authors_and_with_an_empty_abstract_is_a_record() -> None:
    entry = {"id": "1", "source": "MED", "pmid": "1", "title": "A.", "pubYear": "2020", "abstractText": ""}
    body = {"hitCount": 1, "request": {"cursorMark": "*"}, "resultList": {"result": [entry | {"isOpenAccess": "N"}]}}
    (record,) = europepmc.parse_page("europepmc", json.dumps(body).encode(), NOW).records
    assert (record.authors, record.abstract, record.year, record.open_access) == ((), (), 2020, False)


def test_synonyms_are_asked_for_and_not_left_to_the_method() -> None:
    call = europepmc.search_request("https://e", "apixaban", EuropePmcForm(sort="CITED desc"), "*", 60)
    asked = dict(call.params)
    assert (asked["synonym"], asked["resultType"], asked["cursorMark"]) == ("true", "core", "*")


def test_no_hits_come_without_a_cursor() -> None:
    body = {"hitCount": 0, "request": {"cursorMark": "*"}, "resultList": {"result": []}}
    page = europepmc.parse_page("europepmc", json.dumps(body).encode(), NOW)
    assert (page.records, page.next_cursor) == ((), None)


# ClinicalTrials.gov


def study_record(**sections: object) -> EvidenceRecord:
    return parse_studies("clinicaltrials", json.dumps(answers.study(**sections)).encode(), NOW)[0][0]


def test_study_asked_for_by_its_number_comes_without_a_list_and_without_arms() -> None:
    record = study_record(armsInterventionsModule={"interventions": [{"type": "DRUG", "name": "Examplol"}]})
    assert (record.source_id, record.arms, record.results) == ("NCT00000001", (), ())


def test_pseudo_arm_of_everybody_is_no_arm_and_gives_none_its_number() -> None:
    """Baseline tables have a group "Total" beside the arms, and ids of their own for all of them."""
    arms = {"armGroups": [{"label": "Examplol", "type": "EXPERIMENTAL"}, {"label": "Placebo", "type": "OTHER"}]}
    titles = {"BG000": ("Placebo", "9"), "BG001": ("Examplol", "8"), "BG002": ("Total", "17")}
    baseline = {
        "groups": [{"id": group, "title": title} for group, (title, _) in titles.items()],
        "denoms": [
            {
                "units": "Participants",
                "counts": [{"groupId": group, "value": count} for group, (_, count) in titles.items()],
            }
        ],
    }
    record = study_record(armsInterventionsModule=arms, resultsSection={"baselineCharacteristicsModule": baseline})
    assert [(arm.name, arm.n) for arm in record.arms] == [("Examplol", 8), ("Placebo", 9)]


def test_analysis_without_an_estimate_and_of_a_legacy_type_is_no_effect() -> None:
    arms = {"armGroups": [{"label": "Examplol", "type": "EXPERIMENTAL"}, {"label": "Placebo", "type": "OTHER"}]}
    groups = [{"id": "OG000", "title": "Placebo"}, {"id": "OG001", "title": "Examplol"}]
    analysis = {
        "groupIds": ["OG000", "OG001"],
        "nonInferiorityType": "SUPERIORITY_OR_OTHER_LEGACY",
        "pValue": "0.03",
        "statisticalMethod": "Fisher Exact",
    }
    cells = [{"groupId": "OG000", "value": "3"}, {"groupId": "OG001", "value": "1"}]
    outcome = {
        "type": "PRIMARY",
        "title": "Stroke",
        "paramType": "COUNT_OF_PARTICIPANTS",
        "unitOfMeasure": "Participants",
        "groups": groups,
        "classes": [{"categories": [{"measurements": cells}]}],
        "analyses": [analysis],
    }
    record = study_record(
        armsInterventionsModule=arms, resultsSection={"outcomeMeasuresModule": {"outcomeMeasures": [outcome]}}
    )
    assert all(result.effect is None or result.effect.estimate is None for result in record.results)
    assert "0.03" in record.abstract[-1].text


# Labels


def test_sections_deep_inside_one_another_are_read() -> None:
    inside = answers.section("42229-5", text="The innermost.")
    for _ in range(20):
        inside = answers.section("42229-5", inside=inside)
    record = parse_label("dailymed", answers.label(answers.section("34084-4", inside=inside)).encode(), NOW)
    assert record is not None
    assert [(part.label, part.text) for part in record.abstract] == [("Adverse reactions", "The innermost.")]


def test_list_of_labels_has_written_out_dates_and_no_label() -> None:
    body = answers.spls((answers.SET_ID, "EXAMPLOL TABLET [MAKER INC]")).encode()
    entries, total = parse_list("dailymed", body)
    assert ([entry.set_id for entry in entries], total) == ([answers.SET_ID], 1)


def test_openfda_entry_of_another_kind_is_no_label() -> None:
    """A recall report has an empty `openfda` and neither a set id nor a section."""
    entry = {"recall_number": "D-1-2020", "openfda": {}, "reason_for_recall": "Examples", "report_date": "20200101"}
    body = json.dumps({"meta": {}, "results": [entry]}).encode()
    assert all(record.identifiers.set_id is None for record in parse_saved("openfda", body))


# Indexes


def test_select_of_openalex_names_what_a_record_is_made_of() -> None:
    request = search_request("openalex")
    call = openalex.search_request("https://o", Identity(), request, openalex.OpenAlexForm(), request.strategy.rungs[0])
    selected = set(dict(call.params)["select"].split(","))
    assert {"id", "doi", "ids", "title", "publication_year", "authorships", "abstract_inverted_index"} <= selected
    assert {"is_retracted", "type"} <= selected


@pytest.mark.parametrize(
    ("source", "body"),
    [
        ("openalex", "<!doctype html><html><title>404 Not Found</title></html>"),
        ("crossref", "Resource not found."),
        ("semanticscholar", {"error": "Paper with id DOI:10.1000/x not found"}),
        ("openfda", {"error": {"code": "NOT_FOUND", "message": "No matches found!"}}),
        ("unpaywall", {"HTTP_status_code": 404, "error": True, "message": "'x' isn't in Unpaywall"}),
    ],
)
def test_not_found_in_every_services_own_words_is_nothing_found(source: str, body: object) -> None:
    cassette = {"request": {"url": "u"}, "response": {"status": 404, "body": body}}
    assert parse_saved(source, json.dumps(cassette).encode()) == ()


def test_refusal_of_semantic_scholar_is_not_nothing_found() -> None:
    cassette = {"request": {"url": "u"}, "response": {"status": 403, "body": {"message": "Forbidden"}}}
    with pytest.raises(SourceRefused, match="403"):
        parse_saved("semanticscholar", json.dumps(cassette).encode())


def test_unpaywall_search_nests_its_works_and_authors_may_be_null() -> None:
    work = {"doi": "10.1000/a", "title": "A", "is_oa": True, "z_authors": None, "best_oa_location": None, "year": 2020}
    body = {"elapsed_seconds": 0.1, "results": [{"response": work, "score": 1.0, "snippet": "A"}]}
    (record,) = unpaywall.parse_records("unpaywall", json.dumps(body).encode(), NOW)
    assert (record.identifiers.doi, record.authors, record.open_access) == ("10.1000/a", (), True)


def test_web_result_with_null_fields_is_read_and_its_noise_left_out() -> None:
    results = [{"url": "https://who.int/a", "title": "A", "content": "Fewer **strokes**. · Cited by 12 --",
                "raw_content": None, "score": 0.87, "published_date": None}]  # fmt: skip
    body = {"query": "q", "answer": None, "follow_up_questions": None, "results": results, "request_id": "r"}
    (record,) = web.parse_results("tavily", json.dumps(body).encode(), NOW)
    assert (record.abstract[0].text, record.year) == ("Fewer strokes.", None)
