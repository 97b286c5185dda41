"""Tables of drug labels as tables: every value with its row and the headings above it, as the XML has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest
from openwork_contracts.evidence import AbstractPart
from openwork_evidence.text import abstract_text
from openwork_retrievers.adapters.labels.openfda import parse_answer
from openwork_retrievers.adapters.labels.spl import parse_label
from openwork_retrievers.adapters.labels.tables import html_table_parts

from tests.unit.retrievers.test_library_import_real_files import DATA

AT = datetime(2026, 1, 1, tzinfo=UTC)
SPL = DATA / "recorded" / "dailymed" / "spl"
N = "{urn:hl7-org:v3}"
MARKUP = (
    '<table><caption>Table 2. Reactions in trials</caption><thead><tr><th rowspan="2">Reaction</th>'
    '<th colspan="2">Drug</th><th>Placebo</th></tr><tr><th>10 mg (N=40)</th><th>20 mg (N=41)</th><th>(N=42)</th></tr>'
    '</thead><tfoot><tr><td colspan="4">Percentages of people.</td></tr></tfoot><tbody>'
    '<tr><td colspan="4">Gut</td></tr>'
    "<tr><td>Nausea<footnote>Any severity</footnote></td><td>8.3</td><td>12.9</td><td>5.3</td></tr>"
    "<tr><td>Vomiting</td><td>1.0</td><td></td><td>2.0</td></tr></tbody></table>"
)


def tables_of(name: str) -> list[AbstractPart]:
    label = parse_label("dailymed", (SPL / name).read_bytes(), AT)
    assert label is not None
    return [part for part in label.abstract if part.table]


def test_a_value_stands_with_its_row_and_the_headings_above_it() -> None:
    (part,) = html_table_parts(MARKUP, "Adverse reactions")
    assert part.label == "Adverse reactions"
    assert part.text.splitlines() == [
        "Table 2. Reactions in trials",
        "Gut.",
        "Gut > Nausea: Drug > 10 mg (N=40): 8.3; Drug > 20 mg (N=41): 12.9; Placebo > (N=42): 5.3.",
        "Gut > Vomiting: Drug > 10 mg (N=40): 1.0; Placebo > (N=42): 2.0.",
        "Any severity",
        "Percentages of people.",
    ]
    assert part.table is not None
    assert part.table.n_header_rows == 2
    assert part.table.rows[0] == ("Reaction", "Drug", "Drug", "Placebo")
    assert part.table.footnotes == ("Any severity", "Percentages of people.")


@pytest.mark.parametrize(
    "markup",
    ["", "no table", "<table></table>", "<table><tr><td>Uses: heartburn</td></tr></table>", "<table><tr><td>a<td>b"],
)
def test_what_is_no_table_of_several_columns_stays_text(markup: str) -> None:
    assert not [part for part in html_table_parts(markup, None) if part.table and len(part.table.rows[0]) < 2]


def test_a_table_that_claims_to_be_huge_is_not_read() -> None:
    rows = "<tr>" + '<td colspan="100">x</td>' * 100 + "</tr>"
    assert list(html_table_parts(f"<table>{rows * 60}</table>", None)) == []


def test_openfda_gives_its_tables_as_tables_and_its_text_without_them() -> None:
    run_on = "6.1 Trials Before the table. Table 2. Reactions in trials Reaction"
    entry = {
        "set_id": "12345678-1234-1234-1234-123456789012",
        "openfda": {"brand_name": ["X"]},
        "adverse_reactions": [run_on],
        "adverse_reactions_table": [MARKUP, MARKUP],
    }
    ((record,), _) = parse_answer("openfda-labels", json.dumps({"results": [entry]}).encode(), AT)
    text, table = record.abstract
    assert (text.label, text.text, text.table) == (table.label, run_on, None)
    assert table.table is not None
    assert "Gut > Nausea: Drug > 10 mg (N=40): 8.3" in abstract_text(record)


needs_data = pytest.mark.skipif(not SPL.is_dir(), reason="the recorded data set is not there (set OPENWORK_DATA)")


def printed(name: str) -> Iterator[tuple[str, list[list[str]]]]:
    """(caption, cells of each row as printed) of every table of several columns, read by other means."""
    root = ElementTree.parse(SPL / name).getroot()
    for table in root.iter(f"{N}table"):
        for note in [(parent, child) for parent in table.iter() for child in parent if child.tag == f"{N}footnote"]:
            tail = note[1].tail or ""
            index = list(note[0]).index(note[1])
            note[0].remove(note[1])
            if index:
                note[0][index - 1].tail = (note[0][index - 1].tail or "") + tail
            else:
                note[0].text = (note[0].text or "") + tail
        rows = [
            [
                " ".join(" ".join(cell.itertext()).split()).strip(" ,;")
                for cell in row
                if cell.tag[len(N) :] in ("td", "th")
            ]
            for row in table.iter(f"{N}tr")
        ]
        caption = table.find(f"{N}caption")
        if max(map(len, rows), default=0) > 1:
            yield " ".join(" ".join(caption.itertext()).split()) if caption is not None else "", rows


@needs_data
@pytest.mark.parametrize("name", ["lipitor-orig.xml", "lipitor-repack.xml", "cough.xml"])
def test_every_cell_of_the_recorded_labels_is_in_its_table(name: str) -> None:
    """Words of cells, without blanks: the two readings fold white space at tags in different ways."""
    ours = ["".join("".join((*row, *(part.table.footnotes))).split()) for part in tables_of(name) if part.table
            for row in part.table.rows]  # fmt: skip
    notes = ["".join(note.split()) for part in tables_of(name) if part.table for note in part.table.footnotes]
    everything = "\n".join((*ours, *notes))
    missing = [
        cell
        for caption, rows in printed(name)
        if caption
        for row in rows
        for cell in row
        if cell and "".join(cell.split()) not in everything
    ]
    assert missing == []


@needs_data
def test_values_of_a_recorded_label_can_be_cited_with_their_arm() -> None:
    lines = "\n".join(part.text for part in tables_of("lipitor-orig.xml")).splitlines()
    assert any(
        line.startswith("Nasopharyngitis: Any dose N=8755: 8.3; 10 mg N=3908: 12.9;") and "Placebo N=7311: 8.2." in line
        for line in lines
    )


@needs_data
def test_no_cell_runs_into_the_text_of_its_section_any_more() -> None:
    label = parse_label("dailymed", (SPL / "lipitor-orig.xml").read_bytes(), AT)
    assert label is not None
    plain = " ".join(part.text for part in label.abstract if part.table is None)
    assert "Nasopharyngitis 8.3 12.9" not in plain
    assert "Arthralgia 6.9" not in plain
