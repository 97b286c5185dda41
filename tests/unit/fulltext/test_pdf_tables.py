"""Tables of PDFs by what is drawn and where it stands: beside text, with spanning heads, ruled rows, boxes."""

from __future__ import annotations

from itertools import cycle, islice

import pytest
from fulltext_samples import PdfText, pdf
from openwork_contracts.tables import Table
from openwork_fulltext.domain.document import ParsedDocument
from openwork_fulltext.domain.pdf.article import parse_pdf

SENTENCES = [
    "The trial randomised 240 adults with heart",
    "failure to drug A or to placebo for twelve",
    "months. Allocation was concealed and staff",
    "were blinded until the database had been",
    "locked. The primary outcome was death from",
    "any cause within one year of the first dose.",
]
ROWS = [
    ("Outcome", "Drug A", "Placebo"),
    ("Death", "10 (8.1%)", "15 (12.5%)"),
    ("Stroke", "3 (2.4%)", "2 (1.7%)"),
    ("Bleeding", "7 (5.6%)", "6 (5.0%)"),
]


def text(page: PdfText, x: float, top: float, n_lines: int, mark: str) -> PdfText:
    """Lines of running text 200 points wide; the first has a mark to find it by."""
    lines = list(islice(cycle(SENTENCES), n_lines))
    return page.paragraph(x, top, [f"{mark} {lines[0]}"[:44], *lines[1:]])


def tables_of(document: ParsedDocument) -> list[Table]:
    return [section.table for section in document.sections if section.table is not None]


def running_text(document: ParsedDocument) -> str:
    return " ".join(section.text for section in document.sections if section.kind == "text")


def booktabs(page: PdfText, x: float, top: float, *, label: str = "Table 1") -> PdfText:
    """A table of three rules in a column of 200 points, its caption above the first."""
    page.line(x, top, f"{label}. Outcomes at one year", 8, bold=True)
    page.rule(x, x + 200, top - 6).rule(x, x + 200, top - 20).rule(x, x + 200, top - 66)
    for n, row in enumerate(ROWS):
        page.cells((x, x + 80, x + 140), top - 16 - 15 * n, row)
    return page


@pytest.mark.parametrize("side", ["left", "right"])
def test_table_in_one_column_does_not_run_into_the_text_beside_it(side: str) -> None:
    table_x, text_x = (60, 320) if side == "left" else (320, 60)
    page = PdfText()
    text(page, table_x, 780, 8, "FIRST")
    booktabs(page, table_x, 660)
    text(page, table_x, 560, 8, "SECOND")
    text(page, text_x, 780, 26, "BESIDE")
    document = parse_pdf(pdf([page]))
    (table,) = tables_of(document)
    assert table.rows == tuple(ROWS)
    assert table.n_header_rows == 1
    words = running_text(document)
    assert "Drug A" not in words
    order = ["FIRST", "SECOND", "BESIDE"] if side == "left" else ["BESIDE", "FIRST", "SECOND"]
    assert [words.index(mark) for mark in order] == sorted(words.index(mark) for mark in order)


def test_two_tables_side_by_side_are_two_tables() -> None:
    page = booktabs(booktabs(PdfText(), 60, 700), 320, 700, label="Table 2")
    text(page, 60, 600, 12, "LEFT")
    text(page, 320, 600, 12, "RIGHT")
    tables = tables_of(parse_pdf(pdf([page])))
    assert [table.label for table in tables] == ["Table 1", "Table 2"]
    assert all(table.rows == tuple(ROWS) for table in tables)


def test_table_over_the_page_parts_the_columns_above_it_from_those_below() -> None:
    page = PdfText()
    for x, mark in ((60, "A"), (320, "B")):
        text(page, x, 790, 8, f"ABOVE-{mark}")
        text(page, x, 500, 8, f"BELOW-{mark}")
    page.line(60, 660, "Table 1. Outcomes at one year", 8, bold=True)
    page.rule(60, 520, 654).rule(60, 520, 640).rule(60, 520, 590)
    for n, row in enumerate(ROWS):
        page.cells((60, 240, 420), 644 - 16 * n, row)
    document = parse_pdf(pdf([page]))
    (table,) = tables_of(document)
    assert table.rows == tuple(ROWS)
    words = running_text(document)
    places = [words.index(mark) for mark in ("ABOVE-A", "ABOVE-B", "BELOW-A", "BELOW-B")]
    assert places == sorted(places)


def test_three_columns_are_read_one_after_the_other() -> None:
    page = PdfText()
    for x, mark in ((40, "ONE"), (220, "TWO"), (400, "THREE")):
        lines = [line[:32] for line in islice(cycle(SENTENCES), 14)]
        page.paragraph(x, 780, [f"{mark} {lines[0]}"[:32], *lines[1:]], size=9)
    words = running_text(parse_pdf(pdf([page])))
    places = [words.index(mark) for mark in ("ONE", "TWO", "THREE")]
    assert places == sorted(places)
    assert words[places[0] : places[1]].count("failure to drug A") == 3


def test_head_with_a_rule_below_it_stands_over_the_columns_of_that_rule() -> None:
    page = text(PdfText(), 60, 790, 6, "TEXT")
    page.line(60, 660, "Table 1. Deaths by dose", 8, bold=True)
    page.rule(60, 520, 652)
    page.cells((60, 200, 420), 642, ("", "Drug A", "Placebo")).rule(200, 380, 636)
    page.cells((60, 200, 300, 420), 626, ("Sex", "10 mg", "20 mg", "(n = 120)")).rule(60, 520, 620)
    for n, row in enumerate([("Women", "4", "6", "9"), ("Men", "6", "8", "11"), ("All", "10", "14", "20")]):
        page.cells((60, 200, 300, 420), 608 - 16 * n, row)
    page.rule(60, 520, 568)
    (table,) = tables_of(parse_pdf(pdf([page])))
    assert table.n_header_rows == 2
    assert table.rows[0][1:3] == ("Drug A", "Drug A")
    assert table.rows[1] == ("Sex", "10 mg", "20 mg", "(n = 120)")
    assert table.rows[2] == ("Women", "4", "6", "9")


def test_cell_of_several_lines_between_two_rules_is_one_cell() -> None:
    page = text(PdfText(), 60, 790, 6, "TEXT")
    page.line(60, 660, "Table 1. What was measured", 8, bold=True)
    page.rule(60, 520, 652).cells((60, 200, 380), 642, ("Measure", "How", "When")).rule(60, 520, 636)
    y = 624
    for n in range(4):
        page.cells((60, 200, 380), y, (f"Measure {n}", "by a nurse who did", "at week 4,"))
        page.cells((60, 200, 380), y - 10, ("", "not know the group", "week 8")).rule(60, 520, y - 16)
        y -= 28
    (table,) = tables_of(parse_pdf(pdf([page])))
    assert table.rows[0] == ("Measure", "How", "When")
    assert table.rows[1:] == tuple(
        (f"Measure {n}", "by a nurse who did not know the group", "at week 4, week 8") for n in range(4)
    )


def test_box_cells_are_cells_and_one_over_two_rows_is_in_both() -> None:
    page = text(PdfText(), 60, 790, 6, "TEXT")
    page.rule(60, 520, 652).rule(60, 520, 632).rule(200, 520, 612).rule(60, 520, 592).rule(60, 520, 572)
    for x in (60, 200, 360, 520):
        page.upright(x, 572, 652)
    xs = (64, 204, 364)
    page.cells(xs, 640, ("Statement", "Strength", "Certainty")).cells(xs, 620, ("Hand hygiene", "Strong", "Moderate"))
    page.cells(xs, 600, ("", "Conditional", "Low")).cells(xs, 580, ("Masks", "Strong", "High"))
    (table,) = tables_of(parse_pdf(pdf([page])))
    assert table.rows == (
        ("Statement", "Strength", "Certainty"),
        ("Hand hygiene", "Strong", "Moderate"),
        ("Hand hygiene", "Conditional", "Low"),
        ("Masks", "Strong", "High"),
    )
    assert table.label == "Table"


def test_heads_in_a_bar_have_the_rows_below_it() -> None:
    page = text(PdfText(), 60, 790, 6, "TEXT")
    page.line(60, 660, "Table 1. Deaths by dose", 8, bold=True)
    page.commands.append("0.8 g 60 632 460 18 re f 0 g")
    page.cells((64, 204, 364), 638, ("Sex", "Drug A", "Placebo"))
    rows = [("Women", "4 (3%)", "9 (8%)"), ("Men", "6 (5%)", "11 (9%)"), ("All", "10 (8%)", "20 (17%)")]
    for n, row in enumerate(rows):
        page.cells((64, 204, 364), 620 - 14 * n, row)
    text(page, 60, 540, 8, "AFTER")
    document = parse_pdf(pdf([page]))
    (table,) = tables_of(document)
    assert table.rows == (("Sex", "Drug A", "Placebo"), *rows)
    assert "AFTER" in running_text(document)


def test_numbers_of_two_rows_never_come_into_one_cell() -> None:
    """Rows of a group stand closer than the groups do, as the lines of one cell would."""
    page = text(PdfText(), 60, 790, 6, "TEXT")
    page.line(60, 660, "Table 1. Hazard ratios", 8, bold=True)
    page.rule(60, 520, 652).cells((60, 200, 380), 642, ("Group", "HR", "95% CI")).rule(60, 520, 636)
    y = 624
    for name in ("Donor", "Stage", "Age"):
        page.cells((60, 200, 380), y, (name, "1", "")).cells((60, 200, 380), y - 10, ("other", "1.8", "1.1 to 2.9"))
        y -= 34
    page.rule(60, 520, y + 20)
    (table,) = tables_of(parse_pdf(pdf([page])))
    assert ("other", "1.8", "1.1 to 2.9") in table.rows
    assert not any(cell == "1 1.8" for row in table.rows for cell in row)


def test_long_last_row_over_all_columns_is_a_note() -> None:
    page = text(PdfText(), 60, 790, 6, "TEXT")
    page.rule(60, 520, 652).rule(60, 520, 632).rule(60, 520, 612).rule(60, 520, 592).rule(60, 520, 572)
    page.upright(200, 592, 652).upright(360, 592, 652).upright(60, 572, 652).upright(520, 572, 652)
    for y, row in ((640, ("Statement", "Strength", "Certainty")), (620, ("Masks", "Strong", "High"))):
        page.cells((64, 204, 364), y, row)
    page.cells((64, 204, 364), 600, ("Gloves", "Conditional", "Low"))
    page.line(
        64, 580, "Certainty is that of the panel, which met three times; strength is as the panel voted for it.", 8
    )
    (table,) = tables_of(parse_pdf(pdf([page])))
    assert table.rows[-1] == ("Gloves", "Conditional", "Low")
    assert table.footnotes[0].startswith("Certainty is that of the panel")


def test_frame_around_text_is_no_table() -> None:
    page = text(PdfText(), 60, 790, 6, "TEXT")
    page.rule(50, 300, 700).rule(50, 300, 600).upright(50, 600, 700).upright(300, 600, 700)
    text(page, 60, 680, 6, "BOXED")
    document = parse_pdf(pdf([page]))
    assert tables_of(document) == []
    assert "BOXED" in running_text(document)


def test_rules_of_the_page_are_no_table() -> None:
    """Under the running head and over the foot, with two columns of text between them."""
    page = PdfText().rule(60, 520, 800).rule(60, 520, 40)
    text(page, 60, 780, 30, "LEFT")
    text(page, 320, 780, 30, "RIGHT")
    document = parse_pdf(pdf([page]))
    assert tables_of(document) == []
    assert running_text(document).count("any cause within one year") == 10


def test_heads_that_repeat_at_the_top_of_pages_are_no_running_heads() -> None:
    pages = []
    for number in (1, 2, 3):
        page = PdfText().line(60, 830, "Journal of Examples 2020;3:14", 7)
        page.rule(60, 520, 815).rule(60, 520, 790).rule(60, 520, 770).rule(60, 520, 750)
        for x in (60, 200, 360, 520):
            page.upright(x, 750, 815)
        page.cells((64, 204, 364), 800, ("Statement", "Strength", "Certainty"))
        page.cells((64, 204, 364), 778, (f"Measure {number}", "Strong", "Moderate"))
        page.cells((64, 204, 364), 758, (f"Other {number}", "Strong", "Low"))
        text(page, 60, 700, 12, "TEXT")
        pages.append(page)
    document = parse_pdf(pdf(pages))
    assert [table.rows[0] for table in tables_of(document)] == [("Statement", "Strength", "Certainty")] * 3
    assert "Journal of Examples" not in document.text
