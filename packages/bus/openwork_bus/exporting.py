"""Whether traces arrive: an exporter that says of every batch what became of it.

A batch that was not taken is lost: the exporter has tried again by itself, and nobody keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from openwork_bus.metrics import EXPORTED, LOST

Told = Callable[[str, int], None]
"""Takes `EXPORTED` or `LOST`, and how many spans; called by the exporter's own thread."""


class CountedExporter(SpanExporter):
    """Another exporter, and how many of the spans it was given were taken."""

    def __init__(self, exporter: SpanExporter, told: Told) -> None:
        self._exporter = exporter
        self._told = told

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """See `SpanExporter.export`."""
        outcome = LOST
        try:
            result = self._exporter.export(spans)
            outcome = EXPORTED if result is SpanExportResult.SUCCESS else LOST
            return result
        finally:
            self._told(outcome, len(spans))

    def shutdown(self) -> None:
        """See `SpanExporter.shutdown`."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """See `SpanExporter.force_flush`."""
        return self._exporter.force_flush(timeout_millis)
