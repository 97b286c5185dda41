"""Ranking: the best documents, their full text, the best passages. Owner: reranker (and fulltext).

Events `documents-ranked`, `fulltext-requested`, `fulltext-completed`, `evidence-ranked`.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import AwareDatetime, Field

from openwork_contracts.errors import FailureReason
from openwork_contracts.evidence import EvidenceCandidate, Identifiers, Pmcid, TextOrigin
from openwork_contracts.meta import BlobRef, Contract, Event, Part
from openwork_contracts.tables import Table
from openwork_contracts.text import Text, Texts

UnitScore = Annotated[float, Field(ge=0, le=1)]
"""A score in [0, 1]. Orders texts within one question; does not compare across questions."""


class ScoreStatistics(Contract):
    """How one scoring run spread its scores."""

    count: int = Field(ge=0)
    minimum: UnitScore
    median: UnitScore
    maximum: UnitScore
    separation: UnitScore
    """maximum - minimum."""


class ScorerReport(Contract):
    """Which scorer read the texts, and how it went."""

    stage: Text
    """"documents" or "passages"."""
    scorer: Text
    """"lexical", "triton", ..."""
    model: Text | None = None
    version: Text | None = None
    statistics: ScoreStatistics | None = None
    tie_breaker: bool = False
    """True when the lexical tie-breaker was blended in since the separation was too small."""
    degradation: Text | None = None
    """Plain words when another scorer stood in; `None` = as configured."""
    from_cache: bool = False


class DocumentScore(Contract):
    """A candidate and its stage-1 score."""

    candidate_id: Text
    score: UnitScore


class DocumentsRanked(Event):
    """Stage 1 is done: the shortlist, and the full texts that were asked for."""

    event_name: ClassVar[str] = "documents-ranked"

    shortlist: tuple[DocumentScore, ...]
    """Best first, at most 20 for an answer; of a review every candidate, since all are screened."""
    fulltext_parts: tuple[Part, ...] = ()
    """Parts of the `fulltext-requested` events published with this one; stage 2 waits for all of them."""
    fulltext_deadline_at: AwareDatetime | None = None
    """When stage 2 goes on with the texts that have arrived; `None` = it waits for none."""
    report: ScorerReport
    title_only: Texts = ()
    """Of the shortlist, the works that have no abstract: beside the others, and out when no full text is found."""
    below_threshold: int = Field(default=0, ge=0)
    """Candidates not shortlisted since they scored under their source's minimum or lay behind the cut."""


class FulltextRequested(Event):
    """Find and read the full text of one work."""

    event_name: ClassVar[str] = "fulltext-requested"

    candidate_id: Text
    identifiers: Identifiers
    title: Text
    deadline_at: AwareDatetime
    pmc_batch: tuple[Pmcid, ...] = ()
    """Works of this round, this one or others, whose texts are asked of PMC along with this request, in one call."""
    pmc_part: Part | None = None
    """The part whose request asks PMC for this work's text; `None` = PMC is not asked for it."""


class TextSection(Contract):
    """A section of a document. Its text stands at [start, end) of the document's text."""

    path: Texts
    """Headings from the outermost to this one, e.g. ("Results", "Bleeding")."""
    text: Text
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    kind: Text = "text"
    """text, table, figure_caption, abstract."""
    table: Table | None = None


class FullText(Contract):
    """A full text as it was read: what the next run needs to cite it again. Stored by identifier in `buckets.TEXTS`."""

    identifiers: Identifiers
    sections: tuple[TextSection, ...]
    source: Text
    """pmc, europepmc, unpaywall."""
    url: Text | None = None
    license: Text | None = None
    tried: Texts = ()


class FulltextCompleted(Event):
    """The full text, or the reason why there is none; the abstract serves then."""

    event_name: ClassVar[str] = "fulltext-completed"

    candidate_id: Text
    text: BlobRef | None = None
    """Where the text was stored, as a `FullText`; `None` = abstract only, or `sections`."""
    sections: tuple[TextSection, ...] = ()
    """The text itself, only where no store could keep it."""
    fulltext_source: Text | None = None
    """pmc, europepmc, unpaywall; `None` = abstract only."""
    url: Text | None = None
    license: Text | None = None
    tried: Texts = ()
    """What was tried, in order, each with its outcome in plain words."""
    reason: FailureReason | None = None
    elapsed_s: float = Field(ge=0)
    from_cache: bool = False


class TrialFit(Contract):
    """Whether a trial answers the question asked. A trial cited for what it did not test is misused."""

    misfit: bool = False
    message: Text | None = None
    """Plain words: what it tested instead."""


class RankedPassage(Contract):
    """A passage and where it stands. `text` is exactly [start, end) of the section's text."""

    n: int = Field(ge=1)
    """The citation number of its document: passages of one document share it."""
    passage_id: Text
    candidate_id: Text
    section: Text
    """Its headings from the outermost in, joined by " > "; "Abstract" for the abstract."""
    section_kind: Text | None = None
    """As in `TextSection`: text, table, figure_caption, abstract; `None` = not said."""
    start: int = Field(ge=0)
    end: int = Field(ge=1)
    text: Text
    text_origin: TextOrigin = TextOrigin.UNKNOWN_ORIGIN
    score: UnitScore
    """0.6 passage + 0.4 document."""
    passage_score: UnitScore
    document_score: UnitScore
    fit: TrialFit = TrialFit()


class EvidenceRanked(Event):
    """The evidence pack: the best passages and the works they come from."""

    event_name: ClassVar[str] = "evidence-ranked"

    passages: tuple[RankedPassage, ...]
    """Best first, at most 10 for an answer. Empty = nothing fit to cite."""
    documents: tuple[EvidenceCandidate, ...]
    """The works that the passages come from; the n-th (from 1) has citation number n."""
    report: ScorerReport | None = None
    """Of the scoring of passages; that of documents is in `documents-ranked`."""
    n_fulltext: int = Field(default=0, ge=0)
    """Of the shortlisted works, how many were read in full text."""
    n_shortlisted: int = Field(default=0, ge=0)
    without_text: Texts = ()
    """Candidate ids of the works that were screened by their title and have neither abstract nor full text: out."""
    degradations: Texts = ()
