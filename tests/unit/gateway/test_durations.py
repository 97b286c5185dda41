"""Where the time of a run went: the waits for services make up its time, and who gave no answer is who is named."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_bus.bus import StoredEvent
from openwork_contracts.end import EndKind
from openwork_contracts.errors import FailureReason
from openwork_contracts.meta import Event
from openwork_contracts.plan import RetrievalCompleted, RetrievalRequested
from openwork_contracts.ranking import FulltextRequested
from openwork_gateway.domain.durations import service_seconds, waited_for

from tests.run_events import AT, completed, concluded, drafted, ended, in_track, normalised, planned, ranked, submitted
from tests.run_events import shortlisted as shortlist


def at(seconds: float, event: Event, producer: str, *parents: Event) -> StoredEvent:
    """An event that a service stored so long after the question."""
    ids = tuple(parent.meta.event_id for parent in parents)
    made = event.model_copy(update={"meta": event.meta.model_copy(update={"producer": producer, "parent_ids": ids})})
    return StoredEvent(round(seconds * 1000), event.meta.event_id, AT + timedelta(seconds=seconds), made)


def requested(source: str) -> RetrievalRequested:
    return RetrievalRequested(meta=in_track(RetrievalRequested, route=source), source=source, deadline_at=AT)


def found(source: str) -> RetrievalCompleted:
    return RetrievalCompleted(meta=in_track(RetrievalCompleted, route=source), source=source, elapsed_s=1.0)


QUESTION, PLAN, PUBMED, LIBRARY = submitted(), planned(), requested("pubmed"), requested("library")
SEARCHED = (
    at(0, QUESTION, "gateway"),
    at(1, PLAN, "query", QUESTION),
    at(1, PUBMED, "query", QUESTION),
    at(1, LIBRARY, "query", QUESTION),
    at(2, found("library"), "retrievers", LIBRARY),
)
OUT_OF_TIME = ended(EndKind.FAILED, "late").model_copy(update={"failure": FailureReason.DEADLINE, "stage": "gateway"})


def test_the_waits_make_up_the_time_of_a_run_and_searches_at_once_count_once() -> None:
    events = (
        *SEARCHED,
        at(4, found("pubmed"), "retrievers", PUBMED),
        at(5, normalised(), "normaliser", PLAN, found("library"), found("pubmed")),
        at(7, shortlist(), "reranker", normalised()),
        at(8, ranked(), "reranker", shortlist()),
        at(9, drafted(), "synthesiser", ranked()),
        at(12, concluded(), "verifier", drafted()),
        at(12, completed(), "verifier", drafted()),
    )
    waits = {"query": 1, "retrievers": 3, "normaliser": 1, "reranker": 3, "synthesiser": 1, "verifier": 3}
    assert service_seconds(events) == waits
    assert waited_for(events) is None


def test_a_source_that_gave_no_answer_in_time_counts_for_the_retrievers_and_not_for_who_waited() -> None:
    """Its answer after that helped nobody."""
    without = (*SEARCHED, at(9, normalised(), "normaliser", PLAN, found("library")))
    late = (*without, at(30, found("pubmed"), "retrievers", PUBMED), at(31, shortlist(), "reranker", normalised()))
    assert service_seconds(without) == {"query": 1, "retrievers": 8}
    assert service_seconds(late) == {"query": 1, "retrievers": 8, "reranker": 22}


def test_a_full_text_that_did_not_come_counts_for_who_was_asked() -> None:
    text = FulltextRequested(
        meta=in_track(FulltextRequested, part="doc-01"), candidate_id="a", identifiers={}, title="T", deadline_at=AT
    )
    events = (at(0, QUESTION, "gateway"), at(1, shortlist(), "reranker", QUESTION), at(1, text, "reranker", QUESTION))
    assert service_seconds((*events, at(7, ranked(), "reranker", shortlist()))) == {"reranker": 1, "fulltext": 6}
    failed = (*events, at(7, OUT_OF_TIME, "gateway"))
    assert (waited_for(failed), service_seconds(failed)["fulltext"]) == ("fulltext", 6)


@pytest.mark.parametrize(
    ("events", "service"),
    [
        (SEARCHED[:1], "query"),
        (SEARCHED, "retrievers"),
        ((*SEARCHED, at(3, found("pubmed"), "retrievers", PUBMED)), "normaliser"),
        ((at(0, QUESTION, "gateway"), at(5, ranked(), "reranker", shortlist())), "gap"),
        ((at(0, QUESTION, "gateway"), at(5, drafted(), "synthesiser", ranked())), "verifier"),
        ((), None),
    ],
)
def test_a_run_that_is_out_of_time_says_whose_turn_it_was(events: Sequence[StoredEvent], service: str | None) -> None:
    end = at(60, OUT_OF_TIME, "gateway", QUESTION)
    assert waited_for((*events, end)) == service
    cancelled = at(60, ended(EndKind.CANCELLED, "Stopped."), "gateway", QUESTION)
    assert waited_for((*events, cancelled)) == service
    assert "gateway" not in service_seconds((*events, end))


def test_a_run_that_goes_on_waits_for_nobody_yet() -> None:
    assert waited_for(SEARCHED) is None
    assert service_seconds(SEARCHED) == {"query": 1, "retrievers": 1}


@given(st.lists(st.floats(0, 100), min_size=2, max_size=8))
def test_no_service_waits_longer_than_the_run_took(times: list[float]) -> None:
    steps = (QUESTION, PLAN, PUBMED, found("pubmed"), normalised(), shortlist(), ranked(), drafted())
    names = ("gateway", "query", "query", "retrievers", "normaliser", "reranker", "reranker", "synthesiser")
    events, before = [], ()
    for when, event, name in zip(sorted(times), steps, names, strict=False):
        events.append(at(when, event, name, *before))
        before = (event,)
    took = (events[-1].stored_at - events[0].stored_at).total_seconds()
    waits = service_seconds(events)
    assert all(0 <= wait <= took + 1e-3 for wait in waits.values())
    assert sum(waits.values()) <= took + 1e-3
