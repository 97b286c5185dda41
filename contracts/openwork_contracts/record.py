"""The record of a run: what was searched, what was found, and what became of each work. Owner: gateway.

Part of `AnswerDocument`, made from the run's events, which expire: what a page shows of a run later stands here. What
was never in an event is not invented: duplicates and notices are counted, in `method.counts`.
"""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from openwork_contracts.enums import OpenEnum
from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import (
    EvidenceStatus,
    Identifiers,
    LibraryRef,
    NoticeLink,
    OutcomeResult,
    Provenance,
    SourceStatus,
    StudyDesign,
    TextOrigin,
    TrialArm,
)
from openwork_contracts.meta import Contract, Route, Token
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage, ScorerReport, UnitScore
from openwork_contracts.strategy import SearchStrategy
from openwork_contracts.text import Text, Texts


class Decision(OpenEnum):
    """What became of a work: the furthest that it came, or where it went out. Each work has exactly one."""

    CITED = "cited"
    """The answer cites it."""
    PASSAGE_CHOSEN = "passage_chosen"
    """The answer could have been written from a passage of it, and does not cite it."""
    FULLTEXT_READ = "fulltext_read"
    """Shortlisted and read in full text; no passage of it was chosen."""
    ABSTRACT_READ = "abstract_read"
    """Shortlisted and read as its source gave it; no passage of it was chosen."""
    SHORTLISTED = "shortlisted"
    """Shortlisted; its passages were not ranked, since the run ended before."""
    BELOW_THRESHOLD = "below_threshold"
    """Scored under its source's minimum, or behind the last that was shortlisted."""
    RETRACTED = "retracted"
    """Retracted or withdrawn, and not shortlisted: such works come after all others."""
    WITHOUT_TEXT = "without_text"
    """Nothing to read, neither an abstract nor a full text; see `reason`."""
    SUPERSEDED = "superseded"
    """An older version of a Cochrane review of which a newer one was found; see `reason`."""
    REFERENCE_ONLY = "reference_only"
    """Its source is kept beside the evidence and never ranked with it."""
    FOUND = "found"
    """Found, and not ranked: the run ended before."""


class FulltextRecord(Contract):
    """The search for one full text."""

    source: Text | None = None
    """pmc, europepmc, unpaywall; `None` = none was found, the abstract served."""
    url: Text | None = None
    license: Text | None = None
    tried: Texts = ()
    """What was tried, in order, each with its outcome in plain words."""
    reason: FailureReason | None = None
    elapsed_s: float | None = Field(default=None, ge=0)
    """`None` = it had not come when the run went on."""
    from_cache: bool = False


class CandidateRecord(Contract):
    """One work and what became of it."""

    candidate_id: Text
    decision: Decision
    reason: Text | None = None
    """Why it went out, in words; `None` = the decision says it all."""
    n: int | None = Field(default=None, ge=1)
    """Its citation number, also where only a sentence that was held back cites it; `None` = no passage was chosen."""
    title: Text = ""
    identifiers: Identifiers = Identifiers()
    journal: Text | None = None
    year: int | None = None
    study_design: StudyDesign = StudyDesign.OTHER
    status: EvidenceStatus = EvidenceStatus.NOT_CHECKED
    links: tuple[NoticeLink, ...] = ()
    """Its notices, preprints and registrations."""
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    library: LibraryRef | None = None
    """Set where this gateway has another starter library than the work is of: what is missing here stands there."""
    provenance: tuple[Provenance, ...] = ()
    """Which source gave it, at which place, when."""
    document_score: UnitScore | None = None
    """Of stage 1; `None` = not shortlisted, whose scores no event has. See `RunRecord.scorers`."""
    fulltext: FulltextRecord | None = None
    """`None` = none was asked for."""
    screened: bool = True
    """Whether it was handed to the ranking: `method.counts["screened"]` works were. False = it went out before."""
    population: Text | None = None
    """Who was studied: the parts of its text that their labels call so, in the words of `text_origin`. This field and
    those below are of works with a passage that was chosen."""
    sample_size: int | None = Field(default=None, ge=1)
    """People analysed. `None` = not reported, which is not zero."""
    arms: tuple[TrialArm, ...] = ()
    results: tuple[OutcomeResult, ...] = ()
    """As its source gave them in fields (a registry, our library); numbers of plain text are not among them."""


class SearchRecord(Contract):
    """What one source was asked in one round, and what it answered."""

    track: Token
    round: int = Field(ge=0)
    source: Route
    status: SourceStatus
    """As the round counted it: of a late answer there may be requests here, and it has missed the deadline."""
    requests: tuple[SearchRequestLog, ...] = ()
    """Each request as it was sent, with what the engine made of it."""
    found: int = Field(default=0, ge=0)
    """Records it returned."""
    elapsed_s: float | None = Field(default=None, ge=0)
    """`None` = it did not answer."""
    reason: FailureReason | None = None
    message: Text | None = None
    degradations: Texts = ()


class RoundRecord(Contract):
    """One round of search of one track, as it was planned."""

    track: Token
    round: int = Field(ge=0)
    planned_at: AwareDatetime
    sources: tuple[Route, ...]
    search_variants: Texts
    recent_since_year: int | None = None
    """Evidence from this year on was looked for."""
    strategy: SearchStrategy | None = None
    """What was looked for, before any source's syntax; `None` in runs from before strategies were."""
    reason: Text | None = None
    """Why a further round was made; `None` in round 1."""
    lookups: tuple[SearchRequestLog, ...] = ()
    """What was asked of RxNorm about names in the question."""
    degradations: Texts = ()


class RunRecord(Contract):
    """What a run did. Empty where it ended before, or where its events are gone."""

    analysis: QuestionAnalysis | None = None
    """What was understood of the question: intent, PICO, entities; of the first round."""
    rounds: tuple[RoundRecord, ...] = ()
    """Of all tracks, in order."""
    searches: tuple[SearchRecord, ...] = ()
    """Of all tracks, by track, round and source."""
    candidates: tuple[CandidateRecord, ...] = ()
    """Each work of the document's track once: cited ones first, then those with a passage, then by score."""
    passages: tuple[RankedPassage, ...] = ()
    """What the answer was written from, in full, best first; `n` is the reader's citation number."""
    scorers: tuple[ScorerReport, ...] = ()
    """Who gave the scores, and how they spread. They are in [0, 1] and do not compare across questions."""
