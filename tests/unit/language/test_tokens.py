"""The tokeniser: spelling variants that mean the same meet, words that differ do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_language.tokens import STOP_WORDS, fold, stem, token_set, tokenise


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("haemophilia", "hemophilia"),
        ("oedema", "edema"),
        ("tumour", "tumors"),
        ("randomised", "randomized"),
        ("analysed", "analyses"),
        ("metastasis", "metastases"),
        ("virus", "viruses"),
        ("bacteria", "bacterium"),
        ("ischaemia", "ischemic"),
        ("Crohn's", "Crohn"),
        ("TNFα", "TNF-α".replace("-", "")),
        ("Ménière", "meniere"),
        ("18,201", "18201"),
        ("5·5", "5.5"),
        ("covid\u201119", "COVID-19"),
    ],
)
def test_variants_that_mean_the_same_get_the_same_tokens(one: str, other: str) -> None:
    assert tokenise(one) == tokenise(other)


@pytest.mark.parametrize(
    ("hyphened", "joined"), [("SGLT-2", "sglt2"), ("NT-proBNP", "ntprobnp"), ("TNF-α", "tnfalpha"), ("HbA1c", "hba1c")]
)
def test_short_or_numbered_compound_is_also_taken_as_one_word(hyphened: str, joined: str) -> None:
    assert joined in tokenise(hyphened)


def test_compound_of_whole_words_gives_its_parts_alone() -> None:
    assert tokenise("placebo-controlled") == ["placebo", "control"]


def test_receptor_names_stay_whole() -> None:
    assert tokenise("P2Y12") == ["p2y12"]


def test_range_gives_both_its_numbers() -> None:
    """An en dash between decimals is no hyphen of a word."""
    assert tokenise("0.62 (0.47–0.81)") == ["0.62", "0.47", "0.81"]


def test_negation_is_no_stop_word() -> None:
    assert {"no", "not", "against"} <= token_set("no evidence, not recommended, against")


@pytest.mark.parametrize(
    ("one", "other"), [("increases", "incidence"), ("hypertension", "hypotension"), ("ten", "tens2")]
)
def test_words_that_differ_stay_apart(one: str, other: str) -> None:
    assert not token_set(one) & token_set(other)


@given(st.text(max_size=200))
def test_any_text_can_be_tokenised(text: str) -> None:
    """Tokens are never empty and hold no white space; folding twice changes nothing more for the tokens."""
    tokens = tokenise(text)
    assert all(token and not any(c.isspace() for c in token) for token in tokens)
    assert token_set(text) == frozenset(tokens)


@given(st.sampled_from(sorted(STOP_WORDS)))
def test_stop_words_leave_no_token(word: str) -> None:
    assert tokenise(word) == []
    assert tokenise(word.upper()) == []


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=20))
def test_stem_is_never_empty_nor_longer_by_more_than_a_letter(word: str) -> None:
    assert 0 < len(stem(word)) <= len(word) + 1


def test_zero_width_and_soft_hyphens_vanish() -> None:
    assert fold("apix\u00adaban\u200b") == "apixaban"
