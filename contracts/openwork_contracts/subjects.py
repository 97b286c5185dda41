"""One table: every event, who publishes it, who reads it. Owner: contracts.

The stream, the durable consumers, the permissions, the autoscalers and the AsyncAPI document are made from this table,
so nothing about the bus is said twice. Subject form: `openwork.v1.<event>.<route>.<run_id>.<part>`.
"""

from __future__ import annotations

from dataclasses import dataclass

from openwork_contracts.answer import AnswerCompleted, AnswerDrafted, RevisionRequested, RunFailed
from openwork_contracts.errors import ContractViolation
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.meta import CONTRACT_VERSION, Event
from openwork_contracts.plan import (
    DeadlineReached,
    RetrievalCompleted,
    RetrievalFailed,
    RetrievalRequested,
    SearchPlanned,
)
from openwork_contracts.question import QueryRejected, QuerySubmitted
from openwork_contracts.ranking import DocumentsRanked, EvidenceRanked, FulltextCompleted, FulltextRequested

PREFIX = f"openwork.v{CONTRACT_VERSION}"
STREAM = "OPENWORK"
"""Every event of every run."""
DEAD_LETTER_STREAM = "OPENWORK_DEAD"
"""Messages that no service could handle, with the reason."""
ADVISORY_STREAM = "OPENWORK_ADVISORIES"
"""The server's notices that a message was delivered too often: what a crashing handler cannot say itself."""
TIMER_EVENT = "timer"
"""Event token of scheduled messages, which wait inside the stream until they are due: no event of a run."""
TIMER_PREFIX = f"{PREFIX}.{TIMER_EVENT}"
DEAD_PREFIX = "openwork.dead"
LIVE_PREFIX = "openwork.live"
"""Core NATS, never stored: progress and tokens of a run, on `openwork.live.<run_id>`."""
ASK_SUBJECT = "openwork.ask"
"""Request-reply for people and other languages: question in, run id out."""
RUN_ROUTE = "run"
"""The joiner that ends a run which is out of time."""


@dataclass(frozen=True, slots=True)
class EventSpec:
    """One row of the table: an event, who may publish it, and what its route token means."""

    model: type[Event]
    publishers: tuple[str, ...]
    route: str
    """What the route token is: "source", "mode", "joiner", or "all"."""

    @property
    def name(self) -> str:
        return self.model.event_name

    def subject(self, run_id: str, part: str, route: str = "all") -> str:
        """The one subject this event may have in this run."""
        return f"{PREFIX}.{self.name}.{route}.{run_id}.{part}"

    def filter(self, route: str = "*") -> str:
        """The subject filter of a consumer of this event."""
        return f"{PREFIX}.{self.name}.{route}.>"


@dataclass(frozen=True, slots=True)
class ConsumerSpec:
    """A durable pull consumer: the unit of work sharing and of scaling."""

    durable: str
    """Also KEDA's `consumer`."""
    service: str
    filters: tuple[str, ...]
    ack_wait_s: float = 20.0
    """A message not acknowledged nor heart-beaten for so long is delivered again."""
    max_deliver: int = 8
    """The server's last net, above the chassis' own retries (4)."""
    max_ack_pending: int = 256
    """Most messages in work over all replicas."""
    concurrency: int = 4
    """Handlers at once in one process."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject taken apart."""

    event: str
    route: str
    run_id: str
    part: str


EVENTS: tuple[EventSpec, ...] = (
    EventSpec(QuerySubmitted, ("client", "gateway"), "mode"),
    EventSpec(QueryRejected, ("query",), "all"),
    EventSpec(SearchPlanned, ("query", "gap"), "all"),
    EventSpec(RetrievalRequested, ("query", "gap"), "source"),
    EventSpec(RetrievalCompleted, ("retrievers",), "source"),
    EventSpec(RetrievalFailed, ("retrievers",), "source"),
    EventSpec(DeadlineReached, ("query", "gap", "reranker", "gateway"), "joiner"),
    EventSpec(EvidenceNormalised, ("normaliser",), "all"),
    EventSpec(DocumentsRanked, ("reranker",), "all"),
    EventSpec(FulltextRequested, ("reranker",), "all"),
    EventSpec(FulltextCompleted, ("fulltext",), "all"),
    EventSpec(EvidenceRanked, ("reranker",), "all"),
    EventSpec(SynthesisRequested, ("gap",), "all"),
    EventSpec(AnswerDrafted, ("synthesiser",), "all"),
    EventSpec(RevisionRequested, ("verifier",), "all"),
    EventSpec(AnswerCompleted, ("gap", "verifier"), "all"),
    EventSpec(RunFailed, ("any",), "all"),
)

_BY_MODEL = {spec.model: spec for spec in EVENTS}
_BY_NAME = {spec.name: spec for spec in EVENTS}


def spec_of(model: type[Event]) -> EventSpec:
    """The row of an event's class."""
    return _BY_MODEL[model]


def spec_named(name: str) -> EventSpec:
    """The row of an event's name.

    Raises:
        ContractViolation: no event has that name.
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ContractViolation(f"no event is called {name!r}; known: {', '.join(sorted(_BY_NAME))}") from None


def parse_subject(subject: str) -> Subject:
    """Take a subject apart.

    Raises:
        ContractViolation: it has not the form `openwork.v1.<event>.<route>.<run_id>.<part>`.
    """
    tokens = subject.split(".")
    if len(tokens) != 6 or ".".join(tokens[:2]) != PREFIX:
        raise ContractViolation(f"subject {subject!r} is not {PREFIX}.<event>.<route>.<run_id>.<part>")
    return Subject(event=tokens[2], route=tokens[3], run_id=tokens[4], part=tokens[5])


def run_filter(run_id: str) -> str:
    """Every event of one run: its history, and its provenance record."""
    return f"{PREFIX}.*.*.{run_id}.>"


def end_filter(run_id: str) -> str:
    """The terminal event of a run: all of them share the part `end`, so that only one can be stored."""
    return f"{PREFIX}.*.*.{run_id}.end"


END_PART = "end"


def retriever_consumer(source: str, *, concurrency: int = 4, ack_wait_s: float = 9.0) -> ConsumerSpec:
    """The consumer of one source's retriever; one deployment per source."""
    return ConsumerSpec(
        durable=f"retriever-{source}",
        service="retrievers",
        filters=(spec_of(RetrievalRequested).filter(source),),
        concurrency=concurrency,
        ack_wait_s=ack_wait_s,
    )


CONSUMERS: tuple[ConsumerSpec, ...] = (
    ConsumerSpec("query", "query", (spec_of(QuerySubmitted).filter(),)),
    ConsumerSpec(
        "normaliser",
        "normaliser",
        (
            spec_of(RetrievalCompleted).filter(),
            spec_of(RetrievalFailed).filter(),
            spec_of(DeadlineReached).filter("normaliser"),
        ),
    ),
    ConsumerSpec("reranker-documents", "reranker", (spec_of(EvidenceNormalised).filter(),), ack_wait_s=30),
    ConsumerSpec(
        "reranker-passages",
        "reranker",
        (
            spec_of(DocumentsRanked).filter(),
            spec_of(FulltextCompleted).filter(),
            spec_of(DeadlineReached).filter("reranker-passages"),
        ),
        ack_wait_s=30,
    ),
    ConsumerSpec("fulltext", "fulltext", (spec_of(FulltextRequested).filter(),), ack_wait_s=30, concurrency=6),
    ConsumerSpec("gap", "gap", (spec_of(EvidenceRanked).filter(),)),
    ConsumerSpec(
        "synthesiser", "synthesiser", (spec_of(SynthesisRequested).filter(), spec_of(RevisionRequested).filter())
    ),
    ConsumerSpec("verifier", "verifier", (spec_of(AnswerDrafted).filter(),)),
    ConsumerSpec("gateway-deadlines", "gateway", (spec_of(DeadlineReached).filter(RUN_ROUTE),)),
)
"""Every fixed consumer. The retrievers' are made per configured source by `retriever_consumer`."""

_CONSUMER_BY_NAME = {spec.durable: spec for spec in CONSUMERS}


def consumer_named(durable: str) -> ConsumerSpec:
    """The row of a fixed consumer; KeyError when there is none of that name."""
    return _CONSUMER_BY_NAME[durable]
