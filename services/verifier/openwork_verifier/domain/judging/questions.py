"""What a judge is asked: a typed question for each suspicion, and one question about claims that code supports.

A claim with a proof against it is asked nothing: nobody overrules it. Nor is one that stands word for word in its
source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from openwork_contracts.answer import AnswerSection
from openwork_contracts.verdict import (
    ClaimVerdict,
    EvidenceItem,
    FindingKind,
    ReasonCode,
    Verdict,
    VerdictReason,
)
from openwork_evidence.quotes import find_quote
from openwork_language.cells.cell import Cell
from openwork_language.cells.read import read_cells
from openwork_language.wording import without_authors

from openwork_verifier.domain.checks.wording import check_wording
from openwork_verifier.domain.passages import Passage, expanded_cells, read_passage
from openwork_verifier.domain.support import find_support
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds

MAX_CLAIMS = 40
"""Claims of one draft that are asked about; an answer of 500 words has fewer."""
_C = ReasonCode
ClaimKey = tuple[str, tuple[int, ...]]
"""Text and citations: what makes two claims of two drafts the same."""


class QuestionKind(StrEnum):
    """What is asked for; it decides what an answer's quotation must hold."""

    NUMBER = "number"
    COUNT = "count"
    DIRECTION = "direction"
    CERTAINTY = "certainty"
    SCOPE = "scope"
    POPULATION = "population"
    SUBGROUP = "subgroup"
    COMPOSITE = "composite"
    DESIGN = "design"
    QUANTIFIER = "quantifier"
    STRENGTH = "strength"
    RECOMMENDATION = "recommendation"
    NAME = "name"
    CONTENT = "content"
    WHOLE = "whole"


_K = QuestionKind
_NUMBER = "this number of the claim"
WORDS: dict[QuestionKind, str] = {
    _K.NUMBER: f"Which arm, outcome and time point does {_NUMBER} belong to in the cited source?",
    _K.COUNT: "Which things does the cited source list or count here, and are they so many?",
    _K.DIRECTION: "Which way does this effect go in the cited source, for which arm, and is it significant?",
    _K.CERTAINTY: "How sure is the cited source of this?",
    _K.SCOPE: "Whom or what does the cited source except, exclude or restrict this to?",
    _K.POPULATION: "Of which people, animals or cells does the cited source say this?",
    _K.SUBGROUP: "Does the cited source say this of all who were studied, or of a part of them?",
    _K.COMPOSITE: "Is this a result of the single outcome or of a composite in the cited source?",
    _K.DESIGN: "What kind of study does the cited source say it is, and what does it compare?",
    _K.QUANTIFIER: "Of how many does the cited source say this: all, most, some, few or none?",
    _K.STRENGTH: "Does the cited source say superior, not inferior, equivalent, or no difference?",
    _K.RECOMMENDATION: "What does the cited source recommend, for whom, and how strongly?",
    _K.NAME: "What stands in the place of this name or word in the cited source, and is it the same thing?",
    _K.CONTENT: "Where does the cited source say this, in whatever words?",
    _K.WHOLE: "Does the cited source, read by itself, make all of the claim true?",
}
"""Each kind's question; the words of the suspicion stand beside it."""
_KINDS: dict[ReasonCode, QuestionKind] = {
    _C.NUMBER_NOT_FOUND: _K.NUMBER,
    _C.NUMBER_NOT_BOUND: _K.NUMBER,
    _C.CELL_DIFFERS: _K.NUMBER,
    _C.UNIT_MISMATCH: _K.NUMBER,
    _C.INTERVAL_MISMATCH: _K.NUMBER,
    _C.ARMS_SWAPPED: _K.DIRECTION,
    _C.DIRECTION_REVERSED: _K.DIRECTION,
    _C.DIRECTION_NOT_FOUND: _K.DIRECTION,
    _C.NULL_RESULT: _K.DIRECTION,
    _C.CERTAINTY_OVERSTATED: _K.CERTAINTY,
    _C.SCOPE_CHANGED: _K.SCOPE,
    _C.POPULATION_NOT_FOUND: _K.POPULATION,
    _C.SUBGROUP_AS_WHOLE: _K.SUBGROUP,
    _C.COMPOSITE_AS_COMPONENT: _K.COMPOSITE,
    _C.DESIGN_DIFFERS: _K.DESIGN,
    _C.QUANTIFIER_CHANGED: _K.QUANTIFIER,
    _C.NONINFERIORITY_OVERSTATED: _K.STRENGTH,
    _C.RECOMMENDATION_DIFFERS: _K.RECOMMENDATION,
    _C.DRUG_NOT_FOUND: _K.NAME,
    _C.DISEASE_NOT_FOUND: _K.NAME,
    _C.ENTITY_NOT_FOUND: _K.NAME,
    _C.INTERVENTION_NOT_FOUND: _K.NAME,
    _C.WORD_REPLACED: _K.NAME,
    _C.OUTCOME_NOT_FOUND: _K.CONTENT,
    _C.CONTENT_NOT_FOUND: _K.CONTENT,
}
_SHOWN = re.compile(r"""(?P<quote>['"])(?P<name>.*?)(?P=quote)""")
_DIGITS = re.compile(r"\d+")
_OF_WORDING = frozenset({_C.CONTENT_NOT_FOUND, _C.OUTCOME_NOT_FOUND})


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one claim."""

    id: int
    """Within its claim, from 1."""
    kind: QuestionKind
    reasons: tuple[VerdictReason, ...] = ()
    """The suspicions that the answer may dispel; none for a claim that code supports."""
    cell: Cell | None = None
    """The number in question, with the claim's words around it."""
    digits: frozenset[str] = frozenset()
    """The numbers of a name in question: "1" of "type 1"."""

    @property
    def words(self) -> str:
        """The question, without a word that is not ours."""
        return WORDS[self.kind]

    @property
    def shown(self) -> str:
        """The question with the number that it is about."""
        return self.words.replace(_NUMBER, repr(self.cell.quantity.text)) if self.cell else self.words

    @property
    def suspected(self) -> str:
        """What looks wrong, in the words of the checks; they hold words of claim and source."""
        return "; ".join(reason.detail for reason in self.reasons)


@dataclass(frozen=True, slots=True)
class QuestionedClaim:
    """A claim with what is asked about it."""

    id: int
    """Within the call, from 1."""
    claim: ClaimVerdict
    questions: tuple[Question, ...]


def claims_to_ask(
    sections: Sequence[AnswerSection],
    items: Sequence[EvidenceItem],
    *,
    known: frozenset[ClaimKey] = frozenset(),
    thresholds: GateThresholds = THRESHOLDS,
) -> tuple[QuestionedClaim, ...]:
    """The claims that a judge is asked about, each with its questions.

    Args:
        known: claims that a judge has let stand already.
    """
    by_number = {item.n: item for item in items}
    texts = {n: item.text for n, item in by_number.items()}
    wanted = [
        claim
        for section in sections
        for claim in section.claims
        if (claim.text, claim.citations) not in known
        and (is_suspected(claim) or (claim.verdict is Verdict.SUPPORTED and not _is_copy(claim, texts)))
    ][:MAX_CLAIMS]
    return tuple(
        QuestionedClaim(
            i, claim, questions_of(claim, [by_number[n] for n in claim.citations if n in by_number], thresholds)
        )
        for i, claim in enumerate(wanted, start=1)
    )


def is_suspected(claim: ClaimVerdict) -> bool:
    """Whether there are suspicions against it that a judge may answer, and nothing else."""
    return (
        claim.verdict is Verdict.NOT_CONFIRMED
        and bool(claim.reasons)
        and all(r.kind is FindingKind.SUSPICION and r.code in _KINDS for r in claim.reasons)
    )


def _is_copy(claim: ClaimVerdict, texts: dict[int, str]) -> bool:
    return any(find_quote(claim.text.rstrip("."), texts.get(n, "")) for n in claim.citations)


def questions_of(
    claim: ClaimVerdict, cited: Sequence[EvidenceItem], thresholds: GateThresholds = THRESHOLDS
) -> tuple[Question, ...]:
    """One question per number in question and per kind of suspicion; the whole of a claim without any."""
    if not claim.reasons:
        return (Question(1, QuestionKind.WHOLE),)
    passages = [read_passage(item) for item in cited]
    cells = claim_cells(claim.text, passages)
    grouped: dict[tuple[QuestionKind, int], list[VerdictReason]] = {}
    at = {cell.quantity.start: cell for cell in cells}
    for reason in (*claim.reasons, *_of_wording(claim, passages, thresholds)):
        grouped.setdefault(_kind_of(reason, cells), []).append(reason)
    return tuple(
        Question(i, kind, tuple(reasons), at.get(start), _digits(reasons) if kind is QuestionKind.NAME else frozenset())
        for i, ((kind, start), reasons) in enumerate(grouped.items(), start=1)
    )


def claim_cells(text: str, passages: Sequence[Passage]) -> tuple[Cell, ...]:
    """The numbers of a claim as the checks read them, with both forms of the abbreviations of its sources."""
    return expanded_cells(read_cells(without_authors(text)), tuple(d for p in passages for d in p.defined))


def _kind_of(reason: VerdictReason, cells: Sequence[Cell]) -> tuple[QuestionKind, int]:
    """The kind of question, and where the claim has the number in question; -1 where it is about none."""
    kind = _KINDS[reason.code]
    if kind is not QuestionKind.NUMBER:
        return kind, -1
    named = [c for c in cells if repr(c.quantity.text) in reason.detail]
    if not named:  # the number is part of a name: "type 1", "COVID-22"
        return QuestionKind.NAME, -1
    # The number in question is named first, what stands in its place after it.
    cell = min(named, key=lambda c: reason.detail.index(repr(c.quantity.text)))
    return (QuestionKind.COUNT if reason.code is _C.NUMBER_NOT_FOUND else kind), cell.quantity.start


def _digits(reasons: Sequence[VerdictReason]) -> frozenset[str]:
    """The numbers of the names that no source has with these numbers."""
    shown = [_SHOWN.match(r.detail) for r in reasons if r.code is _C.NUMBER_NOT_FOUND]
    return frozenset(number for match in shown if match for number in _DIGITS.findall(match["name"]))


def _of_wording(
    claim: ClaimVerdict, passages: Sequence[Passage], thresholds: GateThresholds
) -> tuple[VerdictReason, ...]:
    """What the gate has not looked at: it checks the wording only of claims against which there is nothing else."""
    if any(reason.code in _OF_WORDING for reason in claim.reasons):
        return ()
    bare = without_authors(claim.text)
    found = check_wording(bare, find_support(bare, passages, thresholds), passages, thresholds)
    return tuple(finding.reason for finding in found)
