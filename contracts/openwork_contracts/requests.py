"""What people, programs and the command line ask of a gateway: core NATS request-reply, JSON in, JSON out.

`openwork.ask` (see `question.py`), `openwork.show`, `openwork.list`, `openwork.events`, `openwork.cancel`,
`openwork.delete`; of the retrievers `openwork.lookup`, and of the verifier `openwork.verify`. Every reply has an
`error` in plain words in place of what was asked for, so that no asker waits for a timeout. `openwork.observe` is for
the account `api` alone: the server gives no other the subject.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AwareDatetime, Field, StringConstraints

from openwork_contracts.answer import AnswerDocument, RunStatus
from openwork_contracts.conclusion import ConclusionVerdict
from openwork_contracts.enums import OpenEnum
from openwork_contracts.meta import Contract, RunId, Token
from openwork_contracts.observatory import Observation, Window
from openwork_contracts.progress import Progress
from openwork_contracts.subjects import (
    ASK_SUBJECT,
    CANCEL_SUBJECT,
    DELETE_SUBJECT,
    EVENTS_SUBJECT,
    LIST_SUBJECT,
    LOOKUP_SUBJECT,
    OBSERVE_SUBJECT,
    SHOW_SUBJECT,
    VERIFY_SUBJECT,
)
from openwork_contracts.text import DOOR, Text, Texts
from openwork_contracts.verdict import EvidenceItem, VerificationReport

REQUESTS: tuple[tuple[str, str, str], ...] = (
    ("ask", ASK_SUBJECT, "question in, run id out"),
    ("show", SHOW_SUBJECT, "run id in, its document out; waits for the run's end when asked to"),
    ("list", LIST_SUBJECT, "the newest runs"),
    ("events", EVENTS_SUBJECT, "run id in, a page of its stored events out"),
    ("cancel", CANCEL_SUBJECT, "run id in; the run ends as cancelled, unless it has ended"),
    ("delete", DELETE_SUBJECT, "run id in; what is kept of a run that is over is removed"),
    ("lookup", LOOKUP_SUBJECT, "identifiers in, the records that have them out"),
    ("verify", VERIFY_SUBJECT, "a text and what it cites in, the verdict on each sentence out"),
)
"""Core NATS request-reply: name, subject, what it is for. Schemas `<name>-request` and `<name>-reply`."""
API_REQUESTS: tuple[tuple[str, str, str], ...] = (
    ("observe", OBSERVE_SUBJECT, "how far back in, figures about everybody's runs out"),
)
"""The same for the account `api` alone, which knows who runs the system."""


class Reply(Contract):
    """Base of what is replied to a request."""

    error: Text | None = None
    """Plain words: why there is nothing else in this reply, and what to send instead."""
    error_type: Text | None = None
    """The same for programs: a name of `errors.py`, e.g. "UsageError", "RunNotFound"."""
    retry_after_s: float | None = Field(default=None, ge=0)
    """When busy: seconds after which asking again may be answered."""


class ShowRequest(Contract):
    """The document of a run."""

    on_behalf_of: Token | None = None
    """As in `AskRequest`."""
    run_id: RunId
    wait_s: float = Field(default=0.0, ge=0, le=30)
    """Seconds to wait for the run's end; then the document is given as far as the run has come."""
    rendered: bool = False
    """Whether the reply has the document in words too."""
    record: bool = False
    """Whether the document comes with its record: searches, works, passages."""


class Rendered(Contract):
    """A document in words, so that every client prints the same and none needs code of its own for it."""

    markdown: Text
    """The whole as a Markdown file: question, answer, references, what was held back, method."""
    references: Texts = ()
    """Each reference as a line of Markdown, without its number; in the order of the document's references."""
    method: Texts = ()
    """How the answer came about, a line of plain text each."""
    disclaimer: Text
    """To be shown with every answer."""


class ShowReply(Reply):
    """A run as its reader gets it, or why not."""

    document: AnswerDocument | None = None
    rendered: Rendered | None = None
    """When it was asked for."""
    progress: Progress | None = None
    """Of a run that goes on: what its asker was told last; `None` = nothing was told yet."""
    sequence: int | None = Field(default=None, ge=1)
    """`Nats-Sequence` of the message that was stored last of this run's results; `None` = none is stored, or the run
    has ended and its document is on its way. What is told on `openwork.results.<run_id>` from there on is newer."""


class RunSummary(Contract):
    """A run in one line."""

    run_id: RunId
    pipeline: Text
    status: RunStatus
    submitted_at: AwareDatetime
    question: Text
    """Its first 200 characters, on one line."""
    owner: Text
    verdict: ConclusionVerdict | None = None
    """Of an answer: what the evidence says; `None` = it has none, or the run goes on."""


class ListRequest(Contract):
    """The newest runs."""

    on_behalf_of: Token | None = None
    """As in `AskRequest`."""
    limit: int = Field(default=20, ge=1, le=500)
    query: Annotated[str, StringConstraints(max_length=500), DOOR] | None = None
    """Only runs whose question holds each of these words, or the beginning of one, in any order, small or capital."""
    before: RunId | None = None
    """Only runs older than this one: the last of the page before."""


class ListReply(Reply):
    """Newest first."""

    runs: tuple[RunSummary, ...] = ()
    next: RunId | None = None
    """What to give as `before` for the next page, which may be empty; `None` = that is all."""


class EventsRequest(Contract):
    """What happened in a run, from its first event or after one."""

    on_behalf_of: Token | None = None
    """As in `AskRequest`."""
    run_id: RunId
    after: int = Field(default=0, ge=0)
    """Sequence of the last event that is known already; 0 = none."""


class EventRow(Contract):
    """One stored event of a run."""

    sequence: int = Field(ge=1)
    """Its place in the stream."""
    subject: Text
    stored_at: AwareDatetime
    name: Text
    """E.g. "evidence-normalised"."""
    producer: Text
    in_words: Text | None = None
    """One line for eyes; `None` = it says nothing to a reader."""
    body: str | None = None
    """The event as JSON text; `None` = it is larger than a reply may be. No `Text`: it would not be the same JSON, and
    the event's own texts have entered."""


class EventsReply(Reply):
    """In the order in which they were stored, as many as fit."""

    events: tuple[EventRow, ...] = ()
    next: int | None = None
    """What to ask `after` for the rest; `None` = that is all there is so far."""


class CancelRequest(Contract):
    """End a run."""

    on_behalf_of: Token | None = None
    """As in `AskRequest`."""
    run_id: RunId
    reason: Annotated[str, StringConstraints(max_length=500), DOOR] | None = None
    """Plain words, kept in the run's end."""


class CancelReply(Reply):
    """What became of it."""

    run_id: RunId | None = None
    cancelled: bool = False
    """False = it had ended already; its end stays."""


class DeleteRequest(Contract):
    """Remove what a run came to. Its events go by age, as all do; nobody but an operator can read them until then."""

    on_behalf_of: Token | None = None
    """As in `AskRequest`."""
    run_id: RunId


class DeleteReply(Reply):
    """What became of it; a run that goes on is an error: it is to be cancelled first."""

    run_id: RunId | None = None
    deleted: bool = False


MOST_IDS = 50
"""Identifiers of one `openwork.lookup`."""


class LookupRequest(Contract):
    """Identifiers, for the records that have them: what a text cites, for `openwork.verify`. Nothing is stored."""

    on_behalf_of: Token | None = None
    """As in `AskRequest`."""
    ids: Annotated[
        tuple[Annotated[str, StringConstraints(max_length=500), DOOR], ...], Field(min_length=1, max_length=MOST_IDS)
    ]
    """One each, as people write them: "32678530", "PMID 32678530", "doi:10.1056/NEJMoa2021436", "PMC7383595",
    "NCT04381936", or an address that holds one. Digits alone are a PMID."""


class WorkFound(EvidenceItem):
    """A record as evidence, with what its reference needs. `n` is the place of what was asked in the request, from 1:
    a text whose sources are asked for in the order of its list cites them so."""

    pmcid: Text | None = None
    url: Text | None = None
    """http(s) address a reader can open."""
    source: Text
    """Who gave the text, by route: "europepmc", "clinicaltrials", "library"."""
    journal: Text | None = None
    authors: Texts = ()
    """"Family I" as the source prints them, in order; may be only the first few."""
    collective_author: Text | None = None


class LookedUp(Contract):
    """An identifier and the record that has it. Two that name one work are two of these."""

    asked: Text
    """As it was sent."""
    item: WorkFound


class MissingKind(OpenEnum):
    """Why there is no record to an identifier."""

    NOT_AN_IDENTIFIER = "not_an_identifier"
    NOTHING_FOUND = "nothing_found"
    """Whoever could know it was asked, and has no record of it."""
    NOT_REACHED = "not_reached"
    """Who could know it gave no answer: asking again may help."""
    NO_TEXT = "no_text"
    """The work is known, and there is no abstract of it."""
    SEVERAL = "several"
    """It names more than one work."""
    TOO_LARGE = "too_large"
    """Its text did not fit into the reply beside the others'."""


class Missing(Contract):
    """An identifier that has no record here."""

    n: int = Field(ge=1)
    """Its place in the request, from 1."""
    asked: Text
    kind: MissingKind
    reason: Text
    """The same in words, e.g. "Europe PMC and the starter library have no record of PMID 99999999"."""


class LookupReply(Reply):
    """Each identifier of the request once, in `found` or in `missing`, both in its order."""

    found: tuple[LookedUp, ...] = ()
    missing: tuple[Missing, ...] = ()
    degradations: Texts = ()
    """What went less well, in words: a source that gave no answer, or is not asked here."""


class VerifyRequest(Contract):
    """A text with [n] citations and what it cites, for the verification gate alone; no run, nothing is stored."""

    text: Annotated[str, StringConstraints(max_length=200_000), DOOR]
    evidence: tuple[EvidenceItem, ...] = ()


class VerifyReply(Reply):
    """What the gate says of it."""

    report: VerificationReport | None = None


class ObserveRequest(Contract):
    """Figures about the runs of everybody."""

    window: Window = Window.DAY
    reader: Text = ""
    """The owner who is to read them: their own failed runs are named by run id, nobody else's are."""


class ObserveReply(Reply):
    """What the system did."""

    observation: Observation | None = None
