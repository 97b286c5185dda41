"""Which scorer the settings give."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from contextlib import AsyncExitStack

import pytest
from openwork_contracts.errors import UsageError
from openwork_reranker.adapters.choice import choose_scorer
from openwork_reranker.adapters.fallback import FallbackScorer
from openwork_reranker.adapters.minilm import is_installed
from openwork_reranker.adapters.score_cache import CachedScorer
from openwork_reranker.domain.batch import BatchCandidate, rank_batch
from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.scoring import ScorableText, Scorer, ScorerIdentity
from openwork_reranker.settings import Settings
from triton_examples import ForgetfulScores

HAS_CLIENT = importlib.util.find_spec("tritonclient") is not None


async def test_words_alone_where_no_model_is_wanted() -> None:
    async with AsyncExitStack() as resources:
        assert isinstance(choose_scorer(Settings(local_model="none"), resources), LexicalScorer)


async def test_local_model_is_used_where_it_is_installed() -> None:
    async with AsyncExitStack() as resources:
        scorer = choose_scorer(Settings(local_model="auto"), resources)
        assert scorer.identity.name == ("lexical+minilm" if is_installed() else "lexical")


@pytest.mark.skipif(is_installed(), reason="the local model is installed")
async def test_wanted_local_model_that_is_not_installed_is_an_error_at_the_start() -> None:
    async with AsyncExitStack() as resources:
        with pytest.raises(UsageError, match="local-model"):
            choose_scorer(Settings(local_model="minilm"), resources)


@pytest.mark.skipif(HAS_CLIENT, reason="the client of Triton is installed")
async def test_address_of_a_server_without_the_client_is_an_error_at_the_start() -> None:
    async with AsyncExitStack() as resources:
        with pytest.raises(UsageError, match="triton"):
            choose_scorer(Settings(triton_url="127.0.0.1:1"), resources)


@pytest.mark.skipif(not HAS_CLIENT, reason="the extra openwork-reranker[triton] is not installed")
@pytest.mark.parametrize("model", ["reranker", "embedder"])
async def test_server_has_a_stand_in_and_its_scores_are_shared(model: str) -> None:
    async with AsyncExitStack() as resources:
        settings = Settings.model_validate({"triton_url": "127.0.0.1:1", "triton_model": model})
        assert isinstance(choose_scorer(settings, resources), FallbackScorer)
        assert isinstance(choose_scorer(settings, resources, ForgetfulScores()), CachedScorer)


class Saturated:
    """A model that finds everything equally good."""

    identity = ScorerIdentity("saturated")

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        return [0.9 for _ in texts]


@pytest.mark.parametrize("scorer", [LexicalScorer(), Saturated()])
async def test_batch_is_ranked_as_documents_are_and_says_by_whom(scorer: Scorer) -> None:
    """Where the model tells nothing apart, words do."""
    candidates = [BatchCandidate("a", "", "Bananas are yellow."), BatchCandidate("b", "", "Aspirin prevents stroke.")]
    ranking = await rank_batch(scorer, "Does aspirin prevent stroke?", candidates)
    assert [identifier for identifier, _ in ranking.order] == ["b", "a"]
    assert ranking.report.identity == scorer.identity
