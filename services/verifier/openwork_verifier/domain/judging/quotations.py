"""A judge's quotation where it stands, read to the ends of its clause, and what code finds in it.

Nothing is read from the quotation's own ends: "3.1% with A and B" out of "2.1% and 3.1% with A and B", or "lower
mortality" out of "did not lower mortality", would say what the source does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from openwork_contracts.question import EntityKind
from openwork_contracts.verdict import EvidenceItem, EvidenceSpan
from openwork_evidence.quotes import find_quote
from openwork_language.cells.cell import ACTIVE, CONTROL, Cell
from openwork_language.cells.contrasts import role_of
from openwork_language.cells.times import read_times
from openwork_language.quantities.compare import Agreement, Quantity, compare
from openwork_language.terms import Term, find_terms
from openwork_language.wording import concepts, content, near_match, without_authors

from openwork_verifier.domain.naming import is_same_thing
from openwork_verifier.domain.passages import Passage, PassageSentence, expanded, read_passage
from openwork_verifier.domain.rivals import Place, fit, rival_of
from openwork_verifier.domain.stances import agrees, likeness, opposes, stances_in

MIN_SHARED = 2
"""Least content words that a claim and the quotation for it share: else it was quoted at random."""
NEAR = 0.1
"""Nearness from which a word of the claim belongs to the number in question: beyond another number little is left."""
ABOUT_A_TIME = 0.05
"""By what share two time points may differ and be one: 12 months of 30 days are a year of 365."""
_ROLES = frozenset({CONTROL, ACTIVE})
_BREAK = re.compile(r";|\b(?:whereas|while|but|although|though|however)\b", re.IGNORECASE)
"""Ends of clauses. "And" is none: "2.1% and 3.1% with A and B, respectively"."""
_PARTS = re.compile(r"[,;]|\band\b|\bor\b", re.IGNORECASE)


@dataclass(frozen=True)
class Quotation:
    """Words of a source, found there."""

    passage: Passage
    start: int
    end: int

    @cached_property
    def text(self) -> str:
        """The words as the source has them."""
        return self.passage.item.text[self.start : self.end]

    @property
    def span(self) -> EvidenceSpan:
        """As the contract says it."""
        return self.passage.span(self.text, self.start, self.end)

    @cached_property
    def clauses(self) -> tuple[tuple[PassageSentence, int, int], ...]:
        """The sentences it touches, each with the part [start, end) of its text up to the ends of the quoted clause."""
        found = []
        for sentence in self.passage.sentences:
            start, end = max(self.start - sentence.start, 0), min(self.end - sentence.start, len(sentence.text))
            if start < end:
                breaks = list(_BREAK.finditer(sentence.text))
                before = max((m.end() for m in breaks if m.end() <= start), default=0)
                behind = min((m.start() for m in breaks if m.start() >= end), default=len(sentence.text))
                found.append((sentence, before, behind))
        return tuple(found)

    @cached_property
    def words(self) -> frozenset[str]:
        """Concepts of the quotation, with both forms of its source's abbreviations; of a table row its header too."""
        rows = [s.row.words for s, _, _ in self.clauses if s.row is not None]
        return expanded(concepts(self.text).union(*rows), self.passage.defined)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The numbers of its clauses, each in the cell that its whole sentence gives it."""
        return tuple(
            Place(self.passage, sentence, cell)
            for sentence, start, end in self.clauses
            for cell in sentence.cells
            if start <= cell.quantity.start and cell.quantity.end <= end
        )

    def quotes(self, place: Place) -> bool:
        """Whether the number itself is quoted, and not only its clause."""
        at = place.sentence.start
        return self.start <= at + place.cell.quantity.start and at + place.cell.quantity.end <= self.end


def find_quotation(quote: str, item: EvidenceItem) -> Quotation | None:
    """The quotation in its source; `None` where it does not stand there."""
    found = find_quote(quote, item.text)
    return Quotation(read_passage(item), found.start, found.end) if found else None


def shares_words(claim: str, quotation: Quotation) -> bool:
    """Whether the two speak of the same: two content words of the claim, or its only one, and no other drug."""
    own = content(claim)
    if _names_another_drug(claim, quotation):
        return False
    return len(_held(own, quotation.words)) >= min(MIN_SHARED, len(own)) > 0


def _names_another_drug(claim: str, quotation: Quotation) -> bool:
    """Whether the quotation lacks a drug of the claim and has one that the claim lacks: it is of something else."""
    mine, theirs = _drugs(claim), _drugs(quotation.text)
    lacks = any(not any(is_same_thing(a, b) for b in theirs) for a in mine)
    return lacks and any(not any(is_same_thing(a, b) for a in mine) for b in theirs)


def _drugs(text: str) -> list[Term]:
    return [term for term in find_terms(text) if term.kind is EntityKind.DRUG]


def _held(words: frozenset[str], pool: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word in pool or near_match(word, pool))


def holds_number(cell: Cell, quotation: Quotation) -> bool:
    """Whether the claim's number, or another figure of its kind, is quoted."""
    return any(
        quotation.quotes(place)
        and compare(cell.quantity, place.cell.quantity) in {Agreement.SAME, Agreement.OTHER_VALUE}
        for place in quotation.places
    )


def binds_number(cell: Cell, others: Sequence[Cell], quotation: Quotation, told: tuple[str, str, str]) -> bool:
    """Whether the number is quoted with the claim's arm and outcome, and nothing there says that it is another's.

    Args:
        cell: the number in question, as the claim has it.
        others: the other numbers of the claim.
        told: arm, outcome and time as the judge names them; empty where it does not.
    """
    same = [p for p in quotation.places if quotation.quotes(p) and is_same_number(cell.quantity, p.cell.quantity)]
    bound = _as_told(cell, quotation, told)
    if bound is None or not _names_its_words(bound, quotation):
        return False
    arm = concepts(told[0])
    return any(
        not _are_apart(bound.times, place.cell.times)
        and not (arm and _stands_nearer_another(cell, arm, place, quotation.places))
        and rival_of(bound, place, quotation.places, others, {}) is None
        and all(fit(bound, place.cell) >= fit(bound, other.cell) for other in _competing(place, quotation.places))
        for place in same
    )


def is_same_number(claim: Quantity, source: Quantity) -> bool:
    """Equal by value and unit; a fall of 1.5 is a change of -1.5."""
    if compare(claim, source) is Agreement.SAME:
        return True
    return source.value < 0 < claim.value and compare(claim, replace(source, value=-source.value)) is Agreement.SAME


def _as_told(cell: Cell, quotation: Quotation, told: tuple[str, str, str]) -> Cell | None:
    """The claim's number with the arm, outcome and time that the judge named; `None` where the claim has others."""
    arm, outcome, time = told
    arm_words, outcome_words = concepts(arm), concepts(outcome)
    mine = frozenset(cell.words) | cell.arm | cell.outcome
    own_arm = cell.arm - _ROLES
    if arm_words:
        here = _held(arm_words, own_arm or mine) or (role_of(arm) and role_of(arm) in cell.arm)
        if not here or not _held(arm_words, quotation.words):
            return None
    if outcome_words and not (_held(outcome_words, mine) and _held(outcome_words, quotation.words)):
        return None
    named = frozenset(t for _, t in read_times(f"at {time}")) if time else frozenset()
    if _are_apart(named, cell.times):
        return None
    if not arm_words or not outcome_words:
        return cell
    return replace(cell, words=dict.fromkeys(_held(arm_words | outcome_words, mine), 1.0))


def _competing(place: Place, places: Sequence[Place]) -> list[Place]:
    """Other figures of the same kind and unit."""
    own = place.cell.quantity
    same_kind = [p for p in places if p.cell.quantity.kind is own.kind and p.cell.quantity.unit == own.unit]
    return [p for p in same_kind if compare(own, p.cell.quantity) is Agreement.OTHER_VALUE]


def _stands_nearer_another(cell: Cell, arm: frozenset[str], place: Place, places: Sequence[Place]) -> bool:
    """Whether the claim's number stands beside words that the source has beside another figure, and not beside the arm.

    A judge that names the source's arm and calls a claim about the other arm entailed is not believed.
    """
    rivals = [other.cell.words for other in _competing(place, places)]
    theirs = {w for words in rivals for w, kept in words.items() if kept > place.cell.words.get(w, 0.0)} - arm
    mine = max((cell.words.get(word, 0.0) for word in arm), default=0.0)
    return any(cell.words.get(word, 0.0) > mine for word in theirs)


def _names_its_words(cell: Cell, quotation: Quotation) -> bool:
    """Whether the words beside the claim's number stand in the quotation: two of them, one of its arm's among them."""
    arm = cell.arm - _ROLES
    roles = {role_of(sentence.text[start:end]) for sentence, start, end in quotation.clauses}
    if arm and not _held(arm, quotation.words) and not cell.arm & _ROLES & roles:
        return False
    near = frozenset(word for word, kept in cell.words.items() if kept >= NEAR and word not in _ROLES)
    return len(_held(near, quotation.words)) >= min(MIN_SHARED, len(near)) > 0


def _are_apart(some: frozenset[str], others: frozenset[str]) -> bool:
    """Whether both name time points ("360 day") and none of one is one of the other."""
    return bool(some and others) and not any(_is_same_time(a, b) for a in some for b in others)


def _is_same_time(one: str, other: str) -> bool:
    (a, unit), (b, other_unit) = one.split(" ", 1), other.split(" ", 1)
    return unit == other_unit and abs(float(a) - float(b)) <= ABOUT_A_TIME * max(float(a), float(b))


def lists_so_many(cell: Cell, quotation: Quotation) -> bool:
    """Whether the quotation has at least as many parts as the claim counts."""
    return len(_PARTS.findall(quotation.text)) + 1 >= cell.quantity.value


def holds_digits(digits: frozenset[str], quotation: Quotation) -> bool:
    """Whether the numbers of a name stand in the quotation."""
    return digits <= frozenset(re.findall(r"\d+", quotation.text))


def balance(claim: str, quotation: Quotation) -> tuple[bool, bool]:
    """Whether the quoted clauses bear an effect of the claim out, and whether they deny one more than that."""
    borne_out = denied = False
    sources = [s for sentence, a, b in quotation.clauses for s in stances_in(sentence.text[a:b]) if not s.open]
    # The compared sides are the same in every result of a study: what was measured tells which one the claim means.
    sides = frozenset().union(*(s.first | s.second for s in sources))
    for stance in stances_in(without_authors(claim)):
        if stance.open or stance.by_figures:
            continue
        stance = replace(stance, words={w: k for w, k in stance.words.items() if w not in sides} or stance.words)
        agree = max((likeness(stance, s) for s in sources if agrees(stance, s)), default=0.0)
        oppose = max((likeness(stance, s) for s in sources if opposes(stance, s)), default=0.0)
        borne_out |= agree > oppose
        denied |= oppose > agree
    return borne_out, denied
