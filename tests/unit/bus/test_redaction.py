"""What a trace may not show is masked, and what it must show stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_bus.redaction import asked_text, document_text, names_in, private_in, without_secrets
from openwork_evidence.library.references import shipped

from tests.eval.answers.questions import load_rows

SEED = "SUAM5NXCUDHYBRQCRBJ44HWN5QYOGXG4XLU5JZ2U4MSMUOZPLPGQDGFLGI"
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJvcGVud29yayJ9.c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abc.def-1", "Authorization: Bearer [secret]"),
        ("{'authorization': 'Basic dXNlcjpwYXNz'}", "{'authorization': 'Basic [secret]'}"),
        ("sent with bearer 0123456789abcdef", "sent with bearer [secret]"),
        (
            "https://eutils.example/esearch?db=pubmed&api_key=0123abcd&term=x",
            "https://eutils.example/esearch?db=pubmed&api_key=[secret]&term=x",
        ),
        ("GET /v1/models?key=abc HTTP/1.1", "GET /v1/models?key=[secret] HTTP/1.1"),
        ("nats://services:hunter22@nats:4222", "nats://[secret]@nats:4222"),
        ("OPENWORK_NCBI_API_KEY=0123456789", "OPENWORK_NCBI_API_KEY=[secret]"),
        ('{"password": "correct horse"}', '{"password": [secret]}'),
        ("x-api-key: 0123456789", "x-api-key: [secret]"),
        (f"the seed is {SEED}.", "the seed is [secret]."),
        (f"cookie {TOKEN} was sent", "cookie [secret] was sent"),
        ("AIzaSyA12345678901234567890123456789012 was refused", "[secret] was refused"),
        ("tvly-0123456789ab", "[secret]"),
        ("sk-proj-0123456789abcdefgh", "[secret]"),
        (
            "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\nafter",
            "[secret]\nafter",
        ),
        (f"-----BEGIN USER NKEY SEED-----\n{SEED}\n------END USER NKEY SEED------", "[secret]"),
    ],
)
def test_what_has_the_form_of_a_secret_is_masked_in_every_kind_of_text(text: str, masked: str) -> None:
    assert without_secrets(text) == document_text(text) == asked_text(text) == masked


def test_a_configured_secret_is_masked_in_whatever_form_it_stands() -> None:
    assert without_secrets("it said: plain-words-only, twice", {"plain-words-only"}) == "it said: [secret], twice"
    assert without_secrets("a key of five: abcde", {"abcde"}) == "a key of five: abcde", "too short to be looked for"


@pytest.mark.parametrize(
    "text",
    [
        "bearer of a BRCA1 mutation",
        "Basic electrocardiography in adults",
        "a gene-expression signature: Oncotype DX",
        "tokens: 300 in, 20 out",
        "key findings: mortality fell",
        "risk-stratification and desk-based work",
        "https://doi.org/10.1056/NEJMoa1107039?query=featured_home",
    ],
)
def test_ordinary_words_are_no_secret(text: str) -> None:
    assert asked_text(text) == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("write to anita.sharma+x@clinic.example.org today", "write to [e-mail] today"),
        ("call (212) 555-0147", "call [phone]"),
        ("call 212-555-0147 or +91 98765 43210", "call [phone] or [phone]"),
        ("mobile: 9876543210", "mobile: [phone]"),
        ("98765 43210 is hers", "[phone] is hers"),
        ("020 7946 0958", "[phone]"),
        ("phone 555 0147", "phone [phone]"),
        ("DOB 12/03/1957, on warfarin", "DOB [date of birth], on warfarin"),
        ("date of birth: 1957-03-12", "date of birth: [date of birth]"),
        ("she was born on 3rd of March 1957", "she was born on [date of birth]"),
        ("born March 3, 1957", "born [date of birth]"),
        ("MRN 00447112 has CKD", "MRN [record number] has CKD"),
        ("medical record number: A12-44711", "medical record number: [record number]"),
        ("Hospital No. 447112", "Hospital No. [record number]"),
        ("NHS number 943 476 5919", "NHS number [record number]"),
        ("SSN 078-05-1120", "SSN [record number]"),
        ("078-05-1120", "[record number]"),
    ],
)
def test_what_belongs_to_a_person_is_masked_in_an_askers_words(text: str, masked: str) -> None:
    assert asked_text(text) == masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Is apixaban safe for my patient John Smith?", "Is apixaban safe for my patient [name]?"),
        ("Mr. Rao, 67, takes metformin 500 mg", "Mr. [name], 67, takes metformin 500 mg"),
        ("Mr RAO takes it", "Mr [name] takes it"),
        ("Mrs Anita Sharma's INR is 3.1", "Mrs [name]'s INR is 3.1"),
        ("Dr. O'Brien and Ms. McDonald-Smith", "Dr. [name] and Ms. [name]"),
        ("our patient Maria de la Cruz has AF", "our patient [name] has AF"),
        ("my patient J. K. Rowling has AF", "my patient [name] has AF"),
        ("a patient named Priya with HFrEF", "a patient named [name] with HFrEF"),
        ("Her name is anita", "Her name is [name]"),
        ("patient: JOHN SMITH, 67", "patient: [name], 67"),
        ("Name: John Smith\nAge: 67", "Name: [name]\nAge: 67"),
        ("my mother Anita Sharma is on warfarin; does Anita need an INR?", "my mother [name] is on warfarin; does [name] need an INR?"),  # noqa: E501
        ("Mr. Will Smith will have surgery", "Mr. [name] will have surgery"),
    ],
)  # fmt: skip
def test_a_name_that_is_given_as_such_is_masked_wherever_it_stands_again(text: str, masked: str) -> None:
    assert asked_text(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "Does dapagliflozin 10 mg once daily lower NT-proBNP by 20-30%?",
        "HOPE-3, NCT00468923, ISRCTN12345678, PMID 27040132, PMC4874312, 10.1056/NEJMoa1600176",
        "EudraCT 2004-000012-13, CTRI/2018/04/013084, S0140-6736(18)31234-5, ISSN 0140-6736",
        "trials published between 12 March 2015 and 2020-01-31",
        "children born 1 January 2000 to 31 December 2010",
        "infants born before 32 weeks",
        "patient no. 12 of the series; patients aged 65; patient NYHA class III",
        "RR 0.78 (0.61-0.99), 212 of 9120 patients, 1000 2000 4000 IU, 90-120-150 mg",
        "the Patient Health Questionnaire and Patient Reported Outcomes",
        "my father has Parkinson's disease; my father Parkinson's disease stage 2",
        "my son Type 1 diabetes and my patient NYHA IV",
        "a drug called Entresto, a trial named PARADIGM-HF",
        "recall@10 and nDCG@10.5",
        "the SYNTAX score of woman Veterans Affairs Study",
        "",
    ],
)
def test_what_a_clinician_needs_to_see_stays(text: str) -> None:
    assert asked_text(text) == text
    assert document_text(text) == text


def test_authors_and_titles_of_documents_stay() -> None:
    text = "Smith J, Rao K. for the HOPE-3 investigators. Dr. Smith reports grants. Correspondence: j.smith@example.org"
    assert document_text(text) == text.replace("j.smith@example.org", "[e-mail]")


def test_parts_of_what_a_question_gives_away_are_masked_in_what_is_made_of_it() -> None:
    question = "Is it safe for my patient John Smithers (john.smithers@example.org, MRN 4471120)?"
    private = private_in(question)
    made = '{"variants": ["smithers apixaban", "4471120 example.org"], "people": ["John"]}'
    assert asked_text(made, private) == (
        '{"variants": ["[name] apixaban", "[record number] [e-mail]"], "people": ["[name]"]}'
    )


def test_a_name_that_is_an_ordinary_word_is_not_masked_where_it_is_written_small() -> None:
    assert names_in("my patient Grace Young") == {"Grace Young"}
    assert asked_text("my patient Grace Young: young people and Grace") == "my patient [name]: young people and [name]"


def test_masking_again_changes_nothing() -> None:
    once = asked_text("my patient John Smith, john@example.org, MRN 4471120, password=hunter22, +44 20 7946 0958")
    assert asked_text(once) == once


@given(st.text(max_size=200))
def test_any_text_can_be_masked(text: str) -> None:
    assert isinstance(asked_text(text), str)
    assert document_text(text) == document_text(document_text(text))


def test_hardly_any_real_question_and_no_document_of_the_library_is_touched() -> None:
    """Of the questions that doctors word, none names a person; the abstracts are public."""
    questions = [
        row.question
        for part in ("open", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
        for row in load_rows(part)
    ]
    assert [text for text in questions if asked_text(text) != text] == []
    texts = [text for record in shipped().values() for text in (record.title, *(part.text for part in record.abstract))]
    assert [text for text in texts if document_text(text) != text] == []
