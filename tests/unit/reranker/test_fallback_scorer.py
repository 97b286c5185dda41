"""Runs go on without the model, say so, and return to it."""

from __future__ import annotations

from openwork_contracts.errors import ModelAnswerRejected
from openwork_reranker.adapters.fallback import FallbackScorer
from openwork_reranker.domain.lexical import LexicalScorer
from triton_examples import FOCUS, ScriptedScorer, down, texts_of_lengths

TEXTS = texts_of_lengths(50, 60)


class Clock:
    """Time that passes when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_answering_model_scores_without_degradation() -> None:
    result = await FallbackScorer(ScriptedScorer(), LexicalScorer()).score_and_report(FOCUS, TEXTS)
    assert result.scores == (0.9, 0.9)
    assert result.identity.name == "triton"
    assert result.degradation is None


async def test_stand_in_scores_when_the_model_is_away_and_the_reader_is_told() -> None:
    result = await FallbackScorer(ScriptedScorer(down()), LexicalScorer()).score_and_report(FOCUS, TEXTS)
    assert result.identity.name == "lexical"
    assert result.degradation is not None
    assert "lexical" in result.degradation
    assert "cannot be reached" in result.degradation


async def test_model_that_was_away_is_left_alone_for_a_while() -> None:
    """Else every run would wait out a deadline."""
    primary, clock = ScriptedScorer(down()), Clock()
    scorer = FallbackScorer(primary, LexicalScorer(), retry_after_s=15, clock=clock)
    for clock.now in (0.0, 5.0, 14.9):
        result = await scorer.score_and_report(FOCUS, TEXTS)
        assert result.degradation is not None
    assert primary.n_scored == 1
    assert primary.n_checked == 0


async def test_model_that_is_back_is_used_again_after_one_pair() -> None:
    primary, clock = ScriptedScorer(down()), Clock()
    scorer = FallbackScorer(primary, LexicalScorer(), retry_after_s=15, clock=clock)
    await scorer.score(FOCUS, TEXTS)
    clock.now = 15.0
    result = await scorer.score_and_report(FOCUS, TEXTS)
    assert primary.n_checked == 1
    assert result.identity.name == "triton"
    assert result.degradation is None


async def test_failed_check_costs_no_run_its_deadline() -> None:
    primary, clock = ScriptedScorer(down()), Clock()
    primary.checks = [down()]
    scorer = FallbackScorer(primary, LexicalScorer(), retry_after_s=15, clock=clock)
    for clock.now in (0.0, 15.0, 20.0):
        assert (await scorer.score_and_report(FOCUS, TEXTS)).degradation is not None
    assert primary.n_scored == 1
    assert primary.n_checked == 1


async def test_rejected_answer_concerns_its_own_question_only() -> None:
    primary = ScriptedScorer(ModelAnswerRejected("model 'reranker' answered with a score that is not finite"))
    scorer = FallbackScorer(primary, LexicalScorer())
    first = await scorer.score_and_report(FOCUS, TEXTS)
    second = await scorer.score_and_report(FOCUS, TEXTS)
    assert first.degradation is not None
    assert "not finite" in first.degradation
    assert second.degradation is None
