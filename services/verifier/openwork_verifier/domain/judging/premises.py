"""Pairs of texts for a judge that only compares two: what the source says, what the claim says."""

from __future__ import annotations

import re
from collections.abc import Mapping

from openwork_contracts.verdict import ClaimVerdict, EvidenceItem
from openwork_language.wording import without_authors

from openwork_verifier.domain.judging.questions import Question, QuestionKind
from openwork_verifier.domain.passages import Passage, PassageSentence, read_passage
from openwork_verifier.domain.support import find_support
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds

_BREAK = re.compile(r";|,\s+(?:whereas|while|but|although|and)\s|\b(?:whereas|although)\b", re.IGNORECASE)
_LEAST_WORDS = 5
"""A shorter clause ("and 15% with warfarin") says too little by itself."""

Premise = tuple[int, str]
"""Number of the source, and words of it exactly as they stand there."""


def premises_of(
    claim: ClaimVerdict,
    items: Mapping[int, EvidenceItem],
    *,
    sentences: int,
    thresholds: GateThresholds = THRESHOLDS,
) -> tuple[Premise, ...]:
    """The sentences of the cited sources that have most of the claim, and each with its neighbour on either side.

    Args:
        sentences: how many; those beside which a suspicion says to look come on top.
    """
    passages = [read_passage(items[n]) for n in claim.citations if n in items]
    support = find_support(without_authors(claim.text), passages, thresholds)
    chosen = [(s.passage, s.sentence) for s in support.ranked[:sentences]]
    looked_at = {(r.look_at.n, r.look_at.start) for r in claim.reasons if r.look_at}
    chosen += [(p, s) for p in passages for s in p.sentences if (p.item.n, s.start) in looked_at]
    pairs = [premise for passage, sentence in chosen for premise in _with_neighbours(passage, sentence)]
    return tuple(dict.fromkeys(pairs))


def _with_neighbours(passage: Passage, sentence: PassageSentence) -> list[Premise]:
    at = passage.sentences.index(sentence)
    before = passage.sentences[max(0, at - 1)]
    behind = passage.sentences[min(len(passage.sentences) - 1, at + 1)]
    text, n = passage.item.text, passage.item.n
    return [
        (n, sentence.text),
        (n, text[before.start : sentence.end]),
        (n, text[sentence.start : behind.end]),
    ]


def hypothesis_of(claim: ClaimVerdict, question: Question) -> str:
    """The claim; of a question about a number the clause that holds it, where that says something by itself."""
    text = claim.text
    if question.kind is not QuestionKind.NUMBER or question.cell is None:
        return text
    quantity = question.cell.quantity
    breaks = list(_BREAK.finditer(text))
    start = max((m.end() for m in breaks if m.end() <= quantity.start), default=0)
    end = min((m.start() for m in breaks if m.start() >= quantity.end), default=len(text))
    clause = text[start:end].strip(" ,")
    return clause if len(clause.split()) >= _LEAST_WORDS else text
