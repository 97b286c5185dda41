"""Traces: one tree per run, from the query event to the answer, over every service. Off and free without an endpoint.

The run's root span has an id that every service can compute (`run_ids.root_span_id_of`), so spans hang together
even when a client sent no `traceparent`; the root itself is written by the gateway when the run has ended. Which
attributes there are says `span_attributes.py`; what may not stand in them goes out in `span_export.py`.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, SpanContext, Status, StatusCode, TraceFlags

from openwork_bus.annotations import Annotations, Evaluation
from openwork_bus.run_ids import root_span_id_of, root_traceparent
from openwork_bus.settings import ServiceSettings
from openwork_bus.span_attributes import SPAN_KIND

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer

Attribute = str | int | float | bool | Sequence[str] | Sequence[int]

DOCUMENTS_IN_SPAN = 10
"""Documents written into a span; all of them are in the event."""
DOCUMENT_CHARS = 500
"""Characters of a document's text in a span: enough to see what it is."""

_SEND_EVERY_MS = 2000
"""Between two posts of spans: Phoenix shows them later still, and each post is a millisecond of processor time."""

CLOSING_S = 2.0
"""What a service that stops gives to the sending of its last spans and annotations."""

_traceparent: ContextVar[str | None] = ContextVar("openwork_traceparent", default=None)


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A text as a span shows it; its beginning alone is written."""

    id: str
    content: str
    score: float | None = None
    """In [0, 1]; `None` = it has none."""
    known: Mapping[str, str | int | float | None] = field(default_factory=dict)
    """What else is known of it, e.g. its place; what is `None` is left out."""


def document_attributes(prefix: str, documents: Sequence[ShownDocument]) -> dict[str, Attribute]:
    """OpenInference attributes of retrieved or reranked texts under `prefix`, of the first `DOCUMENTS_IN_SPAN`."""
    attributes: dict[str, Attribute] = {}
    for index, document in enumerate(documents[:DOCUMENTS_IN_SPAN]):
        place = f"{prefix}.{index}.document"
        attributes[f"{place}.id"] = document.id
        attributes[f"{place}.content"] = document.content[:DOCUMENT_CHARS]
        if document.score is not None:
            attributes[f"{place}.score"] = document.score
        if known := {key: value for key, value in document.known.items() if value is not None}:
            attributes[f"{place}.metadata"] = json.dumps(known, ensure_ascii=False)
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

    def __init__(
        self,
        service: str,
        settings: ServiceSettings,
        exporter: SpanExporter | None = None,
        *,
        told: Callable[[str, int], None] | None = None,
    ) -> None:
        """
        Args:
            told: what became of how many spans; see `exporting.CountedExporter`.
        """
        self.service = service
        self.project = settings.trace_project
        """Where the traces belong, in Phoenix."""
        self._provider: TracerProvider | None = None
        self._tracer: Tracer | None = None
        self._annotations: Annotations | None = None
        if settings.otlp_endpoint or exporter:
            self._provider = _provider(service, settings, exporter, told)
            self._tracer = self._provider.get_tracer("openwork")
        if settings.otlp_endpoint and settings.trace_annotations:
            self._annotations = Annotations(settings.otlp_endpoint, _headers(settings))
        self.content = settings.trace_content and self.enabled
        """Whether texts are wanted: a caller need not make one that nobody will see."""

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
                    self._tracer, name, _context(parent), {SPAN_KIND: "CHAIN", "openwork.run_id": run_id, **attributes}
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
        self, run_id: str, *, started_at: datetime, ended_at: datetime, attributes: Mapping[str, Attribute], ok: bool
    ) -> None:
        """Write the run's root span. Written twice it is the same span, and a trace store keeps the first."""
        if self._tracer is None:
            return
        root = _parse(root_traceparent(run_id))
        assert root is not None
        with _forced_ids(root.trace_id, root.span_id):
            span = self._tracer.start_span(
                "openwork run",
                context=Context(),
                attributes={SPAN_KIND: "CHAIN", **attributes},
                start_time=_ns(started_at),
            )
        span.set_status(Status(StatusCode.OK if ok else StatusCode.ERROR))
        span.end(end_time=_ns(ended_at))

    def write_evaluations(self, run_id: str, *, ended_at: datetime, evaluations: Sequence[Evaluation]) -> None:
        """Write what a run is worth: a span below its root at once, and annotations of the root when Phoenix has it."""
        if self._tracer is None or not evaluations:
            return
        attributes: dict[str, Attribute] = {SPAN_KIND: "EVALUATOR", "openwork.run_id": run_id}
        for one in evaluations:
            attributes |= one.attributes
        parent = _parse(root_traceparent(run_id))
        assert parent is not None
        span_id = int(hashlib.sha256(f"{run_id} evaluation".encode()).hexdigest()[:16], 16)
        under, at = trace.set_span_in_context(NonRecordingSpan(parent)), _ns(ended_at)
        with _forced_ids(parent.trace_id, span_id):
            span = self._tracer.start_span("evaluation", context=under, attributes=attributes, start_time=at)
        span.set_status(Status(StatusCode.OK))
        span.end(end_time=_ns(ended_at))
        if self._annotations is not None:
            self._annotations.put(root_span_id_of(run_id), evaluations)

    def flush(self) -> None:
        """Send what is waiting now. Blocks; for measurements and tests."""
        if self._provider is not None:
            self._provider.force_flush()

    def shutdown(self, within_s: float = CLOSING_S) -> None:
        """Send what is still waiting, for so long: a trace store that does not answer keeps nobody. Blocks."""
        closing = [self._provider.shutdown] if self._provider else []
        closing += [self._annotations.close] if self._annotations else []
        threads = [threading.Thread(target=close, daemon=True) for close in closing]
        for thread in threads:
            thread.start()
        until = monotonic() + within_s
        for thread in threads:
            thread.join(max(0.0, until - monotonic()))


_forced: ContextVar[tuple[int, int] | None] = ContextVar("openwork_forced_ids", default=None)


@contextmanager
def _forced_ids(trace_id: int, span_id: int) -> Iterator[None]:
    token = _forced.set((trace_id, span_id))
    try:
        yield
    finally:
        _forced.reset(token)


def _provider(
    service: str,
    settings: ServiceSettings,
    exporter: SpanExporter | None,
    told: Callable[[str, int], None] | None,
) -> TracerProvider:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    from openwork_bus.exporting import CountedExporter
    from openwork_bus.span_export import RedactingExporter, secrets_of

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
    secrets = secrets_of(settings)
    if exporter is not None:
        redacting = RedactingExporter(exporter, content=settings.trace_content, secrets=secrets)
        provider.add_span_processor(SimpleSpanProcessor(redacting))
    else:
        sending = _otlp_exporter(settings)
        if told is not None:
            sending = CountedExporter(sending, told)
        redacting = RedactingExporter(sending, content=settings.trace_content, secrets=secrets)
        provider.add_span_processor(BatchSpanProcessor(redacting, schedule_delay_millis=_SEND_EVERY_MS))
    return provider


def _otlp_exporter(settings: ServiceSettings) -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    assert settings.otlp_endpoint is not None
    endpoint = f"{settings.otlp_endpoint.rstrip('/')}/v1/traces"
    return OTLPSpanExporter(endpoint=endpoint, headers=_headers(settings), timeout=5)


def _headers(settings: ServiceSettings) -> dict[str, str]:
    """`otlp_headers`, taken apart."""
    headers = settings.otlp_headers.get_secret_value() if settings.otlp_headers else ""
    return dict(pair.split("=", 1) for pair in headers.split(",") if "=" in pair)


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
