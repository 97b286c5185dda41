"""A work's own identifiers on the pages of its PDF, told from those of the works it names."""

from __future__ import annotations

import pytest
from fulltext_samples import PdfText, pdf
from openwork_evidence.identifiers import registrations_in
from openwork_fulltext.domain.pdf.article import parse_pdf

TEXT = [
    "The trial randomised 240 adults with heart failure to drug A or to placebo, and",
    "followed them for twelve months. Deaths fell from 12.5% to 8.1% in the group that",
    "was given drug A. Serious bleeding was rare and did not differ between the groups.",
]
OWN = "10.1234/own.2020.5"
OTHER = "10.9999/other.1999.1"


def page(text: list[str] = TEXT, *, title: bool = False) -> PdfText:
    made = PdfText()
    if title:
        made.line(60, 740, "Drug A in heart failure: a randomised trial", 18, bold=True)
    return made.paragraph(60, 640, text * 3)


def references(made: PdfText, y: float = 400) -> PdfText:
    made.line(60, y, "References", 14, bold=True)
    return made.paragraph(60, y - 16, [f"1. Smith J, Doe A. An older trial. Lancet 1999;1:1-2. doi:{OTHER}"])


@pytest.mark.parametrize("y", [30, 815])
def test_doi_of_running_heads_and_feet_is_found_though_they_are_left_out(y: float) -> None:
    pages = [page(title=n == 0).line(60, y, f"doi:{OWN} | page {n + 1}", 8) for n in range(3)]
    document = parse_pdf(pdf(pages))
    assert document.identifiers.doi == OWN
    assert OWN not in document.text


def test_doi_by_the_title_goes_before_one_of_the_text() -> None:
    first = page([f"A protocol was printed before (https://doi.org/{OTHER}).", *TEXT], title=True)
    first.line(60, 770, f"https://doi.org/{OWN}", 8)
    assert parse_pdf(pdf([first, page()])).identifiers.doi == OWN


def test_doi_of_a_reference_is_never_the_works_own() -> None:
    assert parse_pdf(pdf([references(page(title=True))])).identifiers.doi is None
    pages = [page(title=True), references(page()), references(PdfText(), 790)]
    assert parse_pdf(pdf(pages)).identifiers.doi is None


def test_foot_of_a_letter_is_read_below_its_references() -> None:
    assert parse_pdf(pdf([references(page(title=True)).line(60, 30, f"doi:{OWN}", 8)])).identifiers.doi == OWN


@pytest.mark.parametrize("words", ["Comment on", "Correction to", "Data are available at", "Supplementary material:"])
def test_doi_of_what_a_work_is_about_or_brings_with_it_is_not_its_own(words: str) -> None:
    first = page(title=True).line(60, 700, f"{words} https://doi.org/{OTHER}", 9).line(60, 30, f"doi:{OWN}", 8)
    assert parse_pdf(pdf([first])).identifiers.doi == OWN


def test_other_identifiers_are_found_in_heads_and_feet_and_not_in_references() -> None:
    pages = []
    for n in range(3):
        made = page(title=n == 0).line(60, 815, "PMC7654321 | Author manuscript", 8)
        made.line(60, 30, "Registered: NCT01234567, ISRCTN12345678, CTRI/2020/05/025123. PMID: 31234567", 8)
        pages.append(made)
    pages[0].line(60, 200, "References", 14, bold=True)
    pages[0].paragraph(60, 184, ["1. Smith J. Older trial. Lancet 1999;1:1-2. PMID: 19999999. NCT09999999"])
    document = parse_pdf(pdf(pages))
    assert document.identifiers.pmcid == "PMC7654321"
    assert document.identifiers.pmid == "31234567"
    assert document.identifiers.nct_ids == ("NCT01234567",)
    assert document.registrations == ("ISRCTN12345678", "CTRI/2020/05/025123")
    assert "Author manuscript" not in document.text


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("ISRCTN 12345678 and isrctn12345678", ("ISRCTN12345678",)),
        ("CTRI/2020/05/25123; ISRCTN: 87654321", ("CTRI/2020/05/25123", "ISRCTN87654321")),
        ("ISRCTN123456789, CTRI/20/5/1, XISRCTN12345678", ()),
    ],
)
def test_registrations_are_in_the_form_of_their_registers(text: str, numbers: tuple[str, ...]) -> None:
    assert registrations_in(text) == numbers
