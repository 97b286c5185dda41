"""A trace store on loopback: takes OTLP over HTTP and Phoenix's annotations, and remembers what it was sent.

In threads of its own, as a service that stops waits for it on the event loop.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

Value = str | int | float | bool | list[str] | list[int]


@dataclass(frozen=True)
class Seen:
    """One span as it came over the wire."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    """Empty for a root."""
    attributes: Mapping[str, Value]
    failed: bool
    texts: str
    """Everything else that is text in it: status, events."""
    begun_s: float = 0.0
    """Since the epoch."""
    ended_s: float = 0.0

    @property
    def kind(self) -> str:
        return str(self.attributes.get("openinference.span.kind", ""))

    def __contains__(self, text: str) -> bool:
        """Whether the text stands anywhere in it."""
        return text in self.name or text in self.texts or text in json.dumps(dict(self.attributes), ensure_ascii=False)


@dataclass
class Collector:
    """What was sent."""

    url: str = ""
    spans: list[Seen] = field(default_factory=list)
    annotations: list[dict[str, object]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    refusals: list[int] = field(default_factory=list)
    """Statuses that the next posts get; then all are taken."""

    def of(self, run_trace: str) -> list[Seen]:
        """The spans of one trace."""
        return [span for span in self.spans if span.trace_id == run_trace]


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector that runs."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collector.headers.append(dict(self.headers))
            status = collector.refusals.pop(0) if collector.refusals else 200
            if status == 200:
                _keep(collector, self.path, body)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _keep(collector: Collector, path: str, body: bytes) -> None:
    if path == "/v1/span_annotations":
        collector.annotations += json.loads(body)["data"]
        return
    assert path == "/v1/traces", path
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                events = [(e.name, {a.key: _value(a.value) for a in e.attributes}) for e in span.events]
                collector.spans.append(
                    Seen(
                        span.name,
                        span.trace_id.hex(),
                        span.span_id.hex(),
                        span.parent_span_id.hex(),
                        _mapping(span.attributes),
                        span.status.code == 2,
                        span.status.message + json.dumps(events, ensure_ascii=False),
                        span.start_time_unix_nano / 1e9,
                        span.end_time_unix_nano / 1e9,
                    )
                )


def _mapping(pairs: Sequence[KeyValue]) -> dict[str, Value]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: AnyValue) -> Value:
    if value.HasField("array_value"):
        return [_value(one) for one in value.array_value.values]  # type: ignore[misc]
    for kind in ("string_value", "int_value", "double_value", "bool_value"):
        if value.HasField(kind):
            found: Value = getattr(value, kind)
            return found
    return ""
