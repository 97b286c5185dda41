"""Files of reference managers become records: every format, every entry accounted for, each work once."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openwork_contracts.evidence import EvidenceRecord, TextOrigin
from openwork_laptop.library_import import FileReport, ImportResult, import_records
from openwork_laptop.library_import.bibtex import plain_tex
from openwork_laptop.library_import.fields import author_name
from openwork_laptop.library_import.importer import decode, format_of
from openwork_laptop.library_import.tables import split_authors

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def read(text: str | bytes, name: str = "export.txt") -> ImportResult:
    return import_records([(name, text if isinstance(text, bytes) else text.encode())], retrieved_at=NOW)


def only(text: str | bytes) -> EvidenceRecord:
    (record,) = read(text).records
    return record


def assert_accounted_for(report: FileReport) -> None:
    assert report.n_entries == report.n_new + report.n_duplicates + report.n_unreadable + report.n_empty


RIS = """TY  - JOUR
TI  - Drug A in heart failure.
AU  - Höftberger, Romana
AU  - Liu R.
AU  - The HEART Study Group
T2  - Journal of Examples
PY  - 2019///
AB  - BACKGROUND: Why. METHODS: How. RESULTS: Fewer deaths.
DO  - https://doi.org/10.1234/ABC.1
C2  - 31421429
DB  - Scopus
KW  - heart failure
mortality
UR  - https://www.scopus.com/x?doi=10.1234%2fabc.1&partnerID=40
LA  - eng
ER  -
"""


def test_ris_record() -> None:
    record = only(RIS)
    assert record.title == "Drug A in heart failure"
    assert record.authors == ("Höftberger R", "Liu R")
    assert record.collective_author == "The HEART Study Group"
    assert (record.identifiers.doi, record.identifiers.pmid) == ("10.1234/abc.1", "31421429")
    assert (record.year, record.journal, record.language) == (2019, "Journal of Examples", "eng")
    assert [part.label for part in record.abstract] == ["BACKGROUND", "METHODS", "RESULTS"]
    assert record.mesh_terms == ("heart failure", "mortality")
    assert record.source == "library"
    assert record.source_id == "31421429"


def test_ris_without_end_marks_and_with_a_year_that_is_none() -> None:
    result = read("TY  - JOUR\nTI  - First\nPY  - 10 15\nTY  - JOUR\nT1  - Second\nPY  - in press\nDA  - 2011/09/01/\n")
    assert [(record.title, record.year) for record in result.records] == [("First", None), ("Second", 2011)]


def test_entries_without_a_title_are_named_not_lost() -> None:
    result = read(RIS + "TY  - JOUR\nAB  - Words without a title\nDO  - 10.1234/x\nER  -\nTY  - GEN\nER  -\n")
    (report,) = result.files
    assert (report.n_entries, report.n_new, report.n_unreadable, report.n_empty) == (3, 1, 1, 1)
    assert any("entry 2 has no title" in text and "10.1234/x" in text for text in result.warnings)
    assert any("1 entries are empty" in text for text in result.warnings)
    assert_accounted_for(report)


def test_nbib_record_keeps_retraction_and_trial_number() -> None:
    text = (
        "\nPMID- 31541003\nTI  - A trial that was\n      retracted.\nAU  - Smith J\nFAU - Smith, John\nDP  - 2019 Sep\n"
        "AID - 10.1234/r.1 [doi]\nSI  - ClinicalTrials.gov/NCT01234567\nPT  - Journal Article\n"
        "PT  - Retracted Publication\nRIN - J Ex. 2020. PMID: 32222222\nAB  - Text.\nJT  - Journal of Examples\n"
    )
    result = read(text, "pubmed.nbib")
    (record,) = result.records
    assert record.title.startswith("A trial that was retracted")
    assert record.identifiers.nct_ids == ("NCT01234567",)
    assert record.status.value == "retracted"
    assert result.files[0].format == "MEDLINE"


def test_pubmed_xml_goes_through_the_parser_of_the_adapter() -> None:
    text = (
        "<?xml version='1.0'?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>30000001</PMID><Article>"
        "<Journal><JournalIssue><PubDate><Year>2018</Year></PubDate></JournalIssue><Title>J Ex</Title></Journal>"
        "<ArticleTitle>Drug <i>A</i> works.</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
        "<PubmedArticle><MedlineCitation><Article/></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    )
    result = read(text)
    assert [(record.identifiers.pmid, record.year) for record in result.records] == [("30000001", 2018)]
    assert result.files[0].n_unreadable == 1
    assert_accounted_for(result.files[0])


def test_bibtex_with_braces_accents_strings_and_concatenation() -> None:
    text = r"""@comment{nothing}
@string{je = "Journal of Examples"}
@article{hoft2019, title = {{Drug A} in {H}eart failure: 5\% fewer deaths},
  author = {H{\"o}ftberger, Romana and {\O}stergaard, S{\o}ren and {WHO Solidarity Consortium} and others},
  journal = je # { B}, year = 2019, month = sep, doi = {10.1234/abc.1}, pmid = {31421429},
  abstract = "We {measured} $p<0.001$", keywords = {heart failure, mortality} }
@book{b, title = "No comma at the end", year = {1998}"""
    first, second = read(text).records
    assert first.title == "Drug A in Heart failure: 5% fewer deaths"
    assert first.authors == ("Höftberger R", "Østergaard S")
    assert first.collective_author == "WHO Solidarity Consortium"
    assert (first.journal, first.year, first.identifiers.pmid) == ("Journal of Examples B", 2019, "31421429")
    assert first.abstract[0].text == "We measured p<0.001"
    assert (second.title, second.year) == ("No comma at the end", 1998)


def test_bibtex_entries_that_break_off_have_no_key_or_the_same_one_are_read() -> None:
    text = (
        "@article{a, title={Breaks off\n@article{b, title={Whole}}\n@article{title={No key}}\n"
        "@article(b, title={Same key})\n@article{c, title={Field twice}, year={2001}, year={2002}}\n"
        '@misc{d,\n title = "Half'
    )
    result = read(text)
    titles = [record.title for record in result.records]
    assert titles == ["Breaks off", "Whole", "No key", "Same key", "Field twice", "Half"]
    assert result.records[4].year == 2001
    assert_accounted_for(result.files[0])


def test_bibtex_entry_beyond_repair_is_named_not_lost() -> None:
    result = read("@article{a, title={Whole}}\n@article{b, title {No equals sign}}\n")
    assert [record.title for record in result.records] == ["Whole"]
    assert result.files[0].n_unreadable == 1
    assert "entry 2 has no title" in result.warnings[0]


@pytest.mark.parametrize(
    ("tex", "plain"),
    [(r"Caf\'e", "Café"), (r"{\'{E}}tude", "Étude"), (r"\c{c}a", "ça"), (r"\v{C}apek", "Čapek"),
     (r"stra\ss e", "straße"),
     (r"\alpha-blocker", "α-blocker"), (r"10 -- 20", "10 – 20"), (r"A \& B", "A & B"),
     (r"95% CI {0.6}", "95% CI 0.6"), (r"5 \textmu g", "5 µg"), (r"p \textless{} 0.05", "p < 0.05"),
     (r"10\textsuperscript{6}", "10^6"), (r"$\geq 5$", "≥ 5"),
     (r"\mkbibquote{Drug A}", "Drug A"), (r"\SI{5}{mg}", r"\SI 5mg")],
)  # fmt: skip
def test_tex_as_plain_text(tex: str, plain: str) -> None:
    assert plain_tex(tex) == plain


def test_csl_json_of_a_reference_manager() -> None:
    item = {
        "type": "article-journal", "title": "Drug A", "container-title": "J Ex", "DOI": "10.1234/ABC",
        "PMID": 31421429,
        "issued": {"date-parts": [["2019", 9]]}, "abstract": "<jats:p>Fewer.</jats:p>", "note": "PMCID: PMC123456",
        "author": [{"family": "Berg", "given": "Anna M.", "non-dropping-particle": "van den"}, {"literal": "WHO"}],
    }  # fmt: skip
    record = only(json.dumps([item]))
    assert record.authors == ("van den Berg AM", "WHO")
    assert (record.year, record.identifiers.pmcid, record.identifiers.doi) == (2019, "PMC123456", "10.1234/abc")
    assert record.abstract[0].text == "Fewer."
    assert only(json.dumps({"items": [item]})).title == "Drug A"


def test_endnote_xml_with_its_style_elements() -> None:
    text = (
        "<?xml version='1.0' encoding='UTF-8'?><xml><records><record><ref-type name='Journal Article'>17</ref-type>"
        "<contributors><authors><author><style face='normal'>Jones, Hannah</style></author></authors></contributors>"
        "<titles><title><style face='normal'>Drug </style><style face='italic'>A</style></title>"
        "<secondary-title>J Ex</secondary-title></titles><dates><year><style>2018</style></year></dates>"
        "<accession-num>31421429</accession-num><remote-database-provider>NLM</remote-database-provider>"
        "<electronic-resource-num>10.1234/abc</electronic-resource-num></record></records></xml>"
    )
    record = only(text)
    assert (record.title, record.authors, record.year) == ("Drug A", ("Jones H",), 2018)
    assert (record.identifiers.pmid, record.identifiers.doi) == ("31421429", "10.1234/abc")


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,DOI",
         '31421429,Drug A.,"Liu R, Adler DG.","J Ex. 2019","Liu R",J Ex,2019,2019/09/01,PMC123456,,10.1234/ABC'),
        ("Authors;Author full names;Title;Year;Source title;DOI;Abstract;Document Type;PubMed ID",
         '"Liu R.; Adler D.G.";"Liu, Rui (1)";Drug A;2019;J Ex;10.1234/ABC;x;Article;31421429'),
        ("Key\tItem Type\tPublication Year\tAuthor\tTitle\tPublication Title\tDOI\tAbstract Note\tExtra",
         '"K"\t"journalArticle"\t"2019"\t"Liu, R.; Adler, D. G."\t"Drug A"\tJ Ex\t10.1234/ABC\t"x"\t"PMID: 31421429"'),
        ("Article Title|Authors|Source Title|Publication Year|DOI|Pubmed Id",
         "Drug A|Liu, R; Adler, DG|J Ex|2019|10.1234/ABC|31421429.0"),
    ],
    ids=["pubmed", "scopus", "zotero", "wos"],
)  # fmt: skip
def test_tables_of_databases(header: str, row: str) -> None:
    record = only(f"{header}\r\n{row}\r\n")
    assert record.title == "Drug A"
    assert record.authors[0].startswith("Liu R")
    assert (record.journal, record.year) == ("J Ex", 2019)
    assert (record.identifiers.pmid, record.identifiers.doi) == ("31421429", "10.1234/abc")


def test_embase_vertical_blocks() -> None:
    text = (
        '"TITLE","Drug A, in cysts"\n"AUTHOR NAMES","Liu R.","Adler D.G."\n"SOURCE","J Ex (2014) 3:3 (152-160)"\n'
        '"ABSTRACT","Fewer."\n"EMTREE DRUG INDEX TERMS","a","b"\n"DOI","10.1234/abc"\n"COPYRIGHT","x"\n\n'
        '"TITLE","Second"\n"AUTHOR NAMES","Yu B."\n"PUBLICATION YEAR","2015"\n"DOI","10.1234/def"\n'
    )
    first, second = read(text, "embase.csv").records
    assert first.title == "Drug A, in cysts"
    assert first.authors == ("Liu R", "Adler DG")
    assert (first.journal, first.year, first.identifiers.doi) == ("J Ex", 2014, "10.1234/abc")
    assert (second.title, second.year) == ("Second", 2015)


def test_table_without_a_title_column_names_its_columns() -> None:
    result = read("abstract,year\nwords,2019\n", "x.csv")
    assert result.records == ()
    assert "no column is a title" in result.warnings[0]
    assert "x.csv: " in result.warnings[0]


def test_same_work_in_three_files_is_one_record_with_all_that_they_know() -> None:
    csv = "Title,DOI,Year,Abstract\nDrug A in heart failure,10.1234/abc.1,2019,\nAnother,,2019,x\n"
    nbib = "PMID- 31421429\nTI  - Drug A in heart failure.\nDP  - 2019\nPMC - PMC123456\nAB  - Much longer.\n"
    result = import_records(
        [("a.csv", csv.encode()), ("b.ris", RIS.encode()), ("c.nbib", nbib.encode())], retrieved_at=NOW
    )
    assert [record.title for record in result.records] == ["Drug A in heart failure", "Another"]
    ids = result.records[0].identifiers
    assert (ids.doi, ids.pmid, ids.pmcid) == ("10.1234/abc.1", "31421429", "PMC123456")
    assert result.records[0].authors == ("Höftberger R", "Liu R")
    assert [(report.n_new, report.n_duplicates) for report in result.files] == [(2, 0), (0, 1), (0, 1)]


def test_equal_titles_of_different_works_stay_apart() -> None:
    csv = (
        "Title,Authors,Year,DOI\nEditorial,Smith J.; Yu B.,2019,\nEditorial,Jones H.; Yu B.,2019,\n"
        "Reply,A B.; C D.,2019,10.1234/a\nReply,A B.; C D.,2019,10.1234/b\n"
    )
    assert len(read(csv).records) == 4


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "latin-1"])
def test_encodings(encoding: str) -> None:
    assert only(RIS.encode(encoding)).authors[0] == "Höftberger R"


def test_unreadable_file_does_not_stop_the_others() -> None:
    result = import_records(
        [("bad.xml", b"<xml><records><record>"), ("good.ris", RIS.encode()), ("empty", b"")], retrieved_at=NOW
    )
    assert len(result.records) == 1
    assert {text.partition(":")[0] for text in result.warnings} == {"bad.xml", "empty"}


@pytest.mark.parametrize(
    ("body", "name"),
    [(RIS, "RIS"), ("PMID- 1\nTI  - x", "MEDLINE"), ("@article{a, title={x}}", "BibTeX"), ("[{}]", "CSL-JSON"),
     ("%0 Journal Article\n%T x", "EndNote text"), ("FN Clarivate\nVR 1.0\nPT J\nTI x\nER\nEF", "Web of Science text"),
     ("title,year\nx,2019", "table"), ("<PubmedArticleSet/>", "PubMed XML")],
)  # fmt: skip
def test_format_is_told_from_the_content(body: str, name: str) -> None:
    assert format_of(body) == name


def test_tagged_text_of_endnote_and_web_of_science() -> None:
    refer = only("%0 Journal Article\n%T Drug A\n%A Liu, Rui\n%J J Ex\n%D 2019\n%R 10.1234/abc\n%X Fewer.\n")
    wos = only(
        "FN Clarivate\nVR 1.0\nPT J\nAU Liu, R\n   Yu, B\nTI Drug\n   A\nSO J Ex\nPY 2019\nDI 10.1234/abc\n"
        "PM 31421429\nER\n\nEF"
    )
    assert (refer.title, refer.authors, refer.year) == ("Drug A", ("Liu R",), 2019)
    assert (wos.title, wos.authors, wos.identifiers.pmid) == ("Drug A", ("Liu R", "Yu B"), "31421429")


@pytest.mark.parametrize(
    ("printed", "name"),
    [("Liu R.", "Liu R"), ("Adler D.G.", "Adler DG"), ("Labanski, A.", "Labanski A"), ("Jones, Hannah", "Jones H"),
     ("Hannah M Jones", "Jones HM"), ("van den Berg, A.M.", "van den Berg AM"), ("Smith JA", "Smith JA")],
)  # fmt: skip
def test_names_as_pubmed_prints_them(printed: str, name: str) -> None:
    assert author_name(printed) == name


def test_one_person_with_a_comma_is_one_person() -> None:
    assert split_authors("Marx, Karl") == ["Marx, Karl"]
    assert split_authors("['Marx, Karl', 'Lindgren, Astrid']") == ["Marx, Karl", "Lindgren, Astrid"]
    assert split_authors("Liu R., Adler D.G.") == ["Liu R.", "Adler D.G."]


@settings(max_examples=150)
@given(st.one_of(st.binary(max_size=300), st.text(alphabet='@{}"=,<>[]%TY -\nPMIDAx', max_size=200).map(str.encode)))
def test_no_file_breaks_the_import(body: bytes) -> None:
    """Whatever the bytes: a result, and every entry accounted for."""
    result = read(body)
    assert_accounted_for(result.files[0])
    assert decode(body)[0] is not None


def test_a_file_of_pubmeds_has_the_publishers_words_and_any_other_those_of_its_owner() -> None:
    """In a reference manager anybody may have written the abstract; PubMed's own export is PubMed's."""
    medline = "PMID- 101\nTI  - A trial of drug A.\nAB  - Drug A lowered deaths.\nDP  - 2019\n"
    assert only(medline).text_origin is TextOrigin.PUBLISHER
    assert only(RIS).text_origin is TextOrigin.USER_DOCUMENT


def test_where_a_longer_abstract_is_taken_over_it_is_told_whose_that_is() -> None:
    medline = "PMID- 101\nTI  - A trial of drug A.\nAB  - Short.\nDP  - 2019\n"
    ris = "TY  - JOUR\nTI  - A trial of drug A.\nAN  - 101\nAB  - A longer text of somebody's.\nPY  - 2019\nER  - \n"
    files = [("a.nbib", medline.encode()), ("b.ris", ris.encode())]
    (record,) = import_records(files, retrieved_at=NOW).records
    assert record.abstract[0].text == "A longer text of somebody's."
    assert record.text_origin is TextOrigin.USER_DOCUMENT
