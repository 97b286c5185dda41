"""Where the time of a run went, service by service: from its stored events alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from openwork_bus.bus import StoredEvent
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.meta import Event
from openwork_contracts.plan import DeadlineReached, RetrievalRequested
from openwork_contracts.ranking import EvidenceRanked, FulltextRequested
from openwork_contracts.subjects import fixed_consumers, retriever_consumer

Span = tuple[datetime, datetime]

_JOIN_OF: Mapping[type[Event], type[Event]] = {
    RetrievalRequested: EvidenceNormalised,
    FulltextRequested: EvidenceRanked,
}
"""What is asked of many at once -> the event that goes on with it, or without it when time is up."""
_TAKER: Mapping[type[Event], str] = {
    taken.model: consumer.service
    for consumer in (*fixed_consumers(), retriever_consumer("any"))
    for taken in consumer.takes
    if taken.model not in (DeadlineReached, RunEnded)
}
"""Event -> the service whose turn it is then."""
_GATEWAY = "gateway"
"""Begins a run, and ends those that nothing else ends: no step of either."""


@dataclass(frozen=True, slots=True)
class _InVain:
    """A request that had no answer when the run went on without it, or ended."""

    request: str
    service: str
    span: Span
    join: str | None


def service_seconds(events: Sequence[StoredEvent]) -> dict[str, float]:
    """Seconds that a run waited for each service; see `Timings.services`.

    Args:
        events: of the run in the order in which they were stored, at least one, its end the last where it has ended.
    """
    at = {stored.subject: stored.stored_at for stored in events}
    in_vain = list(_in_vain(events))
    # A join that went on without an answer waited for whom it had asked, and an answer after it helped nobody.
    joins, requests = {one.join for one in in_vain}, {one.request for one in in_vain}
    spans: dict[str, list[Span]] = defaultdict(list)
    for stored in events:
        meta = stored.event.meta
        begun = max((at[parent] for parent in meta.parent_ids if parent in at), default=None)
        counts = meta.producer != _GATEWAY and stored.subject not in joins and not requests & {*meta.parent_ids[:1]}
        if begun is not None and counts:
            spans[meta.producer].append((begun, stored.stored_at))
    for one in in_vain:
        spans[one.service].append(one.span)
    return {service: round(_length(found), 4) for service, found in sorted(spans.items())}


def waited_for(events: Sequence[StoredEvent]) -> str | None:
    """The service whose turn it was when a run failed or was cancelled; `None` = it ended by itself, or goes on."""
    end = events[-1].event
    if not isinstance(end, RunEnded) or end.kind not in (EndKind.FAILED, EndKind.CANCELLED):
        return None
    asked = [one.service for one in _in_vain(events) if one.join is None]
    if asked:
        return asked[-1]
    return _TAKER.get(type(events[-2].event)) if len(events) > 1 else None


def _in_vain(events: Sequence[StoredEvent]) -> Iterator[_InVain]:
    for request in events:
        if type(request.event) not in _JOIN_OF:
            continue
        join = _join_of(request, events)
        until = (join or events[-1]).stored_at
        if not _is_answered(request, events, until):
            span = request.stored_at, until
            yield _InVain(request.subject, _TAKER[type(request.event)], span, join.subject if join else None)


def _join_of(request: StoredEvent, events: Sequence[StoredEvent]) -> StoredEvent | None:
    model, place = _JOIN_OF[type(request.event)], _place(request)
    return next((one for one in events if isinstance(one.event, model) and _place(one) == place), None)


def _is_answered(request: StoredEvent, events: Sequence[StoredEvent], until: datetime) -> bool:
    return any(one.event.meta.parent_ids[:1] == (request.subject,) and one.stored_at <= until for one in events)


def _place(stored: StoredEvent) -> tuple[str, int]:
    return stored.event.meta.track, stored.event.meta.round


def _length(spans: Iterable[Span]) -> float:
    """Seconds that the spans cover together."""
    total, covered = 0.0, None
    for begins, ends in sorted(spans):
        begins = begins if covered is None else max(begins, covered)
        if ends > begins:
            total += (ends - begins).total_seconds()
            covered = ends
    return total
