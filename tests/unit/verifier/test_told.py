"""What an asker hears of the gate: words of an answer alone, whole sentences, never too much."""

from __future__ import annotations

import pytest
from openwork_contracts.verdict import Verdict
from openwork_verifier.domain.told import (
    MOST_CLAIMS,
    MOST_WORDS_BYTES,
    nothing_passed,
    told_counts,
    told_verdicts,
    told_words,
)

from tests.run_events import SCORES, claim, concluded, section


def test_of_a_draft_that_is_written_anew_only_the_verdicts_are_told() -> None:
    told = told_verdicts([section(claim(), claim("Apixaban cures.", verdict=Verdict.UNSUPPORTED))])
    assert [(one.verdict, one.text) for one in told] == [(Verdict.SUPPORTED, None), (Verdict.UNSUPPORTED, None)]


def test_sentences_of_the_answer_are_told_and_those_held_back_are_not() -> None:
    told = told_words(concluded())
    assert [(one.verdict, one.text) for one in told] == [
        (Verdict.SUPPORTED, "Apixaban lowered stroke."),
        (Verdict.UNSUPPORTED, None),
    ]


def test_a_sentence_is_told_whole_or_not_at_all() -> None:
    long = claim("Ä" * (MOST_WORDS_BYTES // 2) + ".")
    told = told_words(concluded().model_copy(update={"sections": (section(claim(), long, claim()),)}))
    assert [one.text for one in told][:3] == ["Apixaban lowered stroke.", None, "Apixaban lowered stroke."]


def test_there_is_an_end_to_the_verdicts() -> None:
    many = (section(*[claim()] * 3 * MOST_CLAIMS),)
    assert len(told_verdicts(many)) == MOST_CLAIMS
    assert len(told_words(concluded().model_copy(update={"sections": many}))) == MOST_CLAIMS


@pytest.mark.parametrize(
    ("verdicts", "why"),
    [
        ((Verdict.CONTRADICTED, Verdict.UNCITED), ": of 2, something is proved against 2."),
        ((Verdict.NOT_CONFIRMED,), ": of 1, 1 could not be confirmed."),
        (
            (Verdict.UNSUPPORTED, Verdict.NOT_CONFIRMED),
            ": of 2, something is proved against 1 and 1 could not be confirmed.",
        ),
        ((), "none of their sentences answers it, so nothing was written"),
    ],
)
def test_when_nothing_passed_the_reader_is_told_what_is_proved_and_what_is_only_not_confirmed(
    verdicts: tuple[Verdict, ...], why: str
) -> None:
    assert why in nothing_passed([claim(verdict=verdict) for verdict in verdicts])


def test_counts_say_what_passed_and_what_is_held_back() -> None:
    assert told_counts(SCORES, withheld=2) == {"sentences": 1, "supported": 1, "withheld": 2}
