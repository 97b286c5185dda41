"""What is counted of searches: by source, how they ended, how long they took, what they found."""

from __future__ import annotations

from collections.abc import Iterable

from openwork_bus.figures import Counter, Figures, Gauge, Histogram
from openwork_contracts.errors import FailureReason, OpenWorkError

SEARCHES = Counter("openwork_searches_total", ("source", "outcome"), "Searches of a source, by how they ended.")
ERRORS = Counter("openwork_search_errors_total", ("source", "kind"), "Searches that came to nothing, by why.")
RECORDS = Counter("openwork_search_records_total", ("source",), "Records that searches found.")
SEARCH_SECONDS = Histogram("openwork_search_seconds", ("source",), "How long a search took, failed ones included.")
CALLS_LEFT = Gauge(
    "openwork_source_month_calls_left",
    ("source",),
    "Calls left in this month of a source that sells them by the month, as it was after the last search.",
)
METRICS = (SEARCHES, ERRORS, RECORDS, SEARCH_SECONDS, CALLS_LEFT)

COMPLETED, FAILED, NOT_ASKED = "completed", "failed", "not_asked"
"""How a search ends. Not asked = our own budget or the question's time was used up: no fault of the source."""
_OURS = frozenset({FailureReason.OWN_LIMIT, FailureReason.DEADLINE})


def begin_searches(figures: Figures, sources: Iterable[str]) -> None:
    """Series of every source of this process."""
    for source in sources:
        for outcome in (COMPLETED, FAILED, NOT_ASKED):
            figures.begin(SEARCHES, source, outcome)


def count_found(figures: Figures, source: str, *, records: int, seconds: float) -> None:
    """A search that was answered, be it with nothing."""
    figures.count(SEARCHES, source, COMPLETED)
    figures.count(RECORDS, source, n=records)
    figures.observe(SEARCH_SECONDS, source, value=seconds)


def count_failed(figures: Figures, source: str, error: OpenWorkError, *, seconds: float) -> None:
    """A search that came to nothing."""
    figures.count(SEARCHES, source, NOT_ASKED if error.reason in _OURS else FAILED)
    figures.count(ERRORS, source, error.reason.value)
    figures.observe(SEARCH_SECONDS, source, value=seconds)
