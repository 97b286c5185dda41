"""Words and meaning: the fused order in lexical scores."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from openwork_bus.settings import ServiceSettings
from openwork_bus.telemetry import Telemetry
from openwork_reranker.adapters.minilm import MiniLm, is_installed
from openwork_reranker.domain.focus import focus_of_text
from openwork_reranker.domain.hybrid import HybridScorer, reorder
from openwork_reranker.domain.lexical import LexicalScorer
from openwork_reranker.domain.scoring import ScorableText, ScorerIdentity
from openwork_reranker.tracing import TracedSimilarity

from tests.tracing import broken_promises, seen

QUESTION = "Does aspirin prevent stroke?"
TEXTS = [
    ScorableText("", "Aspirin does prevent stroke."),
    ScorableText("", "Acetylsalicylic acid lowers the rate of cerebral infarction."),
    ScorableText("", "Aspirin prevents headaches."),
    ScorableText("", "Bananas are yellow."),
]


class FixedSimilarity:
    """Cosines from a table."""

    identity = ScorerIdentity("fixed", "test/bi-encoder", "1")

    def __init__(self, cosines: dict[str, float]) -> None:
        self.cosines = cosines
        self.read: list[str] = []

    async def similarities(self, question: str, texts: Sequence[str]) -> list[float]:
        """See `Similarity`."""
        self.read += texts
        return [self.cosines.get(text, 0.0) for text in texts]

    async def check(self) -> None:
        """Always there."""


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-1, 1)), min_size=1, max_size=40), st.integers(1, 50))
def test_fusion_deals_the_lexical_scores_out_anew(pairs: list[tuple[float, float]], depth: int) -> None:
    """No score is invented, and a text below the depth keeps its own."""
    lexical = [score for score, _ in pairs]
    best = sorted(range(len(pairs)), key=lambda i: -lexical[i])[:depth]
    scores = reorder(lexical, best, [pairs[i][1] for i in best])
    assert sorted(scores) == sorted(lexical)
    assert all(scores[i] == lexical[i] for i in range(len(pairs)) if i not in best)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_equal_meanings_leave_the_lexical_order(lexical: list[float]) -> None:
    best = sorted(range(len(lexical)), key=lambda i: -lexical[i])
    assert reorder(lexical, best, [0.5] * len(lexical)) == lexical


async def test_text_in_other_words_rises_above_one_that_shares_a_word() -> None:
    focus = focus_of_text(QUESTION)
    similarity = FixedSimilarity({TEXTS[1].body: 0.7, TEXTS[0].body: 0.9, TEXTS[2].body: 0.1})
    lexical = LexicalScorer().score_now(focus, TEXTS)
    result = await HybridScorer(similarity).score_and_report(focus, TEXTS)
    assert sorted(result.scores) == sorted(lexical)
    assert result.scores[0] == max(result.scores)
    assert result.identity.name == "lexical+fixed"
    assert result.identity.is_lexical


async def test_model_reads_the_best_texts_only_and_not_to_their_end() -> None:
    similarity = FixedSimilarity({})
    long = ScorableText("", "aspirin stroke " * 200)
    await HybridScorer(similarity, depth=2, max_chars=100).score(focus_of_text(QUESTION), [*TEXTS, long])
    assert len(similarity.read) == 2
    assert max(map(len, similarity.read)) <= 100


@pytest.mark.skipif(not is_installed(), reason="the extra openwork-reranker[local-model] is not installed")
async def test_local_model_knows_paraphrases_and_does_not_depend_on_the_batch() -> None:
    """MiniLM with 8-bit weights gives a text the same cosine alone and among others."""
    model = MiniLm()
    question = "heart attack"
    texts = ["myocardial infarction", "the price of copper", "a long text about something else " * 30]
    together = await model.similarities(question, texts)
    alone = [(await model.similarities(question, [text]))[0] for text in texts]
    await model.close()
    assert together[0] > 0.5 > together[1]
    assert together == pytest.approx(alone, abs=1e-4)


@pytest.mark.parametrize("content", [True, False])
async def test_embedding_is_a_span_with_the_texts_that_were_read_and_never_a_vector(content: bool) -> None:
    exporter = InMemorySpanExporter()
    telemetry = Telemetry("reranker", ServiceSettings(trace_content=content), exporter)
    similarity = FixedSimilarity({TEXTS[1].body: 0.7})
    traced = TracedSimilarity(similarity, telemetry)
    plain = await HybridScorer(similarity).score(focus_of_text(QUESTION), TEXTS)
    assert await HybridScorer(traced).score(focus_of_text(QUESTION), TEXTS) == plain
    (span,) = map(seen, exporter.get_finished_spans())
    assert broken_promises([span], content=content) == []
    assert (span.kind, span.attributes["embedding.model_name"]) == ("EMBEDDING", "test/bi-encoder")
    assert (TEXTS[1].body in span) is (QUESTION in span) is content
    assert not [name for name in span.attributes if "vector" in name]
