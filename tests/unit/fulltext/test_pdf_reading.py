"""PDFs: reading order, headings, hyphens, running heads, tables, pages, references."""

from __future__ import annotations

import string

import pytest
from fulltext_samples import PdfText, pdf
from openwork_contracts.errors import FailureReason, SourceUnavailable
from openwork_fulltext.domain.document import ParsedDocument
from openwork_fulltext.domain.parse import parse_fulltext
from openwork_fulltext.domain.pdf.article import parse_pdf
from openwork_fulltext.domain.pdf.clean import furniture_of, garbled_fonts, remove_furniture
from openwork_fulltext.domain.pdf.layout import Line
from openwork_fulltext.domain.pdf.page import Page, Run, Style, _RunBuilder, compose_accents
from openwork_fulltext.domain.pdf.text import Vocabulary, join_line, paragraphs_of

ALPHABET = string.ascii_lowercase
LEFT = [
    "The trial randomised 240 adults with heart",
    "failure to drug A or to placebo for twelve",
    "months. Allocation was concealed and every-",
    "body was blinded until the database had been",
    "locked. The primary outcome was death from",
    "any cause within one year of the first dose.",
]
RIGHT = [
    "Deaths fell from 12.5% to 8.1% in the group",
    "that was given drug A. Serious bleeding was",
    "rare and did not differ between the groups.",
    "Adherence was above 90% at every visit that",
    "the protocol had planned for the patients.",
    "No patient was lost to follow-up in the end.",
]


def two_columns(page: PdfText, top: float) -> None:
    page.paragraph(60, top, LEFT)
    page.paragraph(320, top, RIGHT)


def assert_offsets(document: ParsedDocument) -> None:
    for section in document.sections:
        assert document.text[section.start : section.end] == section.text


def section_text(document: ParsedDocument, *path: str) -> str:
    return next(s.text for s in document.sections if s.path == path and s.kind == "text")


def test_columns_are_read_one_after_the_other() -> None:
    page = PdfText().line(60, 780, "Drug A in heart failure: a randomised trial", 20, bold=True)
    two_columns(page, 700)
    document = parse_pdf(pdf([page]))
    assert document.title == "Drug A in heart failure: a randomised trial"
    assert document.text.index("any cause within one year") < document.text.index("Deaths fell from 12.5%")
    assert "everybody was blinded" in document.text
    assert_offsets(document)


def test_headings_part_the_text_and_nest_by_their_style() -> None:
    page = PdfText().line(60, 800, "A trial of drug A in heart failure", 22, bold=True)
    page.line(60, 760, "Methods", 14, bold=True).line(60, 740, "Patients and settings", 11, bold=True)
    page.paragraph(60, 724, LEFT)
    page.line(60, 630, "Results", 14, bold=True).paragraph(60, 614, RIGHT)
    page.line(60, 520, "References", 14, bold=True).paragraph(60, 504, ["1. Smith J. Old trial. Lancet 2001;1:1-2."])
    document = parse_pdf(pdf([page]))
    assert [s.path for s in document.sections] == [("Methods",), ("Methods", "Patients and settings"), ("Results",)]
    assert "Smith J" not in document.text
    assert section_text(document, "Results").startswith("Deaths fell")
    assert_offsets(document)


def test_running_heads_and_page_numbers_are_left_out() -> None:
    pages = []
    for number in (1, 2, 3):
        page = PdfText().line(60, 815, "Journal of Examples 2020;3:14", 8).line(290, 30, f"Page {number} of 3", 8)
        page.paragraph(60, 700, LEFT)
        pages.append(page)
    document = parse_pdf(pdf(pages))
    assert "Journal of Examples" not in document.text
    assert "Page 2" not in document.text
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert document.page_at(document.text.rindex("any cause")) == 3


def test_table_is_rows_and_columns_with_spanning_heads_repeated() -> None:
    page = PdfText().line(60, 790, "Results", 14, bold=True).paragraph(60, 770, [*LEFT, *RIGHT])
    page.line(60, 600, "Table 1. Outcomes at one year", 8, bold=True)
    page.line(260, 584, "Randomised to one of two groups", 8)
    rows = [("Outcome", "Drug A", "Placebo"), ("Death", "10 (8.1%)", "15 (12.5%)"), ("Stroke", "3 (2.4%)", "2 (1.7%)"),
            ("Bleeding", "7 (5.6%)", "6 (5.0%)")]  # fmt: skip
    for n, (outcome, a, b) in enumerate(rows):
        page.line(60, 570 - 14 * n, outcome, 8).line(260, 570 - 14 * n, a, 8).line(360, 570 - 14 * n, b, 8)
    page.line(60, 505, "Numbers are people with at least one event.", 8)
    document = parse_pdf(pdf([page]))
    (section,) = [s for s in document.sections if s.kind == "table"]
    assert section.path == ("Results", "Table 1")
    table = section.table
    assert table is not None
    assert table.caption == "Outcomes at one year"
    assert table.rows[-3:] == tuple(rows[1:])
    assert table.n_header_rows == 2
    assert table.footnotes == ("Numbers are people with at least one event.",)
    assert "Table 1" not in section_text(document, "Results")


def test_sentence_about_a_table_is_no_caption() -> None:
    page = PdfText().paragraph(60, 790, [*LEFT, "Table 2 shows the outcomes of both groups.", *RIGHT])
    document = parse_pdf(pdf([page]))
    assert not [s for s in document.sections if s.kind == "table"]
    assert "Table 2 shows the outcomes" in document.text


def test_raised_numbers_do_not_run_into_the_text() -> None:
    page = PdfText().paragraph(60, 790, LEFT)
    page.line(60, 640, "Platelets were 150 x 10").line(164.2, 644, "9", 6).line(
        178, 640, "/L in both groups at baseline."
    )
    document = parse_pdf(pdf([page]))
    assert "10^9" in document.text


def test_scan_and_damage_are_told_apart_from_text() -> None:
    with pytest.raises(Exception, match="no text to read") as failure:
        parse_pdf(pdf([PdfText(), PdfText()]))
    assert "character recognition" in str(failure.value)


def test_reading_stops_at_the_limit_and_says_so() -> None:
    page = PdfText()
    page.paragraph(60, 700, LEFT)
    document = parse_pdf(pdf([page, page, page]), max_pages=2)
    assert any("first 2 of 3 pages" in warning for warning in document.warnings)


def test_deadline_is_asked_before_every_page() -> None:
    page = PdfText()
    page.paragraph(60, 700, LEFT)
    answers = iter([False, True])
    assert "first 1 of 2" in parse_pdf(pdf([page, page]), stop=lambda: next(answers)).warnings[0]
    with pytest.raises(SourceUnavailable) as failure:
        parse_pdf(pdf([page]), stop=lambda: True)
    assert failure.value.reason is FailureReason.DEADLINE


def test_pdf_is_told_by_its_first_bytes_not_by_its_name() -> None:
    page = PdfText()
    page.paragraph(60, 700, LEFT)
    assert parse_fulltext(b"\n" + pdf([page]), filename="article.xml").format == "pdf"


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("the inter-", "vention was", "the intervention was"),
        ("a placebo-", "controlled trial", "a placebo-controlled trial"),
        ("in COVID-", "19 patients", "in COVID-19 patients"),
        ("SARS-", "CoV-2", "SARS-CoV-2"),
        ("two arms", "of equal size", "two arms of equal size"),
        ("a range of 3 -", "5 days", "a range of 3 - 5 days"),
        ("hospital\u00ad", "ised adults", "hospitalised adults"),
    ],
)
def test_hyphens_at_the_end_of_a_line(first: str, second: str, joined: str) -> None:
    assert join_line(first, second, Vocabulary.of(["intervention", first, second])) == joined


def test_a_hyphen_that_was_drawn_never_just_goes() -> None:
    """Many files give a drawn hyphen as a soft one, which elsewhere is not seen."""
    run = _RunBuilder(page := Page(1, 595, 842))
    for place, character in enumerate("0.55\u00ad0.90\u200b\u0096x\u00ad"):
        run.add(character, 6.0 * place, 6.0 * place + 6, 700, Style(10, "Times"))
    run.flush()
    (drawn,) = page.runs
    assert drawn.text == "0.55\u00ad0.90–x\u00ad"  # as far as lines are joined
    line = Line([drawn], 1, (0, 595))
    (paragraph,) = paragraphs_of([line], 12, Vocabulary())
    assert paragraph.text == "0.55-0.90–x-"


def test_hyphen_that_the_document_writes_elsewhere_stays() -> None:
    vocabulary = Vocabulary.of(["The dose-finding part came first."])
    assert join_line("a dose-", "finding study", vocabulary) == "a dose-finding study"
    assert join_line("a micro-", "organism", Vocabulary.of(["Each microorganism"])) == "a microorganism"


def test_accents_set_before_their_letters_are_composed() -> None:
    assert compose_accents("Rost´asy, Barr´e and N¨uller") == "Rostásy, Barré and Nüller"
    assert compose_accents("5´ end") == "5´ end"


def page_of(font: str, lines: list[str], number: int = 1) -> Page:
    runs = [Run(words, 60, 400, 700.0 - 12 * n, Style(10, font)) for n, words in enumerate(lines)]
    return Page(number, 595, 842, runs)


def test_font_that_cannot_be_decoded_is_known_by_its_words() -> None:
    stems = ("treat", "random", "trial", "dosage", "bleed")
    words = [f"{stem}{ending}" for stem in stems for ending in ALPHABET]
    body = page_of("Times", [" ".join(["the", "of", *words[n : n + 8]]) for n in range(0, len(words), 8)] * 3)
    more = ("inter", "under", "after", "prevent", "contain", "person", "second", "winter", "hand", "land")
    body.runs += page_of("Times", [f"{stem}{end}" for stem in more for end in ALPHABET]).runs
    garbled = page_of("Custom", ["Opblvogpvtg Ilpambmg", "Xqzrtwe Kjhgfd", "Pqowieu Zmxncb", "Qazwsx Edcrfv", "Tgbyhn"])
    heading = page_of("Swiss", ["Treata and randomb", "Trialc or dosaged", "Bleede triale dosagef treatg"])
    names = page_of("Serif", ["Anderson Peters", "Martinez Hansen", "Winterton Mansell", "Linders Marner", "Sandersen"])
    assert garbled_fonts([body, garbled, heading, names]) == {"Custom"}


def test_short_last_column_is_not_mixed_with_the_long_one() -> None:
    page = PdfText().paragraph(60, 700, [*LEFT, *LEFT]).paragraph(320, 700, RIGHT[:2])
    document = parse_pdf(pdf([page]))
    assert "heart failure to drug A" in document.text
    assert document.text.rindex("cause within one year") < document.text.index("Deaths fell")


def test_numbers_of_a_table_at_the_top_of_the_page_are_no_page_numbers() -> None:
    page = page_of("Times", ["Deaths", "Strokes"])
    page.runs[0].y = page.runs[1].y = 800.0
    page.runs += [Run("12", 200, 212, 800.0, Style(10, "Times")), Run("7", 300, 310, 30.0, Style(10, "Times"))]
    remove_furniture([page], furniture_of([page]))
    assert [run.text for run in page.runs] == ["Deaths", "Strokes", "12"]


def test_page_numbers_are_no_text_but_numbers_in_the_text_are() -> None:
    pages = []
    for number in (1, 2):
        page = page_of("Times", ["12", "Doses of"], number)
        page.runs[0].y, page.runs[1].y = 20.0, 400.0
        page.runs.append(Run("12", 60, 80, 388.0, Style(10, "Times")))
        pages.append(page)
    remove_furniture(pages, furniture_of(pages))
    assert [run.text for run in pages[0].runs] == ["Doses of", "12"]
