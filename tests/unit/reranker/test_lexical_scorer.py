"""The scorers: what must hold for any text, and what medicine asks of them."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_contracts.question import Intent
from openwork_reranker.domain.batch import BatchCandidate, rank_batch
from openwork_reranker.domain.focus import focus_of, focus_of_text
from openwork_reranker.domain.jaccard import JaccardScorer
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.scoring import ScorableText, Scorer, break_ties, score_statistics
from reranker_examples import analysis

QUESTION = "Is apixaban safer than rivaroxaban in atrial fibrillation?"
TEXTS = [
    ScorableText("Apixaban or rivaroxaban in atrial fibrillation", "Bleeding was less frequent with apixaban."),
    ScorableText("Warfarin in atrial fibrillation", "Stroke was prevented."),
    ScorableText("Statins in heart failure", "No benefit was seen."),
    ScorableText("", ""),
]
WORDS = ["apixaban", "rivaroxaban", "bleeding", "atrial", "fibrillation", "the", "kidney", "mg", "0.62", "α", "-"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), max_size=8)


@pytest.mark.parametrize("scorer", [LexicalScorer(), JaccardScorer()])
def test_scorers_stand_behind_the_same_port(scorer: Scorer) -> None:
    scores = asyncio.run(scorer.score(focus_of_text(QUESTION), TEXTS))
    assert len(scores) == len(TEXTS)
    assert scores[0] > scores[1] > scores[2] >= scores[3] == 0
    assert scorer.identity.is_lexical


@given(texts, texts.map(" ".join))
def test_scores_are_in_the_unit_interval(bodies: list[str], question: str) -> None:
    scorable = [ScorableText(b[:20], b) for b in bodies]
    for scorer in (LexicalScorer(), JaccardScorer()):
        scores = scorer.score_now(focus_of_text(question), scorable)
        assert len(scores) == len(bodies)
        assert all(0 <= s <= 1 for s in scores)


@given(texts, st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_the_texts(bodies: list[str], chooser: random.Random) -> None:
    order = list(range(len(bodies)))
    chooser.shuffle(order)
    focus = focus_of_text(QUESTION)
    straight = LexicalScorer().score_now(focus, [ScorableText("", b) for b in bodies])
    shuffled = LexicalScorer().score_now(focus, [ScorableText("", bodies[i]) for i in order])
    assert shuffled == pytest.approx([straight[i] for i in order])


def test_synonym_of_the_questions_disease_is_found() -> None:
    """A text that says "myocardial infarction" answers a question about heart attacks."""
    scores = LexicalScorer().score_now(
        focus_of(analysis("aspirin after a heart attack")),
        [
            ScorableText("Aspirin after myocardial infarction", "Mortality fell."),
            ScorableText("Aspirin after minor surgery", "Mortality fell."),
        ],
    )
    assert scores[0] > scores[1]


def test_word_in_the_title_counts_more_than_in_the_text() -> None:
    scores = LexicalScorer().score_now(
        focus_of_text("vancomycin dosing"),
        [
            ScorableText("Vancomycin in sepsis", "dosing was studied"),
            ScorableText("Sepsis", "dosing of vancomycin was studied in"),
        ],
    )
    assert scores[0] > scores[1]


def test_name_in_every_candidate_keeps_its_weight_in_a_tiny_set() -> None:
    """With three candidates that all name the drug, the drug still outweighs a common word."""
    bodies = ["ticagrelor lowered events", "ticagrelor and patients", "patients and treatment and outcome"]
    scores = LexicalScorer().score_now(focus_of_text("ticagrelor treatment"), [ScorableText("", b) for b in bodies])
    assert min(scores[:2]) > scores[2]


def test_comparison_prefers_the_language_of_results() -> None:
    question = analysis("Is dopamine better than norepinephrine in shock?", Intent.COMPARATIVE_ANALYSIS)
    said = "Dopamine and norepinephrine in shock: "
    scores = LexicalScorer().score_now(
        focus_of(question),
        [
            ScorableText("", said + "mortality was higher compared with the other group, a significant difference."),
            ScorableText("", said + "vials are kept in a cool cupboard behind the nurses station by the window."),
        ],
    )
    assert scores[0] > scores[1]


def test_question_without_words_scores_nothing() -> None:
    assert LexicalScorer().score_now(focus_of_text("what is it?"), TEXTS) == [0.0] * 4


async def test_batch_keeps_every_candidate_best_first_and_ties_in_order() -> None:
    candidates = [BatchCandidate(str(i), t.title, t.body) for i, t in enumerate([*TEXTS, TEXTS[3]])]
    order = (await rank_batch(LexicalScorer(), QUESTION, candidates)).order
    assert [c for c, _ in order] == ["0", "1", "2", "3", "4"]
    assert order == tuple(sorted(order, key=lambda r: -r[1]))


async def test_batch_of_nothing_is_empty() -> None:
    assert (await rank_batch(LexicalScorer(), QUESTION, [])).order == ()


def test_saturated_scores_are_blended_with_the_lexical_ones() -> None:
    scores, blended = break_ties([0.90, 0.91], [1.0, 0.0])
    assert blended
    assert scores == pytest.approx([0.85 * 0.90 + 0.15, 0.85 * 0.91])


def test_spread_scores_are_left_alone() -> None:
    assert break_ties([0.1, 0.9], [1.0, 0.0]) == ([0.1, 0.9], False)


@given(st.lists(st.floats(0, 1), min_size=1))
def test_statistics_are_in_order(scores: list[float]) -> None:
    statistics = score_statistics(scores)
    assert statistics is not None
    assert statistics.minimum <= statistics.median <= statistics.maximum
    assert statistics.separation == statistics.maximum - statistics.minimum


def test_no_scores_have_no_statistics() -> None:
    assert score_statistics([]) is None
