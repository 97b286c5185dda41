"""The prolog of XML from outside: what declares or hides something is refused, what NCBI and PMC send is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.errors import SourceChanged
from openwork_evidence.xml_guard import MAX_PROLOG_BYTES, check_prolog, prolog_is_whole

JATS = (
    b'\xef\xbb\xbf<?xml version="1.0" encoding="UTF-8"?>\n<!-- ] > <html> -->\n<!DOCTYPE article PUBLIC '
    b'"-//NLM//DTD JATS [v1.2]//EN" "JATS-archivearticle1.dtd">\n<?style x?>\n<article xml:lang="en"><front/></article>'
)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'<!DOCTYPE a [<!ENTITY b "1"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>', "own DTD"),
        (b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "own DTD"),
        (b'<!DOCTYPE a PUBLIC "p" "s" [<!ENTITY % p SYSTEM "http://h/p.dtd"> %p;]><a/>', "own DTD"),
        (b'<!doctype a "]>" [<!ELEMENT a ANY>]><a/>', "own DTD"),
        (b"<!-- <a> --><!DOCTYPE a [<!ELEMENT a ANY>]><a/>", "own DTD"),
        (b'<!DOCTYPE a SYSTEM "<!--" [<!ENTITY x "-->">]><a>&x;</a>', "own DTD"),
        (b"<!DOCTYPE a><!entity b 'c'><a/>", "own DTD"),
        (b'<?xml version="1.0" encoding="UTF-7"?><a/>', "UTF-7"),
        ("<a/>".encode("utf-16"), "UTF-16"),
        (b"<!DOCTYPE html><html><body>Log in</body></html>", "HTML page"),
        (b"<!-- down --> <HTML lang='en'><a/></HTML>", "HTML page"),
        (b"plain words <a/>", "not XML"),
        (b'{"error": "<a/>"}', "not XML"),
        (b"", "not XML"),
        (b"<!--" + b"x" * MAX_PROLOG_BYTES + b"--><a/>", "not XML"),
    ],
)
def test_a_prolog_that_declares_or_hides_something_is_refused(body: bytes, words: str) -> None:
    with pytest.raises(SourceChanged, match=words):
        check_prolog("PubMed", body)


def test_a_doctype_that_only_names_a_dtd_is_let_through_and_the_root_is_told() -> None:
    assert check_prolog("PMC", JATS) == "article"


@given(st.integers(min_value=0, max_value=len(JATS)))
def test_a_prolog_is_judged_only_when_it_is_all_there(n_bytes: int) -> None:
    """However little has arrived, a sound document is never refused for it."""
    start = JATS[:n_bytes]
    assert not prolog_is_whole(start) or check_prolog("PMC", start) == "article"
