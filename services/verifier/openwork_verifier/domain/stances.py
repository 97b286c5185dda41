"""What sentences say of effects, by words and by figures: which way, of what, for which side, and how surely.

One reader for claims and sources. The words around a cue are weighed by how near they stand to it, as those around a
number are (`nearness`), so that "lower A, but not B" says one thing of A and another of B.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from math import fsum

from openwork_contracts.measures import DIFFERENCES, RATIOS
from openwork_language.cells.cell import ACTIVE, AFTER, BEFORE, CONTROL, WITHOUT, Cell
from openwork_language.cells.contrasts import Contrast, find_contrasts
from openwork_language.cells.nearness import words_near
from openwork_language.cells.read import read_cells
from openwork_language.cells.times import read_times
from openwork_language.effects.find import Certainty, Direction, EffectStatement, conflict, find_effects
from openwork_language.effects.valence import as_sign
from openwork_language.effects.words import NOT_REACHED
from openwork_language.quantities.quantity import Quantity, QuantityKind
from openwork_language.wording import concepts

from openwork_verifier.domain.frequencies import rarity

_D = Direction
_K = QuantityKind
_ARM_KINDS = frozenset({_K.PERCENT, _K.RATE, _K.DURATION, _K.MEASUREMENT, _K.FRACTION, _K.COUNT})
_OUTCOME_KINDS = frozenset({_K.PERCENT, _K.RATE, _K.FRACTION})
"""Of these two arms' figures say something without a p value; counts and times may be of anything."""
_ROLES = frozenset({CONTROL, ACTIVE})
_BOUNDS = frozenset({">", ">=", "<", "<="})
_LACKING = frozenset({WITHOUT})
_FAVOUR = re.compile(r"favou?r\w*\s+(?:of\s+)?(?:the\s+)?(?P<side>(?:[\w-]+\s?){1,5})", re.IGNORECASE)
_WITH_ONE = re.compile(
    r"\s*(?:(?:frequent|common|often|likely|prevalent)(?:ly)?\s+)?"
    r"with\s+(?P<side>[^\s,;:.()]+(?:\s+[^\s,;:.()]+){0,2})\s*(?=[(.;,]|$)"
)
"""Behind a cue the one side that is named: "less frequent with A (2% v 3%)"; what it is compared with goes without
saying."""
_CLAUSE = re.compile(
    r"[;:]|\.\s|,\s(?:and|but|whereas|while)\s|\b(?:whereas|while|but|although|however)\b", re.IGNORECASE
)
_OPPOSITE = {_D.LOWER: _D.HIGHER, _D.HIGHER: _D.LOWER, _D.BETTER: _D.WORSE, _D.WORSE: _D.BETTER}
_SAID_BEHIND = 60
"""Characters behind the end of a clause."""
_FOR_NONINFERIORITY = re.compile(r"\s*(?:for|in\s+the\s+test\s+of)\s+non-?\s?inferiority", re.IGNORECASE)
_SURVIVAL = "surviv"
_SPECIFIC = 0.5
_ALPHA = Decimal("0.05")
_ONE = Decimal(1)


@dataclass(frozen=True, slots=True)
class Stance:
    """One effect that a sentence states."""

    net: Direction
    words: Mapping[str, float]
    """Concept -> nearness to what says it."""
    first: frozenset[str]
    """Concepts of the side of which it is said; empty where none is named."""
    second: frozenset[str]
    """Concepts of what that side is compared with; empty where none is named."""
    text: str
    """The words or figures that say it."""
    open: bool = False
    """A question or an aim: nothing is stated."""
    by_figures: bool = False
    is_pair: bool = False
    """Two figures, of one side each."""
    hedged: bool = False
    weak: bool = False
    """Seen, but said not to be significant."""
    figures: tuple[int, ...] = ()
    """Where the numbers start that show it."""


@lru_cache(maxsize=8192)
def stances_in(text: str) -> tuple[Stance, ...]:
    """Every effect of a sentence, those in words first."""
    return (*_in_words(text), *_in_figures(text))


def _in_words(text: str) -> Iterator[Stance]:
    effects = find_effects(text)
    contrasts = find_contrasts(text)
    clauses = [0, *(m.start() for m in _CLAUSE.finditer(text)), len(text)]
    not_reached = [(m.start(), m.end()) for m in NOT_REACHED.finditer(text)]
    at = {e.start: Quantity(_K.COUNT, text[e.start : e.end], e.start, e.end, value=_ONE) for e in effects}
    for i, effect in enumerate(effects):
        others = [q for start, q in at.items() if start != effect.start]
        contrast = _contrast_at(effect, contrasts)
        first, second = contrast.sides if contrast else (_subject(text, effect), frozenset())
        near = text[max(0, effect.start - 60) : effect.end + 60]
        until = effects[i + 1].start if i + 1 < len(effects) else len(text)
        null = effect.net in {_D.NO_DIFFERENCE, _D.NON_INFERIOR}
        stance = Stance(
            as_sign(effect.net, text[effect.start : effect.end], near),
            words_near(text, at[effect.start], others),
            first,
            second,
            text[effect.start : effect.end],
            open=effect.certainty is Certainty.OPEN,
            hedged=effect.certainty is Certainty.HEDGED,
            weak=not null and (_is_said_weak(effect, clauses, not_reached) or _figures_deny(text, effect.end, until)),
        )
        yield stance
        if stance.weak:
            yield replace(stance, net=_D.NO_DIFFERENCE, weak=False)


def _is_said_weak(effect: EffectStatement, clauses: Sequence[int], said: Sequence[tuple[int, int]]) -> bool:
    """Whether "not significant" is said in a cue's clause, or opens the next one: "higher, but not significantly"."""
    start = max(c for c in clauses if c <= effect.start)
    ends = [c for c in clauses if c > effect.start]
    return any(start <= a < ends[0] or (a <= ends[0] + 2 and b - ends[0] <= _SAID_BEHIND) for a, b in said if b > start)


def _figures_deny(text: str, start: int, end: int) -> bool:
    """Whether the first p value or interval of a ratio behind a cue, before the next cue, shows no difference."""
    for cell in read_cells(text):
        quantity = cell.quantity
        if not start <= quantity.start < end:
            continue
        if quantity.kind is _K.P_VALUE:
            return not is_significant(quantity)
        net = _of_ratio(cell)
        if net is not None:
            return net is _D.NO_DIFFERENCE
    return False


def _subject(text: str, effect: EffectStatement) -> frozenset[str]:
    """The words before a cue in its clause; after "in favour of" those that follow."""
    favoured = _FAVOUR.match(text, effect.start)
    if favoured:
        return concepts(favoured["side"])
    clause = _CLAUSE.split(text[max(0, effect.start - 160) : effect.start])[-1]
    if (behind := _WITH_ONE.match(text, effect.end)) and (side := concepts(behind["side"])):
        return side
    return frozenset() if effect.inverted else concepts(clause)


def _contrast_at(effect: EffectStatement, contrasts: tuple[Contrast, ...]) -> Contrast | None:
    """The comparison that a cue is about: the nearest one."""
    return min(contrasts, key=lambda c: min(abs(c.start - effect.end), abs(c.end - effect.start)), default=None)


def _in_figures(text: str) -> Iterator[Stance]:
    times = {place for place, _ in read_times(text)}
    cells = [cell for cell in read_cells(text) if not cell.attached]
    pairs: list[Stance] = []
    for i, one in enumerate(cells):
        other = next((c for c in cells[i + 1 :] if _same_kind(one, c)), None)
        if other is None or one.quantity.kind not in _ARM_KINDS or one.quantity.start in times:
            continue
        if _is_change(text, one, other) or _of_four(text, one, cells):
            continue
        p = _p_behind(other, cells)
        if p is not None and _FOR_NONINFERIORITY.match(text, p.end):
            p = None
        if p is not None or (one.quantity.kind in _OUTCOME_KINDS and one.arm and other.arm):
            stance = _of_pair(one, other, p)
            if stance is not None:
                pairs.append(stance)
    yield from pairs
    contrasts = find_contrasts(text)
    first, second = contrasts[0].sides if contrasts else (frozenset[str](), frozenset[str]())
    if pairs and not contrasts:  # "2% with A and 3% with B (HR 0.69)": the ratio is of these two
        first, second = pairs[-1].first, pairs[-1].second
    for cell in cells:
        net = _of_ratio(cell)
        if cell.quantity.measure == "HR" and _SURVIVAL in cell.words:
            continue  # a hazard below 1 is longer survival, and fewer deaths: the words tell which is meant
        if net is not None:
            at = (cell.quantity.start,)
            yield Stance(net, cell.words, first, second, _shown(cell), by_figures=True, figures=at)


def _is_change(text: str, one: Cell, other: Cell) -> bool:
    """ "Fell from 32.9% to 29.4% (P<0.001)": one side at two times. "5-, 10-, and 15-mg": a list of doses."""
    a, b = one.quantity, other.quantity
    if text[a.end : a.end + 1] == "-" or text[b.end : b.end + 1] == "-":
        return True
    return (
        text[: a.start].rstrip().lower().endswith("from")
        and re.match(r"\D{0,20}\bto\b", text[a.end : b.start]) is not None
    )


def _of_four(text: str, one: Cell, cells: Sequence[Cell]) -> bool:
    """ "4.6 and 3.4 compared with 7.1 and 4.4, respectively": the next figure is no other side's."""
    return "respectively" in text and sum(_same_kind(one, c) for c in cells) > 2


def stances_of_row(cells: Sequence[Cell]) -> tuple[Stance, ...]:
    """The effects that the figures of a table's row show: its ratios with their interval or p value."""
    found = []
    for cell in cells:
        net = _of_ratio(cell)
        if net is not None and not cell.attached:
            found.append(Stance(net, cell.words, frozenset(), frozenset(), _shown(cell), by_figures=True))
    return tuple(found)


def _same_kind(one: Cell, other: Cell) -> bool:
    a, b = one.quantity, other.quantity
    return a.kind is b.kind and a.unit == b.unit and a.start != b.start


def _p_behind(other: Cell, cells: Sequence[Cell]) -> Quantity | None:
    """The p value that stands behind the second of two figures, before the next one of their kind."""
    if other.p_value is not None:
        return other.p_value
    later = [c for c in cells if c.quantity.start > other.quantity.start]
    for cell in later[:2]:
        if _same_kind(cell, other):
            return None
        if cell.p_value is not None:
            return cell.p_value
    return None


def _of_pair(one: Cell, other: Cell, p: Quantity | None) -> Stance | None:
    """Two figures of one kind, each of its own side: which has more, or neither if their p value says so."""
    a, b = one.quantity, other.quantity
    first = (one.arm or _nearer(one, other)) - {""}
    second = (other.arm or _nearer(other, one)) - {""}
    if not first or not second:
        return None
    if {a.operator, b.operator} & _BOUNDS:
        return None  # ">40% but fell by 10% or more": limits, and nobody's results
    if p is not None and not is_significant(p):
        net = _D.NO_DIFFERENCE
    elif _share(a) == _share(b):
        return None
    else:
        net = _D.LOWER if _share(a) < _share(b) else _D.HIGHER
    if AFTER in second or BEFORE in first:  # "28.6% at diagnosis v 13.2% after a year": it fell
        first, second, net = second, first, _OPPOSITE.get(net, net)
    words = {w: max(one.words.get(w, 0.0), other.words.get(w, 0.0)) for w in {*one.words, *other.words}}
    shown = f"{a.text} v {b.text}" + (f", {p.text}" if p else "")
    at = (a.start, b.start)
    return Stance(net, words, first, second, shown, by_figures=True, is_pair=True, weak=p is None, figures=at)


def _share(quantity: Quantity) -> Decimal:
    return quantity.value / quantity.total if quantity.total else quantity.value


def _nearer(one: Cell, other: Cell) -> frozenset[str]:
    return frozenset(word for word, near in one.words.items() if near > 1.5 * other.words.get(word, 0.0))


def is_significant(p: Quantity) -> bool:
    """Whether a p value, as printed, is below 0.05."""
    return p.value < _ALPHA or (p.value == _ALPHA and p.operator in {"<", "<="})


def _of_ratio(cell: Cell) -> Direction | None:
    """The direction of a ratio or difference with its interval; no difference where it holds no effect."""
    quantity, interval = cell.quantity, cell.interval
    if quantity.measure in RATIOS:
        null = _ONE
    elif quantity.measure in DIFFERENCES:
        null = Decimal(0)
    else:
        return None
    if interval is not None and interval.high is not None:
        if interval.low <= null <= interval.high:
            return _D.NO_DIFFERENCE
        return _D.LOWER if interval.high < null else _D.HIGHER
    if cell.p_value is not None:
        if not is_significant(cell.p_value):
            return _D.NO_DIFFERENCE
        return _D.LOWER if quantity.value < null else _D.HIGHER
    return None


def null_of(cell: Cell) -> bool:
    """Whether a ratio or difference shows, by its interval or p value, no difference."""
    return _of_ratio(cell) is _D.NO_DIFFERENCE


def _shown(cell: Cell) -> str:
    parts = (cell.quantity.text, cell.interval.text if cell.interval else "", cell.p_value.text if cell.p_value else "")
    return ", ".join(part for part in parts if part)


def likeness(claim: Stance, source: Stance) -> float:
    """How far two effects are of the same thing, in [0, 1]: the words near the claim's that stand near the source's.

    The words of the compared sides count less: every result of a study has them.
    """
    sides = claim.first | claim.second
    weights = {w: near * rarity(w) * (0.4 if w in sides else 1.0) for w, near in claim.words.items()}
    total = fsum(weights.values())
    got = fsum(value * min(1.0, source.words.get(w, 0.0) * 1.5) for w, value in weights.items())
    return got / total if total else 0.0


def nearer(claim: Stance, one: Stance, other: Stance) -> float:
    """By how much the words of a claim's effect stand nearer to one effect of a source than to another; may be < 0."""
    return fsum(near * rarity(w) * (one.words.get(w, 0.0) - other.words.get(w, 0.0)) for w, near in claim.words.items())


def is_turned(claim: Stance, source: Stance) -> bool:
    """Whether the source speaks of the claim's other side: "lower with A than with B" for "higher with B"."""
    straight, crossed = _sides_shared(claim, source)
    if not claim.second and straight == 0 and "alon" in source.words:
        return False  # "A on top of B" has B in it; "B alone" is the other side all the same
    if straight == crossed == 0:
        # "Higher in the controls than in the exercise group": the claim's subject is what was tested.
        return CONTROL in source.first and CONTROL not in claim.first
    if source.second and not claim.first & source.second and not claim.second & source.first - _ROLES:
        return False
    if not source.second and crossed > straight:
        # "A with B was superior" names both: only what the claim's other side alone has turns it.
        return not (claim.words.keys() - claim.second) & {w for w in source.first if rarity(w) > _SPECIFIC}
    return crossed > straight


def names_a_side(claim: Stance, source: Stance) -> bool:
    """Whether one of the source's two sides can be told to be the claim's."""
    straight, crossed = _sides_shared(claim, source)
    return straight != crossed


def _sides_shared(claim: Stance, source: Stance) -> tuple[float, float]:
    """How far the sides are the same in this order, and exchanged."""
    first, second = _named(claim.first), _named(claim.second)
    return (
        _shared(first, _named(source.first)) + _shared(second, _named(source.second)),
        _shared(first, _named(source.second)) + _shared(second, _named(source.first)),
    )


def _named(side: frozenset[str]) -> frozenset[str]:
    """Of "no supplementation" only that it is without: what is lacking is the other side's."""
    return frozenset({CONTROL, WITHOUT}) if side & _LACKING else side


def _shared(a: frozenset[str], b: frozenset[str]) -> float:
    return sum(0.5 if word in _ROLES else 1.0 for word in a & b)


def seen_from(claim: Stance, source: Stance) -> Direction:
    """Which way the source's effect goes as the claim's side would tell it."""
    return _OPPOSITE.get(source.net, source.net) if is_turned(claim, source) else source.net


def agrees(claim: Stance, source: Stance) -> bool:
    """Whether the source bears the claim's effect out. What it saw and calls not significant bears out "tended to"."""
    net = seen_from(claim, source)
    if source.weak and not source.by_figures and not claim.weak:
        return False
    if claim.net is _D.DIFFERENT:
        return net is _D.DIFFERENT or net in _OPPOSITE
    if claim.net is _D.NO_DIFFERENCE:
        return net in {_D.NO_DIFFERENCE, _D.NON_INFERIOR}
    return claim.net is net


def opposes(claim: Stance, source: Stance) -> bool:
    """Whether the source denies the claim's effect. Neither figures without a p value deny "no difference"."""
    if source.weak and claim.net is _D.NO_DIFFERENCE:
        return False
    return conflict(claim.net, seen_from(claim, source))
