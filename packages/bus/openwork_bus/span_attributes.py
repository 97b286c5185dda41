"""The one list of span attributes: what each means, and whose words its value holds. docs/tracing.md is made from it.

Names of OpenInference where it has one, `openwork.*` where it has none. What is not in this list is a fault that a test
finds; where texts are kept out it is dropped, so that a new attribute leaks nothing before it is said what it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class Words(StrEnum):
    """Whose words a value holds, which decides what is masked in it."""

    NONE = "none"
    """Numbers, identifiers, names of services and models: kept where texts are not."""
    ASKED = "asked"
    """An asker's, or made of them."""
    DOCUMENT = "document"
    """What a source published."""


@dataclass(frozen=True, slots=True)
class AttributeSpec:
    """One attribute."""

    name: str
    """`N` stands for a place in a list, from 0; `*` for one of several words."""
    meaning: str
    words: Words = Words.NONE


SPAN_KIND = "openinference.span.kind"
INPUT_VALUE = "input.value"
OUTPUT_VALUE = "output.value"
OUTPUT_MIME_TYPE = "output.mime_type"
SESSION_ID = "session.id"
USER_ID = "user.id"
METADATA = "metadata"


def _documents(prefix: str, what: str) -> tuple[AttributeSpec, ...]:
    return (
        AttributeSpec(f"{prefix}.N.document.id", f"{what}: its id, e.g. `pmid:21870978`"),
        AttributeSpec(f"{prefix}.N.document.content", f"{what}: the beginning of its text", Words.DOCUMENT),
        AttributeSpec(f"{prefix}.N.document.score", f"{what}: its score in [0, 1]"),
        AttributeSpec(
            f"{prefix}.N.document.metadata", f"{what}: JSON, its place and what else is known", Words.DOCUMENT
        ),
    )


def _messages(which: str) -> tuple[AttributeSpec, ...]:
    return (
        AttributeSpec(f"llm.{which}_messages.N.message.role", "system, user or assistant"),
        AttributeSpec(f"llm.{which}_messages.N.message.content", "the message", Words.ASKED),
    )


_OPENINFERENCE = (
    AttributeSpec(SPAN_KIND, "CHAIN, RETRIEVER, RERANKER, EMBEDDING, LLM, EVALUATOR, GUARDRAIL or TOOL"),
    AttributeSpec(INPUT_VALUE, "what was worked on, as a rule the question", Words.ASKED),
    AttributeSpec(OUTPUT_VALUE, "what came of it", Words.ASKED),
    AttributeSpec(OUTPUT_MIME_TYPE, "`application/json` where the output is JSON"),
    AttributeSpec(SESSION_ID, "the project, then the conversation, else the asker and the day; hashed"),
    AttributeSpec(USER_ID, "the owner of the run; hashed but for `local`"),
    AttributeSpec(METADATA, "JSON: run, pipeline, track"),
    *_documents("retrieval.documents", "a record found, in the source's order"),
    AttributeSpec("reranker.query", "what the texts were compared with", Words.ASKED),
    AttributeSpec("reranker.model_name", "the scorer's model, else the scorer"),
    AttributeSpec("reranker.top_k", "texts scored"),
    *_documents("reranker.input_documents", "a text as it came, in that order"),
    *_documents("reranker.output_documents", "a text after ranking, best first"),
    AttributeSpec("embedding.model_name", "the model"),
    AttributeSpec("embedding.embeddings.N.embedding.text", "a text that was embedded; never its vector", Words.ASKED),
    AttributeSpec("llm.model_name", "the model asked for"),
    AttributeSpec("llm.provider", "who serves it"),
    AttributeSpec("llm.system", "whose model it is"),
    AttributeSpec("llm.invocation_parameters", "JSON: temperature, limit of tokens, thinking, the form asked for"),
    AttributeSpec("llm.prompt_template.version", "the prompt with its version, e.g. `query.v1`"),
    *_messages("input"),
    *_messages("output"),
    AttributeSpec("llm.token_count.prompt", "tokens read"),
    AttributeSpec("llm.token_count.completion", "tokens written, thinking included"),
    AttributeSpec("llm.token_count.total", "their sum"),
    AttributeSpec("llm.token_count.prompt_details.cache_read", "of those read, from the provider's cache"),
    AttributeSpec("llm.token_count.completion_details.reasoning", "of those written, thinking"),
    AttributeSpec("llm.cost.prompt", "US dollars of the tokens read, at our price table"),
    AttributeSpec("llm.cost.completion", "US dollars of the tokens written"),
    AttributeSpec("llm.cost.total", "their sum; Phoenix's own column is from its own price table"),
)  # fmt: skip

_EVERY_MESSAGE = (
    AttributeSpec("messaging.system", "`nats`"),
    AttributeSpec("messaging.destination.name", "the subject of the message that was handled"),
    AttributeSpec("messaging.nats.delivery_count", "how often it was delivered, this time included"),
    AttributeSpec("openwork.run_id", "the run; its 128 bits are the trace id"),
    AttributeSpec("openwork.service", "the service"),
    AttributeSpec("openwork.pipeline", "the kind of run"),
    AttributeSpec("openwork.track", "the track of the run; `all` = of no single one"),
    AttributeSpec("openwork.round", "the round of search, from 1; 0 = of no single one"),
)

_STEPS = (
    AttributeSpec("openwork.intent", "what the question asks for"),
    AttributeSpec("openwork.rejection", "why it is not searched for; not there = it is"),
    AttributeSpec("openwork.words", "the words that were looked up", Words.ASKED),
    AttributeSpec("openwork.n_refused", "parts of a model's reading that were refused"),
    AttributeSpec("openwork.source", "the source"),
    AttributeSpec("openwork.n_records", "records found"),
    AttributeSpec("openwork.n_requests", "requests that it took"),
    AttributeSpec("openwork.http.service", "the outside service"),
    AttributeSpec("openwork.http.request", "method, host and path; neither user, query nor headers"),
    AttributeSpec("openwork.http.tries", "tries"),
    AttributeSpec("openwork.http.from_cache", "whether an earlier answer was given again"),
    AttributeSpec("http.response.status_code", "status of the last answer"),
    AttributeSpec("openwork.counts.*", "works after joining: identified, duplicates, excluded and why, screened"),
    AttributeSpec("openwork.scorer.name", "who scored"),
    AttributeSpec("openwork.scorer.version", "version of its model"),
    AttributeSpec("openwork.scorer.degradation", "why another stood in; empty = none did"),
    AttributeSpec("openwork.scorer.from_cache", "whether the scores were kept from before"),
    AttributeSpec("openwork.scorer.batch_sizes", "texts per request to a model server"),
    AttributeSpec("openwork.scorer.queue_full", "times that the server's queue was full"),
    AttributeSpec("openwork.n_texts", "texts that were embedded"),
    AttributeSpec("openwork.candidate_id", "the work"),
    AttributeSpec("openwork.fulltext.source", "where its text was found; empty = nowhere"),
    AttributeSpec("openwork.fulltext.reason", "why there is none; empty = there is one"),
    AttributeSpec("openwork.fulltext.from_cache", "whether it was kept from before"),
    AttributeSpec("openwork.gap.assessment", "sufficient, partial or insufficient"),
    AttributeSpec("openwork.method", "who wrote: `extractive, ...`, or the model"),
    AttributeSpec("openwork.n_claims", "sentences that claim something"),
    AttributeSpec("openwork.n_supported", "of them, those that the sources bear out"),
    AttributeSpec("openwork.n_failed", "sentences that did not pass"),
    AttributeSpec("openwork.revision", "0 for the first draft, 1 for the second"),
    AttributeSpec("openwork.grounding_score", "supported / claims, in [0, 1]"),
    AttributeSpec("openwork.citation_coverage", "claims with a citation / claims, in [0, 1]"),
    AttributeSpec("openwork.nli.pairs", "pairs of claim and source that a model read"),
    AttributeSpec("openwork.finish", "why the model stopped"),
    AttributeSpec("openwork.finish_detail", "the same in the provider's word"),
    AttributeSpec("openwork.model_version", "the model that answered, as it names itself"),
    AttributeSpec("openwork.prompt_version", "as `llm.prompt_template.version`"),
    AttributeSpec("openwork.tries", "tries of the call"),
)

_RUN = (
    AttributeSpec("openwork.outcome", "answered, too_little_evidence, rejected, failed, cancelled"),
    AttributeSpec("openwork.scorer", "who ranked, as the answer's method section says it"),
    AttributeSpec("openwork.total.input_tokens", "tokens read by models in the whole run"),
    AttributeSpec("openwork.total.output_tokens", "tokens written by them, thinking included"),
    AttributeSpec("openwork.total.cost_usd", "US dollars of the whole run, at our price table"),
    AttributeSpec("openwork.total.model_calls", "calls of models"),
    AttributeSpec("openwork.total.duration_s", "seconds from the question to the end"),
    AttributeSpec("openwork.count.*", "works and sentences: identified, screened, passages, references, ..."),
    AttributeSpec("openwork.evaluation.*.score", "an evaluation's figure; see below"),
    AttributeSpec("openwork.evaluation.*.label", "the same in a word"),
    AttributeSpec("openwork.evaluation.*.explanation", "how it came about"),
)  # fmt: skip

ATTRIBUTES = (*_OPENINFERENCE, *_EVERY_MESSAGE, *_STEPS, *_RUN)

_BY_NAME = {spec.name: spec for spec in ATTRIBUTES}
_PLACE = re.compile(r"\.\d+(?=\.)")
_OPEN = tuple(
    (spec.name.partition("*")[0], spec.name.partition("*")[2], spec) for spec in ATTRIBUTES if "*" in spec.name
)


@lru_cache(maxsize=4096)
def spec_of_attribute(name: str) -> AttributeSpec | None:
    """What the list says of an attribute; `None` = it is not in it."""
    found = _BY_NAME.get(name) or _BY_NAME.get(_PLACE.sub(".N", name))
    if found is None:
        found = next((s for head, tail, s in _OPEN if name.startswith(head) and name.endswith(tail)), None)
    return found
