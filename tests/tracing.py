"""Spans beside the list that promises them (docs/tracing.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import StatusCode
from openwork_bus.span_attributes import SPAN_KIND, Words, spec_of_attribute

from deploy.tracing_page import SpanSpec, spec_of_span
from tests.fakes.collector import Seen


def listed_name(attribute: str) -> str:
    """An attribute as the list names it; itself where the list does not know it."""
    spec = spec_of_attribute(attribute)
    return spec.name if spec else attribute


def broken_promises(spans: Iterable[Seen], *, content: bool = True) -> list[str]:
    """What spans have that the list does not know, and what they lack that it promises; empty as it should be."""
    return sorted({fault for span in spans for fault in _faults_of(span, content=content)})


def _faults_of(span: Seen, *, content: bool) -> list[str]:
    spec = spec_of_span(span.name)
    if spec is None:
        return [f"span {span.name!r} is not listed"]
    found = {listed_name(name) for name in span.attributes} - {SPAN_KIND}
    known = {*spec.always, *spec.sometimes}
    faults = [f"{spec.name}: {name} is not listed for it" for name in found - known]
    if span.kind != spec.kind:
        faults.append(f"{spec.name}: kind {span.kind!r} instead of {spec.kind!r}")
    if not span.failed:
        faults += [f"{spec.name}: lacks {name}" for name in _promised(spec, content=content) - found]
    if not content:
        faults += [f"{spec.name}: {name} is a text" for name in found if _is_text(name)]
    return faults


def _promised(spec: SpanSpec, *, content: bool) -> set[str]:
    return {name for name in spec.always if content or not _is_text(name)}


def _is_text(name: str) -> bool:
    spec = spec_of_attribute(re.sub(r"\*", "x", name.replace(".N.", ".0.")))
    return spec is None or spec.words is not Words.NONE


def seen(span: ReadableSpan) -> Seen:
    """A span as an exporter in memory got it."""
    assert span.context is not None
    events = [(event.name, dict(event.attributes or {})) for event in span.events]
    return Seen(
        span.name,
        f"{span.context.trace_id:032x}",
        f"{span.context.span_id:016x}",
        f"{span.parent.span_id:016x}" if span.parent else "",
        {key: list(value) if isinstance(value, tuple) else value for key, value in (span.attributes or {}).items()},  # type: ignore[misc]
        span.status.status_code is StatusCode.ERROR,
        f"{span.status.description or ''} {events}",
    )


def values(attributes: Mapping[str, object], prefix: str) -> dict[str, object]:
    """The attributes below a prefix, without it."""
    return {name.removeprefix(prefix): value for name, value in attributes.items() if name.startswith(prefix)}
