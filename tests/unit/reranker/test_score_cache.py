"""Scores that are asked again are not computed again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from openwork_bus.buckets import ensure_buckets
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.settings import ServiceSettings
from openwork_contracts.buckets import SCORES
from openwork_reranker.adapters.fallback import FallbackScorer
from openwork_reranker.adapters.score_cache import CachedScorer, JetStreamScores
from openwork_reranker.domain.focus import focus_of_text
from openwork_reranker.domain.lexical import LexicalScorer
from triton_examples import FOCUS, ScriptedScorer, down, texts_of_lengths

TEXTS = texts_of_lengths(50, 60, 70)


class DictScores:
    """The store in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    async def get(self, key: str) -> bytes | None:
        """See `ScoreStore`."""
        return self.kept.get(key)

    async def put(self, key: str, value: bytes) -> None:
        """See `ScoreStore`."""
        self.kept[key] = value


async def test_second_asking_comes_from_the_store_in_whatever_order() -> None:
    store, focus = DictScores(), focus_of_text("stroke x")
    scorer = CachedScorer(LexicalScorer(), store)
    first = await scorer.score_and_report(focus, TEXTS)
    again = await scorer.score_and_report(focus, TEXTS[::-1])
    assert not first.from_cache
    assert again.from_cache
    assert again.scores == first.scores[::-1]
    assert again.identity.name == "lexical"


async def test_what_was_calibrated_for_the_model_is_kept_with_its_scores() -> None:
    """Else a question asked again would be cut by another least score."""
    primary = ScriptedScorer()
    primary.identity = replace(primary.identity, minimum_score=0.02)
    scorer = CachedScorer(primary, DictScores())
    await scorer.score(FOCUS, TEXTS)
    again = await scorer.score_and_report(FOCUS, TEXTS)
    assert (again.from_cache, again.identity.minimum_score) == (True, 0.02)


async def test_another_question_or_another_text_is_computed() -> None:
    primary = ScriptedScorer()
    scorer = CachedScorer(primary, DictScores())
    await scorer.score(FOCUS, TEXTS)
    await scorer.score(FOCUS, TEXTS[:2])
    await scorer.score(focus_of_text("Does apixaban lower the risk of bleeding?"), TEXTS)
    assert primary.n_scored == 3


async def test_scores_of_a_stand_in_are_not_kept() -> None:
    store = DictScores()
    scorer = CachedScorer(FallbackScorer(ScriptedScorer(down()), LexicalScorer()), store)
    assert (await scorer.score_and_report(FOCUS, TEXTS)).degradation is not None
    assert store.kept == {}


@pytest.mark.parametrize("value", [b"not json", b"[]", b'{"who": ["a", null, null, true], "scores": {}}'])
async def test_entry_that_cannot_be_read_is_computed_anew(value: bytes) -> None:
    store = DictScores()
    scorer = CachedScorer(ScriptedScorer(), store)
    await scorer.score(FOCUS, TEXTS)
    store.kept = dict.fromkeys(store.kept, value)
    result = await scorer.score_and_report(FOCUS, TEXTS)
    assert result.scores == (0.9, 0.9, 0.9)
    assert not result.from_cache


@pytest.mark.nats
async def test_replicas_share_the_bucket_and_live_without_it(bus: JetStreamBus) -> None:
    """Without a bucket the scores are computed; with it, another replica's scores are found."""
    one, other = ScriptedScorer(), ScriptedScorer()
    own = replace(SCORES, name="scores-of-this-test")
    store = JetStreamScores(lambda: bus.connection, bucket=own)
    assert (await CachedScorer(one, store).score_and_report(FOCUS, TEXTS)).scores == (0.9, 0.9, 0.9)
    await ensure_buckets(bus.connection.jetstream(), ServiceSettings(), (own,))
    await CachedScorer(one, store).score(FOCUS, TEXTS)
    found = await CachedScorer(other, JetStreamScores(lambda: bus.connection, bucket=own)).score_and_report(
        FOCUS, TEXTS
    )
    assert found.from_cache
    assert other.n_scored == 0
