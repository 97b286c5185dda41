"""PubMed records as they really are: each test is a shape that a plain reading of the DTD gets wrong."""

from __future__ import annotations

import source_answers as answers
from openwork_contracts.evidence import EvidenceRecord, EvidenceStatus
from openwork_retrievers.adapters.ncbi.articles import parse_articles
from source_fakes import NOW


def read(*articles: str) -> list[EvidenceRecord]:
    return list(parse_articles("pubmed", [answers.article_set(*articles).encode()], NOW))


def one(**fields: object) -> EvidenceRecord:
    return read(answers.article(**fields))[0]  # type: ignore[arg-type]


def test_year_comes_from_medline_date_where_there_is_no_year() -> None:
    assert one(date="<MedlineDate>2019 Apr-Jun</MedlineDate>").year == 2019
    assert one(date="<MedlineDate>1998 Dec-1999 Jan</MedlineDate>").year == 1998


def test_season_beside_the_year_is_no_obstacle() -> None:
    assert one(date="<Year>2013</Year><Season>Winter</Season>").year == 2013


def test_year_is_that_of_the_issue_and_else_of_the_electronic_article() -> None:
    electronic = '<ArticleDate DateType="Electronic"><Year>2019</Year></ArticleDate>'
    assert one(extra=electronic).year == 2020
    assert one(date="", extra=electronic).year == 2019


def test_title_that_begins_with_markup_is_not_empty() -> None:
    assert one(title="<i>Aprica</i>: a new genus.").title == "Aprica: a new genus."


def test_translated_title_loses_its_brackets_and_untranslated_one_gives_way_to_the_original() -> None:
    original = "<VernacularTitle>Ein Versuch.</VernacularTitle>"
    assert one(title="[A trial.]").title == "A trial."
    assert one(title="[Not Available].", extra=original).title == "Ein Versuch."


def test_abstract_keeps_labels_and_markup_and_leaves_other_languages_out() -> None:
    abstract = (
        '<Abstract><AbstractText Label="AIMS" NlmCategory="UNASSIGNED">To see.</AbstractText>'
        '<AbstractText NlmCategory="RESULTS">P<sub>trend</sub> <i>was</i> 0.02.</AbstractText>'
        "<AbstractText "
        'Label="UNLABELLED">More.</AbstractText><CopyrightInformation>(c)</CopyrightInformation></Abstract>'
    )
    other = '<OtherAbstract Type="Publisher" Language="fre"><AbstractText>Voir.</AbstractText></OtherAbstract>'
    record = one(abstract=abstract, corrections=other)
    assert [(part.label, part.text) for part in record.abstract] == [
        ("AIMS", "To see."),
        ("RESULTS", "Ptrend was 0.02."),
        (None, "More."),
    ]


def test_authors_are_printed_as_pubmed_prints_them() -> None:
    authors = (
        "<AuthorList><Author><LastName>Hambrick</LastName><ForeName>George W</ForeName><Initials>GW</Initials>"
        "<Suffix>Jr</Suffix></Author><Author><LastName>Cher</LastName></Author>"
        "<Author><CollectiveName>EXAMPLE Investigators</CollectiveName></Author></AuthorList>"
    )
    record = one(authors=authors)
    assert record.authors == ("Hambrick GW Jr", "Cher")
    assert record.collective_author == "EXAMPLE Investigators"
    assert one().authors == ()


def test_identifiers_are_the_records_own_and_never_those_of_its_references() -> None:
    references = (
        '<ReferenceList><Reference><ArticleIdList><ArticleId IdType="doi">10.1000/cited</ArticleId>'
        '<ArticleId IdType="pmc">PMC999</ArticleId></ArticleIdList></Reference></ReferenceList>'
    )
    own = '<ArticleId IdType="doi">10.1000/OWN</ArticleId><ArticleId IdType="pmc">PMC55</ArticleId>'
    record = one(data=own, references=references)
    assert (record.identifiers.doi, record.identifiers.pmcid) == ("10.1000/own", "PMC55")
    assert one(references=references).identifiers.doi is None


def test_only_trial_numbers_of_the_data_banks_are_trial_numbers() -> None:
    banks = (
        "<DataBankList><DataBank><DataBankName>ClinicalTrials.gov</DataBankName><AccessionNumberList>"
        "<AccessionNumber>NCT01234567</AccessionNumber></AccessionNumberList></DataBank><DataBank>"
        "<DataBankName>Dryad</DataBankName><AccessionNumberList><AccessionNumber>10.5061/dryad.1</AccessionNumber>"
        "</AccessionNumberList></DataBank></DataBankList>"
    )
    record = one(extra=banks)
    assert record.identifiers.nct_ids == ("NCT01234567",)
    assert [(link.kind, link.nct_id) for link in record.links] == [("registered_as", "NCT01234567")]


def correction(ref_type: str, pmid: str | None = "900", source: str = "J Ex. 2021;1:1") -> str:
    number = f"<PMID>{pmid}</PMID>" if pmid else ""
    return (
        f'<CommentsCorrectionsList><CommentsCorrections RefType="{ref_type}"><RefSource>{source}</RefSource>{number}'
        "</CommentsCorrections></CommentsCorrectionsList>"
    )


def test_notices_about_a_work_are_its_status() -> None:
    assert one(corrections=correction("RetractionIn")).status is EvidenceStatus.RETRACTED
    assert one(types=("Journal Article", "Retracted Publication")).status is EvidenceStatus.RETRACTED
    assert one(corrections=correction("ErratumIn", pmid=None)).status is EvidenceStatus.CORRECTED
    assert one(corrections=correction("ExpressionOfConcernIn")).status is EvidenceStatus.CONCERN
    assert one(title="WITHDRAWN: a review of one thing.").status is EvidenceStatus.WITHDRAWN
    assert one(corrections=correction("Cites")).status is EvidenceStatus.NONE


def test_a_notice_is_linked_to_its_work_and_not_itself_corrected() -> None:
    record = one(corrections=correction("ErratumFor"), types=("Published Erratum",))
    assert record.status is EvidenceStatus.NONE
    assert [(link.kind, link.pmid) for link in record.links] == [("correction_of", "900")]


def test_published_version_names_its_preprint() -> None:
    update = correction("UpdateOf", source="medRxiv. 2022 Jun 29:2022.06.01. doi: 10.1101/2022.06.01.1.")
    link = one(corrections=update).links[0]
    assert (link.kind, link.pmid, link.doi) == ("published_version_of", "900", "10.1101/2022.06.01.1")
    assert one(corrections=correction("UpdateOf")).links[0].kind == "update_of"


def test_republished_work_is_evidence_and_not_a_notice() -> None:
    link = one(corrections=correction("CorrectedandRepublishedFrom")).links[0]
    assert link.kind == "republication_of"
    assert one(corrections=correction("CorrectedandRepublishedIn")).status is EvidenceStatus.CORRECTED


def test_word_withdrawn_in_a_title_is_not_a_withdrawal() -> None:
    assert one(title="Withdrawn antibiotics: a history.").status is EvidenceStatus.NONE
    assert one(title="RETRACTED: A trial.").status is EvidenceStatus.RETRACTED


def test_book_chapter_is_a_record_with_its_book() -> None:
    book = (
        "<PubmedBookArticle><BookDocument><PMID>20301295</PMID><ArticleIdList>"
        '<ArticleId IdType="bookaccession">NBK1116</ArticleId></ArticleIdList><Book>'
        '<AuthorList Type="editors"><Author><LastName>Editor</LastName></Author></AuthorList>'
        "<BookTitle>GeneExamples</BookTitle><PubDate><Year>1993</Year></PubDate></Book>"
        "<ArticleTitle>Example <i>GENE1</i> Disorder</ArticleTitle><Language>eng</Language>"
        '<AuthorList Type="authors"><Author><LastName>Doe</LastName><Initials>J</Initials></Author></AuthorList>'
        "<PublicationType>Review</PublicationType><Abstract><AbstractText "
        'Label="MANAGEMENT">Rest.</AbstractText></Abstract>'
        "<DateRevised><Year>2024</Year></DateRevised></BookDocument></PubmedBookArticle>"
    )
    record = read(book)[0]
    assert (record.title, record.journal, record.year) == ("Example GENE1 Disorder", "GeneExamples", 2024)
    assert record.identifiers.url == "https://www.ncbi.nlm.nih.gov/books/NBK1116/"
    assert record.authors == ("Doe J",)


def test_record_without_title_is_left_out_and_an_empty_set_is_empty() -> None:
    assert read(answers.article(title="")) == []
    assert read() == []
