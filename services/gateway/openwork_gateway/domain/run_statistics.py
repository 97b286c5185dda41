"""A run that ended as a handful of numbers, from its document and its end: what is kept of it to be added up.

No word of the question, of a source or of an answer is among them, nor whose run it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import SourceStatus
from openwork_contracts.record import CandidateRecord, Decision, RunRecord, SearchRecord
from openwork_contracts.verdict import ClaimVerdict, Verdict
from pydantic import AwareDatetime, TypeAdapter

GATEWAY = "gateway"
WITH_ANSWER = frozenset({RunStatus.ANSWERED, RunStatus.TOO_LITTLE_EVIDENCE})
"""Runs that did all that a run does."""


@dataclass(frozen=True, slots=True)
class ClaimStatistics:
    """Sentences of the last draft that claim something."""

    claims: int = 0
    supported: int = 0
    own_words: int = 0
    shown: int = 0
    shown_unsupported: int = 0
    withheld: Mapping[str, int] = field(default_factory=dict)
    """By verdict."""
    findings: Mapping[str, int] = field(default_factory=dict)
    """Withheld sentences by what was found against them, each kind once a sentence."""


@dataclass(frozen=True, slots=True)
class SourceStatistics:
    """What one source did in a run, in all its rounds."""

    name: str
    answered: int = 0
    failed: int = 0
    not_asked: int = 0
    works: int = 0
    cited: int = 0
    seconds: tuple[float, ...] = ()
    """Of each search of which a time is known."""
    error: FailureReason | None = None
    """Of the last search that failed."""


@dataclass(frozen=True, slots=True)
class RunStatistics:
    """One run. With slots: gateways hold thousands."""

    run_id: str
    pipeline: str
    status: RunStatus
    ended_at: AwareDatetime
    total_s: float
    trace_id: str | None = None
    services: Mapping[str, float] = field(default_factory=dict)
    """As `Timings.services`."""
    degraded: bool = False
    claims: ClaimStatistics = ClaimStatistics()
    works: int = 0
    shortlisted: int = 0
    cited: int = 0
    cost_usd: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    model_calls: int = 0
    sources: tuple[SourceStatistics, ...] = ()
    failure: FailureReason | None = None
    """When it failed."""
    step: str | None = None
    """When it failed: the service at which it ended, or whose turn it was when its time was up."""


_AS_JSON = TypeAdapter(RunStatistics)


def written(one: RunStatistics) -> bytes:
    """As JSON, without what is as usual."""
    return _AS_JSON.dump_json(one, exclude_defaults=True)


def parsed(body: bytes) -> RunStatistics:
    """What was written, also by a newer version that writes more. Raises: ValidationError, it is something else."""
    return _AS_JSON.validate_json(body)


def statistics_of(document: AnswerDocument, ended: RunEnded) -> RunStatistics:
    """The numbers of a run."""
    failed = document.status is RunStatus.FAILED
    timings, usage = document.timings, document.usage
    counts = document.method.counts if document.status in WITH_ANSWER else {}
    # The gateway ends runs that are out of time: where such a run stood still is elsewhere.
    at = timings.waited_for if ended.stage in (None, GATEWAY) else ended.stage
    return RunStatistics(
        run_id=document.run_id,
        trace_id=document.trace_id,
        pipeline=document.pipeline,
        status=document.status,
        ended_at=ended.meta.occurred_at,
        total_s=timings.total_s,
        services=timings.services,
        degraded=bool(document.method.degradations),
        claims=_claims(document),
        works=counts.get("screened", 0),
        shortlisted=counts.get("shortlisted", 0),
        cited=counts.get("cited", 0),
        cost_usd=usage.cost_usd,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        model_calls=usage.model_calls,
        sources=tuple(_sources(document.record)) if document.record else (),
        failure=(ended.failure or FailureReason.INTERNAL) if failed else None,
        step=at if failed else None,
    )


def _claims(document: AnswerDocument) -> ClaimStatistics:
    scores, withheld = document.verification, document.withheld
    shown = [claim for claim in document.answer.claims if claim.verdict is not Verdict.NOT_A_CLAIM]
    return ClaimStatistics(
        claims=scores.claims,
        supported=scores.supported,
        own_words=scores.against_own_words,
        shown=len(shown),
        shown_unsupported=sum(claim.verdict is not Verdict.SUPPORTED for claim in shown),
        withheld=Counter(claim.verdict.value for claim in withheld),
        findings=Counter(code for claim in withheld for code in _codes(claim)),
    )


def _codes(claim: ClaimVerdict) -> frozenset[str]:
    return frozenset(reason.code.value for reason in claim.reasons)


def _sources(record: RunRecord) -> Iterator[SourceStatistics]:
    works = [work for work in record.candidates if work.screened]
    for name in sorted({search.source for search in record.searches}):
        searches = [search for search in record.searches if search.source == name]
        yield _source(name, searches, [work for work in works if any(one.source == name for one in work.provenance)])


def _source(name: str, searches: Sequence[SearchRecord], works: Sequence[CandidateRecord]) -> SourceStatistics:
    unasked = [search for search in searches if search.reason is FailureReason.OWN_LIMIT]
    failed = [search for search in searches if search.status is not SourceStatus.COMPLETED and search not in unasked]
    return SourceStatistics(
        name=name,
        answered=len(searches) - len(failed) - len(unasked),
        failed=len(failed),
        not_asked=len(unasked),
        works=len(works),
        cited=sum(work.decision is Decision.CITED for work in works),
        seconds=tuple(
            search.elapsed_s for search in searches if search.elapsed_s is not None and search not in unasked
        ),
        error=failed[-1].reason if failed else None,
    )
