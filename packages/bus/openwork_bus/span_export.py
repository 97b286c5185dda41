"""The last door of a trace: every text of every span is masked here, so that no caller can forget it.

It works in the thread that sends spans, after the work that they tell of is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Status
from opentelemetry.util.types import AttributeValue
from pydantic import BaseModel, SecretStr

from openwork_bus.redaction import Private, asked_text, document_text, private_in, without_secrets
from openwork_bus.span_attributes import Words, spec_of_attribute

MOST_TEXT_CHARS = 12_000
"""Of one text in a span: Phoenix takes in some sixty small spans a second, and a prompt with its passages is 30,000."""
_EXCEPTION_TYPE = "exception.type"


class RedactingExporter(SpanExporter):
    """Hands spans on without secrets and personal data; without any text where texts are kept out."""

    def __init__(self, exporter: SpanExporter, *, content: bool, secrets: Iterable[str] = ()) -> None:
        self._exporter = exporter
        self._content = content
        self._secrets = tuple(secrets)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """See `SpanExporter.export`."""
        return self._exporter.export([self._redacted(span) for span in spans])

    def shutdown(self) -> None:
        """See `SpanExporter.shutdown`."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """See `SpanExporter.force_flush`."""
        return self._exporter.force_flush(timeout_millis)

    def _redacted(self, span: ReadableSpan) -> ReadableSpan:
        attributes = span.attributes or {}
        private = _private_of(attributes) if self._content else frozenset()
        status = span.status
        if status.description:
            status = Status(status.status_code, self._text(status.description, Words.ASKED, private))
        return ReadableSpan(
            name=span.name,
            context=span.context,
            parent=span.parent,
            resource=span.resource,
            attributes=self._attributes(attributes, private),
            events=[self._event(event, private) for event in span.events],
            links=span.links,
            kind=span.kind,
            status=status,
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )

    def _attributes(
        self, attributes: Mapping[str, AttributeValue], private: frozenset[Private]
    ) -> dict[str, AttributeValue]:
        kept: dict[str, AttributeValue] = {}
        for key, value in attributes.items():
            spec = spec_of_attribute(key)
            words = spec.words if spec else Words.ASKED
            if self._content or words is Words.NONE:
                kept[key] = self._value(value, words, private)
        return kept

    def _event(self, event: Event, private: frozenset[Private]) -> Event:
        """Of an exception, only its type where texts are kept out."""
        attributes = event.attributes or {}
        kept = {
            key: self._value(value, Words.ASKED, private)
            for key, value in attributes.items()
            if self._content or key == _EXCEPTION_TYPE
        }
        return Event(event.name, kept, event.timestamp)

    def _value(self, value: AttributeValue, words: Words, private: frozenset[Private]) -> AttributeValue:
        if isinstance(value, str):
            return self._text(value, words, private)
        if isinstance(value, Sequence) and value and isinstance(value[0], str):
            return [self._text(str(one), words, private) for one in value]
        return value

    def _text(self, text: str, words: Words, private: frozenset[Private]) -> str:
        return _masked(text, words, private, self._secrets)


def secrets_of(settings: BaseModel) -> frozenset[str]:
    """The values of all secret settings, in whatever depth; of headers (`name=value,...`) also what stands in each."""
    found: set[str] = set()
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            secret = value.get_secret_value()
            headers = [pair.partition("=")[2] for pair in secret.split(",")]
            found |= {secret, *headers, *(header.rpartition(" ")[2] for header in headers)} - {""}
        elif isinstance(value, BaseModel):
            found |= secrets_of(value)
    return frozenset(found)


def _private_of(attributes: Mapping[str, AttributeValue]) -> frozenset[Private]:
    """What any text of an asker in the span gives away: all its texts are without it."""
    found: set[Private] = set()
    for key, value in attributes.items():
        spec = spec_of_attribute(key)
        if isinstance(value, str) and (spec is None or spec.words is Words.ASKED):
            found |= private_in(value)
    return frozenset(found)


_document_text = lru_cache(maxsize=1024)(document_text)
"""Kept, since a document is shown by its source, before it is ranked and after."""


def _masked(text: str, words: Words, private: frozenset[Private], secrets: tuple[str, ...]) -> str:
    match words:
        case Words.NONE:
            return without_secrets(text, secrets)
        case Words.DOCUMENT:
            masked = _document_text(text, secrets)
        case _:
            masked = asked_text(text, private, secrets)
    cut = len(masked) - MOST_TEXT_CHARS
    return masked if cut <= 0 else f"{masked[:MOST_TEXT_CHARS]} [{cut} more characters]"
