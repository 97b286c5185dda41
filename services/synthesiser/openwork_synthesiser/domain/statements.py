"""Sentences of the evidence that can stand alone in an answer, with the role each has in its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from openwork_answers.tellable import Role, may_be_said, sayable_in
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.ranking import RankedPassage
from openwork_knowledge.patterns import pattern
from openwork_language.mentions import idea_tokens

from openwork_synthesiser.domain.wording import repair

__all__ = ["Role", "Statement", "read_statements", "reads_as_limitation"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a passage that may become a claim."""

    n: int
    """Citation number."""
    text: str
    """As it may be printed: at most lightly repaired."""
    verbatim: str
    """As it stands in the passage."""
    role: Role
    document: EvidenceCandidate
    passage: RankedPassage
    tokens: frozenset[str]
    place: int = 0
    """Which result of its passage it is, from 0: the first is the primary outcome's, the last ones are asides."""
    relevance: float = 0.0
    """In [0, 1]; set by the scoring."""
    directness: float = 0.0
    """Share of the treatments asked about that it names; of two compared ones, 1.0 for both."""
    on_topic: bool = False
    """Names a treatment and a population of the question, or stands in a document about them."""
    answers: bool = False
    """Speaks of what the question asks, so that it may stand in the direct answer."""


def read_statements(
    passages: Sequence[RankedPassage], documents: Sequence[EvidenceCandidate], *, min_words: int, max_words: int
) -> list[Statement]:
    """Every usable sentence, best passage first. Retracted works, superseded guidelines, notices and registrations give
    none."""
    statements: list[Statement] = []
    seen: set[tuple[int, str]] = set()
    for passage in sorted(passages, key=lambda p: -p.score):
        if passage.n > len(documents):
            continue
        document = documents[passage.n - 1]
        if not may_be_said(document):
            continue
        for statement in _of_passage(passage, document):
            key = (statement.n, statement.verbatim)
            if key not in seen and min_words <= len(statement.text.split()) <= max_words:
                seen.add(key)
                statements.append(statement)
    return statements


def _of_passage(passage: RankedPassage, document: EvidenceCandidate) -> Iterator[Statement]:
    n_results = 0
    for said in sayable_in(passage, document):
        text = repair(said.text, document)
        if text is not None:
            place = n_results if said.role is Role.RESULT else 0
            n_results += said.role is Role.RESULT
            yield Statement(passage.n, text, said.text, said.role, document, passage, idea_tokens(text), place)


def reads_as_limitation(sentence: str) -> bool:
    """Whether a sentence says how far its study can be trusted or applied."""
    return _own_limit().search(sentence) is not None


@cache
def _own_limit() -> re.Pattern[str]:
    """Made when a model's draft first needs it."""
    return re.compile(rf"\b{pattern('own-limits')}\b", re.IGNORECASE)
