"""Word and PDF: opened again they say what the answer says, look like documents, and obey no text of others."""

from __future__ import annotations

import re
import sys
from io import BytesIO
from typing import TYPE_CHECKING

import docx as python_docx
import pypdfium2
import pytest
from docx.oxml.ns import qn
from openwork_contracts.answer import AnswerBody, RunStatus
from openwork_contracts.errors import UsageError
from openwork_report.styles.entries import StyleName
from openwork_report.whole.as_docx import NO_PICTURE, docx
from openwork_report.whole.as_pdf import pdf
from openwork_report.whole.attached import LONGEST_TITLE
from openwork_report.whole.parts import Bullets, Prose, Section
from openwork_report.whole.runs import LONGEST, Heading, Paragraph, Points, Rows, Run, pieces, runs_of

from tests.exports import HOSTILE, RUN, claim, document, full, reference
from tests.unit.report.made import concluded, result

if TYPE_CHECKING:
    from docx.document import Document

TYPST = (
    '#panic("x")',
    "$x$ and @ref-1 <ref-1>",
    '\\u{202e} #eval("1") ]',
    "= A heading\n- a point\n#pagebreak()",
    '#read("/etc/passwd") `raw` // no comment',
    "عنوان طويل جدا",
)
MEGABYTES = "word " * 400_000


def in_pdf(made: bytes) -> str:
    """All its words on one line."""
    file = pypdfium2.PdfDocument(made)
    text = " ".join(page.get_textpage().get_text_range() for page in file)
    return " ".join(text.split())


def in_word(made: bytes) -> Document:
    return python_docx.Document(BytesIO(made))


def words_of(file: Document) -> str:
    """All its words, with those of links, which python-docx's paragraphs leave out."""
    return " ".join("".join(text.text or "" for text in p.iter(qn("w:t"))) for p in file.element.iter(qn("w:p")))


def letters(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


SAID = (
    "Apixaban lowered stroke [1].",
    "212/9120 v 265/9081; HR 0.70 (95% CI 0.66 to 0.95)",
    "the publication's own",
    "doi:10.1056/nejm1",
    "PMID: 1001",
    "These could not be confirmed",
    "PRISMA 2020 flow diagram",
    "It does not diagnose, prescribe or advise",
)
PARTS = (
    "Answer",
    "The evidence, study by study",
    "Limits of the search",
    "References",
    "Held back",
    "How this came about",
    "What each sentence rests on",
    "Searches as they were sent",
    "Flow of records",
    "Found and not cited (1)",
    "Method",
)


# --- PDF ----------------------------------------------------------------------------------------------------------


def test_a_pdf_says_what_the_answer_says() -> None:
    words = in_pdf(pdf(full()))
    for wanted in (*SAID, *PARTS):
        assert wanted in words, wanted


def test_a_pdf_has_a_title_bookmarks_numbered_pages_and_a_structure() -> None:
    made = pdf(full())
    file = pypdfium2.PdfDocument(made)
    about = file.get_metadata_dict()
    assert (about["Title"], about["Author"]) == ("Apixaban lowered stroke", "Open Work")
    assert about["CreationDate"].startswith("D:20260102030405")
    assert [mark.get_title() for mark in file.get_toc()] == list(PARTS)
    assert file.is_tagged()
    assert (round(file[0].get_width()), round(file[0].get_height())) == (595, 842)
    pages = [" ".join(page.get_textpage().get_text_range().split()) for page in file]
    assert all(f"{n} / {len(pages)}" in text for n, text in enumerate(pages, 1))
    assert pages[1].startswith("Apixaban lowered stroke")


def claims_accessibility(made: bytes) -> bool:
    """Whether its metadata names PDF/UA."""
    return b"pdfuaid:part" in made


def test_a_pdf_is_accessible_by_typsts_checks_and_claims_nothing_where_a_letter_is_in_no_font() -> None:
    assert claims_accessibility(pdf(full()))
    nowhere = full("\U00012000\U00016a40 \ue0f0")
    assert not claims_accessibility(pdf(nowhere))


def test_the_same_document_is_the_same_pdf() -> None:
    assert pdf(full()) == pdf(full())


@pytest.mark.parametrize("text", [*HOSTILE, *TYPST])
def test_a_pdf_prints_a_text_of_others_and_does_nothing_else_with_it(text: str) -> None:
    words = in_pdf(pdf(full(text)))
    assert "Apixaban lowered stroke [1]." in words
    if text.isascii() and len(text) < LONGEST_TITLE:
        assert letters(text) in letters(words)


def test_a_pdf_prints_typsts_own_signs_as_they_are() -> None:
    for text in TYPST[:3]:
        assert text in in_pdf(pdf(full(text)))


def test_a_long_word_is_broken_in_a_pdf_and_copied_whole() -> None:
    words = in_pdf(pdf(full("https://example.org/" + "abcdefghij/" * 9)))
    assert not re.search("[\u200b\ufffc]", words)
    assert RUN in words


def test_results_that_share_a_comparison_are_drawn() -> None:
    found = concluded(result(1), result(2))
    words = in_pdf(pdf(found))
    assert "Published results of one comparison and outcome, as HR; not pooled" in words
    assert "favours apixaban" in words
    assert len(in_word(docx(found)).inline_shapes) == 1


# --- Word ---------------------------------------------------------------------------------------------------------


def test_a_word_file_says_what_the_answer_says_under_real_headings() -> None:
    file = in_word(docx(full()))
    words = words_of(file)
    for wanted in SAID:
        assert wanted in words, wanted
    headings = [p for p in file.paragraphs if p.style is not None and p.style.name.startswith("Heading")]
    assert [p.text for p in headings] == list(PARTS)
    assert {p.style.name for p in headings if p.style is not None} == {"Heading 1", "Heading 2"}
    assert [p.text for p in file.paragraphs if p.style is not None and p.style.name == "Title"] == [full().question]


def test_a_word_file_names_title_author_and_language() -> None:
    file = in_word(docx(full()))
    about = file.core_properties
    assert (about.title, about.author, about.language) == ("Apixaban lowered stroke", "Open Work", "en-GB")
    assert about.created is not None
    assert about.created.year == 2026
    (language,) = file.styles.element.iter(qn("w:lang"))
    assert language.get(qn("w:val")) == "en-GB"


def test_tables_of_a_word_file_repeat_their_header_and_pictures_are_described() -> None:
    file = in_word(docx(full()))
    assert len(file.tables) == 3
    for table in file.tables:
        first, *others = table.rows
        assert list(first._tr.iter(qn("w:tblHeader")))
        assert not [row for row in others if list(row._tr.iter(qn("w:tblHeader")))]
    (picture,) = file.inline_shapes
    assert "Records identified: 3" in picture._inline.docPr.get("descr")


def test_citation_marks_of_a_word_file_lead_to_their_references_and_identifiers_to_the_web() -> None:
    file = in_word(docx(full()))
    anchors = {link.get(qn("w:anchor")) for link in file.element.iter(qn("w:hyperlink"))} - {None}
    targets = {mark.get(qn("w:name")) for mark in file.element.iter(qn("w:bookmarkStart"))}
    assert anchors == {"reference_1"}
    assert anchors <= targets
    addresses = {rel.target_ref for rel in file.part.rels.values() if rel.is_external}
    assert addresses == {"https://doi.org/10.1056/nejm1", "https://pubmed.ncbi.nlm.nih.gov/1001/"}


@pytest.mark.parametrize("text", [*HOSTILE, *TYPST])
def test_a_word_file_prints_a_text_of_others_and_leads_nowhere_with_it(text: str) -> None:
    file = in_word(docx(full(text)))
    addresses = [rel.target_ref for rel in file.part.rels.values() if rel.is_external]
    assert all(one.startswith(("https://doi.org/", "https://pubmed.ncbi.nlm.nih.gov/")) for one in addresses)
    fields = {field.get(qn("w:instr")) for field in file.sections[0].footer._element.iter(qn("w:fldSimple"))}
    assert fields == {"PAGE", "NUMPAGES"}
    assert not list(file.element.iter(qn("w:instrText")))
    if "\u202e" not in text and len(text) < LONGEST_TITLE:
        assert letters(text) in letters(words_of(file))


def test_without_typst_a_word_file_has_tables_in_place_of_pictures_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    file = in_word(docx(full()))
    assert not list(file.inline_shapes)
    assert len(file.tables) == 4
    assert f"PRISMA 2020 flow diagram. {NO_PICTURE}" in words_of(file)


# --- both ---------------------------------------------------------------------------------------------------------


def test_references_are_in_the_chosen_style_with_whose_words() -> None:
    for words in (in_pdf(pdf(full(), StyleName.APA)), words_of(in_word(docx(full(), StyleName.APA)))):
        assert "https://doi.org/10.1056/nejm1" in words
        assert "PubMed PMID" not in words
        assert "cited text: the paper's own words" in words


@pytest.mark.parametrize("status", list(RunStatus))
def test_a_run_without_an_answer_is_a_document_too(status: RunStatus) -> None:
    answer = AnswerBody(markdown="It was not searched for.")
    bare = document(status=status, answer=answer, record=None).model_copy(update={"references": ()})
    for words in (in_pdf(pdf(bare)), words_of(in_word(docx(bare)))):
        assert "It was not searched for." in words
        assert "References" not in words


@pytest.mark.slow
def test_three_hundred_references_are_written() -> None:
    refs = tuple(reference(n, authors=tuple(f"Author{n} A" for n in range(n % 30))) for n in range(1, 301))
    many = full().model_copy(update={"references": refs})
    assert "nejm300" in in_pdf(pdf(many))
    assert "nejm300" in words_of(in_word(docx(many)))


def test_an_abstract_of_two_megabytes_is_cut_and_says_so() -> None:
    long = full().model_copy(update={"answer": AnswerBody(markdown="So it is [1].", claims=(claim(quote=MEGABYTES),))})
    made = docx(long)
    assert "characters more)" in words_of(in_word(made))
    assert max(len(made), len(pdf(long))) < 1_000_000


@pytest.mark.parametrize(
    ("module", "write", "package", "extra"),
    [
        ("typst", pdf, "typst", "pdf"),
        ("docx", docx, "python-docx", "docx"),
        ("citeproc", docx, "citeproc-py", "styles"),
        ("citeproc", pdf, "citeproc-py", "styles"),
    ],
)
def test_a_package_that_is_missing_is_named_with_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, module: str, write: object, package: str, extra: str
) -> None:
    assert callable(write)
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "openwork_report.whole.word", raising=False)
    with pytest.raises(UsageError) as error:
        write(full())
    assert f"{package}, which is not installed: pip install 'openwork-report[{extra}]'" in str(error.value)


# --- Markdown as runs ---------------------------------------------------------------------------------------------


def test_inline_markdown_becomes_runs_with_marks_and_links() -> None:
    made = runs_of(r"**Yes**, _so_ it\* is [1][7]; [doi](https://doi.org/x) [j](javascript:x) [2]", {1, 2})
    assert made == (
        Run("Yes", bold=True),
        Run(", "),
        Run("so", italic=True),
        Run(" it* is "),
        Run("[1]", mark=1),
        Run("[7]; "),
        Run("doi", address="https://doi.org/x"),
        Run(" [j](javascript:x) "),
        Run("[2]", mark=2),
    )


def test_the_answers_markdown_becomes_headings_paragraphs_lists_and_tables() -> None:
    text = (
        "So it is [1].\n\n| A | B |\n| --- | --- |\n| x | **y** [1] |\n\n### More\n\n- one\n- two\n  - inner\n\n`code`"
    )
    section = Section("answer", "Answer", (Prose(text), Bullets(("last",))))
    first, paragraph, table, heading, points, code, last = pieces((section,), {1})
    assert first == Heading(2, (Run("Answer"),))
    assert paragraph == Paragraph((Run("So it is "), Run("[1]", mark=1), Run(".")))
    cells = (((Run("x"),),), ((Run("y", bold=True), Run(" "), Run("[1]", mark=1)),))
    assert table == Rows("", ("A", "B"), (cells,))
    assert heading == Heading(3, (Run("More"),))
    assert points == Points(((Run("one"),), (Run("two"),), (Run("inner"),)))
    assert code == Paragraph((Run("code"),))
    assert last == Points(((Run("last"),),))


def test_a_very_long_text_is_cut_and_says_by_how_much() -> None:
    made = runs_of("a " * LONGEST * 3, ())
    assert sum(len(run.text) for run in made[:-1]) == LONGEST
    assert re.fullmatch(r" \.\.\. \(cut: [\d,]+ characters more\)", made[-1].text)
