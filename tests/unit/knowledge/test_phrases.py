"""Thousands of phrases looked for at once: what their notation means, and that nothing is found within a word."""

from __future__ import annotations

import pytest
from openwork_knowledge.phrases import Mention, Phrases

PHRASES = Phrases(
    [
        ("severe asthma", "{severe|brittle} asthma*"),
        ("refractory epilepsy", "epilepsy ... not controlled"),
        ("preterm infants", "{very |}preterm {infants|babies}"),
        ("VAP", "VAP"),
        ("anaemia", "ana?emi*"),
    ]
)


def names(text: str) -> list[str]:
    return [one.name for one in PHRASES.everywhere(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("adults with severe asthma", ["severe asthma"]),
        ("brittle asthmatics", ["severe asthma"]),
        ("Severe Asthma", ["severe asthma"]),
        ("very preterm infants", ["preterm infants", "preterm infants"]),  # the longer one, and the one within it
        ("preterm babies", ["preterm infants"]),
        ("epilepsy that was not controlled by two drugs", ["refractory epilepsy"]),
        ("anemia or anaemic", ["anaemia", "anaemia"]),
        # a gap ends with the sentence, and with its seventh word
        ("epilepsy. Pain was not controlled", []),
        ("epilepsy in one two three four five six seven not controlled", []),
        # nothing within a word, nor behind a hyphen
        ("unsevere asthma", []),
        ("non-preterm infants", []),
        # a short form in its own letters
        ("VAP after intubation", ["VAP"]),
        ("vap", []),
    ],
)
def test_a_phrase_is_found_as_its_notation_says(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_a_mention_has_its_place() -> None:
    assert list(PHRASES.everywhere("In brittle asthma.")) == [Mention(3, 17, "severe asthma")]
