"""What a judgement of the evidence is shown of a passage: its results, wherever in it they stand."""

from __future__ import annotations

from openwork_gap.domain.model_judgement import RESULT_CHARS, fillings_of, gap_prompt
from openwork_gap.domain.result_sentences import result_sentences

from tests.packs import documents, passages, question_analysis

BACKGROUND = "Atrial fibrillation is a common disorder of the heart. Many people with it are old. " * 10
EFFECT = "Stroke was less frequent with apixaban than with warfarin (HR 0.79; 95% CI 0.66 to 0.95)."
FIGURES = "Major bleeding occurred in 2.1% and 3.1% of the patients."
IN_WORDS = "Apixaban lowered mortality compared with warfarin."


def test_results_behind_a_long_beginning_are_shown_and_the_beginning_is_not() -> None:
    shown = result_sentences(f"{BACKGROUND}{FIGURES} {IN_WORDS} {EFFECT}", 700)
    assert shown.split("\n") == [FIGURES, IN_WORDS, EFFECT]


def test_effects_with_their_interval_come_before_other_figures_where_room_is_short() -> None:
    text = f"{IN_WORDS} {FIGURES} {EFFECT}"
    assert result_sentences(text, len(EFFECT) + 1) == EFFECT
    assert result_sentences(text, len(EFFECT) + len(FIGURES) + 2).split("\n") == [FIGURES, EFFECT]


def test_a_sentence_is_shown_whole_or_not_at_all() -> None:
    assert result_sentences(EFFECT, 40) == ""


def test_a_passage_without_results_is_shown_by_its_beginning() -> None:
    shown = result_sentences(BACKGROUND, 100)
    assert shown.startswith("Atrial fibrillation is a common disorder of the heart.")
    assert len(shown) <= 100


def test_the_prompt_holds_results_that_stand_far_behind() -> None:
    first, *others = passages()
    late = first.model_copy(update={"text": f"{BACKGROUND}{EFFECT}"})
    user = gap_prompt().fill(fillings_of(question_analysis(), (late, *others), documents())).user
    assert len(BACKGROUND) > RESULT_CHARS
    assert EFFECT in user
    assert "common disorder" not in user
