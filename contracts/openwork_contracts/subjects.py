"""One table: every event, who publishes it, who reads it. Owner: contracts.

The stream, the durable consumers, the permissions, the autoscalers and the AsyncAPI document are made from this table,
so nothing about the bus is said twice. Subject form:

    openwork.v1.<event>.<pipeline>.<route>.<run_id>.<track>.<round>.<part>

Whatever is asked for by a wildcard is a token of its own: NATS wildcards match whole tokens only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from openwork_contracts.answer import AnswerConcluded, AnswerDrafted, RevisionRequested
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import ContractViolation
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.meta import ALL, CONTRACT_VERSION, Event
from openwork_contracts.pipelines import ANSWER, CHECK, INSTALLED, PIPELINES, REVIEW, PipelineSpec
from openwork_contracts.plan import (
    DeadlineReached,
    RetrievalCompleted,
    RetrievalFailed,
    RetrievalRequested,
    SearchPlanned,
)
from openwork_contracts.question import QuerySubmitted
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
DEAD_PREFIX = "openwork.dead"
PROGRESS_PREFIX = f"openwork.progress.v{CONTRACT_VERSION}"
"""Core NATS, never stored: how far a run is, on `openwork.progress.v1.<run_id>`."""
ASK_SUBJECT = "openwork.ask"
"""Request-reply for people and other languages: question in, run id out."""
SHOW_SUBJECT = "openwork.show"
"""Request-reply: a run id in, its document out; waits for the run's end when asked to."""
LIST_SUBJECT = "openwork.list"
"""Request-reply: the newest runs."""
CANCEL_SUBJECT = "openwork.cancel"
"""Request-reply: a run id in; the run ends as cancelled, unless it has ended."""
EVENTS_SUBJECT = "openwork.events"
"""Request-reply: what happened in a run, a page at a time."""
VERIFY_SUBJECT = "openwork.verify"
"""Request-reply: a text and what it cites in, the verdict on each sentence out. Answered by the verifier."""
RUN_ROUTE = "run"
"""The joiner that ends a run which is out of time."""
_N_TOKENS = 9


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject taken apart."""

    event: str
    pipeline: str
    route: str
    run_id: str
    track: str
    round: int
    part: str

    def __str__(self) -> str:
        return f"{PREFIX}.{self.event}.{self.pipeline}.{self.route}.{self.run_id}.{self.track}.{self.round}.{self.part}"


@dataclass(frozen=True, slots=True)
class EventSpec:
    """One row of the table: an event, who may publish it, and what its route token means."""

    model: type[Event]
    publishers: tuple[str, ...]
    """Services; "client" is whoever asks, "any" every service."""
    route: str = ALL
    """What the route token is: "source", "joiner", or "all"."""

    @property
    def name(self) -> str:
        return self.model.event_name

    def subject(
        self,
        run_id: str,
        part: str = "0",
        *,
        pipeline: str = ANSWER,
        route: str = ALL,
        track: str = ALL,
        round_: int = 0,
    ) -> str:
        """The one subject this event may have for this part of the run."""
        return str(Subject(self.name, pipeline, route, run_id, track, round_, part))

    def filter(
        self, *, pipeline: str = "*", route: str = "*", run_id: str = "*", track: str = "*", round_: int | None = None
    ) -> str:
        """The subject filter of this event: of all runs, of one run, or of one round of one track."""
        place = "*" if round_ is None else str(round_)
        return f"{PREFIX}.{self.name}.{pipeline}.{route}.{run_id}.{track}.{place}.*"

    def places(self, *, pipeline: str = "*", run_id: str = "*") -> str:
        """Every subject it may have: what the stream takes, and what its publishers may publish."""
        if self.once_per_run:
            return f"{PREFIX}.{self.name}.{pipeline}.{ALL}.{run_id}.{ALL}.0.0"
        return self.filter(pipeline=pipeline, route=ALL if self.route == ALL else "*", run_id=run_id)

    @property
    def once_per_run(self) -> bool:
        """Whether a run has one, of no single track: its question, and its end."""
        return self.model is QuerySubmitted or self.model.terminal


@dataclass(frozen=True, slots=True)
class Taken:
    """An event that a consumer takes, and of which route."""

    model: type[Event]
    route: str = "*"


@dataclass(frozen=True, slots=True)
class ConsumerSpec:
    """A durable pull consumer: the unit of work sharing and of scaling. One lane of one pipeline."""

    durable: str
    """Also KEDA's `consumer`."""
    service: str
    takes: tuple[Taken, ...]
    pipelines: tuple[str, ...] = (ANSWER,)
    """Whose events it takes: one for a lane, several for what is not worth a lane."""
    ack_wait_s: float = 20.0
    """A message not acknowledged nor heart-beaten for so long is delivered again."""
    max_deliver: int = 8
    """The server's last net, above the bus package's own retries (4)."""
    max_ack_pending: int = 256
    """Most messages in work over all replicas."""
    concurrency: int = 4
    """Handlers at once in one process."""

    @property
    def filters(self) -> tuple[str, ...]:
        """Subject filters, none of which overlaps another."""
        return tuple(
            _BY_MODEL[taken.model].filter(pipeline=pipeline, route=taken.route)
            for pipeline in self.pipelines
            for taken in self.takes
        )

    def lane(self, pipeline: PipelineSpec) -> ConsumerSpec | None:
        """The same consumer for another pipeline; `None` when that one has none of its events."""
        takes = tuple(taken for taken in self.takes if taken.model in pipeline.events)
        if not takes:
            return None
        if pipeline.name == ANSWER:
            return replace(self, takes=takes)
        limits = LANES[pipeline.name]
        return replace(
            self,
            durable=f"{self.durable}-{pipeline.name}",
            takes=takes,
            pipelines=(pipeline.name,),
            concurrency=min(self.concurrency, limits.concurrency),
            max_ack_pending=min(self.max_ack_pending, limits.max_ack_pending),
        )


@dataclass(frozen=True, slots=True)
class LaneLimits:
    """How much of a consumer the lane of a pipeline may take."""

    concurrency: int
    max_ack_pending: int


LANES: dict[str, LaneLimits] = {
    REVIEW: LaneLimits(concurrency=2, max_ack_pending=32),
    CHECK: LaneLimits(concurrency=2, max_ack_pending=64),
}
"""Beside `answer`, which has what the consumer's row says: nobody who waits for an answer waits for a review."""

EVENTS: tuple[EventSpec, ...] = (
    EventSpec(QuerySubmitted, ("client", "gateway")),
    EventSpec(SearchPlanned, ("query", "gap")),
    EventSpec(RetrievalRequested, ("query", "gap"), "source"),
    EventSpec(RetrievalCompleted, ("retrievers",), "source"),
    EventSpec(RetrievalFailed, ("retrievers",), "source"),
    EventSpec(DeadlineReached, ("query", "gap", "reranker", "gateway"), "joiner"),
    EventSpec(EvidenceNormalised, ("normaliser",)),
    EventSpec(DocumentsRanked, ("reranker",)),
    EventSpec(FulltextRequested, ("reranker",)),
    EventSpec(FulltextCompleted, ("fulltext",)),
    EventSpec(EvidenceRanked, ("reranker",)),
    EventSpec(SynthesisRequested, ("gap",)),
    EventSpec(AnswerDrafted, ("synthesiser",)),
    EventSpec(RevisionRequested, ("verifier",)),
    EventSpec(AnswerConcluded, ("gap", "verifier")),
    EventSpec(RunEnded, ("any",)),
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
        ContractViolation: it has not the form of this module's docstring.
    """
    tokens = subject.split(".")
    if len(tokens) != _N_TOKENS or not subject.startswith(f"{PREFIX}.") or not tokens[7].isdecimal():
        raise ContractViolation(
            f"subject {subject!r} is not {PREFIX}.<event>.<pipeline>.<route>.<run_id>.<track>.<round>.<part>"
        )
    _, _, event, pipeline, route, run_id, track, round_, part = tokens
    return Subject(event, pipeline, route, run_id, track, int(round_), part)


def timer_subject(target: str) -> str:
    """Where the timer waits that will publish on `target`: one timer per target."""
    where = parse_subject(target)
    return str(replace(where, event=TIMER_EVENT))


def is_timer(subject: str) -> bool:
    """Whether a subject is that of a timer, which waits and is no event."""
    return subject.startswith(f"{PREFIX}.{TIMER_EVENT}.")


def run_filter(run_id: str) -> str:
    """Every event of one run: its history, and its provenance record."""
    return f"{PREFIX}.*.*.*.{run_id}.*.*.*"


def end_filter(run_id: str) -> str:
    """The event that ends a run, whatever its pipeline."""
    return spec_of(RunEnded).places(run_id=run_id)


def question_filter(run_id: str) -> str:
    """The question of a run, whatever its pipeline: a run id belongs to one question."""
    return spec_of(QuerySubmitted).places(run_id=run_id)


def stream_subjects() -> tuple[str, ...]:
    """What the event stream takes: the events of the pipelines, their timers, and nothing else."""
    per_event = (
        spec.places(pipeline=pipeline.name)
        for pipeline in PIPELINES
        for spec in EVENTS
        if spec.model in pipeline.events
    )
    timers = (f"{PREFIX}.{TIMER_EVENT}.{pipeline.name}.*.*.*.*.*" for pipeline in PIPELINES)
    return (*per_event, *timers)


def retriever_consumer(source: str, *, concurrency: int = 4, ack_wait_s: float = 9.0) -> ConsumerSpec:
    """The consumer of one source's retriever; one deployment per source."""
    return ConsumerSpec(
        durable=f"retriever-{source}",
        service="retrievers",
        takes=(Taken(RetrievalRequested, source),),
        concurrency=concurrency,
        ack_wait_s=ack_wait_s,
    )


CONSUMERS: tuple[ConsumerSpec, ...] = (
    ConsumerSpec("query", "query", (Taken(QuerySubmitted),)),
    ConsumerSpec(
        "normaliser",
        "normaliser",
        (Taken(RetrievalCompleted), Taken(RetrievalFailed), Taken(DeadlineReached, "normaliser")),
    ),
    ConsumerSpec("reranker-documents", "reranker", (Taken(EvidenceNormalised),), ack_wait_s=30),
    ConsumerSpec(
        "reranker-passages",
        "reranker",
        (Taken(DocumentsRanked), Taken(FulltextCompleted), Taken(DeadlineReached, "reranker-passages")),
        ack_wait_s=30,
    ),
    ConsumerSpec("fulltext", "fulltext", (Taken(FulltextRequested),), ack_wait_s=30, concurrency=6),
    ConsumerSpec("gap", "gap", (Taken(EvidenceRanked),)),
    ConsumerSpec("synthesiser", "synthesiser", (Taken(SynthesisRequested), Taken(RevisionRequested))),
    ConsumerSpec("verifier", "verifier", (Taken(AnswerDrafted),)),
)
"""Every fixed consumer that has a lane per pipeline. The retrievers' are made per source by `retriever_consumer`."""

GATEWAY_CONSUMERS: tuple[ConsumerSpec, ...] = (
    ConsumerSpec(
        "gateway-deadlines",
        "gateway",
        (Taken(DeadlineReached, RUN_ROUTE),),
        pipelines=tuple(pipeline.name for pipeline in PIPELINES),
    ),
    ConsumerSpec(
        "gateway-refusals",
        "gateway",
        (Taken(QuerySubmitted),),
        pipelines=tuple(pipeline.name for pipeline in PIPELINES if not pipeline.installed),
    ),
)
"""What is seldom and the same for every pipeline: one consumer for all of them."""


def lanes(rows: Iterable[ConsumerSpec]) -> Iterator[ConsumerSpec]:
    """Each row once per installed pipeline that has its events."""
    for pipeline in INSTALLED:
        for row in rows:
            if (lane := row.lane(pipeline)) is not None:
                yield lane


def fixed_consumers() -> tuple[ConsumerSpec, ...]:
    """Every durable on the event stream but those of the retrievers."""
    return (*lanes(CONSUMERS), *GATEWAY_CONSUMERS)


_CONSUMER_BY_NAME = {spec.durable: spec for spec in (*CONSUMERS, *GATEWAY_CONSUMERS)}


def consumer_named(durable: str) -> ConsumerSpec:
    """The row of a fixed consumer; KeyError when there is none of that name."""
    return _CONSUMER_BY_NAME[durable]
