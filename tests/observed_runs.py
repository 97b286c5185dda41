"""Runs as numbers: those of a good hour, and those of a bad one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from openwork_bus.run_ids import trace_id_of
from openwork_contracts.answer import RunStatus
from openwork_contracts.errors import FailureReason
from openwork_gateway.domain.run_statistics import ClaimStatistics, RunStatistics, SourceStatistics
from ulid import ULID

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def run_id(n: int) -> str:
    """The id of the nth run."""
    return str(ULID.from_int(n))


def observed(
    n: int = 1, *, ago: timedelta = timedelta(minutes=10), now: datetime = NOW, **changes: object
) -> RunStatistics:
    """A run that went well, in every field."""
    fields: dict[str, object] = {
        "run_id": run_id(n),
        "trace_id": trace_id_of(run_id(n)),
        "pipeline": "answer",
        "status": RunStatus.ANSWERED,
        "ended_at": now - ago,
        "total_s": 4.0,
        "services": {"query": 0.5, "retrievers": 2.0, "synthesiser": 1.5},
        "claims": ClaimStatistics(claims=10, supported=10, own_words=8, shown=10),
        "works": 200,
        "shortlisted": 20,
        "cited": 5,
        "cost_usd": 0.01,
        "input_tokens": 5000,
        "output_tokens": 800,
        "model_calls": 3,
        "sources": (
            SourceStatistics("library", answered=1, works=40, cited=1, seconds=(0.1,)),
            SourceStatistics("pubmed", answered=1, works=180, cited=5, seconds=(1.5,)),
        ),
    }
    return RunStatistics(**(fields | changes))  # type: ignore[arg-type]


def failed_run(n: int, **changes: object) -> RunStatistics:
    """A run that was out of time while it was written."""
    fields: dict[str, object] = {
        "status": RunStatus.FAILED,
        "total_s": 120.0,
        "services": {"query": 0.5, "retrievers": 8.0, "synthesiser": 111.5},
        "claims": ClaimStatistics(),
        "works": 0,
        "shortlisted": 0,
        "cited": 0,
        "sources": (SourceStatistics("pubmed", failed=1, seconds=(8.0,), error=FailureReason.TIMEOUT),),
        "failure": FailureReason.DEADLINE,
        "step": "synthesiser",
    }
    return observed(n, **(fields | changes))


def good_hour(n: int = 40, *, now: datetime = NOW) -> Iterator[RunStatistics]:
    """Every run has its answer."""
    for place in range(n):
        yield observed(place, ago=timedelta(minutes=59 * place / n), now=now, total_s=3.0 + place / 20)


def bad_hour(n: int = 40, *, now: datetime = NOW) -> Iterator[RunStatistics]:
    """One run in four fails, one sentence in five is held back, PubMed does not answer, everything is slow and dear."""
    for place in range(n):
        ago = timedelta(minutes=59 * place / n)
        if place % 4 == 0:
            yield failed_run(100 + place, ago=ago, now=now)
            continue
        claims = ClaimStatistics(
            claims=10,
            supported=8,
            own_words=8,
            shown=8,
            withheld={"unsupported": 1, "not_confirmed": 1},
            findings={"number_not_found": 1, "drug_not_found": 1},
        )
        pubmed = SourceStatistics("pubmed", failed=1, seconds=(8.0,), error=FailureReason.UNREACHABLE)
        yield observed(
            100 + place, ago=ago, now=now, total_s=40.0, cost_usd=0.06, claims=claims, degraded=True, sources=(pubmed,)
        )
