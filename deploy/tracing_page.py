"""The tables of docs/tracing.md: every span of every service, its kind, its attributes. A test holds runs to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from openwork_bus.span_attributes import ATTRIBUTES, AttributeSpec, Words

_MESSAGE = (
    "messaging.system",
    "messaging.destination.name",
    "messaging.nats.delivery_count",
    "openwork.run_id",
    "openwork.service",
    "openwork.pipeline",
    "openwork.track",
    "openwork.round",
)
_SCORER = ("name", "version", "degradation", "from_cache", "batch_sizes", "queue_full")


def _documents(prefix: str, *what: str) -> tuple[str, ...]:
    return tuple(f"{prefix}.N.document.{one}" for one in what)


@dataclass(frozen=True)
class SpanSpec:
    """One span, by its name."""

    name: str
    """`<...>` stands for a word that differs."""
    kind: str
    services: str
    """Whose it is."""
    meaning: str
    always: tuple[str, ...] = ()
    """Attributes that every such span has that did not fail, besides its kind; texts only where they are wanted."""
    sometimes: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What its name looks like."""
        parts = re.split(r"<[^>]+>", self.name)
        return re.compile(".+".join(map(re.escape, parts)))


SPANS: tuple[SpanSpec, ...] = (
    SpanSpec(
        "openwork run",
        "CHAIN",
        "gateway",
        "the root: the run as a whole, written when its answer is stored",
        (
            *("input.value", "output.value", "user.id", "session.id", "metadata"),
            *("openwork.run_id", "openwork.pipeline", "openwork.track", "openwork.outcome", "openwork.intent"),
            *("openwork.scorer", "openwork.method", "openwork.total.input_tokens", "openwork.total.output_tokens"),
            *("openwork.total.cost_usd", "openwork.total.model_calls", "openwork.total.duration_s", "openwork.count.*"),
        ),
    ),
    SpanSpec(
        "evaluation",
        "EVALUATOR",
        "gateway",
        "what the run is worth; the same figures are annotations of the root",
        ("openwork.run_id",),
        tuple(f"openwork.evaluation.*.{one}" for one in ("score", "label", "explanation")),
    ),
    SpanSpec("question analysis", "GUARDRAIL", "query", "the question read by rules, or turned away",
             ("input.value", "output.value", "output.mime_type"), ("openwork.intent", "openwork.rejection")),
    SpanSpec("look up drug names", "TOOL", "query", "names that our lexicon does not have, asked of RxNorm",
             ("input.value", "output.value", "openwork.words")),
    SpanSpec("model reading merged", "GUARDRAIL", "query", "what a model read, held against the rules",
             ("input.value", "output.value", "openwork.n_refused")),
    SpanSpec("search <source>", "RETRIEVER", "retrievers", "one source searched",
             ("input.value", "openwork.source", "openwork.n_records", "openwork.n_requests"),
             _documents("retrieval.documents", "id", "content", "score", "metadata")),
    SpanSpec("http <service>", "TOOL", "retrievers, query, fulltext, normaliser",
             "a request to the outside, its retries included",
             ("openwork.http.service", "openwork.http.request", "openwork.http.tries", "openwork.http.from_cache",
              "http.response.status_code")),
    SpanSpec("normalise", "CHAIN", "normaliser", "what the sources gave, joined", ("openwork.counts.*",)),
    SpanSpec("check status", "TOOL", "normaliser", "what has become of the works, asked of Crossref",
             ("openwork.n_records",)),
    SpanSpec("rerank <stage>", "RERANKER", "reranker", "documents, titles or passages scored",
             ("reranker.query", "reranker.model_name", "reranker.top_k",
              *(f"openwork.scorer.{one}" for one in _SCORER)),
             (*_documents("reranker.input_documents", "id", "content"),
              *_documents("reranker.output_documents", "id", "content", "score", "metadata"))),
    SpanSpec("embed texts", "EMBEDDING", "reranker", "texts compared by a bi-encoder, where one is used",
             ("embedding.model_name", "openwork.n_texts", "embedding.embeddings.N.embedding.text")),
    SpanSpec("full text", "RETRIEVER", "fulltext", "the text of one work, looked for",
             ("input.value", "openwork.candidate_id", "openwork.fulltext.source", "openwork.fulltext.reason",
              "openwork.fulltext.from_cache"),
             _documents("retrieval.documents", "id", "content", "metadata")),
    SpanSpec("gap analysis", "EVALUATOR", "gap", "whether the evidence is enough, by rules",
             ("input.value", "output.value", "output.mime_type", "openwork.gap.assessment")),
    SpanSpec("draft", "CHAIN", "synthesiser", "the answer's first draft",
             ("input.value", "output.value", "openwork.method", "openwork.n_claims", "openwork.revision")),
    SpanSpec("revise", "CHAIN", "synthesiser", "its one revision",
             ("input.value", "output.value", "openwork.method", "openwork.n_claims", "openwork.revision")),
    SpanSpec("verification", "EVALUATOR", "verifier", "every claim of a draft, judged",
             ("input.value", "output.value", "openwork.revision", "openwork.n_claims", "openwork.n_supported",
              "openwork.n_failed", "openwork.grounding_score", "openwork.citation_coverage")),
    SpanSpec("judge claims", "EVALUATOR", "verifier", "claims beside their sources, by a model on Triton",
             ("openwork.scorer.name", "openwork.nli.pairs")),
    SpanSpec("model <prompt>", "LLM", "query, gap, synthesiser, verifier", "a call of a language model",
             ("input.value", "output.value", "llm.model_name", "llm.provider", "llm.system",
              "llm.invocation_parameters",
              "llm.prompt_template.version", "openwork.prompt_version",
              *(f"llm.{way}_messages.N.message.{one}" for way in ("input", "output") for one in ("role", "content")),
              *(f"llm.token_count.{one}" for one in ("prompt", "completion", "total", "prompt_details.cache_read",
                                                     "completion_details.reasoning")),
              "llm.cost.prompt", "llm.cost.completion", "llm.cost.total", "openwork.finish", "openwork.finish_detail",
              "openwork.model_version", "openwork.tries")),
    SpanSpec("<service> <event>", "CHAIN", "every service", "a message; what it caused hangs below it", _MESSAGE),
)  # fmt: skip
"""In the order in which a name is looked for: the last fits any two words."""


def spec_of_span(name: str) -> SpanSpec | None:
    """What the page says of a span; `None` = nothing."""
    return next((spec for spec in SPANS if spec.pattern.fullmatch(name)), None)


def regions() -> dict[str, dict[str, str]]:
    """What docs/tracing.md holds between its marks (deploy/regions.py)."""
    heads = ("span", "kind", "service", "what", "attributes", "and sometimes")
    rows = [(f"`{s.name}`", s.kind, s.services, s.meaning, _listed(s.always), _listed(s.sometimes)) for s in SPANS]
    attributes = _table(("attribute", "what", "whose words"), [_row(spec) for spec in ATTRIBUTES])
    return {"docs/tracing.md": {"spans": _table(heads, rows), "attributes": attributes}}


def _row(spec: AttributeSpec) -> tuple[str, str, str]:
    kinds = {Words.NONE: "", Words.ASKED: "text: an asker's", Words.DOCUMENT: "text: a source's"}
    return f"`{spec.name}`", spec.meaning, kinds[spec.words]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"
