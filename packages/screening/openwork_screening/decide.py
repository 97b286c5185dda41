"""A decision on one record by rules: include, exclude or unsure, with criterion, reason and the words it rests on.

Rules say what they can prove. A record without an abstract is never excluded for what it does not say; a part of the
question that only free words stand for excludes nobody. What rules leave unsure is for a model or a person.
"""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.evidence import EvidenceCandidate, EvidenceStatus, StudyDesign
from openwork_contracts.question import Track
from openwork_contracts.screening import ScreeningDecision, ScreeningOutcome, Signal
from openwork_contracts.strategy import SearchBlock, SearchStrategy
from openwork_knowledge.designs import label
from openwork_language.searching.matching import Searchable, meets_block, phrase, searchable
from openwork_language.sentences import split_sentences

from openwork_screening.criteria import Criteria, Criterion

LEAST_ABSTRACT_CHARS = 200
"""A shorter text says too little to prove that something is missing (some 30 words)."""


def decide(
    candidate: EvidenceCandidate, strategy: SearchStrategy, criteria: Criteria, track: Track
) -> ScreeningDecision:
    """The first criterion of the track that the record does not meet decides; unsure before include."""
    unsure: ScreeningDecision | None = None
    for criterion in criteria.of(track):
        found = _against(candidate, strategy, criterion)
        if found is None:
            continue
        if found.outcome is ScreeningOutcome.EXCLUDE:
            return found
        unsure = unsure or found
    if unsure is not None:
        return unsure
    words = _named(candidate, strategy)
    return ScreeningDecision(
        candidate_id=candidate.candidate_id,
        outcome=ScreeningOutcome.INCLUDE,
        reason="meets every criterion",
        quotation=words,
    )


def _against(candidate: EvidenceCandidate, strategy: SearchStrategy, criterion: Criterion) -> ScreeningDecision | None:
    """What speaks against the record; `None` = nothing."""
    if candidate.status in criterion.excludes_statuses:
        return _out(candidate, criterion, f"the work is {candidate.status.value}", _notice(candidate))
    if candidate.study_design in criterion.excludes_designs and not (criterion.unless_results and candidate.results):
        what = label(candidate.study_design) or candidate.study_design.value.replace("_", " ")
        return _out(candidate, criterion, f"it is a {what}, not {criterion.words}", _type_of(candidate))
    if criterion.blocks:
        return _against_blocks(candidate, strategy, criterion)
    return None


def _against_blocks(
    candidate: EvidenceCandidate, strategy: SearchStrategy, criterion: Criterion
) -> ScreeningDecision | None:
    blocks = [block for block in strategy.blocks if block.role in criterion.blocks and not block.negated]
    if not blocks:
        return None
    record = _searchable(candidate)
    if any(meets_block(record, block, broad=False) for block in blocks):
        return None  # any of the blocks of a part: "stroke or bleeding" is one of the two
    names = " or ".join(concept.spoken for block in blocks for concept in block.concepts[:1])
    if any(meets_block(record, block, broad=True) for block in blocks):
        return _unsure(candidate, criterion, f"title, abstract and headings name a class of {names}, and not {names}")
    if not criterion.may_exclude or not _says_enough(candidate) or not all(map(_is_known, blocks)):
        why = "title and abstract" if _says_enough(candidate) else "no abstract, and a title that"
        says = "do not name" if _says_enough(candidate) else "does not name"
        return _unsure(candidate, criterion, f"{why} {says} {names}")
    return _out(candidate, criterion, f"title, abstract and headings name no {names}, under any name", None)


def _unsure(candidate: EvidenceCandidate, criterion: Criterion, reason: str) -> ScreeningDecision:
    return ScreeningDecision(
        candidate_id=candidate.candidate_id,
        outcome=ScreeningOutcome.UNSURE,
        criterion=criterion.name,
        reason=reason,
    )


def _out(candidate: EvidenceCandidate, criterion: Criterion, reason: str, quotation: str | None) -> ScreeningDecision:
    return ScreeningDecision(
        candidate_id=candidate.candidate_id,
        outcome=ScreeningOutcome.EXCLUDE,
        criterion=criterion.name,
        reason=reason,
        quotation=quotation,
    )


def _searchable(candidate: EvidenceCandidate) -> Searchable:
    texts = [candidate.title, *(part.text for part in candidate.abstract), *(arm.name for arm in candidate.arms)]
    return searchable(texts, candidate.mesh_terms)


def _says_enough(candidate: EvidenceCandidate) -> bool:
    return sum(len(part.text) for part in candidate.abstract) >= LEAST_ABSTRACT_CHARS


def _is_known(block: SearchBlock) -> bool:
    """Whether a list knows the thing under all its names: only then its absence proves something."""
    return all(concept.kind is not None and len(concept.terms) > 1 for concept in block.concepts)


def _notice(candidate: EvidenceCandidate) -> str | None:
    return next((link.kind for link in candidate.links), None) or _type_of(candidate)


def _type_of(candidate: EvidenceCandidate) -> str | None:
    """Publication types as the source prints them; the title where there are none."""
    return "; ".join(candidate.publication_types) or candidate.title or None


def _named(candidate: EvidenceCandidate, strategy: SearchStrategy) -> str | None:
    """The title, or the first sentence of the abstract, that names something of the question; the title else."""
    wanted = (concept for block in strategy.blocks if not block.negated for concept in block.concepts)
    names = [phrase(name) for concept in wanted for name in concept.names(broad=True)]
    for text in (candidate.title, *(part.text for part in candidate.abstract)):
        for sentence in split_sentences(text):
            if any(name in searchable([sentence.text]).words for name in names):
                return sentence.text
    return candidate.title or None


def signals(candidates: Sequence[EvidenceCandidate]) -> tuple[Signal, ...]:
    """Of the second track what is no study and yet says something: notices, letters, registrations without results.

    They stand in a list of their own and are never pooled.
    """
    kinds = ((one.candidate_id, _signal(one)) for one in candidates)
    return tuple(Signal(candidate_id=name, kind=kind) for name, kind in kinds if kind is not None)


def _signal(candidate: EvidenceCandidate) -> str | None:
    if candidate.status in (EvidenceStatus.RETRACTED, EvidenceStatus.WITHDRAWN, EvidenceStatus.CONCERN):
        return candidate.status.value
    if candidate.study_design is StudyDesign.TRIAL_REGISTRATION:
        return None if candidate.results else "registration without results"
    return (
        candidate.study_design.value if candidate.study_design in (StudyDesign.NOTICE, StudyDesign.EDITORIAL) else None
    )
