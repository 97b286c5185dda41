"""Tables of JATS articles: every cell where it stands, spanning cells repeated, no number lost."""

from __future__ import annotations

from fulltext_samples import article
from hypothesis import given, settings
from hypothesis import strategies as st
from openwork_contracts.tables import Table
from openwork_fulltext.domain.jats.article import parse_jats


def tables(body: str, floats: str = "") -> list[Table]:
    return [section.table for section in parse_jats(article(body, floats=floats)).sections if section.table]


def wrap(rows: str, *, head: str = "", label: str = "Table 1", rest: str = "") -> str:
    thead = f"<thead>{head}</thead>" if head else ""
    return (
        f"<table-wrap id='t1'><label>{label}</label><caption><p>Outcomes.</p></caption>"
        f"<table>{thead}<tbody>{rows}</tbody></table>{rest}</table-wrap>"
    )


def test_spanning_cells_are_repeated_in_every_cell_they_span() -> None:
    head = '<tr><th rowspan="2">Outcome</th><th colspan="2">Drug A</th></tr><tr><th>n</th><th>%</th></tr>'
    rows = '<tr><td rowspan="2">Death</td><td>3</td><td>1.5</td></tr><tr><td>4</td><td>2.0</td></tr>'
    (table,) = tables(wrap(rows, head=head))
    assert table.n_header_rows == 2
    assert table.rows == (
        ("Outcome", "Drug A", "Drug A"),
        ("Outcome", "n", "%"),
        ("Death", "3", "1.5"),
        ("Death", "4", "2.0"),
    )


def test_marks_of_footnotes_do_not_run_into_numbers() -> None:
    rows = (
        '<tr><td>9.61<xref ref-type="table-fn" rid="f1">1</xref></td><td>51.0<sup>*</sup></td>'
        "<td>0.003<sup>f</sup></td>"
        "<td>2.1<break/>3.4</td><td>Rate<sup>a,b</sup></td></tr>"
    )
    foot = "<table-wrap-foot><fn id='f1'><label>1</label><p>Adjusted.</p></fn>"
    foot += "<p><sup>a</sup>SD in brackets.</p></table-wrap-foot>"
    (table,) = tables(wrap(rows, rest=foot))
    assert table.rows == (("9.61^1", "51.0*", "0.003^f", "2.1 3.4", "Rate^a,b"),)
    assert table.footnotes == ("1 Adjusted.", "a SD in brackets.")


def test_rows_that_are_only_a_rule_are_left_out_and_mark_the_header() -> None:
    rows = "<tr><td>Age</td><td>n</td></tr><tr><td colspan='2'><hr/></td></tr><tr><td>&lt;65</td><td>12</td></tr>"
    (table,) = tables(wrap(rows))
    assert table.rows == (("Age", "n"), ("<65", "12"))
    assert table.n_header_rows == 1


def test_table_that_is_a_picture_keeps_its_caption_and_says_so() -> None:
    body = (
        "<table-wrap><label>Table 2</label><caption><p>Deaths.</p></caption><graphic xlink:href='t.gif'/></table-wrap>"
    )
    document = parse_jats(article(body))
    (section,) = document.sections
    assert section.table == Table(label="Table 2", caption="Deaths.", rows=())
    assert section.text == "Table 2. Deaths."
    assert any("Table 2" in warning and "not in the file" in warning for warning in document.warnings)


def test_tables_kept_apart_go_under_the_section_that_names_them_first() -> None:
    body = (
        "<sec><title>Results</title><p>See <xref ref-type='table' rid='t1'>Table 1</xref>.</p></sec>"
        "<sec><title>Discussion</title><p>Again <xref ref-type='table' rid='t1'>Table 1</xref>.</p></sec>"
    )
    floats = f"<floats-group>{wrap('<tr><td>a</td><td>1</td></tr>')}</floats-group>"
    document = parse_jats(article(body, floats=floats))
    assert [s.path for s in document.sections if s.kind == "table"] == [("Results", "Table 1")]


def test_parts_of_a_group_share_its_label() -> None:
    part = "<table-wrap><caption><p>({0})</p></caption><table><tr><td>{0}</td><td>1</td></tr></table></table-wrap>"
    group = f"<table-wrap-group><label>Table 3</label>{part.format('a')}{part.format('b')}</table-wrap-group>"
    assert [(t.label, t.caption) for t in tables(group)] == [("Table 3", "(a)"), ("Table 3", "(b)")]


def test_line_of_a_table_text_has_its_cells_in_order() -> None:
    rows = "<tr><td colspan='2'>Safety</td></tr><tr><td>Bleeding</td><td>12 (3%)</td></tr>"
    document = parse_jats(article(wrap(rows, head="<tr><th>Outcome</th><th>A</th></tr>")))
    assert document.sections[0].text == "Table 1. Outcomes.\nOutcome | A\nSafety\nBleeding | 12 (3%)"


def test_misprinted_spans_do_no_harm() -> None:
    rows = "<tr><td colspan='x' rowspan='99'>a</td><td colspan='0'>b</td></tr><tr><td>c</td></tr>"
    (table,) = tables(wrap(rows))
    assert table.rows == (("a", "b"), ("a", "c"))


def test_span_ends_with_its_group_of_rows() -> None:
    (table,) = tables(wrap("<tr><td>1</td><td>2</td></tr>", head="<tr><th rowspan='5'>A</th><th>B</th></tr>"))
    assert table.rows == (("A", "B"), ("1", "2"))


def test_cals_tables_are_read() -> None:
    body = (
        "<table-wrap><label>Table 4</label><table><tgroup cols='3'><colspec colname='c1'/><colspec colname='c2'/>"
        "<colspec colname='c3'/><thead><row><entry>x</entry><entry namest='c2' nameend='c3'>Arm</entry></row></thead>"
        "<tbody><row><entry morerows='1'>d</entry><entry>1</entry><entry>2</entry></row>"
        "<row><entry>3</entry><entry>4</entry></row></tbody></tgroup></table></table-wrap>"
    )
    (table,) = tables(body)
    assert table.rows == (("x", "Arm", "Arm"), ("d", "1", "2"), ("d", "3", "4"))


CELL = st.decimals(-999, 999, places=2).map(str)


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(st.tuples(CELL, st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=5), min_size=1, max_size=6
    )
)
def test_no_number_of_a_table_is_lost(rows: list[list[tuple[str, int, int]]]) -> None:
    """Every cell is somewhere in the rows, whatever spans what, and the rows are equally long."""
    body = "".join(
        "<tr>" + "".join(f"<td colspan='{c}' rowspan='{r}'>{text}</td>" for text, c, r in row) + "</tr>" for row in rows
    )
    (table,) = tables(wrap(body))
    assert {text for row in rows for text, _, _ in row} == {cell for row in table.rows for cell in row if cell}
    assert len({len(row) for row in table.rows}) == 1
