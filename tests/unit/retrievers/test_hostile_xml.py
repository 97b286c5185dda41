"""XML is read in constant memory, and nothing in it is obeyed."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
import source_answers as answers
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.errors import SourceChanged
from openwork_retrievers.adapters.ncbi.articles import parse_articles
from openwork_retrievers.adapters.xml import flat_text, parse
from source_fakes import NOW

WHOLE = answers.article_set(answers.article("101"), answers.article("102")).encode()
BOMB = b"""<?xml version="1.0"?><!DOCTYPE PubmedArticleSet [<!ENTITY a "1234567890"><!ENTITY b "&a;&a;&a;&a;">]>
<PubmedArticleSet>&b;</PubmedArticleSet>"""


def read(body: bytes, size: int = 1000) -> list[str]:
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    return [record.source_id for record in parse_articles("pubmed", pieces, NOW)]


@pytest.mark.parametrize(
    "body",
    [
        BOMB,
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><PubmedArticleSet>&e;</PubmedArticleSet>',
        b'<!DOCTYPE x PUBLIC "-//a//b" "http://h/d.dtd" [<!ENTITY % p SYSTEM "http://h/p.dtd"> %p;]><Set/>',
        b'<?xml version="1.0" encoding="UTF-7"?><PubmedArticleSet/>',
        "<!DOCTYPE x [<!ENTITY a 'b'>]><PubmedArticleSet/>".encode("utf-16"),
        b"<!-- a comment --><!DOCTYPE x [<!ENTITY a 'b'>]><PubmedArticleSet/>",
        b"<!DOCTYPE html><html><body>maintenance</body></html>",
        b"<html><PubmedArticleSet/></html>",
        b"<somethingElse/>",
        b"not XML at all",
        b"",
        b" " * 20_000,
    ],
)
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_document_that_declares_or_hides_something_is_refused(body: bytes, size: int) -> None:
    """Whatever the size of the pieces in which it comes."""
    with pytest.raises(SourceChanged):
        read(body, size)


@pytest.mark.parametrize("body", [BOMB, b"<a>&undefined;</a>", b"<a>"])
def test_small_documents_are_read_as_strictly(body: bytes) -> None:
    with pytest.raises(SourceChanged):
        parse("pubmed", body)


def test_doctype_that_only_names_a_dtd_is_let_through() -> None:
    """Every answer of NCBI has one; it is never fetched."""
    assert read(WHOLE) == ["101", "102"]


@given(st.integers(min_value=1, max_value=400))
def test_size_of_the_pieces_does_not_matter(size: int) -> None:
    assert read(WHOLE, size) == ["101", "102"]


@given(st.integers(min_value=0, max_value=len(WHOLE) - len(b"</PubmedArticleSet>")))
def test_cut_off_anywhere_is_an_error(end: int) -> None:
    """A partial set is never taken for the whole."""
    with pytest.raises(SourceChanged):
        read(WHOLE[:end])


def test_memory_does_not_grow_with_the_answer() -> None:
    """Ten times the records, the same peak."""

    def pieces(n: int) -> Iterator[bytes]:
        one = answers.article(
            "101", abstract=f"<Abstract><AbstractText>{'word ' * 400}</AbstractText></Abstract>"
        ).encode()
        yield answers.DOCTYPE.encode() + b"<PubmedArticleSet>"
        for _ in range(n):
            yield one
        yield b"</PubmedArticleSet>"

    def peak(n: int) -> int:
        tracemalloc.start()
        assert sum(1 for _ in parse_articles("pubmed", pieces(n), NOW)) == n
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    peak(10)
    assert peak(1000) < 2 * peak(100) + 100_000


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("10<sup>6</sup> cells", "10⁶ cells"),
        ("10<sup>-3</sup>", "10⁻³"),
        ("1.2<sup>a</sup>", "1.2^a"),
        ("FEV<sub>1</sub> and HbA<sub>1c</sub>", "FEV1 and HbA1c"),
        ("Ca<sup>2+</sup>", "Ca2+"),
        ("<sup>18</sup>F-FDG", "18F-FDG"),
        ("<i>Aprica</i>: a new genus", "Aprica: a new genus"),
        ("P<i> &lt; </i>.05 <b>(95% CI)</b>", "P < .05 (95% CI)"),
        ("one<br/>two", "one two"),
        ("x <math><mi>a</mi><mo>=</mo><mn>2</mn></math> y", "x a=2 y"),
    ],
)
def test_text_below_markup_is_kept_and_makes_no_other_number(inner: str, text: str) -> None:
    assert flat_text(parse("pubmed", f"<t>{inner}</t>".encode())) == text


@pytest.mark.data
@pytest.mark.parametrize("source", ["pubmed", "pmc", "dailymed", "europepmc"])
def test_no_hostile_sample_gives_a_record(data_dir: Path, source: str) -> None:
    from openwork_laptop.saved_answers import parse_saved

    for path in sorted((data_dir / "hostile" / "xml").glob("*.x*")):
        try:
            assert parse_saved(source, path.read_bytes(), path.name) == ()
        except SourceChanged:
            continue
