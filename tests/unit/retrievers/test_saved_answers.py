"""Saved answers, in whatever wrapping; and every recorded one that is at hand."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest
import source_answers as answers
from openwork_bus.codec import to_json
from openwork_contracts.errors import SourceChanged, SourceRefused, UsageError
from openwork_contracts.evidence import EvidenceRecord, EvidenceStatus
from openwork_laptop.saved_answers import parse_saved
from openwork_retrievers.domain.registry import BY_ROUTE

ARTICLES = answers.article_set(answers.article("101")).encode()


@pytest.mark.parametrize("source", ["pubmed", "pubmed-reviews", "cochrane", "ncbi", "PubMed", "medline"])
def test_source_is_named_by_route_adapter_or_service(source: str) -> None:
    record = parse_saved(source, ARTICLES, "efetch.xml")[0]
    assert (record.source_id, record.source) == ("101", source if source != "PubMed" else "pubmed")


def test_gzip_is_unpacked_also_in_several_members_and_refused_when_damaged() -> None:
    half = len(ARTICLES) // 2
    assert parse_saved("pubmed", gzip.compress(ARTICLES))[0].source_id == "101"
    assert parse_saved("pubmed", gzip.compress(ARTICLES[:half]) + gzip.compress(ARTICLES[half:]))[0].source_id == "101"
    with pytest.raises(SourceChanged, match="damaged"):
        parse_saved("pubmed", gzip.compress(ARTICLES)[:-20], "x.gz")


def cassette(body: object, status: object = 200) -> bytes:
    return json.dumps(
        {"request": {"method": "GET", "url": "u"}, "response": {"status": status, "headers": {}, "body": body}}
    ).encode()


def test_cassette_is_unwrapped_whatever_the_form_of_its_body() -> None:
    whole = json.loads(answers.openalex("1"))
    assert parse_saved("openalex", cassette(whole))[0].source_id == "W1"
    assert parse_saved("openalex", cassette({"string": json.dumps(whole)}, {"code": 200}))[0].source_id == "W1"
    assert parse_saved("crossref", cassette("Resource not found.", 404)) == ()
    with pytest.raises(SourceRefused):
        parse_saved("semanticscholar", cassette({"message": "Forbidden"}, 403))


def test_unknown_source_is_the_users_mistake() -> None:
    with pytest.raises(UsageError, match="europepmc"):
        parse_saved("pubmedd", b"{}")


def test_name_of_the_file_is_in_the_message() -> None:
    with pytest.raises(SourceChanged, match=r"broken\.json"):
        parse_saved("openalex", b"<html></html>", "broken.json")


def test_answers_that_hold_ids_only_give_no_records_but_have_to_be_whole() -> None:
    assert parse_saved("pubmed", answers.esearch("1", "2").encode()) == ()
    assert parse_saved("pubmed", b"<eInfoResult><DbList/></eInfoResult>") == ()
    assert parse_saved("dailymed", answers.spls((answers.SET_ID, "A [B]")).encode()) == ()
    with pytest.raises(SourceChanged):
        parse_saved("pubmed", b"<eInfoResult><DbList>")


def test_medline_text_is_read_with_its_labels_and_notices() -> None:
    text = (
        "\nPMID- 5\nTI  - A trial of one thing\n      on two lines.\n"
        "AB  - BACKGROUND: Why. RESULTS: Half of them. CONCLUSIONS: So.\n"
        "AU  - Doe J\nAU  - Roe R\nJT  - Journal of Examples\nDP  - 2019 Apr-Jun\n"
        "PT  - Journal Article\nMH  - *Stroke/therapy\nAID - 10.1000/A [doi]\nPMC - PMC9\n"
        "RIN - J Ex. 2020. PMID: 77\nSI  - ClinicalTrials.gov/NCT01234567\n\nPMID- 6\nTI  - B.\n"
    )
    first, second = parse_saved("pubmed", text.encode(), "x.txt")
    assert first.title == "A trial of one thing on two lines."
    assert [part.label for part in first.abstract] == ["BACKGROUND", "RESULTS", "CONCLUSIONS"]
    assert (first.year, first.status, first.mesh_terms) == (2019, EvidenceStatus.RETRACTED, ("Stroke",))
    assert (first.identifiers.doi, first.identifiers.nct_ids) == ("10.1000/a", ("NCT01234567",))
    assert second.source_id == "6"


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("europepmc", answers.europepmc("1", "2")),
        ("openalex", answers.openalex("1", "2")),
        ("semanticscholar", answers.semanticscholar("1", "2")),
        ("clinicaltrials", answers.studies("NCT00000001", "NCT00000002")),
        ("crossref", answers.crossref("1", "2")),
        ("tavily", answers.web_results("https://a.example/1", "https://a.example/2")),
        ("openfda", answers.openfda_label()),
    ],
)
def test_half_a_character_in_an_answer_costs_a_mark_and_no_record(source: str, answer: str) -> None:
    """A lone surrogate is no UTF-8: one in a title lost a whole source as soon as its records were to be stored."""
    dirty = re.sub(r"(?<=[a-z]) (?=[\w\[])", r" \\ud83d\\u0000\\u202e", answer)
    assert dirty != answer
    before, found = parse_saved(source, answer.encode()), parse_saved(source, dirty.encode())
    assert [r.source_id for r in found] == [r.source_id for r in before]
    stored = b"".join(to_json(record) for record in found).decode()
    assert "��" in stored
    assert not re.search(r"[\x00\u202e]|\\u0000|\\ud83d", stored)


def test_bibtex_of_crossref_is_read() -> None:
    text = (
        " @article{Doe_2020, title={A {SGLT2} trial}, DOI={10.1000/A}, journal={J Ex}, "
        "author={Doe, Jane A. and Roe, R}, year={2020} }"
    )
    record = parse_saved("crossref", text.encode())[0]
    assert (record.title, record.year, record.authors) == ("A SGLT2 trial", 2020, ("Doe JA", "Roe R"))


JATS = """<pmc-articleset><article article-type="{kind}" xmlns:xlink="http://www.w3.org/1999/xlink"><front>
<journal-meta><journal-title-group><journal-title>J Ex</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmc">{pmc}</article-id><article-id pub-id-type="doi">10.1000/x</article-id>
<title-group><article-title>A <italic>title</italic></article-title></title-group><contrib-group>
<contrib contrib-type="author"><name><surname>Doe</surname><given-names>Jane A.</given-names></name></contrib>
<contrib contrib-type="author"><collab>GROUP</collab></contrib></contrib-group>
<pub-date pub-type="epub"><year>2016</year></pub-date><pub-date pub-type="ppub"><year>2017</year></pub-date>{related}
<abstract><sec><title>Methods:</title><p>How.</p></sec></abstract>
<abstract abstract-type="summary"><p>For the public.</p></abstract></article-meta></front>
<sub-article><front-stub/></sub-article></article></pmc-articleset>"""


@pytest.mark.parametrize("pmc", ["55", "PMC55"])
def test_jats_front_matter_is_a_record(pmc: str) -> None:
    record = parse_saved("pmc", JATS.format(kind="research-article", pmc=pmc, related="").encode())[0]
    assert (record.source_id, record.year, record.title) == ("PMC55", 2017, "A title")
    assert (record.authors, record.collective_author) == (("Doe JA",), "GROUP")
    assert [(part.label, part.text) for part in record.abstract] == [("Methods", "How.")]


def test_correction_notice_in_jats_is_linked_to_its_work() -> None:
    related = '<related-article related-article-type="corrected-article" ext-link-type="doi" xlink:href="10.1000/W"/>'
    record = parse_saved("pmc", JATS.format(kind="correction", pmc="5", related=related).encode())[0]
    assert record.publication_types == ("Published Erratum",)
    assert [(link.kind, link.doi) for link in record.links] == [("correction_of", "10.1000/w")]


RECORDED = {
    "ncbi/pubmed-efetch": "pubmed",
    "ncbi/medline-baseline": "pubmed",
    "ncbi/medline-text": "pubmed",
    "ncbi/eutils": "pubmed",
    "ncbi/eutils-json": "pubmed",
    "ncbi/pmc-jats": "pmc",
    "europepmc": "europepmc",
    "openalex": "openalex",
    "semanticscholar": "semanticscholar",
    "crossref": "crossref",
    "clinicaltrials/v2-studies": "clinicaltrials",
    "clinicaltrials/v2-fields": "clinicaltrials",
    "dailymed/spl": "dailymed",
    "openfda": "openfda",
    "tavily": "tavily",
    "unpaywall": "unpaywall",
}


def recorded(data_dir: Path, folder: str) -> list[EvidenceRecord]:
    """Every record of a folder. A saved refusal (403, an errorBean) is right to be raised."""
    found: list[EvidenceRecord] = []
    for path in sorted((data_dir / "recorded" / folder).iterdir()):
        if path.is_file() and path.suffix not in (".md", ".csv"):
            try:
                found.extend(parse_saved(RECORDED[folder], path.read_bytes(), path.name))
            except SourceRefused:
                continue
    return found


@pytest.mark.data
@pytest.mark.parametrize("folder", RECORDED)
def test_every_recorded_answer_is_read(data_dir: Path, folder: str) -> None:
    records = recorded(data_dir, folder)
    assert all(record.title and record.source_id for record in records)
    for record in records:
        assert EvidenceRecord.model_validate_json(record.model_dump_json()) == record
        assert "<" not in record.title or "</" not in record.title


@pytest.mark.data
def test_recorded_pubmed_records_are_complete(data_dir: Path) -> None:
    """Counts that were taken from the files by hand: titles, years and the records' own DOIs."""
    records = recorded(data_dir, "ncbi/pubmed-efetch") + recorded(data_dir, "ncbi/medline-baseline")
    by_id = {record.source_id: record for record in records}
    assert len(records) == 239
    assert all(record.year and record.journal for record in records)
    assert by_id["31388331"].year == 2019
    assert by_id["31388326"].title.startswith("Aprica: a new genus")
    assert by_id["31541003"].status is EvidenceStatus.RETRACTED
    assert by_id["30386702"].identifiers.doi == "10.7717/peerj.5807"
    assert by_id["34843274"].authors == ()
    assert by_id["34843274"].collective_author
    assert by_id["38833988"].status is EvidenceStatus.NONE
    assert by_id["38833988"].links[0].kind == "correction_of"
    assert all("dryad" not in number.lower() for record in records for number in record.identifiers.nct_ids)


@pytest.mark.data
def test_recorded_trial_gives_the_numbers_of_the_cochrane_review(data_dir: Path) -> None:
    """ACTT-1: deaths and time to recovery, as ClinicalTrials.gov and the review have them."""
    records = {record.source_id: record for record in recorded(data_dir, "clinicaltrials/v2-studies")}
    trial = records["NCT04280705"]
    deaths = next(result for result in trial.results if result.outcome == "All-cause mortality")
    assert [(arm.arm, arm.events, arm.n) for arm in deaths.arms] == [("Remdesivir", 59, 541), ("Placebo", 77, 521)]
    recovery = trial.results[0].effect
    assert recovery is not None
    assert (recovery.estimate, recovery.ci_low, recovery.ci_high) == (1.29, 1.12, 1.49)
    levels = {result.effect.ci_level for result in records["NCT02210780"].results if result.effect}
    assert 0.9 in levels


@pytest.mark.data
def test_recorded_labels_keep_their_boxed_warnings(data_dir: Path) -> None:
    records = recorded(data_dir, "dailymed/spl")
    boxed = Counter(part.label.split(":")[0] for record in records for part in record.abstract if part.label)
    assert boxed["Boxed warning"] == 5
    assert sum("Drug Facts" in record.title for record in records) == 1


def test_every_route_has_a_parser_for_its_saved_answers() -> None:
    """Except rxnav, which has names and no records."""
    for route in BY_ROUTE:
        if route != "rxnav":
            with pytest.raises(SourceChanged):
                parse_saved(route, b"<html><body>maintenance</body></html>")
