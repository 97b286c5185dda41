"""The recorded articles: general properties, checked against the XML itself, and the known hard cases by name."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from pathlib import Path

import pytest
from fulltext_samples import data_path
from lxml import etree  # type: ignore[import-untyped, unused-ignore]
from openwork_fulltext.domain.document import ParsedDocument
from openwork_fulltext.domain.jats.article import parse_jats
from openwork_fulltext.domain.parse import parse_fulltext

pytestmark = pytest.mark.data

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def jats_files() -> list[Path]:
    trials = sorted(data_path("benchmarks/rct-extraction/nxml").glob("*.nxml.gz"))
    return trials + sorted(data_path("recorded/ncbi/pmc-jats").glob("*.nxml"))


def body_of(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def trial(pmcid: str) -> ParsedDocument:
    return parse_fulltext(data_path(f"benchmarks/rct-extraction/nxml/{pmcid}.nxml.gz").read_bytes())


def test_every_article_keeps_offsets_titles_and_tables() -> None:
    n_titles = n_tables = 0
    for path in jats_files():
        body = body_of(path)
        document = parse_jats(body)
        for section in document.sections:
            assert document.text[section.start : section.end] == section.text, path.name
        root = etree.fromstring(body)
        for dropped in list(root.iter("sub-article", "ref-list")):
            dropped.clear()
        titles = {" ".join("".join(t.itertext()).split()) for t in root.iterfind(".//sec/title")} - {""}
        missing = titles - {part for section in document.sections for part in section.path}
        # A title with a superscript or a citation mark is written differently, not lost.
        assert len(missing) <= 0.05 * len(titles), (path.name, missing)
        n_titles += len(titles)
        tables = [s.table for s in document.sections if s.table is not None and s.table.rows]
        assert len(tables) == len(list(root.iter("table"))), path.name
        n_tables += len(tables)
    assert n_titles > 700
    assert n_tables > 100


def test_no_number_of_a_table_cell_is_lost() -> None:
    """Numbers of each cell's plain text, compared with those in the rows; marks of footnotes may part from a number."""
    n_cells = 0
    different: list[tuple[str, str]] = []
    for path in jats_files():
        body = body_of(path)
        cells = Counter(
            tuple(NUMBER.findall(cell))
            for section in parse_jats(body).sections if section.table
            for row in section.table.rows for cell in row
        )  # fmt: skip
        for cell in etree.fromstring(body).iter("td", "th"):
            marks = [*cell.iter("sup", "xref", "break")]
            if not marks and (numbers := tuple(NUMBER.findall(" ".join("".join(cell.itertext()).split())))):
                n_cells += 1
                if numbers not in cells:
                    different.append((path.name, "".join(cell.itertext())))
    assert n_cells > 6_000
    assert different == []


def test_known_hard_articles() -> None:
    safety = trial("PMC1863515")
    assert next(s.path for s in safety.sections if s.kind == "summary")[0].startswith("Editor")
    assert sum("not in the file" in warning for warning in safety.warnings) >= 1
    assert trial("PMC5325897").identifiers.doi is None
    assert trial("PMC5617873").year == 2016
    floats = [s.path for s in trial("PMC3195393").sections if s.kind == "table"]
    assert floats[0] == ("3. Results", "Table 1")
    elife = parse_fulltext(data_path("recorded/ncbi/pmc-jats/elife-56337.nxml").read_bytes())
    assert "Essential revisions" not in elife.text
    notice = parse_fulltext(data_path("recorded/ncbi/eutils/efetch_pmc.xml").read_bytes())
    assert notice.is_notice
    assert "−15.1%" in notice.text
    assert notice.links[0].doi == "10.1183/23120541.00193-2021"


HEADINGS = {
    "10.1186_s42466-019-0022-4.pdf": "Abstract|Background|Methods|Aim of the trial|Eligibility criteria|Funding",
    "10.3389_fimmu.2022.915001.pdf": "Introduction|Methods|Statistical analysis|Results|Discussion|Ethics statement",
    "10.21203_rs.3.rs-2838995+v1.pdf": "Abstract|OBJECTIVE|Background|Methods|Variables|Results|Discussion",
    "PMC7071725_bmc_two_column.pdf": "Abstract|Methods|Confounding variables|Results|Study description|Discussion",
    "10.1212_NXI.0000000000000763.pdf": "Children with classic GBS|Study funding|Disclosure",
}


@pytest.mark.parametrize(("name", "headings"), HEADINGS.items())
@pytest.mark.slow
def test_headings_of_article_pdfs(name: str, headings: str) -> None:
    document = parse_fulltext(data_path(f"documents/pdf-articles/{name}").read_bytes())
    for section in document.sections:
        assert document.text[section.start : section.end] == section.text
    titles = [part for section in document.sections for part in section.path]
    places = [titles.index(title) for title in headings.split("|")]
    assert places == sorted(places)


def test_tables_of_an_article_pdf() -> None:
    document = parse_fulltext(data_path("documents/pdf-articles/10.3389_fimmu.2022.915001.pdf").read_bytes())
    tables = [section.table for section in document.sections if section.table is not None]
    assert [table.label for table in tables] == [f"Table {n}" for n in range(1, 7)]
    assert tables[0].rows[0][2] == "Infected HCWs with hypertension (n=25)"
    assert ("Hospital-admitted (yes/no)", "9/16", "3/59", "0.0005") in tables[2].rows
    assert tables[4].rows[-1][1:] == ("4.792", "0.058", "2.456", "0.066", "0.045", "9.805")


@pytest.mark.slow
def test_guideline_pdfs_are_read_with_pages() -> None:
    document = parse_fulltext(data_path("documents/pdf-guidelines/who_ipc_core_components_2016.pdf").read_bytes())
    assert document.title is not None
    assert document.title.startswith("Guidelines on Core Components")
    assert {page.number for page in document.pages} >= set(range(18, 60))
    assert "The panel recommends that" in document.text
