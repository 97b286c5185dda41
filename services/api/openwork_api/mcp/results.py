"""What the tools return. Small on purpose: it is read by assistants, whose room is dear."""

from __future__ import annotations

from typing import Annotated

from openwork_contracts.text import DOOR
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class Part(BaseModel):
    """Base of what is returned."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


class Cited(Part):
    """A reference."""

    n: int
    """Its citation number."""
    reference: str
    """The reference as Markdown, to be printed as it is."""
    whose_words: str
    """Whose words the sentences that cite it rest on."""
    status: str | None = None
    """RETRACTED, WITHDRAWN, or another notice that a reader must be told of."""
    pmid: str | None = None
    doi: str | None = None
    nct_id: str | None = None


class Sentence(Part):
    """A sentence and what the check says of it."""

    text: str
    citations: tuple[int, ...] = ()
    verdict: str
    """supported, not_confirmed, unsupported, contradicted, uncited, not_a_claim."""
    reasons: tuple[str, ...] = ()
    passage_ids: tuple[str, ...] = ()
    """Passages that it rests on; `passage` shows them."""


class Run(Part):
    """A run and what it came to."""

    run_id: str
    status: str
    """running, answered, too_little_evidence, rejected (not searched for: `answer` says why), refused (not admitted:
    `answer` says why and when to come again), failed, cancelled."""
    question: str
    verdict: str | None = None
    """What the evidence found says to the question: benefit, harm, little_or_no_difference, not_shown, ..."""
    answer: str
    """Markdown, with citation marks."""
    references: tuple[Cited, ...] = ()
    claims: tuple[Sentence, ...] = ()
    """The sentences of the answer."""
    held_back: tuple[Sentence, ...] = ()
    """Sentences of the draft that did not pass the check, with the reasons: not part of the answer."""
    method: tuple[str, ...] = ()
    """How the answer came about, and what went less well."""
    left_out: tuple[str, ...] = ()
    """What did not fit into this result, and how to get it."""
    next: str | None = None
    """What to do now, where something is to be done."""
    disclaimer: str
    """To be shown with every answer."""


class RestingClaim(Part):
    """A sentence that rests on a passage."""

    text: str
    verdict: str
    words: str | None = None
    """The words of the passage that it rests on."""


class PassageWords(Part):
    """A passage, or a part of it."""

    passage_id: str
    n: int
    """Citation number of its work."""
    section: str
    whose_words: str
    """Only the source's own words are a quotation."""
    text: str
    offset: int = 0
    """Of the first character of `text` in the passage."""
    characters: int
    """Of the whole passage."""
    next_offset: int | None = None
    """What to ask `offset` for the rest; `None` = this is the end."""
    claims: tuple[RestingClaim, ...] = ()


class Passages(Part):
    """Words that an answer rests on."""

    run_id: str
    reference: Cited | None = None
    """The work; `None` = the answer does not cite it."""
    title: str
    passages: tuple[PassageWords, ...] = ()
    left_out: tuple[str, ...] = ()
    disclaimer: str


class Finding(Part):
    """Why a sentence has its verdict."""

    reason: str
    look_at: str | None = None
    """The words of the source beside which the sentence is to be laid."""
    n: int | None = None
    """Number of that source."""


class Judged(Part):
    """A sentence and its verdict."""

    text: str
    citations: tuple[int, ...] = ()
    verdict: str
    findings: tuple[Finding, ...] = ()


class Verified(Part):
    """What the check says of a text."""

    claims: tuple[Judged, ...]
    checked: int
    """Sentences that claim something."""
    supported: int
    left_out: tuple[str, ...] = ()


class SearchedSource(Part):
    """One source in one round."""

    source: str
    round: int
    status: str
    found: int
    """Records it returned."""
    elapsed_s: float | None = None
    why: str | None = None
    """Why it gave nothing, or less than it might."""


class Sent(Part):
    """One request to a source."""

    place: int
    """Its place in the log, from 1."""
    source: str
    round: int
    request: str
    """As it was sent, without keys."""
    translation: str | None = None
    """How the engine rewrote it."""
    hits: int | None = None
    """Records that matched in all; `None` = not told."""
    read: int = 0
    """How many of them were read."""
    from_cache: bool = False
    warnings: tuple[str, ...] = ()
    error: str | None = None
    not_asked: str | None = None
    """Why it was not sent."""


class SearchLog(Part):
    """What a run searched."""

    run_id: str
    question: str
    sources: tuple[SearchedSource, ...] = ()
    requests: tuple[Sent, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)
    """identified, duplicates, screened, shortlisted, fulltext, passages, cited."""
    next_after: int | None = None
    """What to ask `after` for the next requests; `None` = these are the last."""
    left_out: tuple[str, ...] = ()


class RunLine(Part):
    """A run in one line."""

    run_id: str
    status: str
    asked_at: AwareDatetime
    question: str
    verdict: str | None = None


class RunLines(Part):
    """A page of runs, newest first."""

    runs: tuple[RunLine, ...]
    next_before: str | None = None
    """What to ask `before` for the next page; `None` = that is all."""


class Source(BaseModel):
    """A text that is cited, for `verify`."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    text: Annotated[str, DOOR] = Field(min_length=1)
    """What the source says."""
    n: int | None = Field(default=None, ge=1)
    """The number it is cited by; `None` = its place in the list, from 1."""
    title: str = ""
