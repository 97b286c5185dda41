"""The last door of a trace: whatever a caller puts into a span, and by whatever way, is masked or left out."""

from __future__ import annotations

import json

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from openwork_bus.settings import ServiceSettings
from openwork_bus.span_attributes import ATTRIBUTES, Words, spec_of_attribute
from openwork_bus.span_export import MOST_TEXT_CHARS, secrets_of
from openwork_bus.telemetry import Telemetry
from openwork_llm.settings import ModelSettings
from pydantic import BaseModel, SecretStr

from tests.fakes.collector import Seen
from tests.tracing import seen

QUESTION = "Is 5 mg of apixaban safe for my patient John Smithers, MRN 4471120?"
PRIVATE = ("Smithers", "4471120")
ABSTRACT = "Smithers J, Rao K: apixaban 5 mg in ARISTOTLE (NCT00412984)"


def spans_of(work: object, **settings: object) -> list[Seen]:
    """What leaves the process of spans that `work` makes."""
    exporter = InMemorySpanExporter()
    telemetry = Telemetry("test", ModelSettings.model_validate({"model_provider": "none", **settings}), exporter)
    work(telemetry)  # type: ignore[operator]
    return [seen(span) for span in exporter.get_finished_spans()]


def _work(telemetry: Telemetry) -> None:
    with telemetry.span("step", "CHAIN", {"input.value": QUESTION}) as span:
        span.set_attribute("output.value", json.dumps({"people": ["patient John Smithers"], "also": "smithers"}))
        span.set_attribute("retrieval.documents.0.document.content", ABSTRACT)
        span.set_attribute("openwork.words", ("Smithers", "apixaban"))
        span.add_event("noted", {"why": "nothing for Smithers"})
        trace.get_current_span().set_attribute("openwork.new", "of Smithers, past every function of ours")


def test_a_person_that_one_text_of_a_span_names_is_in_none_of_them_but_documents_keep_their_authors() -> None:
    (span,) = spans_of(_work)
    assert span.attributes["input.value"] == ("Is 5 mg of apixaban safe for my patient [name], MRN [record number]?")
    assert span.attributes["retrieval.documents.0.document.content"] == ABSTRACT
    assert span.attributes["openwork.words"] == ["[name]", "apixaban"]
    rest = {name: value for name, value in span.attributes.items() if "document" not in name}
    assert [word for word in PRIVATE if word.lower() in f"{rest} {span.texts}".lower()] == []


def test_without_content_neither_texts_nor_events_nor_unlisted_attributes_leave() -> None:
    (span,) = spans_of(_work, trace_content=False)
    assert set(span.attributes) == {"openinference.span.kind"}
    assert "why" not in span.texts
    assert "apixaban" not in span


def test_an_error_is_masked_in_status_and_event_and_without_content_only_its_type_is_told() -> None:
    def fails(telemetry: Telemetry) -> None:
        with pytest.raises(ValueError, match="Smithers"), telemetry.span("step", "CHAIN", {"input.value": QUESTION}):
            raise ValueError("no record for my patient Smithers, tried with password=hunter22")

    (span,) = spans_of(fails)
    assert span.failed
    assert "no record for my patient [name], tried with password=[secret]" in span.texts
    assert "Smithers" not in span
    (span,) = spans_of(fails, trace_content=False)
    assert "ValueError" in span.texts
    assert "record" not in span.texts


def test_every_configured_secret_is_masked_even_where_no_rule_knows_its_form() -> None:
    def leaks(telemetry: Telemetry) -> None:
        with telemetry.span("quiet-little-secret", "TOOL") as span:
            span.set_attribute("openwork.http.request", "GET https://example.org/quiet-little-secret/x")
            span.set_attribute("retrieval.documents.0.document.content", "said quiet-little-secret")
            span.set_attribute("openwork.source", "quiet-little-secret")

    (span,) = spans_of(leaks, gemini_api_key="quiet-little-secret", otlp_headers="authorization=Bearer other-secret")
    assert [value for value in span.attributes.values() if "quiet-little-secret" in str(value)] == []


def test_secrets_are_found_in_nested_settings_and_in_pairs_of_headers() -> None:
    class Inner(BaseModel):
        password: SecretStr = SecretStr("inner-secret")

    class Outer(ServiceSettings):
        inner: Inner = Inner()

    found = secrets_of(
        Outer(nats_password=SecretStr("nats-secret"), otlp_headers=SecretStr("authorization=Bearer abc-1"))
    )
    assert {"inner-secret", "nats-secret", "authorization=Bearer abc-1", "abc-1"} <= found


def test_a_long_text_is_cut_after_it_was_masked_and_says_so() -> None:
    def long(telemetry: Telemetry) -> None:
        text = "word " * (MOST_TEXT_CHARS // 5 - 2) + " john@example.org and more" * 100
        with telemetry.span("step", "LLM", {"input.value": text}):
            pass

    (span,) = spans_of(long)
    text = str(span.attributes["input.value"])
    assert len(text) < MOST_TEXT_CHARS + 40
    assert text.endswith("more characters]")
    assert "john@" not in text


def test_the_list_of_attributes_has_each_once_and_finds_places_and_names() -> None:
    assert len({spec.name for spec in ATTRIBUTES}) == len(ATTRIBUTES)
    content = spec_of_attribute("retrieval.documents.17.document.content")
    assert content is not None
    assert content.words is Words.DOCUMENT
    assert spec_of_attribute("openwork.count.screened") is not None
    assert spec_of_attribute("openwork.unheard_of") is None
