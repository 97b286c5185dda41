"""Every number of a claim must stand in a cited passage, bound to the same arm, outcome and time point."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from openwork_contracts.verdict import ReasonCode, VerdictReason
from openwork_language.numbered_names import NumberedName
from openwork_language.quantities.compare import Agreement, Quantity, QuantityKind, compare, same_slot

from openwork_verifier.domain.slots import Slot, slots_of
from openwork_verifier.domain.support import Scored, Support
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds

_K = QuantityKind
# "Two trials [1][2]" counts the works cited.
_COUNTED_WORKS = re.compile(
    r"^\W*(?:\w+[\s-]){0,3}?(?:trials?|studies|study|reviews?|meta-analys[ei]s|sources?|works|cohorts?|guidelines?|labels?|articles|rcts?)\b",
    re.IGNORECASE,
)
_KIND_OF_WORK = re.compile(
    r"\s+(?:[\w/-]+\s+){0,4}?(?:trial|study|meta-analysis|analysis|review|cohort|guidelines?|label|statement|recommendations?"
    r"|consensus|report|preprint|survey)\b",
    re.IGNORECASE,
)
_AGE = re.compile(r"\b(?:aged?|ages|older|younger|under|over)\b", re.IGNORECASE)
_PRIMARY = re.compile(r"\bprimary\s+(?:\w+\s+)?(?:outcome|end\s?-?point|composite)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NumberFinding:
    """What became of one number of a claim."""

    reason: VerdictReason
    contradicts: bool
    """The same figure of the source has another value."""


def check_numbers(
    text: str,
    citations: Sequence[int],
    support: Support,
    thresholds: GateThresholds = THRESHOLDS,
    *,
    names: Sequence[NumberedName] = (),
) -> tuple[NumberFinding, ...]:
    """Findings for the numbers that are missing, in another unit, or bound to something else.

    Args:
        names: names of the claim that the source has too; the numbers in them count nothing.
    """
    findings = []
    slots = slots_of(text)
    for slot in slots:
        if any(name.start <= slot.quantity.start and slot.quantity.end <= name.end for name in names):
            continue
        if _counts_the_works(slot.quantity, text, citations) or _dates_the_work(slot.quantity, text, support):
            continue
        finding = _check_one(slot, slots, text, support, thresholds)
        if finding is not None:
            findings.append(finding)
    return tuple(findings)


def _counts_the_works(quantity: Quantity, text: str, citations: Sequence[int]) -> bool:
    return (
        quantity.kind is _K.COUNT
        and quantity.value == len(citations)
        and bool(_COUNTED_WORKS.match(text[quantity.end :]))
    )


def _dates_the_work(quantity: Quantity, text: str, support: Support) -> bool:
    """ "STRENGTH (2020) found ...", "in a 2019 meta-analysis": the year of a cited work, from its record."""
    if quantity.value not in {scored.passage.item.year for scored in support.ranked}:
        return False
    before, after = text[: quantity.start], text[quantity.end :]
    return (before.endswith("(") and after[:1] in {")", ";", " "}) or bool(_KIND_OF_WORK.match(after))


def _check_one(
    slot: Slot, claim_slots: Sequence[Slot], text: str, support: Support, thresholds: GateThresholds
) -> NumberFinding | None:
    places = [
        (scored, source)
        for scored in support.ranked
        for source in scored.sentence.slots
        if _is_same(slot.quantity, source.quantity, text)
    ]
    if not places:
        if _by_parts(slot.quantity, support):
            return None
        return _not_found(slot, claim_slots, support, thresholds)
    bound = [(scored, source) for scored, source in places if _is_bound(slot, scored, claim_slots, support, thresholds)]
    if not bound:
        instead = _instead(slot, [o.quantity for o in claim_slots if o is not slot], support, thresholds)
        n = places[0][0].passage.item.n
        detail = (
            f"{slot.quantity.text!r} stands in [{n}] only in a sentence about something else: {_short(places[0][0])!r}"
        )
        if instead is not None:
            detail += f"; where the claim rests, it is {instead[1].text!r}"
        return NumberFinding(VerdictReason(code=ReasonCode.NUMBER_NOT_BOUND, detail=detail), instead is not None)
    unused = _unused_figure(slot, claim_slots, support, thresholds)
    if unused is not None:
        detail = f"{slot.quantity.text!r} is said more often than in the source, which also has {unused.text!r}"
        return NumberFinding(VerdictReason(code=ReasonCode.NUMBER_NOT_BOUND, detail=detail), contradicts=True)
    rivals = [_rival(slot, scored, source, [c.quantity for c in claim_slots], thresholds) for scored, source in bound]
    if all(rival is not None for rival in rivals):
        rival = rivals[0]
        assert rival is not None
        n = bound[0][0].passage.item.n
        detail = f"{slot.quantity.text!r} belongs to something else in [{n}]; there it is {rival.quantity.text!r}"
        return NumberFinding(VerdictReason(code=ReasonCode.NUMBER_NOT_BOUND, detail=detail), contradicts=True)
    return None


def _unused_figure(
    slot: Slot, claim_slots: Sequence[Slot], support: Support, thresholds: GateThresholds
) -> Quantity | None:
    """In a restated sentence: a figure left out while the claim says another one twice ("1 of 10, 1 of 20")."""
    best = support.sentences[0] if support.sentences else support.ranked[0]
    wanted = [c.quantity for c in claim_slots]
    mine = slot.quantity
    copies = sum((q.kind, q.value, q.high, q.unit) == (mine.kind, mine.value, mine.high, mine.unit) for q in wanted)
    found = best.sentence.quantities
    matching = sum(compare(slot.quantity, q) is Agreement.SAME for q in found)
    if best.share < thresholds.verbatim_share or not 0 < matching < copies:
        return None
    return next(
        (
            q
            for q in found
            if compare(slot.quantity, q) is Agreement.OTHER_VALUE
            and not any(compare(w, q) is Agreement.SAME for w in wanted)
        ),
        None,
    )


def _is_bound(
    slot: Slot, scored: Scored, claim_slots: Sequence[Slot], support: Support, thresholds: GateThresholds
) -> bool:
    """Whether the sentence is about what the claim is about, and no better sentence has a figure of its own for it."""
    best = support.sentences[0] if support.sentences else support.ranked[0]
    if scored.sentence is best.sentence:
        return True
    if best.share < thresholds.verbatim_share and any(scored.sentence is s.sentence for s in support.sentences):
        return True
    least = thresholds.primary_share if _PRIMARY.search(scored.sentence.text) else thresholds.bound_share
    if scored.share < least * best.share:
        return False
    restated = best.share >= thresholds.verbatim_share
    if scored.share >= (thresholds.restated_rival_share if restated else thresholds.rival_share) * best.share:
        return True
    others = [other.quantity for other in claim_slots if other is not slot]
    return not any(
        compare(slot.quantity, source) is Agreement.OTHER_VALUE
        and not any(compare(other, source) is Agreement.SAME for other in others)
        for source in best.sentence.quantities
    )


def _is_same(claim: Quantity, source: Quantity, text: str) -> bool:
    if compare(claim, source) is Agreement.SAME:
        return True
    if claim.kind is _K.COUNT and source.unit == "year" and _AGE.search(text):
        # "older than 18" for "18 years of age".
        return compare(replace(claim, unit="year", kind=source.kind), source) is Agreement.SAME
    if source.value < 0 < claim.value and source.high is None and claim.high is None:
        # "fell by 1.5" for a change of -1.5.
        falls = re.search(
            r"\b(?:reduc|lower|decreas|declin|fell|drop|loss|less|lost|fewer|shorter)", text, re.IGNORECASE
        )
        return bool(falls) and compare(claim, replace(source, value=-source.value)) is Agreement.SAME
    return False


def _by_parts(claim: Quantity, support: Support) -> bool:
    """n of N where the source gives n and N apart, in one sentence; a range whose ends stand apart."""
    if claim.kind is _K.INTERVAL:
        return False
    if claim.total is not None:
        ends = [replace(claim, kind=_K.COUNT, value=v, total=None) for v in (claim.value, claim.total)]
    elif claim.high is not None:
        kind = _K.MEASUREMENT if claim.unit else _K.COUNT
        ends = [replace(claim, kind=kind, value=v, high=None) for v in (claim.value, claim.high)]
    else:
        return False
    return any(
        all(any(compare(end, source) is Agreement.SAME for source in scored.sentence.quantities) for end in ends)
        for scored in support.sentences
    )


def _not_found(slot: Slot, claim_slots: Sequence[Slot], support: Support, thresholds: GateThresholds) -> NumberFinding:
    quantity = slot.quantity
    others = [other.quantity for other in claim_slots if other is not slot]
    for scored in support.sentences:
        for source in scored.sentence.quantities:
            if compare(quantity, source) is Agreement.OTHER_UNIT:
                detail = f"{quantity.text!r}: [{scored.passage.item.n}] has {source.text!r}"
                contradicts = scored.share >= thresholds.topical_share
                return NumberFinding(VerdictReason(code=ReasonCode.UNIT_MISMATCH, detail=detail), contradicts)
    code = ReasonCode.INTERVAL_MISMATCH if quantity.kind is _K.INTERVAL else ReasonCode.NUMBER_NOT_FOUND
    instead = _instead(slot, others, support, thresholds)
    if instead is None:
        detail = f"{quantity.text!r} is in no cited passage"
        return NumberFinding(VerdictReason(code=code, detail=detail), contradicts=False)
    scored, other = instead
    detail = f"{quantity.text!r} is in no cited passage; [{scored.passage.item.n}] has {other.text!r} in its place"
    return NumberFinding(VerdictReason(code=code, detail=detail), contradicts=True)


def _instead(
    slot: Slot, others: Sequence[Quantity], support: Support, thresholds: GateThresholds
) -> tuple[Scored, Quantity] | None:
    """The source's figure in the same place, if the sentence is about the same and the claim does not use it."""
    for scored in support.sentences:
        if scored.share < thresholds.instead_share:
            continue
        free = [
            source
            for source in scored.sentence.slots
            if same_slot(slot.quantity, source.quantity)
            and not any(compare(other, source.quantity) is Agreement.SAME for other in others)
        ]
        if free:
            best = max(free, key=lambda source: len(source.near & slot.near))
            return scored, best.quantity
    return None


def _rival(
    claim: Slot, scored: Scored, source: Slot, claimed: Sequence[Quantity], thresholds: GateThresholds
) -> Slot | None:
    """Another figure of the same kind in the sentence whose words fit the claim's number better."""
    best: Slot | None = None
    for other in scored.sentence.slots:
        if other is source or compare(claim.quantity, other.quantity) is not Agreement.OTHER_VALUE:
            continue
        here = claim.near & (source.near - other.near)
        there = claim.near & (other.near - source.near)
        named = any(compare(q, other.quantity) is Agreement.SAME for q in claimed if q is not claim.quantity)
        fits = len(there) >= thresholds.rival_fit * len(other.near - source.near)
        if there and not here and fits and (named or len(there) > 1):
            best = other
    return best


def _short(scored: Scored) -> str:
    text = " ".join(scored.sentence.text.split())
    return text if len(text) <= 90 else text[:87] + "..."
