"""A quotation counts where it stands word for word, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_evidence.quotes import find_quote

SOURCE = (
    "RESULTS: Major bleeding occurred in 2.13% per year with apixaban and 3.09% per year with warfarin\n"
    "(hazard ratio, 0.69; 95% CI, 0.60–0.80; P<0.001).  The “net” benefit was seen in all µg-dose groups."
)
WORDS = st.lists(st.text(alphabet="abcdefg0123456789.", min_size=1, max_size=6), min_size=8, max_size=30)


@pytest.mark.parametrize(
    "quote",
    [
        "Major bleeding occurred in 2.13% per year with apixaban",
        "3.09% per year with warfarin (hazard ratio, 0.69; 95% CI, 0.60-0.80; P < 0.001)",
        "3.09% per year with warfarin (hazard ratio 0.69; 95% CI, 0.60–0.80".replace("ratio 0", "ratio, 0"),
        '"The "net" benefit was seen in all"',
        "...benefit was seen in all μg-dose groups.",
        "P&lt;0.001). The “net” benefit",
    ],
)
def test_typography_does_not_count(quote: str) -> None:
    found = find_quote(quote, SOURCE)
    assert found is not None
    assert SOURCE[found.start : found.end] == found.text


@pytest.mark.parametrize(
    "quote",
    [
        "Major bleeding occurred in 2.31% per year with apixaban",
        "Major bleeding occurred in 2.13% per year with warfarin",
        "major bleeding occurred in 13% per year with apixaban",
        "occurred in 2.13% per year with apixaban ... 3.09% per year with warfarin",
        "per year with",
        "",
        "bleeding occurred in 2.1",
    ],
)
def test_a_changed_word_or_number_is_no_quotation(quote: str) -> None:
    assert find_quote(quote, SOURCE) is None


@given(WORDS, st.data())
def test_whole_words_of_a_source_are_found_where_they_stand(words: list[str], data: st.DataObject) -> None:
    source = " ".join(words)
    first = data.draw(st.integers(0, len(words) - 5))
    last = data.draw(st.integers(first + 4, len(words)))
    quote = " ".join(words[first:last])
    found = find_quote(quote, source)
    if found is not None:
        assert source[found.start : found.end] == found.text
        assert found.text.split() == quote.strip(".").split() or found.text.strip(".") in quote
