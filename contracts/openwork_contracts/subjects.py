"""One table: every event, who publishes it, who reads it. Owner: contracts.

The streams, the durable consumers, the permissions, the autoscalers and the AsyncAPI document are made from this table,
so nothing about the bus is said twice. Subject forms:

    openwork.v1.<event>.<pipeline>.<route>.<run_id>.<track>.<round>.<part>      events
    openwork.due.v1.<joiner>.<run_id>.<pipeline>~<track>~<round>~<part>         a deadline that was reached
    openwork.timer.v1.<joiner>.<run_id>.<the same>                              the timer that waits for it

Whatever is asked for by a wildcard is a token of its own: NATS wildcards match whole tokens only. Deadlines are in a
stream of their own: one with schedules cannot refuse what is new, as the stream of the events must.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from openwork_contracts.answer import AnswerConcluded, AnswerDrafted, RevisionRequested
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import ContractViolation
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.extraction import ExtractionRequested, StudyExtracted
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
from openwork_contracts.screening import RecordsScreened, ScreeningCompleted, ScreeningRequested, StudiesSelected
from openwork_contracts.tabulation import EvidenceTabulated

PREFIX = f"openwork.v{CONTRACT_VERSION}"
STREAM = "OPENWORK_EVENTS"
"""Every event of every run."""
TIMERS_STREAM = "OPENWORK_TIMERS"
"""Scheduled messages, which wait until they are due, and what they became."""
RESULTS_STREAM = "OPENWORK_RESULTS"
"""What readers get: progress and documents, by account and run."""
DEAD_LETTER_STREAM = "OPENWORK_DEAD"
"""Messages that no service could handle, with the reason."""
ADVISORY_STREAM = "OPENWORK_ADVISORIES"
"""The server's notices that a message was delivered too often: what a crashing handler cannot say itself."""
TIMER_PREFIX = f"openwork.timer.v{CONTRACT_VERSION}"
DUE_PREFIX = f"openwork.due.v{CONTRACT_VERSION}"
DEAD_PREFIX = "openwork.dead"
PROGRESS_PREFIX = f"openwork.progress.v{CONTRACT_VERSION}"
"""Core NATS, never stored: how far a run is, on `openwork.progress.v1.<run_id>`."""
ASK_SUBJECT = "openwork.ask"
"""Request-reply for people and other languages: question in, run id out. As an asker says it; see `served_subject`."""
SHOW_SUBJECT = "openwork.show"
"""Request-reply: a run id in, its document out; waits for the run's end when asked to."""
LIST_SUBJECT = "openwork.list"
"""Request-reply: the newest runs."""
CANCEL_SUBJECT = "openwork.cancel"
"""Request-reply: a run id in; the run ends as cancelled, unless it has ended."""
EVENTS_SUBJECT = "openwork.events"
"""Request-reply: what happened in a run, a page at a time."""
DELETE_SUBJECT = "openwork.delete"
"""Request-reply: a run id in; what is kept of a run that is over for its readers is removed."""
LOOKUP_SUBJECT = "openwork.lookup"
"""Request-reply: identifiers in, the records that have them out. Answered by the retrievers."""
VERIFY_SUBJECT = "openwork.verify"
"""Request-reply: a text and what it cites in, the verdict on each sentence out. Answered by the verifier."""
OBSERVE_SUBJECT = "openwork.observe"
"""Request-reply for the account `api` alone: how far back in, figures about everybody's runs out."""
RUN_ROUTE = "run"
"""The joiner that ends a run which is out of time."""
_N_TOKENS = 9
_N_DUE_TOKENS = 6
_N_IN_PART = 4
_IN_PART = "~"
"""Between what names a deadline within its run: in no token of ours."""


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
        if self.event == DeadlineReached.event_name:
            part = _IN_PART.join((self.pipeline, self.track, str(self.round), self.part))
            return f"{DUE_PREFIX}.{self.route}.{self.run_id}.{part}"
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
        if self.model is DeadlineReached:
            return f"{DUE_PREFIX}.{route}.{run_id}.*"
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
    """Whose events it takes: one for a lane, several for what is not worth a lane. A deadline is taken of every one."""
    ack_wait_s: float = 20.0
    """A message not acknowledged nor heart-beaten for so long is delivered again."""
    max_deliver: int = 8
    """The server's last net, above the bus package's own retries (4)."""
    max_ack_pending: int = 256
    """Most messages in work over all replicas."""
    concurrency: int = 4
    """Handlers at once in one process."""
    only: str | None = None
    """The one pipeline that has a lane of it, where its events mean something else in the others; `None` = each that
    has them."""
    whatever_its_age: bool = False
    """Whether it takes events of runs that have ended or are overdue too; elsewhere they are dropped."""

    @property
    def stream(self) -> str:
        """Where it reads: deadlines are in a stream of their own."""
        return TIMERS_STREAM if any(taken.model is DeadlineReached for taken in self.takes) else STREAM

    @property
    def filters(self) -> tuple[str, ...]:
        """Subject filters, none of which overlaps another."""
        wanted = (
            _BY_MODEL[taken.model].filter(pipeline=pipeline, route=taken.route)
            for pipeline in self.pipelines
            for taken in self.takes
        )
        return tuple(dict.fromkeys(wanted))

    def lane(self, pipeline: PipelineSpec) -> ConsumerSpec | None:
        """The same consumer for another pipeline; `None` when that one has none of its events."""
        takes = tuple(taken for taken in self.takes if taken.model in pipeline.events)
        if not takes or self.only not in (None, pipeline.name):
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
    EventSpec(QuerySubmitted, ("gateway",)),
    EventSpec(SearchPlanned, ("query", "gap")),
    EventSpec(RetrievalRequested, ("query", "gap"), "source"),
    EventSpec(RetrievalCompleted, ("retrievers",), "source"),
    EventSpec(RetrievalFailed, ("retrievers",), "source"),
    EventSpec(DeadlineReached, ("query", "gap", "reranker", "screener", "gateway"), "joiner"),
    EventSpec(EvidenceNormalised, ("normaliser",)),
    EventSpec(DocumentsRanked, ("reranker",)),
    EventSpec(FulltextRequested, ("reranker", "screener")),
    EventSpec(FulltextCompleted, ("fulltext",)),
    EventSpec(EvidenceRanked, ("reranker",)),
    EventSpec(SynthesisRequested, ("gap",)),
    EventSpec(AnswerDrafted, ("synthesiser",)),
    EventSpec(RevisionRequested, ("verifier",)),
    EventSpec(AnswerConcluded, ("gap", "verifier")),
    EventSpec(ScreeningRequested, ("screener",)),
    EventSpec(ScreeningCompleted, ("screener",)),
    EventSpec(RecordsScreened, ("screener",)),
    EventSpec(StudiesSelected, ("screener",)),
    EventSpec(ExtractionRequested, ("screener",)),
    EventSpec(StudyExtracted, ("extractor",)),
    EventSpec(EvidenceTabulated, ("appraiser",)),
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
    """Take the subject of an event, or of a deadline that was reached, apart.

    Raises:
        ContractViolation: it has neither form of this module's docstring.
    """
    if subject.startswith(f"{DUE_PREFIX}."):
        return _parse_due(subject)
    tokens = subject.split(".")
    if len(tokens) != _N_TOKENS or not subject.startswith(f"{PREFIX}.") or not tokens[7].isdecimal():
        raise ContractViolation(
            f"subject {subject!r} is not {PREFIX}.<event>.<pipeline>.<route>.<run_id>.<track>.<round>.<part>"
        )
    _, _, event, pipeline, route, run_id, track, round_, part = tokens
    return Subject(event, pipeline, route, run_id, track, int(round_), part)


def _parse_due(subject: str) -> Subject:
    tokens = subject.split(".")
    within = tokens[-1].split(_IN_PART)
    if len(tokens) != _N_DUE_TOKENS or len(within) != _N_IN_PART or not within[2].isdecimal():
        raise ContractViolation(
            f"subject {subject!r} is not {DUE_PREFIX}.<joiner>.<run_id>.<pipeline>~<track>~<round>~<part>"
        )
    pipeline, track, round_, part = within
    return Subject(DeadlineReached.event_name, pipeline, tokens[3], tokens[4], track, int(round_), part)


def timer_subject(target: str) -> str:
    """Where the timer waits that will publish on `target`, a subject of a deadline: one timer per target."""
    return f"{TIMER_PREFIX}{target.removeprefix(DUE_PREFIX)}"


def timer_or_due_filter(target: str) -> str:
    """Both places of a deadline, waiting and reached: what must be empty for its timer to be set."""
    return f"openwork.*.v{CONTRACT_VERSION}{target.removeprefix(DUE_PREFIX)}"


def served_subject(subject: str, account: str = "*") -> str:
    """A request as the services hear it: the server's imports write the asker's account behind it."""
    return f"{subject}.{account}"


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
    """What the event stream takes: the events of the pipelines and nothing else."""
    return tuple(
        spec.places(pipeline=pipeline.name)
        for pipeline in PIPELINES
        for spec in EVENTS
        if spec.model in pipeline.events and spec.model is not DeadlineReached
    )


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
        (Taken(RetrievalCompleted), Taken(RetrievalFailed)),
    ),
    ConsumerSpec("reranker-documents", "reranker", (Taken(EvidenceNormalised),), ack_wait_s=30),
    ConsumerSpec(
        "reranker-passages",
        "reranker",
        (Taken(DocumentsRanked), Taken(FulltextCompleted)),
        ack_wait_s=30,
        only=ANSWER,
    ),
    ConsumerSpec("fulltext", "fulltext", (Taken(FulltextRequested),), ack_wait_s=30, concurrency=6),
    ConsumerSpec("gap", "gap", (Taken(EvidenceRanked),)),
    ConsumerSpec("synthesiser", "synthesiser", (Taken(SynthesisRequested), Taken(RevisionRequested))),
    ConsumerSpec("verifier", "verifier", (Taken(AnswerDrafted),)),
    ConsumerSpec(
        "screener",
        "screener",
        (Taken(DocumentsRanked), Taken(ScreeningRequested), Taken(ScreeningCompleted), Taken(RecordsScreened)),
        ack_wait_s=30,
        only=REVIEW,
    ),
    ConsumerSpec(
        "extractor", "extractor", (Taken(FulltextCompleted), Taken(ExtractionRequested)), ack_wait_s=30, only=REVIEW
    ),
    ConsumerSpec("appraiser", "appraiser", (Taken(StudiesSelected), Taken(StudyExtracted)), ack_wait_s=30, only=REVIEW),
)
"""Every fixed consumer that has a lane per pipeline. The retrievers' are made per source by `retriever_consumer`."""

_EVERY_PIPELINE = tuple(pipeline.name for pipeline in PIPELINES)

SHARED_CONSUMERS: tuple[ConsumerSpec, ...] = (
    ConsumerSpec("normaliser-deadlines", "normaliser", (Taken(DeadlineReached, "normaliser"),), _EVERY_PIPELINE),
    ConsumerSpec(
        "reranker-deadlines", "reranker", (Taken(DeadlineReached, "reranker-passages"),), _EVERY_PIPELINE, ack_wait_s=30
    ),
    ConsumerSpec(
        "screener-deadlines", "screener", (Taken(DeadlineReached, "screener"),), _EVERY_PIPELINE, ack_wait_s=30
    ),
    ConsumerSpec(
        "appraiser-deadlines", "appraiser", (Taken(DeadlineReached, "appraiser"),), _EVERY_PIPELINE, ack_wait_s=30
    ),
    ConsumerSpec(
        "gateway-deadlines", "gateway", (Taken(DeadlineReached, RUN_ROUTE),), _EVERY_PIPELINE, whatever_its_age=True
    ),
    ConsumerSpec("gateway-results", "gateway", (Taken(RunEnded),), _EVERY_PIPELINE, whatever_its_age=True),
)
"""What is seldom and the same for every pipeline: one consumer for all of them."""


def lanes(rows: Iterable[ConsumerSpec]) -> Iterator[ConsumerSpec]:
    """Each row once per installed pipeline that has its events."""
    every = tuple(rows)  # gone through once for each
    for pipeline in INSTALLED:
        for row in every:
            if (lane := row.lane(pipeline)) is not None:
                yield lane


def fixed_consumers() -> tuple[ConsumerSpec, ...]:
    """Every durable but those of the retrievers and of the inboxes."""
    return (*lanes(CONSUMERS), *SHARED_CONSUMERS)


_CONSUMER_BY_NAME = {spec.durable: spec for spec in (*CONSUMERS, *SHARED_CONSUMERS)}


def consumer_named(durable: str) -> ConsumerSpec:
    """The row of a fixed consumer; KeyError when there is none of that name."""
    return _CONSUMER_BY_NAME[durable]
