"""Traces: one tree per run, from the query event to the answer, over every service. Off and free without an endpoint.

The run's root span has an id that every service can compute (`run_ids.root_span_id_of`), so spans hang together
even when a client sent no `traceparent`; the root itself is written when the run ends, by whoever ends it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, SpanContext, Status, StatusCode, TraceFlags

from openwork_bus.run_ids import root_traceparent
from openwork_bus.settings import ServiceSettings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer

Attribute = str | int | float | bool | Sequence[str]

SPAN_KIND = "openinference.span.kind"
"""CHAIN, RETRIEVER, RERANKER, LLM, EVALUATOR, GUARDRAIL: OpenInference semantic conventions."""
INPUT_VALUE = "input.value"
OUTPUT_VALUE = "output.value"
SESSION_ID = "session.id"
METADATA = "metadata"

_traceparent: ContextVar[str | None] = ContextVar("openwork_traceparent", default=None)


def document_attributes(prefix: str, documents: Sequence[tuple[str, str, float | None]]) -> dict[str, Attribute]:
    """OpenInference attributes of retrieved or reranked texts: (id, content, score) under `prefix`."""
    attributes: dict[str, Attribute] = {}
    for index, (identifier, content, score) in enumerate(documents):
        attributes[f"{prefix}.{index}.document.id"] = identifier
        attributes[f"{prefix}.{index}.document.content"] = content
        if score is not None:
            attributes[f"{prefix}.{index}.document.score"] = score
    return attributes


def trace_id_in(traceparent: str | None) -> str | None:
    """The trace id of a W3C traceparent header; `None` when it is absent or not one."""
    context = _parse(traceparent)
    return format(context.trace_id, "032x") if context else None


def current_traceparent() -> str | None:
    """The traceparent to put on a message published now."""
    span = trace.get_current_span().get_span_context()
    if span.is_valid:
        return f"00-{span.trace_id:032x}-{span.span_id:016x}-{int(span.trace_flags):02x}"
    return _traceparent.get()


class Telemetry:
    """One service's tracer. Without an endpoint it only hands the incoming trace on."""

    def __init__(self, service: str, settings: ServiceSettings, exporter: SpanExporter | None = None) -> None:
        self.service = service
        self.content = settings.trace_content
        self._provider: TracerProvider | None = None
        self._tracer: Tracer | None = None
        if settings.otlp_endpoint or exporter:
            self._provider = _provider(service, settings, exporter)
            self._tracer = self._provider.get_tracer("openwork")

    @property
    def enabled(self) -> bool:
        """Whether spans are recorded."""
        return self._tracer is not None

    @contextmanager
    def message_span(
        self, name: str, *, run_id: str, traceparent: str | None, attributes: Mapping[str, Attribute]
    ) -> Iterator[None]:
        """The span of handling one message, child of the span that published it."""
        parent = traceparent if traceparent and _parse(traceparent) else root_traceparent(run_id)
        token = _traceparent.set(parent)
        try:
            if self._tracer is None:
                yield
            else:
                with self._span(
                    self._tracer, name, _context(parent), {SPAN_KIND: "CHAIN", SESSION_ID: run_id, **attributes}
                ):
                    yield
        finally:
            _traceparent.reset(token)

    @contextmanager
    def span(self, name: str, kind: str, attributes: Mapping[str, Attribute] | None = None) -> Iterator[Span]:
        """A span of work inside a handler. Yields one that ignores everything when tracing is off."""
        if self._tracer is None:
            yield NonRecordingSpan(trace.INVALID_SPAN_CONTEXT)
            return
        with self._span(self._tracer, name, None, {SPAN_KIND: kind, **(attributes or {})}) as span:
            yield span

    @contextmanager
    def _span(
        self, tracer: Tracer, name: str, context: Context | None, attributes: Mapping[str, Attribute]
    ) -> Iterator[Span]:
        with tracer.start_as_current_span(
            name, context=context, attributes=dict(attributes), record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except Exception as error:
                if self.content:
                    span.record_exception(error)
                span.set_status(Status(StatusCode.ERROR, str(error)[:500] if self.content else type(error).__name__))
                raise
            span.set_status(Status(StatusCode.OK))

    def write_root(
        self, run_id: str, *, started_at: datetime, ended_at: datetime, question: str, output: str, ok: bool
    ) -> None:
        """Write the run's root span. Called once, by the service that ended the run."""
        if self._tracer is None:
            return
        attributes: dict[str, Attribute] = {
            SPAN_KIND: "CHAIN",
            SESSION_ID: run_id,
            METADATA: json.dumps({"run_id": run_id}),
        }
        if self.content:
            attributes |= {INPUT_VALUE: question, OUTPUT_VALUE: output}
        root = _parse(root_traceparent(run_id))
        assert root is not None
        with _forced_ids(root.trace_id, root.span_id):
            span = self._tracer.start_span(
                "openwork run", context=Context(), attributes=attributes, start_time=_ns(started_at)
            )
        span.set_status(Status(StatusCode.OK if ok else StatusCode.ERROR))
        span.end(end_time=_ns(ended_at))

    def shutdown(self) -> None:
        """Send what is still waiting."""
        if self._provider is not None:
            self._provider.shutdown()


_forced: ContextVar[tuple[int, int] | None] = ContextVar("openwork_forced_ids", default=None)


@contextmanager
def _forced_ids(trace_id: int, span_id: int) -> Iterator[None]:
    token = _forced.set((trace_id, span_id))
    try:
        yield
    finally:
        _forced.reset(token)


def _provider(service: str, settings: ServiceSettings, exporter: SpanExporter | None) -> TracerProvider:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    class RunIds(RandomIdGenerator):
        """Random ids, but for the root span of a run, whose ids follow from the run id."""

        def generate_trace_id(self) -> int:
            forced = _forced.get()
            return forced[0] if forced else super().generate_trace_id()

        def generate_span_id(self) -> int:
            forced = _forced.get()
            return forced[1] if forced else super().generate_span_id()

    resource = Resource.create(
        {"service.name": f"openwork-{service}", "openinference.project.name": settings.trace_project}
    )
    provider = TracerProvider(resource=resource, id_generator=RunIds(), shutdown_on_exit=False)
    if exporter is not None:
        provider.add_span_processor(SimpleSpanProcessor(exporter))
    else:
        provider.add_span_processor(BatchSpanProcessor(_otlp_exporter(settings), schedule_delay_millis=500))
    return provider


def _otlp_exporter(settings: ServiceSettings) -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    assert settings.otlp_endpoint is not None
    headers = settings.otlp_headers.get_secret_value() if settings.otlp_headers else ""
    pairs = dict(pair.split("=", 1) for pair in headers.split(",") if "=" in pair)
    return OTLPSpanExporter(endpoint=f"{settings.otlp_endpoint.rstrip('/')}/v1/traces", headers=pairs, timeout=5)


def _parse(traceparent: str | None) -> SpanContext | None:
    if not traceparent:
        return None
    parts = traceparent.split("-")
    if len(parts) != 4 or len(parts[1]) != 32 or len(parts[2]) != 16:
        return None
    try:
        context = SpanContext(
            int(parts[1], 16), int(parts[2], 16), is_remote=True, trace_flags=TraceFlags(int(parts[3], 16))
        )
    except ValueError:
        return None
    return context if context.is_valid else None


def _context(traceparent: str) -> Context:
    parsed = _parse(traceparent)
    return trace.set_span_in_context(NonRecordingSpan(parsed)) if parsed else Context()


def _ns(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000_000)
