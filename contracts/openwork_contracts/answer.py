"""The answer: draft, revision, final form. Owner: synthesiser (draft), verifier (answer), gateway (document).

Events `answer-drafted`, `revision-requested`, `answer-concluded`; the end of a run is in `end.py`.
`AnswerDocument` is what `openwork ask --json` prints: a fold over a run's events, stored when the run has ended.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import AwareDatetime, Field

from openwork_contracts.conclusion import Conclusion
from openwork_contracts.enums import OpenEnum
from openwork_contracts.evidence import EvidenceStatus, StudyDesign, TextOrigin
from openwork_contracts.gap import GapAssessment
from openwork_contracts.meta import Contract, Event
from openwork_contracts.question import AskContext, AskOptions
from openwork_contracts.record import RunRecord
from openwork_contracts.review import Review
from openwork_contracts.text import Text, Texts
from openwork_contracts.usage import Usage as Usage  # part of this module's surface
from openwork_contracts.verdict import ClaimVerdict, VerificationScores

MAX_ANSWER_WORDS = 500
"""Longest answer, counted without headings, citation marks and references."""


class SectionKind(OpenEnum):
    """What a part of the answer is for, in the order they are printed."""

    DIRECT_ANSWER = "direct_answer"
    EVIDENCE = "evidence"
    CONFLICTS = "conflicts"
    LIMITATIONS = "limitations"


class DraftClaim(Contract):
    """One sentence as written, and the passages it cites."""

    text: Text
    """Without citation marks; ends with its full stop."""
    citations: tuple[int, ...] = ()


class DraftSection(Contract):
    """A part of the answer."""

    kind: SectionKind
    heading: Text
    claims: tuple[DraftClaim, ...] = ()


class AnswerDrafted(Event):
    """A draft, not yet verified: never shown to a reader. Part: the revision, 0 or 1."""

    event_name: ClassVar[str] = "answer-drafted"

    revision: int = Field(ge=0, le=1)
    sections: tuple[DraftSection, ...]
    method: Text = "extractive"
    """"extractive" or the model's name."""
    usage: Usage
    degradations: Texts = ()


class RevisionRequested(Event):
    """Claims of the draft (the `answer-drafted` it answers) did not pass; write it once more."""

    event_name: ClassVar[str] = "revision-requested"

    failed: tuple[ClaimVerdict, ...]
    verification: VerificationScores
    """Scores of the draft that failed."""


class Reference(Contract):
    """One numbered reference, rendered by code from one record."""

    n: int = Field(ge=1)
    source: Text
    id: Text
    pmid: Text | None = None
    pmcid: Text | None = None
    doi: Text | None = None
    nct_id: Text | None = None
    set_id: Text | None = None
    title: Text
    authors: Texts = ()
    collective_author: Text | None = None
    journal: Text | None = None
    year: int | None = None
    url: Text | None = None
    study_design: StudyDesign = StudyDesign.OTHER
    status: EvidenceStatus = EvidenceStatus.NOT_CHECKED
    status_by: Texts = ()
    """Who says that `status`: sources, Crossref, Retraction Watch; empty = nobody was asked, or it is not known who."""
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    """Whose words the sentences that cite it rest on; `our_summary` where one of them rests on a summary of ours."""
    confirmed_at: Text | None = None
    """Of a summary of ours: where its facts were confirmed, in words; the library's record has every place."""
    note: Text | None = None
    """What a reader must know before using it: retracted, preprint, does not test the question."""


class AnswerSection(Contract):
    """A verified part of the answer: the claims that may be read."""

    kind: SectionKind
    heading: Text
    claims: tuple[ClaimVerdict, ...] = ()


class AnswerStatus(OpenEnum):
    """How a track that ran to its end came out."""

    ANSWERED = "answered"
    TOO_LITTLE_EVIDENCE = "too_little_evidence"


class AnswerConcluded(Event):
    """The outcome of a track: the verified answer, or the honest statement that there is too little evidence.

    One per track, whatever its round. When every track of the plan has one, the run ends.
    """

    event_name: ClassVar[str] = "answer-concluded"

    status: AnswerStatus
    sections: tuple[AnswerSection, ...] = ()
    message: Text | None = None
    """For too little evidence: what was looked for and what is missing, in plain words."""
    references: tuple[Reference, ...] = ()
    """Of the works that the answer cites, and no others."""
    withheld: tuple[ClaimVerdict, ...] = ()
    """Claims that were removed since they did not pass, with the reasons."""
    verification: VerificationScores
    revisions: int = Field(default=0, ge=0)
    gap: GapAssessment | None = None
    conclusion: Conclusion | None = None
    """The answer object: results per study, verdict, harms; `None` = none was made."""
    usage: Usage = Usage()
    degradations: Texts = ()


class RunStatus(OpenEnum):
    """The state of a run as its reader sees it."""

    RUNNING = "running"
    ANSWERED = "answered"
    TOO_LITTLE_EVIDENCE = "too_little_evidence"
    REJECTED = "rejected"
    """Not searched for; the message says why."""
    REFUSED = "refused"
    """Not admitted: busy, over quota, or a pipeline that is not installed."""
    FAILED = "failed"
    CANCELLED = "cancelled"


class AnswerBody(Contract):
    """What is read first."""

    markdown: Text
    claims: tuple[ClaimVerdict, ...] = ()


class MethodSource(Contract):
    """One source of the search as the method section names it."""

    name: Text
    status: Text
    found: int = Field(ge=0)
    kept: int = Field(ge=0)
    elapsed_s: float | None = None
    reason: Text | None = None
    """Why it gave nothing, as one of `FailureReason`; `None` = it was searched."""
    detail: Text | None = None
    """The same in a sentence."""


class Method(Contract):
    """How the answer came about, and what went less well than it should."""

    sources: tuple[MethodSource, ...] = ()
    degradations: Texts = ()
    counts: dict[Text, int] = Field(default_factory=dict)
    """identified, duplicates, excluded_notices, excluded_no_text, excluded_superseded, screened, shortlisted, fulltext,
    passages, cited.

    identified = duplicates + excluded_notices + excluded_no_text + excluded_superseded + screened. `not_retrieved`,
    where it is there: of the screened, the works without an abstract whose full text was not found or not looked for.
    """
    search_variants: Texts = ()
    drug_names: Texts = ()
    """How names in the question were read with RxNorm's help, in plain words."""
    respelt: Texts = ()
    """How misspelt names and shorthand in the question were read: "rivaroxban" as rivaroxaban."""
    intent: Text | None = None
    scorer: Text | None = None
    synthesis: Text | None = None


class Timings(Contract):
    """Seconds since the question was submitted at which each step's event was stored; from the events alone."""

    total_s: float = Field(ge=0)
    steps: dict[Text, float] = Field(default_factory=dict)
    services: dict[Text, float] = Field(default_factory=dict)
    """Seconds that the run waited for each service: from the newest event that one of its own was made from to that
    event, waiting in line and further tries included; what overlaps counts once. A request to which no answer came in
    time counts until the run went on without it."""
    waited_for: Text | None = None
    """Of a run that failed or was cancelled: the service whose turn it was; `None` = not known."""


class AnswerDocument(Contract):
    """One run as its reader gets it. A pure function of the run's stored events."""

    run_id: Text
    status: RunStatus
    question: Text
    options: AskOptions = AskOptions()
    """What its asker chose."""
    context: AskContext | None = None
    """What the question belongs to."""
    pipeline: Text
    """The kind of run."""
    track: Text
    """The track that this answer is of; the first of the plan, until one is chosen."""
    owner: Text = "local"
    submitted_at: AwareDatetime | None = None
    """When it was asked, by the server's clock."""
    answer: AnswerBody
    references: tuple[Reference, ...] = ()
    method: Method = Method()
    verification: VerificationScores
    withheld: tuple[ClaimVerdict, ...] = ()
    gap: GapAssessment | None = None
    conclusion: Conclusion | None = None
    """The answer object, before its words: the table and the verdict are rendered from it."""
    review: Review | None = None
    """Of a deep review: its records, studies, effects and flow; `None` = another pipeline, or it came to nothing."""
    usage: Usage = Usage()
    timings: Timings
    trace_id: Text | None = None
    retry_after_s: float | None = Field(default=None, ge=0)
    """When refused: seconds after which asking again may be admitted; `None` = asking the same again will not help."""
    record: RunRecord | None = None
    """Searches, works with what became of each, passages: all that is not read first. Stored with every answer; a reply
    has it when it was asked for (`ShowRequest.record`)."""
