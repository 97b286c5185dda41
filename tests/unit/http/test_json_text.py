"""JSON of strangers: what is not a character is cleaned, and a page is read no further than asked."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.errors import SourceChanged
from openwork_contracts.text import clean
from openwork_http.jsonbody import load, load_object
from openwork_http.jsontext import decoded, trimmed

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


def test_a_lone_surrogate_or_a_control_spoils_its_place_only() -> None:
    body = b'{"ti\\ud800tle": "a\\u0007 \\udc00b", "raw": "x\x01\xffy", "nested": [{"deep": "\\ud83d\\ude00"}]}'
    value = load_object("PubMed", body)
    assert value == {"ti\ufffdtle": "a\ufffd \ufffdb", "raw": "x\ufffd\ufffdy", "nested": [{"deep": "😀"}]}
    json.dumps(value, ensure_ascii=False).encode()


@given(VALUES)
def test_every_string_that_comes_out_is_clean_and_nothing_else_is_changed(value: object) -> None:
    found = decoded(json.dumps(value).encode())
    assert json.dumps(found, ensure_ascii=False).encode()
    if json.dumps(value).isascii() and "\\" not in json.dumps(value):
        assert found == value
    assert clean(json.dumps(found, ensure_ascii=False)) == json.dumps(found, ensure_ascii=False)


@pytest.mark.parametrize("body", [b'{"a": [1, 2', b'{"a": "b', b"", b"<a/>", b'{"a": 1} x', b"[" * 100_000])
def test_what_is_not_whole_json_is_a_changed_source(body: bytes) -> None:
    with pytest.raises(SourceChanged):
        load("PubMed", body)


def test_a_page_is_cut_behind_the_last_entry_asked_for_and_stays_json() -> None:
    body = b' {"hits": 9, "list": {"result" : [ {"a":"]"} , {"a":[1,2]},{"a":3} ], "next": "x"}, "more": 1}'
    cut = trimmed(body, ("list", "result"), 2)
    assert json.loads(cut.body) == {"hits": 9, "list": {"result": [{"a": "]"}, {"a": [1, 2]}]}}
    assert cut.unread_chars == len(body) - body.index(b',{"a":3}')


@pytest.mark.parametrize(
    "body",
    [b'{"list": [1, 2]}', b'{"list": []}', b'{"other": [1, 2, 3]}', b"<xml/>", b'{"list": [1, 2', b"[1, 2, 3]", b""],
)
def test_a_page_with_no_more_than_asked_or_without_the_list_comes_back_as_it_is(body: bytes) -> None:
    assert trimmed(body, ("list",), 2).body == body


def test_what_follows_the_last_entry_asked_for_is_not_looked_at() -> None:
    """Two million more, or what is no JSON at all."""
    cut = trimmed(b"[1, 2, 3, !!", (), 2)
    assert (cut.body, cut.unread_chars) == (b"[1, 2]", len(", 3, !!"))


@given(VALUES, st.integers(0, 6))
def test_a_trimmed_list_is_the_beginning_of_the_list(value: object, most: int) -> None:
    page = {"before": value, "list": [value] * 4}
    assert json.loads(trimmed(json.dumps(page).encode(), ("list",), most).body)["list"] == [value] * min(4, most)
