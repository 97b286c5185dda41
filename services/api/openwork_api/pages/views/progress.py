"""A run that goes on: its steps, how far each is, and what it has come to so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.gap import Assessment
from openwork_contracts.pipelines import ANSWER, REVIEW
from openwork_contracts.progress import Progress, SourceProgress, SourceState
from openwork_contracts.verdict import Verdict
from openwork_knowledge.source_names import source_name

from openwork_api.pages.views.verdicts import verdict_words

Steps = tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]
STEPS: Steps = (
    ("search", "Search the sources", ()),
    (
        "read",
        "Join what was found",
        (("identified", "records found"), ("duplicates", "duplicates"), ("screened", "works to rank")),
    ),
    ("rank", "Rank by how well they fit", (("shortlisted", "shortlisted"),)),
    ("texts", "Read texts, choose passages", (("fulltext", "full texts"), ("passages", "passages"))),
    ("judge", "Judge the evidence", ()),
    ("write", "Write a draft", ()),
    (
        "check",
        "Check every sentence",
        (("sentences", "sentences"), ("supported", "supported"), ("withheld", "held back")),
    ),
)
"""Name, what a reader is told, and the counts that belong to it with their words."""
STEP_OF = {
    "analyse the question": "search",
    "join what was found": "rank",
    "rank documents": "rank",
    "shortlist": "texts",
    "read full texts": "texts",
    "rank passages": "texts",
    "choose passages": "judge",
    "judge the evidence": "judge",
    "write the draft": "write",
    "revise the draft": "write",
    "check every sentence": "check",
    "checked": "check",
}
"""What was told last -> the step that is at work since; of any other the search."""
REVIEW_STEPS: Steps = (
    ("strategy", "Search strategy", ()),
    ("search", "Wide net search", (("identified", "records found"), ("duplicates", "duplicates"))),
    (
        "screen",
        "Screening",
        (
            ("screened", "screened"),
            ("excluded", "excluded"),
            ("included", "included"),
            ("unsure", "unsure"),
            ("studies", "studies to read"),
            ("never_read", "never read"),
        ),
    ),
    ("extract", "Reading and extraction", ()),
    ("effects", "Effects", (("outcomes", "outcomes"), ("pooled", "pooled"))),
)
"""Of a review. Counts are of the search that told them last: there are two."""
REVIEW_STEP_OF = {
    "analyse the question": "search",
    "join what was found": "search",
    "rank documents": "screen",
    "shortlist": "screen",
    "screen records": "screen",
    "select studies": "extract",
    "read full texts": "extract",
    "extract studies": "extract",
    "compute effects": "effects",
}
EXTRACTING = "extract studies"
ASSESSED = {
    Assessment.SUFFICIENT: "enough to answer",
    Assessment.PARTIAL: "enough for a part of the question",
    Assessment.INSUFFICIENT: "too little to answer",
}
SOURCE_STATES = {
    SourceState.SEARCHING: "searching",
    SourceState.COMPLETED: "searched",
    SourceState.FAILED: "failed",
    SourceState.MISSED_DEADLINE: "too late",
}


@dataclass(frozen=True, slots=True)
class Count:
    """A number of a step; `n` is `None` while it is not known."""

    key: str
    words: str
    n: int | None


@dataclass(frozen=True, slots=True)
class SourceView:
    """One source of the search."""

    name: str
    state: str
    words: str


@dataclass(frozen=True, slots=True)
class StepView:
    """One step."""

    key: str
    words: str
    state: str
    """done, now, or waiting."""
    counts: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class ProgressView:
    """How far a run is."""

    steps: tuple[StepView, ...]
    sources: tuple[SourceView, ...]
    assessed: str
    claims: tuple[tuple[str, str], ...]
    """Checked sentences with their verdicts: none that is not checked has words here."""
    done: str
    """How many studies of a review are read, of how many; empty = nobody has told."""
    note: str
    elapsed_s: int
    submitted_at: str
    """ISO, for a clock that goes on."""


def progress_view(document: AnswerDocument, progress: Progress | None, now: datetime | None = None) -> ProgressView:
    """The newest of a run that goes on."""
    begun = document.submitted_at
    elapsed = ((now or datetime.now(UTC)) - begun).total_seconds() if begun else 0
    return ProgressView(
        steps=tuple(_steps(progress, document.pipeline)),
        sources=tuple(map(_source, progress.sources)) if progress else (),
        assessed=ASSESSED.get(progress.assessment, "") if progress and progress.assessment else "",
        claims=tuple(_claims(progress)) if progress else (),
        done=_done(progress),
        note=(progress.note or "") if progress else "",
        elapsed_s=max(0, round(elapsed)),
        submitted_at=begun.isoformat() if begun else "",
    )


def _done(progress: Progress | None) -> str:
    told = progress is not None and progress.step == EXTRACTING and progress.total
    return f"{progress.done:,} of {progress.total:,} studies" if progress and told else ""


def words_of_progress(sources: Iterable[str], pipeline: str = ANSWER) -> dict[str, dict[str, str]]:
    """What the page's script says as events arrive: the words that the page itself has.

    Args:
        sources: routes that may be asked here.
        pipeline: the kind of run.
    """
    passed = (Verdict.SUPPORTED, Verdict.NOT_A_CLAIM)
    return {
        "steps": _steps_of(pipeline)[1],
        "assessed": {one.value: words for one, words in ASSESSED.items()},
        "states": {one.value: words for one, words in SOURCE_STATES.items()},
        "names": {route: source_name(route) for route in sources},
        "verdicts": {one.value: verdict_words(one) for one in passed},
    }


def step_at_work(progress: Progress | None, pipeline: str = ANSWER) -> str:
    """The step that is at work after what was told last."""
    steps, step_of = _steps_of(pipeline)
    return step_of.get(progress.step, "search") if progress is not None else steps[0][0]


def _steps_of(pipeline: str) -> tuple[Steps, dict[str, str]]:
    return (REVIEW_STEPS, REVIEW_STEP_OF) if pipeline == REVIEW else (STEPS, STEP_OF)


def _steps(progress: Progress | None, pipeline: str) -> Iterator[StepView]:
    steps, _ = _steps_of(pipeline)
    now = [key for key, _, _ in steps].index(step_at_work(progress, pipeline))
    counts = progress.counts if progress else {}
    for place, (key, words, told) in enumerate(steps):
        state = "done" if place < now else "now" if place == now else "waiting"
        yield StepView(key, words, state, tuple(Count(name, word, counts.get(name)) for name, word in told))


def _source(source: SourceProgress) -> SourceView:
    state = SOURCE_STATES.get(source.state, source.state.value.replace("_", " "))
    found = f"{source.found:,} found" if source.found is not None else ""
    failed = source.state in (SourceState.FAILED, SourceState.MISSED_DEADLINE)
    return SourceView(source_name(source.name), source.state.value, state if failed or not found else found)


def _claims(progress: Progress) -> Iterator[tuple[str, str]]:
    for claim in progress.claims:
        if claim.text and claim.verdict in (Verdict.SUPPORTED, Verdict.NOT_A_CLAIM):
            yield claim.text, verdict_words(claim.verdict)
