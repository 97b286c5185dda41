"""References for reference managers: what each kind becomes, and that no text leaves its field."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.answer import AnswerDocument, Reference
from openwork_contracts.evidence import EvidenceRecord, EvidenceStatus, StudyDesign, TextOrigin
from openwork_laptop.library_import.importer import import_records
from openwork_report.bibliography.bibtex import bibtex
from openwork_report.bibliography.csl_json import csl_json
from openwork_report.bibliography.item import Author, author, items
from openwork_report.bibliography.ris import ris
from openwork_report.delimited import csv_table
from openwork_report.words import one_line

from tests.exports import AT, HOSTILE, document, reference


def references_table(found: AnswerDocument) -> str:
    return csv_table(found, "references")


WRITERS: dict[str, Callable[[AnswerDocument], str]] = {
    "RIS": ris,
    "BibTeX": bibtex,
    "CSL-JSON": csl_json,
    "table": references_table,
}


def read_again(text: str, wanted: str) -> tuple[EvidenceRecord, ...]:
    """The records that our own importer reads, which knows nothing of how they were written."""
    result = import_records([("export", text.encode())], retrieved_at=AT)
    assert result.files[0].format == wanted, result.files
    assert result.warnings == ()
    return result.records


def fields(record: EvidenceRecord | Reference) -> tuple[object, ...]:
    ids = record.identifiers if isinstance(record, EvidenceRecord) else record
    return (record.title, record.authors, record.collective_author, record.journal, record.year, ids.pmid, ids.doi)


REFERENCES = (
    reference(1, pmcid="PMC12", nct_id="NCT00412984", authors=("Granger CB", "van der Berg-Smith J")),
    reference(2, authors=("Ødegård-Łukasz ÅB",), title="β-blockers: naïve or not?", journal="Ärztebl Int"),
    reference(3, authors=(), collective_author="RECOVERY Collaborative Group", title="Dexamethasone in 王伟 & others"),
    reference(4, doi=None, authors=("O'Neil JP",), title="50% of {all} patients_with ~1 \\ $2 #3"),
)


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_exported_is_imported_again_as_it_was(name: str) -> None:
    again = read_again(WRITERS[name](document(*REFERENCES)), name)
    assert [fields(record) for record in again] == [fields(r) for r in REFERENCES]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_title_stays_in_its_field(name: str, text: str) -> None:
    first = reference(1, title=text, note=text, journal=text, collective_author=text)
    again = read_again(WRITERS[name](document(first, reference(2))), name)
    assert [(r.year, r.identifiers.pmid) for r in again] == [(2011, "1001"), (2011, "1002")]
    assert again[1].title == reference().title
    if not re.search("<|&[#a-z]", text):  # the importer takes markup off, as it has to of databases' titles
        assert letters(again[0].title) == letters(text)


def letters(text: str) -> str:
    return "".join(c for c in one_line(text) if c.isalnum())


@given(st.lists(st.text(max_size=60), min_size=1, max_size=3), st.text(max_size=60))
def test_no_text_makes_a_record_of_its_own(titles: list[str], name: str) -> None:
    many = [reference(n, title=f"A {title}", authors=(name,), journal=name) for n, title in enumerate(titles, start=1)]
    found = document(*many)
    assert len(re.findall(r"^TY  - ", ris(found), re.MULTILINE)) == len(many)
    assert ris(found).count("\r\nER  - \r\n") == len(many)
    assert len(json.loads(csl_json(found))) == len(many)
    entries = re.findall(r"^@\w+\{", bibtex(found), re.MULTILINE)
    assert len(entries) == len(many)
    for entry in bibtex(found).split("\n\n@"):
        assert depth(entry) == 0


def depth(text: str) -> int:
    """Braces as BibTeX counts them: a backslash before one changes nothing."""
    return text.count("{") - text.count("}")


def parsed(found: Reference) -> tuple[str, str, str]:
    """The types it has in RIS, BibTeX and CSL-JSON."""
    one = document(found)
    entry = re.match(r"@(\w+)\{", bibtex(one))
    assert entry
    return ris(one)[6:10], entry[1], json.loads(csl_json(one))[0]["type"]


NO_JOURNAL: dict[str, object] = {"journal": None, "pmid": None, "doi": None}


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, ("JOUR", "article", "article-journal")),
        ({"study_design": StudyDesign.GUIDELINE}, ("JOUR", "article", "article-journal")),
        ({"study_design": StudyDesign.GUIDELINE, **NO_JOURNAL}, ("RPRT", "techreport", "report")),
        (
            {"study_design": StudyDesign.DRUG_LABEL, "set_id": "a-b", "text_origin": TextOrigin.LABEL, **NO_JOURNAL},
            ("RPRT", "techreport", "report"),
        ),
        (
            {"study_design": StudyDesign.TRIAL_REGISTRATION, "nct_id": "NCT00412984", **NO_JOURNAL},
            ("RPRT", "techreport", "report"),
        ),
        ({"study_design": StudyDesign.PREPRINT}, ("UNPB", "unpublished", "article")),
        ({"study_design": StudyDesign.RCT, "text_origin": TextOrigin.PREPRINT}, ("UNPB", "unpublished", "article")),
        ({"study_design": StudyDesign.WEB_PAGE, **NO_JOURNAL}, ("ELEC", "misc", "webpage")),
        ({"text_origin": TextOrigin.OUR_SUMMARY}, ("JOUR", "article", "article-journal")),
        ({"text_origin": TextOrigin.USER_DOCUMENT, "url": None, **NO_JOURNAL}, ("GEN ", "misc", "document")),
    ],
)
def test_each_kind_of_reference_has_its_type(changes: dict[str, object], wanted: tuple[str, str, str]) -> None:
    found = parsed(reference(**changes))
    assert (found[0].strip(), *found[1:]) == (wanted[0].strip(), *wanted[1:])


def test_a_registration_and_a_label_name_who_keeps_them_and_their_number() -> None:
    trial = reference(1, study_design=StudyDesign.TRIAL_REGISTRATION, nct_id="NCT00412984", **NO_JOURNAL)
    label = reference(2, study_design=StudyDesign.DRUG_LABEL, set_id="8d7b-1", **NO_JOURNAL)
    first, second = json.loads(csl_json(document(trial, label)))
    assert (first["publisher"], first["number"], first["genre"]) == (
        "ClinicalTrials.gov",
        "NCT00412984",
        "Clinical trial registration",
    )
    assert (second["publisher"], second["number"], second["genre"]) == ("DailyMed", "8d7b-1", "Drug label")


@pytest.mark.parametrize("write", [ris, bibtex, csl_json])
def test_whose_words_were_cited_and_a_retraction_are_said(write: Callable[[AnswerDocument], str]) -> None:
    found = write(document(reference(status=EvidenceStatus.RETRACTED, text_origin=TextOrigin.OUR_SUMMARY)))
    assert "RETRACTED" in found
    assert "Words cited: a summary by Open Work, not the publication's own" in found


@pytest.mark.parametrize("write", WRITERS.values())
def test_a_field_that_the_reference_lacks_is_not_there(write: Callable[[AnswerDocument], str]) -> None:
    bare = Reference(n=1, source="tavily", id="url:x", title="A page")
    found = write(document(bare))
    assert "None" not in found
    assert "2011" not in found
    assert not re.search(r"journal = |^PY|\"issued\"|\"author\"|author = ", found, re.MULTILINE)


@pytest.mark.parametrize("write", [ris, bibtex, csl_json])
def test_a_run_without_references_is_an_empty_list(write: Callable[[AnswerDocument], str]) -> None:
    found = write(document().model_copy(update={"references": ()}))
    assert found.strip() in ("", "[]")


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "https://x y"])
def test_an_address_that_is_not_http_is_left_out(url: str) -> None:
    found = document(reference(url=url))
    for write in (ris, bibtex, csl_json):
        assert url not in write(found)


def test_keys_are_of_the_work_and_not_of_its_place() -> None:
    alone, second = items(document(reference(5)))[0], items(document(reference(1), reference(5)))[1]
    assert alone.key == second.key == "Granger2011_1005"


def test_two_references_to_one_work_have_two_keys() -> None:
    keys = [item.key for item in items(document(reference(1), reference(2, id="pmid:1001", pmid="1001")))]
    assert keys == ["Granger2011_1001", "Granger2011_1001-2"]


@given(st.text(min_size=1), st.text())
def test_a_key_is_plain_ascii_whatever_the_name_is(name: str, ident: str) -> None:
    (item,) = items(document(reference(authors=(name,), pmid=None, id=ident)))
    assert re.fullmatch(r"[A-Za-z]{1,24}2011_[0-9a-f]{10}", item.key)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("McMurray JJV", Author("McMurray JJV", "McMurray", "J. J. V.", None)),
        ("van der Berg-Smith J", Author("van der Berg-Smith J", "van der Berg-Smith", "J.", None)),
        ("Lopes RD Jr", Author("Lopes RD Jr", "Lopes", "R. D.", "Jr")),
        ("Ødegård Å", Author("Ødegård Å", "Ødegård", "Å.", None)),
        ("Hannah Jones", Author("Hannah Jones")),
        ("World Health Organization", Author("World Health Organization")),
        ("王伟", Author("王伟")),
        ("Smith, Hannah", Author("Smith, Hannah")),
    ],
)
def test_a_name_in_pubmeds_form_is_taken_apart_and_any_other_kept(name: str, wanted: Author) -> None:
    assert author(name) == wanted
