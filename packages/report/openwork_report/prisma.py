"""The PRISMA 2020 flow of a run (Page 2021, doi:10.1136/bmj.n71): numbers that add up from the first step to the last.

Above `screened` they are the normaliser's counts; below they are counted from the record, where each work has exactly
one decision. A run ranks works where a review has two people read them: the words say what was done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.record import CandidateRecord, Decision

from openwork_report.words import why_out

NOT_IN_THE_RECORD = "not in the record: the run ended before, or its events are gone"
_AT_SCREENING = frozenset({Decision.BELOW_THRESHOLD, Decision.RETRACTED, Decision.REFERENCE_ONLY, Decision.FOUND})
_READ = frozenset({Decision.CITED, Decision.PASSAGE_CHOSEN, Decision.FULLTEXT_READ, Decision.ABSTRACT_READ})
_BEFORE_SCREENING: Mapping[str, str] = {
    "duplicates": "duplicates, by identifiers, then by title, year and authors",
    "excluded_notices": "notices of retraction, correction or concern, linked to their works",
    "excluded_no_text": "nothing to read, and nowhere to look for a full text",
    "excluded_superseded": "older versions of Cochrane reviews of which a newer one was found",
}


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Records that went out at a step, for one reason."""

    reason: str
    n: int


@dataclass(frozen=True, slots=True)
class FlowStep:
    """One box of the diagram. `n` less all that was left out is the `n` of the next step."""

    name: str
    """identified, screened, sought, assessed, included."""
    words: str
    n: int
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class PrismaFlow:
    """The diagram in numbers."""

    found: Mapping[str, int]
    """Records by source, of all rounds; empty where no search is recorded."""
    steps: tuple[FlowStep, ...]
    fulltexts_sought: int = 0
    """Of the works sought, those whose full text was looked for."""
    fulltexts_read: int = 0
    missing: tuple[str, ...] = ()
    """What is not known, in words: steps that are not there."""


def prisma_flow(document: AnswerDocument) -> PrismaFlow:
    """The flow of the document's track; steps that nothing is known of are named in `missing`."""
    counts, record = document.method.counts, document.record
    missing = [] if "identified" in counts else ["records identified and removed before screening"]
    first = _identified(counts)
    if record is None or not (record.candidates or counts):
        last = (FlowStep("screened", _WORDS["screened"], counts["screened"]),) if first else ()
        why = "screening and what follows: the document was saved without its record"
        return PrismaFlow({}, (*first, *last), missing=(*missing, why))
    works = [work for work in record.candidates if work.screened]
    return PrismaFlow(
        found=_found(document),
        steps=(*first, *_screened(works, counts.get("screened", len(works)))),
        fulltexts_sought=sum(work.fulltext is not None for work in works if _stage(work) != "screening"),
        fulltexts_read=counts.get("fulltext", 0),
        missing=tuple(missing),
    )


_WORDS = {
    "identified": "Records identified",
    "screened": "Works screened by title and abstract (ranked by how well they fit the question)",
    "sought": "Works shortlisted, their texts sought",
    "assessed": "Works read: abstract, or full text where it was found",
    "included": "Works cited by the answer",
}


def _identified(counts: Mapping[str, int]) -> tuple[FlowStep, ...]:
    if "identified" not in counts:
        return ()
    out = tuple(LeftOut(words, counts[key]) for key, words in _BEFORE_SCREENING.items() if counts.get(key))
    return (FlowStep("identified", _WORDS["identified"], counts["identified"], out),)


def _found(document: AnswerDocument) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for search in document.record.searches if document.record else ():
        if search.track == document.track:
            found[search.source] += search.found
    return dict(found)


def _screened(works: list[CandidateRecord], n: int) -> Iterator[FlowStep]:
    """The three exclusions below screening, each by its reasons; then what is left."""
    n = max(n, len(works))
    lost = (LeftOut(NOT_IN_THE_RECORD, n - len(works)),) if n > len(works) else ()
    stages = {stage: [work for work in works if _stage(work) == stage] for stage in _STAGES}
    for name, stage in (("screened", "screening"), ("sought", "retrieval"), ("assessed", "reading")):
        out = (*_reasons(stages[stage]), *(lost if stage == "screening" else ()))
        yield FlowStep(name, _WORDS[name], n, out)
        n -= sum(one.n for one in out)
    yield FlowStep("included", _WORDS["included"], n)


_STAGES = ("screening", "retrieval", "reading", "cited")


def _stage(work: CandidateRecord) -> str:
    """Where a work went out: at the screening, when its text was sought, after it was read; or cited."""
    if work.decision in _READ:
        return "cited" if work.decision is Decision.CITED else "reading"
    if work.decision is Decision.SHORTLISTED:
        return "retrieval"
    if work.decision is Decision.WITHOUT_TEXT:  # a score means that it was shortlisted, and its text looked for
        return "screening" if work.document_score is None else "retrieval"
    return "screening" if work.decision in _AT_SCREENING or work.document_score is None else "reading"


def _reasons(works: Iterable[CandidateRecord]) -> Iterator[LeftOut]:
    counted = Counter(why_out(work.decision, work.reason) for work in works)
    return (LeftOut(reason, n) for reason, n in counted.most_common())
