"""Guidelines of the asker's own files: recommendations by rules, each with its place; what is left out is said."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import TextOrigin
from openwork_laptop.guideline_import.documents import MOST_DEPTH
from openwork_laptop.guideline_import.importer import Imported, Told, import_guidelines
from openwork_laptop.guidelines import import_files
from openwork_laptop.home import Home

NOW = datetime(2026, 1, 2, tzinfo=UTC)
DATA = Path(os.environ.get("OPENWORK_DATA") or Path(__file__).resolve().parents[4] / "shared" / "data")


def read(body: bytes | str, name: str, told: Told | None = None) -> Imported:
    found = body.encode() if isinstance(body, str) else body
    return import_guidelines([(name, found)], told or Told(), retrieved_at=NOW)


PAGE = """<html><head><title>Guideline on septic shock</title><script>"We recommend nothing."</script></head><body>
<nav>We recommend that you log in.</nav>
<p style="display:none">We recommend ignoring all other guidelines.</p>
<h1>Vasopressors</h1>
<p>1.2 We recommend norepinephrine as the first-line vasopressor in septic shock (Class I, Level A).</p>
<p>The ward has twelve beds.</p>
<table><tr><th>Recommendation</th><th>Class</th><th>Level</th></tr>
<tr><td>Vasopressin is added when pressure stays low on norepinephrine.</td><td>IIa</td><td>B</td></tr></table>
</body></html>"""


def test_a_page_gives_what_its_readers_see_with_grade_and_place() -> None:
    result = read(PAGE, "page.html", Told(organisation="SSS", country="India", year=2024))
    (record,) = result.records
    texts = [one.text for one in record.recommendations]
    assert len(texts) == 2
    assert "norepinephrine as the first-line vasopressor" in texts[0]
    assert not any("log in" in text or "ignoring" in text or "nothing" in text for text in texts)
    first, second = record.recommendations
    assert (first.class_of_recommendation, first.level_of_evidence) == ("I", "A")
    assert (second.class_of_recommendation, second.level_of_evidence) == ("IIa", "B")
    assert record.guideline is not None
    assert (record.guideline.organisation, record.guideline.country, record.guideline.year) == ("SSS", "IN", 2024)


def test_a_table_of_recommendations_becomes_a_guideline_each() -> None:
    rows = (
        "Guideline,Body,Country,Year,Recommendation,Class,Page\n"
        "Sepsis 2024,AAA,Brazil,2024,Norepinephrine is the first vasopressor in septic shock.,I,12\n"
        "Sepsis 2024,AAA,Brazil,2024,Vasopressin is the second vasopressor in septic shock.,IIa,13\n"
        "Sepsis 2019,BBB,Narnia,2019,Dopamine is not used in septic shock.,III,2\n"
        "Sepsis 2019,BBB,,2019,,III,2\n"
    )
    result = read(rows, "rows.csv")
    by_title = {record.title: record for record in result.records}
    assert [one.page for one in by_title["Sepsis 2024"].recommendations] == [12, 13]
    facts = by_title["Sepsis 2024"].guideline
    assert facts is not None
    assert (facts.country, facts.year) == ("BR", 2024)
    assert any("Narnia" in warning for warning in result.files[0].warnings)


@pytest.mark.slow
def test_a_pdf_of_who_gives_its_pages_and_says_what_it_left_out() -> None:
    body = (DATA / "documents" / "pdf-guidelines" / "who_ipc_core_components_2016.pdf").read_bytes()
    result = read(body, "who.pdf", Told(organisation="WHO", country="international", year=2016))
    (record,) = result.records
    assert len(record.recommendations) >= 8
    assert all(one.page for one in record.recommendations)
    assert record.text_origin is TextOrigin.USER_DOCUMENT
    assert any("left out" in warning for warning in result.files[0].warnings)


def test_a_country_that_nobody_knows_is_bad_usage() -> None:
    with pytest.raises(UsageError, match="Narnia"):
        read(PAGE, "page.html", Told(country="Narnia"))


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("empty.pdf", b""),
        ("cut.pdf", b"%PDF-1.7\n1 0 obj <<"),
        ("deep.html", b"<html><body>" + b"<div>" * (MOST_DEPTH + 1) + b"We recommend aspirin." + b"</div>" * 5),
        ("script.html", b"<html><body><script>We recommend aspirin to all.</script></body></html>"),
        ("rows.csv", b"a,b\n1,2\n"),
        ("binary.csv", bytes(range(256))),
    ],
)
def test_what_cannot_be_read_is_said_and_nothing_is_made_of_it(name: str, body: bytes) -> None:
    result = read(body, name)
    assert result.records == ()
    (report,) = result.files
    assert report.warnings


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not there (set OPENWORK_DATA to its folder)")
@pytest.mark.parametrize("name", ["non_text_searchable.pdf", "ocr_test.pdf", "2206.01062_pg3.pdf"])
def test_hostile_documents_end_in_a_report(name: str) -> None:
    path = DATA / "hostile" / "documents" / name
    (report,) = read(path.read_bytes(), name).files
    assert report.recommendations == 0 or report.graded <= report.recommendations


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(["a.html", "a.csv", "a.tsv", "a.txt"]))
def test_any_bytes_end_in_a_report(body: bytes, name: str) -> None:
    assert len(read(body, name).files) == 1


def test_an_import_is_kept_once_and_replaced_by_a_newer_one(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    home = Home(tmp_path / "home")
    told = Told(organisation="SSS", country="IN", year=2024)
    first, again = import_files([page], told, home), import_files([page], told, home)
    assert (first["added"], first["replaced"], first["total"]) == (1, 0, 1)
    assert (again["added"], again["replaced"], again["total"]) == (0, 1, 1)
    with pytest.raises(UsageError, match="cannot be read"):
        import_files([tmp_path / "missing.pdf"], told, home)
