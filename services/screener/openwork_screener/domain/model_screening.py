"""What a language model says of records that rules could not decide, and what of it is taken over.

A decision counts only with words that the record really holds; an exclusion only by a criterion of the track. Whatever
does not pass leaves the record unsure. Of records that rules decided a share is shown too: how far both agree is told,
and nothing is changed by it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import Track
from openwork_contracts.screening import (
    Decider,
    LabelAgreement,
    ScreeningCompleted,
    ScreeningDecision,
    ScreeningOutcome,
)
from openwork_evidence.quotes import find_quote
from openwork_evidence.text import abstract_text
from openwork_llm.prompts import Filling, Ours, Prompt, Theirs, load_prompt
from openwork_screening.agreement import agreement
from openwork_screening.criteria import Criteria
from pydantic import BaseModel, ConfigDict, Field

RECORD_CHARS = 2000
"""Of a record: title and some 300 words of its abstract."""
SECOND_OF = 5
"""One in so many of the records that rules decided is labelled a second time."""


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ModelDecision(_Shape):
    """One record, as the model decides."""

    n: int
    decision: Literal["include", "exclude", "unsure"]
    criterion: str
    quotation: str


class ModelScreening(_Shape):
    """What the model is asked to say of a batch."""

    decisions: list[ModelDecision] = Field(max_length=100)


def screener_prompt() -> Prompt:
    """The prompt in use."""
    return load_prompt("openwork_screener", "screener", 1)


def to_be_read(decisions: Iterable[ScreeningDecision]) -> tuple[list[str], list[str]]:
    """Candidate ids that the model decides, and those that it labels a second time."""
    unsure, again = [], []
    for one in decisions:
        if one.outcome is ScreeningOutcome.UNSURE:
            unsure.append(one.candidate_id)
        elif _is_sampled(one.candidate_id):
            again.append(one.candidate_id)
    return unsure, again


def _is_sampled(candidate_id: str) -> bool:
    """By a hash of its id: the same records whoever screens them, and no order of the search in it."""
    return int.from_bytes(hashlib.sha256(candidate_id.encode()).digest()[:4], "big") % SECOND_OF == 0


def fillings_of(
    question: str, criteria: Criteria, track: Track, works: Sequence[EvidenceCandidate]
) -> dict[str, Filling]:
    """What fills the prompt; records are numbered in the given order, from 1."""
    names = dict.fromkeys(f"- {one.name}: {one.words}" for one in criteria.of(track))
    records: list[Ours | Theirs] = []
    for n, work in enumerate(works, 1):
        records += (Ours(f"[{n}]"), Theirs(f"record {n}", _text(work)[:RECORD_CHARS]))
    return {
        "question": Theirs("question", question),
        "criteria": Ours("\n".join(names)),
        "records": tuple(records),
    }


def _text(work: EvidenceCandidate) -> str:
    return f"{work.title}\n{abstract_text(work)}"


def checked(
    answer: ModelScreening, works: Sequence[EvidenceCandidate], criteria: Criteria, track: Track, model: str
) -> dict[str, ScreeningDecision]:
    """Decisions by candidate id, those that pass: with words of the record, an exclusion by a known criterion."""
    names = {one.name for one in criteria.of(track)}
    found: dict[str, ScreeningDecision] = {}
    for one in answer.decisions:
        if not 1 <= one.n <= len(works) or one.decision == "unsure":
            continue
        work = works[one.n - 1]
        quote = find_quote(one.quotation, _text(work))
        is_out = one.decision == "exclude"
        if quote is None or (is_out and one.criterion not in names):
            continue
        found[work.candidate_id] = ScreeningDecision(
            candidate_id=work.candidate_id,
            outcome=ScreeningOutcome.EXCLUDE if is_out else ScreeningOutcome.INCLUDE,
            criterion=one.criterion if is_out else None,
            reason=f"{model}: {'does not meet' if is_out else 'may meet every criterion'}"
            + (f" {one.criterion}" if is_out else ""),
            quotation=quote.text,
            decider=Decider.MODEL,
        )
    return found


def merged(
    decisions: Iterable[ScreeningDecision], judged: Mapping[str, ScreeningDecision]
) -> tuple[ScreeningDecision, ...]:
    """The rules' decisions, with the model's where rules could not tell."""
    return tuple(
        judged.get(one.candidate_id, one) if one.outcome is ScreeningOutcome.UNSURE else one for one in decisions
    )


def agreement_of(completed: Iterable[ScreeningCompleted]) -> LabelAgreement | None:
    """How far rules and model agree on the records that both decided; `None` = there is none."""
    pairs = []
    for batch in completed:
        first = {one.candidate_id: one for one in batch.decisions}
        pairs += [(first[one.candidate_id], one) for one in batch.second if one.candidate_id in first]
    labels = [
        tuple(one.outcome is ScreeningOutcome.INCLUDE for one in pair)
        for pair in pairs
        if all(one.outcome is not ScreeningOutcome.UNSURE for one in pair)
    ]
    return agreement([one for one, _ in labels], [other for _, other in labels]) if labels else None
