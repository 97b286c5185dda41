"""What whole runs send to a trace store, beside what docs/tracing.md promises; and what must never be in it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from openwork_bus.run_ids import root_span_id_of, trace_id_of
from openwork_contracts.answer import AnswerDocument, RunStatus

from deploy.tracing_page import SPANS, spec_of_span
from tests.fakes.collector import Collector, Seen, collecting
from tests.fakes.models.server import fake_models
from tests.live import Live, running
from tests.tracing import broken_promises, values
from tests.waiting import until

pytestmark = [pytest.mark.nats, pytest.mark.slow]

SOURCES = ("library", "pubmed", "europepmc-cited")
PERSONAL = (
    "Does Zyxoban lower the risk of stroke in atrial fibrillation compared with warfarin? My patient John Smithers "
    "(john.smithers@example.org, MRN 4471120, DOB 12/03/1957, +44 20 7946 0958) takes 5 mg."
)
"""Zyxoban: a brand that only the upstream's RxNorm knows."""
MUST_NOT_STAND = ("Smithers", "smithers", "4471120", "12/03/1957", "7946 0958", "example.org")
KEY = "planted-key-of-a-provider-0001"
PHOENIX_KEY = "planted-key-of-a-trace-store-0002"
NOT_HERE = {"embed texts", "judge claims", "revise"}
"""Spans of steps that need a bi-encoder, Triton or a draft that failed; tests of their own hold them to the list."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


@asynccontextmanager
async def traced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, collector: Collector, **more: str
) -> AsyncIterator[Live]:
    """The whole stack, its models and sources on loopback, its traces in the collector once it has stopped."""
    async with fake_models() as fake:
        tracing = {
            "OPENWORK_OTLP_ENDPOINT": collector.url,
            "OPENWORK_OTLP_HEADERS": f"authorization=Bearer {PHOENIX_KEY}",
        }
        models = {**fake.gemini_env(), "OPENWORK_GEMINI_API_KEY": KEY}
        async with running(tmp_path, monkeypatch, SOURCES, environ={**tracing, **models, **more}) as live:
            yield live


async def run_of(live: Live, collector: Collector, question: str) -> AnswerDocument:
    """A run that ended, and whose trace is complete."""
    document = await live.ask(question)
    root = root_span_id_of(document.run_id)

    def complete() -> bool:
        """The root and its annotation are there, every other span has its parent, every call of a model its span."""
        trace = collector.of(trace_id_of(document.run_id))
        ids = {span.span_id for span in trace}
        calls = sum(span.kind == "LLM" for span in trace)
        return (
            any(one["span_id"] == root for one in collector.annotations)
            and {span.span_id for span in trace if span.parent_id not in ids} == {root}
            and calls >= (document.usage.model_calls if document.usage else 0)
        )

    with suppress(TimeoutError):  # what is not there, the test says
        await until(complete)
    await asyncio.sleep(0.7)  # what other services send every half second
    return document


async def test_what_runs_send_is_what_the_page_promises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, collector: Collector
) -> None:
    """Answered, without evidence, turned away: every span and every attribute is listed; what is promised is there."""
    async with traced(tmp_path, monkeypatch, collector) as live:
        answered = await run_of(live, collector, PERSONAL)
        nothing = await run_of(live, collector, "Does ocrelizumab slow primary progressive multiple sclerosis?")
        rejected = await run_of(live, collector, "Should I stop taking my warfarin?")
    statuses = [document.status for document in (answered, nothing, rejected)]
    assert statuses == [RunStatus.ANSWERED, RunStatus.TOO_LITTLE_EVIDENCE, RunStatus.REJECTED]
    assert broken_promises(collector.spans) == []
    seen = {spec.name for span in collector.spans if (spec := spec_of_span(span.name))}
    assert {spec.name for spec in SPANS} - seen == NOT_HERE
    trace = collector.of(trace_id_of(answered.run_id))
    ids = {span.span_id for span in trace}
    assert [span.name for span in trace if span.parent_id not in ids] == ["openwork run"]
    _assert_documents_and_totals(answered, trace)
    _assert_annotated(answered, collector, trace)


def _assert_documents_and_totals(document: AnswerDocument, trace: list[Seen]) -> None:
    by_kind = Counter(span.kind for span in trace)
    assert by_kind["RETRIEVER"] >= len(SOURCES)
    assert by_kind["RERANKER"] >= 2
    searched = next(s for s in trace if s.name == "search pubmed" and s.attributes["openwork.n_records"])
    first = values(searched.attributes, "retrieval.documents.0.document.")
    assert first["score"] == 1.0
    assert len(str(first["content"])) > 100, "more than a title"
    assert json.loads(str(first["metadata"]))["place"] == 1
    ranked = next(span for span in trace if span.name == "rerank documents")
    came = values(ranked.attributes, "reranker.input_documents.")
    went = values(ranked.attributes, "reranker.output_documents.")
    scores = [went[name] for name in sorted(n for n in went if n.endswith(".score"))]
    assert came
    assert scores == sorted(scores, reverse=True, key=lambda score: float(str(score)))
    calls = [span for span in trace if span.kind == "LLM"]
    root = next(span for span in trace if span.name == "openwork run")
    assert len(calls) == document.usage.model_calls == root.attributes["openwork.total.model_calls"] > 0
    tokens = sum(int(str(span.attributes["llm.token_count.total"])) for span in calls)
    total = document.usage.input_tokens + document.usage.output_tokens
    assert tokens == total > 0
    cost = sum(float(str(span.attributes["llm.cost.total"])) for span in calls)
    assert root.attributes["openwork.total.cost_usd"] == pytest.approx(cost, abs=1e-5)
    assert "llm.token_count.total" not in root.attributes, "a trace store would count it twice"
    assert root.attributes["openwork.outcome"] == "answered"
    assert root.attributes["session.id"] != document.run_id


def _assert_annotated(document: AnswerDocument, collector: Collector, trace: list[Seen]) -> None:
    """The same figures as attributes of a span and as annotations of the root."""
    root = root_span_id_of(document.run_id)
    annotated = {str(one["name"]): one["result"] for one in collector.annotations if one["span_id"] == root}
    wanted = {"grounding", "citation_coverage", "unsupported_share", "retrieval_ndcg", "latency_s", "cost_usd"}
    assert annotated.keys() == wanted
    (evaluation,) = (span for span in trace if span.name == "evaluation")
    for name, result in annotated.items():
        assert values(evaluation.attributes, f"openwork.evaluation.{name}.") == result
    assert annotated["grounding"] == {
        "score": document.verification.grounding_score,
        "label": "grounded" if document.verification.grounding_score >= 0.95 else "partly grounded",
        "explanation": f"{document.verification.supported} of {document.verification.claims} claims are borne out by "
        "what they cite",
    }


async def test_no_person_and_no_key_is_in_any_span(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, collector: Collector
) -> None:
    async with traced(tmp_path, monkeypatch, collector) as live:
        await run_of(live, collector, PERSONAL)
        await run_of(live, collector, "Should I stop my warfarin? I am Mr. Smithers, MRN 4471120")
    assert len(collector.spans) > 40
    leaks = {
        (word, span.name) for word in (*MUST_NOT_STAND, KEY, PHOENIX_KEY) for span in collector.spans if word in span
    }
    assert leaks == set()
    asked = [str(span.attributes["input.value"]) for span in collector.spans if span.name == "openwork run"]
    assert any("5 mg" in text and "warfarin" in text and "[name]" in text for text in asked), "doses and drugs stay"
    assert any("pmid:" in span for span in collector.spans), "and so do the works"
    assert all(PHOENIX_KEY in json.dumps(dict(one)) for one in collector.headers), "the key is sent where it belongs"


async def test_without_content_no_text_is_sent_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, collector: Collector
) -> None:
    async with traced(tmp_path, monkeypatch, collector, OPENWORK_TRACE_CONTENT="false") as live:
        document = await run_of(live, collector, PERSONAL)
    trace = collector.of(trace_id_of(document.run_id))
    assert {"LLM", "RETRIEVER", "RERANKER"} <= {span.kind for span in trace}
    assert broken_promises(trace, content=False) == []
    shown = [claim.text for claim in document.answer.claims]
    assert shown
    assert [word for word in (*MUST_NOT_STAND, "Zyxoban", *shown) for span in trace if word in span] == []
    assert any("retrieval.documents.0.document.score" in span.attributes for span in trace)
