"""Files that attack a parser, or that are not what they say."""

from __future__ import annotations

import gzip

import pytest
from fulltext_samples import article, data_path
from openwork_contracts.errors import OpenWorkError, SourceChanged, SourceRefused
from openwork_fulltext.domain.jats import elements as jats_xml
from openwork_fulltext.domain.jats.article import parse_jats
from openwork_fulltext.domain.parse import parse_fulltext


@pytest.mark.parametrize(
    "prolog",
    [
        b'<!DOCTYPE article [<!ENTITY a "1"><!ENTITY b "&a;&a;&a;">]>',
        b'<!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE article [<!ENTITY % p SYSTEM "http://example.org/x.dtd"> %p;]>',
        b'<?xml version="1.0"?><!-- x --><!DOCTYPE article PUBLIC "a" "b" [<!ELEMENT article ANY>]>',
    ],
)
def test_document_with_its_own_dtd_is_refused(prolog: bytes) -> None:
    with pytest.raises(SourceChanged, match="own DTD"):
        parse_jats(prolog + b"<article><body><p>&b;</p></body></article>")


def test_too_deep_nesting_is_refused() -> None:
    deep = "<sec>" * (jats_xml.MAX_DEPTH + 5) + "</sec>" * (jats_xml.MAX_DEPTH + 5)
    with pytest.raises(SourceRefused, match="nests"):
        parse_jats(article(deep))


def test_cut_off_article_is_never_half_an_article() -> None:
    body = article("<sec><title>Results</title><p>All of it.</p></sec>")
    with pytest.raises(SourceChanged, match="cut off"):
        parse_jats(body[: body.index(b"All of")])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<!DOCTYPE html><html><body>Log in</body></html>", "HTML page"),
        (b"  <html><head/></html>", "HTML page"),
        (b"", "empty"),
        (b"plain words", "neither JATS XML nor PDF"),
        (b"<eSearchResult><Count>0</Count></eSearchResult>", "no JATS article"),
        ("<article/>".encode("utf-16"), "neither"),
        (b"%PDF-1.7 nonsense", "cannot be opened"),
        (b"\x1f\x8b rubbish", "gzip"),
    ],
)
def test_what_is_no_full_text_is_named(body: bytes, words: str) -> None:
    with pytest.raises(SourceChanged, match=words):
        parse_fulltext(body, filename="answer")


def test_error_message_in_place_of_an_article_is_passed_on() -> None:
    with pytest.raises(SourceRefused, match="not available"):
        parse_jats(b"<pmc-articleset><error>article is not available</error></pmc-articleset>")


def test_gzipped_article_is_read() -> None:
    assert parse_fulltext(gzip.compress(article("<p>Read.</p>"))).has_body


def test_gzip_bomb_is_refused() -> None:
    with pytest.raises(SourceRefused, match="unpacks to more"):
        parse_fulltext(gzip.compress(b"<" + b" " * 101_000_000))


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["cyclic.xml", "dtd.xml", "dtd_element.xml", "external_file.xml", "simple.xml", "truncated_einfo.xml",
             "xalan_exec.xsl", "xmlbomb.xml"],
)  # fmt: skip
def test_attack_samples_are_refused(name: str) -> None:
    with pytest.raises(OpenWorkError):
        parse_fulltext(data_path(f"hostile/xml/{name}").read_bytes(), filename=name)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("2206.01062_pg3.pdf", "password"),
        ("non_text_searchable.pdf", "no text to read"),
        ("ocr_test.pdf", "no text to read"),
    ],
)
def test_hard_pdfs_say_why_they_cannot_be_read(name: str, words: str) -> None:
    with pytest.raises(SourceRefused, match=words):
        parse_fulltext(data_path(f"hostile/documents/{name}").read_bytes())
