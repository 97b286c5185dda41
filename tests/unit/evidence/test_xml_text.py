"""XML with characters that XML forbids, put right in pieces of any size."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree  # type: ignore[import-untyped, unused-ignore]
from openwork_evidence.xml_text import XmlText, xml_text

SPOILT = b"<a t='&#x1F;'>x \xed\xa0\x80 &#xD800; &#55296; \x07 &#xFFFF; \xff &amp; &#x3b1; caf\xc3\xa9 \xef\xbf\xbe</a>"


def test_what_no_xml_may_hold_is_shown_and_the_rest_is_as_it_was() -> None:
    root = etree.fromstring(xml_text(SPOILT))
    assert root.get("t") == "\ufffd"
    assert root.text.startswith("x \ufffd")
    assert root.text.endswith("& α café \ufffd")
    assert not set(root.text) & {"\x07", "\ud800", "\uffff"}


def test_sound_xml_is_not_touched() -> None:
    body = "<a>&#x10FFFF;&#9;&lt; é 😀 \ue000 &unknown; 5 &# ; &</a>".encode()
    assert xml_text(body) == body


def test_in_latin_1_only_the_controls_are_changed() -> None:
    assert xml_text(b"<a>caf\xe9 \x07&#7;</a>", "iso-8859-1") == b"<a>caf\xe9 ?&#xFFFD;</a>"


@given(st.lists(st.integers(0, len(SPOILT)), max_size=8))
def test_how_the_pieces_were_cut_makes_no_difference(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(SPOILT)]
    text = XmlText()
    pieces = [text.feed(SPOILT[a:b]) for a, b in pairwise(places)]
    assert b"".join([*pieces, text.feed(b"", last=True)]) == xml_text(SPOILT)
