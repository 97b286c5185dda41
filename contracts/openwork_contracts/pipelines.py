"""One table: every kind of run, its events, its document, and what it may take. Owner: contracts.

A pipeline has a token of its own in every subject: a service takes its work by subject, and a lane of one pipeline is
scaled and limited by itself. One that is not installed is refused where the question comes in.
"""

from __future__ import annotations

from dataclasses import dataclass

from openwork_contracts.answer import AnswerConcluded, AnswerDocument, AnswerDrafted, RevisionRequested
from openwork_contracts.end import EndKind, RunEnded
from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.extraction import ExtractionRequested, StudyExtracted
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.meta import Contract, Event
from openwork_contracts.plan import (
    DeadlineReached,
    RetrievalCompleted,
    RetrievalFailed,
    RetrievalRequested,
    SearchPlanned,
)
from openwork_contracts.question import QuerySubmitted, Track
from openwork_contracts.ranking import DocumentsRanked, EvidenceRanked, FulltextCompleted, FulltextRequested
from openwork_contracts.screening import RecordsScreened, ScreeningCompleted, ScreeningRequested, StudiesSelected
from openwork_contracts.tabulation import EvidenceTabulated

ANSWER = "answer"
"""A short answer within seconds."""
REVIEW = "review"
"""A deep review: two tracks, screening, extraction, effects of studies together."""
CHECK = "check"
"""A text is verified against its sources."""

_EVERY_RUN: tuple[type[Event], ...] = (QuerySubmitted, DeadlineReached, RunEnded)
_SEARCH: tuple[type[Event], ...] = (
    SearchPlanned,
    RetrievalRequested,
    RetrievalCompleted,
    RetrievalFailed,
    EvidenceNormalised,
    DocumentsRanked,
    FulltextRequested,
    FulltextCompleted,
)


@dataclass(frozen=True, slots=True)
class NcbiCalls:
    """Calls of NCBI's E-utilities that one track may make in one round.

    Every run of an installation shares 3 of them a second, 10 with a key: they are counted here and not where they are
    made, so that what an answer costs is one table.
    """

    searches: int
    """ESearch, each for one rung of the ladder; a rung that is not needed is not asked."""
    reads: int
    """EFetch of PubMed's records, up to 200 in each; EPost where there is more than one."""
    texts: int
    """EFetch of PMC's full texts, of all works of the round together."""
    counts: int = 0
    """ESearch of the count alone, for rungs that are not read: what they would have found."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.searches + self.reads + self.texts + self.counts


@dataclass(frozen=True, slots=True)
class Budgets:
    """What one run may take."""

    records_per_source: int
    """Most records asked of one source in one round; its registry entry may set less."""
    enough_records: int
    """Records of one source from which on no broader rung of its ladder is asked."""
    model_tokens: int
    """Tokens of language models, input and output together; a step over it is done without a model."""
    model_usd: float
    ncbi_calls: tuple[NcbiCalls, ...] = (NcbiCalls(searches=0, reads=0, texts=0),)
    """Of the rounds in order; further rounds have what the last one has."""

    def ncbi_calls_of(self, round_: int) -> NcbiCalls:
        """What one track may make in that round, 1 = the first."""
        return self.ncbi_calls[min(round_, len(self.ncbi_calls)) - 1]


@dataclass(frozen=True, slots=True)
class PipelineSpec:
    """One row of the table."""

    name: str
    in_words: str
    """What the asker gets, for the refusal that lists the pipelines."""
    events: tuple[type[Event], ...]
    """In the order of the flow; the end of a run, its deadline and its question are every pipeline's."""
    ends: tuple[EndKind, ...]
    """Kinds of end that a run of it may have."""
    document: type[Contract] | None
    """What the run is folded into for its reader; `None` = not built."""
    tracks: tuple[Track, ...]
    deadline_s: float
    """Seconds within which a run ends unless the asker says otherwise."""
    budgets: Budgets
    installed: bool


PIPELINES: tuple[PipelineSpec, ...] = (
    PipelineSpec(
        ANSWER,
        "a short, cited answer within seconds",
        events=(
            *_EVERY_RUN,
            *_SEARCH,
            EvidenceRanked,
            SynthesisRequested,
            AnswerDrafted,
            RevisionRequested,
            AnswerConcluded,
        ),
        ends=(EndKind.COMPLETED, EndKind.REJECTED, EndKind.REFUSED, EndKind.FAILED, EndKind.CANCELLED),
        document=AnswerDocument,
        tracks=(Track.AFFIRMATIVE,),
        deadline_s=120.0,
        budgets=Budgets(
            records_per_source=200,
            enough_records=20,  # it reads about 20
            model_tokens=120_000,
            model_usd=0.10,
            ncbi_calls=(NcbiCalls(searches=2, reads=1, texts=1), NcbiCalls(searches=1, reads=1, texts=0)),
        ),
        installed=True,
    ),
    PipelineSpec(
        REVIEW,
        "a deep review: searches for and against, everything screened, studies extracted and pooled",
        events=(
            *_EVERY_RUN,
            *_SEARCH,
            ScreeningRequested,
            ScreeningCompleted,
            RecordsScreened,
            StudiesSelected,
            ExtractionRequested,
            StudyExtracted,
            EvidenceTabulated,
        ),
        ends=(EndKind.COMPLETED, EndKind.REJECTED, EndKind.REFUSED, EndKind.FAILED, EndKind.CANCELLED),
        document=AnswerDocument,
        tracks=(Track.AFFIRMATIVE, Track.FALSIFICATION),
        deadline_s=3600.0,
        budgets=Budgets(
            records_per_source=500,
            enough_records=500,  # it screens everything
            model_tokens=5_000_000,
            model_usd=5.0,
            # 40 calls in a run of two tracks, of one round each.
            ncbi_calls=(
                NcbiCalls(searches=8, reads=6, texts=2, counts=4),
                NcbiCalls(searches=0, reads=0, texts=0),
            ),
        ),
        installed=True,
    ),
    PipelineSpec(
        CHECK,
        "a text verified against its sources",
        events=_EVERY_RUN,
        ends=(EndKind.REFUSED, EndKind.FAILED),
        document=None,
        tracks=(Track.AFFIRMATIVE,),
        deadline_s=120.0,
        budgets=Budgets(records_per_source=1, enough_records=1, model_tokens=120_000, model_usd=0.10),
        installed=False,
    ),
)

_BY_NAME = {spec.name: spec for spec in PIPELINES}
INSTALLED: tuple[PipelineSpec, ...] = tuple(spec for spec in PIPELINES if spec.installed)


def pipeline_named(name: str) -> PipelineSpec:
    """The row of a pipeline, installed or not; KeyError when there is none of that name."""
    return _BY_NAME[name]


def require_installed(name: str) -> PipelineSpec:
    """The row of a pipeline that runs can be made of.

    Raises:
        UsageError: it is not installed, or nobody knows it; the message lists those that are.
    """
    spec = _BY_NAME.get(name)
    if spec is None or not spec.installed:
        known = (
            f"the pipeline {name!r} ({spec.in_words}) is not installed" if spec else f"no pipeline is called {name!r}"
        )
        listed = "; ".join(f"{one.name}: {one.in_words}" for one in INSTALLED)
        raise UsageError(f"{known}. Installed: {listed}")
    return spec
