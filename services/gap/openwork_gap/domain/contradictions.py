"""Opposite results of two documents for the same comparison and outcome, from structured results and from sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from openwork_contracts.evidence import EvidenceCandidate, OutcomeResult, StudyDesign
from openwork_contracts.gap import Contradiction
from openwork_contracts.measures import RATIOS
from openwork_knowledge.patterns import pattern
from openwork_knowledge.statuses import is_void
from openwork_knowledge.tables import words
from openwork_language.effects.find import Certainty, Direction, find_effects
from openwork_language.mentions import Idea, idea_tokens, names_in, speaks_of
from openwork_language.quantities.compare import find_quantities
from openwork_language.quantities.quantity import QuantityKind
from openwork_language.tokens import COMMON_TOKENS

from openwork_gap.domain.aspects import COMPARISON, INTERVENTION, Aspect, DocumentText
from openwork_gap.domain.thresholds import THRESHOLDS, GapThresholds

_INACTIVE = re.compile(rf"\b{pattern('comparators', 'inactive')}\b", re.IGNORECASE)
_COMPARED_IN_OUTCOME = re.compile(r",?\s*([^,]+?) (?:versus|vs\.?|compared with) ([^,]+)", re.IGNORECASE)
_OUTCOME_NOISE = idea_tokens(" ".join(words("gap-words", "outcome_noise")))
_QUALIFIERS = idea_tokens(" ".join(words("gap-words", "outcome_qualifier")))
"""Words that make another outcome of the same head word: cardiovascular death is not death from any cause."""
_UNUSABLE_DESIGNS = frozenset({StudyDesign.TRIAL_REGISTRATION, StudyDesign.DRUG_LABEL, StudyDesign.EDITORIAL})


@dataclass(frozen=True, slots=True)
class Finding:
    """What one document reports of one outcome of one comparison, seen from the question's intervention."""

    n: int
    intervention: str
    comparator: str
    outcome: frozenset[str]
    outcome_text: str
    estimate: float | None
    """Ratio, intervention against comparator; `None` when only the direction is told."""
    low: float | None
    high: float | None
    direction: Direction
    words: str
    """"lower major bleeding (HR 0.69, 95% CI 0.60 to 0.80)"."""


def find_contradictions(
    documents: Sequence[DocumentText], aspects: Sequence[Aspect], *, thresholds: GapThresholds = THRESHOLDS
) -> tuple[Contradiction, ...]:
    """Pairs of documents whose findings cannot both hold; at most one per pair of documents, strongest first."""
    findings = [f for d in documents if _is_usable(d.document) for f in _findings(d, aspects)]
    found: dict[tuple[int, int], tuple[float, Contradiction]] = {}
    for a, b in combinations(findings, 2):
        first, second = sorted((a, b), key=lambda f: f.n)
        if first.n == second.n or not _same_question(first, second, thresholds) or not _oppose(first, second):
            continue
        distance = _distance(first, second)
        if distance > found.get((first.n, second.n), (-1.0, None))[0]:
            found[first.n, second.n] = (distance, _contradiction(first, second))
    ranked = sorted(found.values(), key=lambda x: (-x[0], x[1].first, x[1].second))
    return tuple(contradiction for _, contradiction in ranked[: thresholds.max_contradictions])


def _is_usable(document: EvidenceCandidate) -> bool:
    return not is_void(document.status) and document.study_design not in _UNUSABLE_DESIGNS


def _findings(document: DocumentText, aspects: Sequence[Aspect]) -> Iterator[Finding]:
    arms = [a for a in aspects if a.slot == INTERVENTION and a.ideas]
    others = [a for a in aspects if a.slot == COMPARISON and a.ideas]
    for result in document.document.results:
        yield from _from_result(document, result, arms, others)
    if not document.document.results:
        for statement in document.statements[1:]:
            yield from _from_sentence(document.n, statement, arms, others)


def _from_result(
    document: DocumentText, result: OutcomeResult, arms: Sequence[Aspect], others: Sequence[Aspect]
) -> Iterator[Finding]:
    effect = result.effect
    if effect is None or effect.measure.upper() not in RATIOS or effect.estimate <= 0:
        return
    outcome, sides = _sides(document.document, result)
    placed = _place(sides, arms, others)
    if placed is None or effect.ci_low is None or effect.ci_high is None or effect.ci_low <= 0:
        return
    intervention, comparator, is_reversed = placed
    estimate, low, high = effect.estimate, effect.ci_low, effect.ci_high
    if is_reversed:
        estimate, low, high = 1 / estimate, 1 / high, 1 / low
    level = f"{effect.ci_level:.0%} CI" if effect.ci_level is not None else "interval, level not given,"
    interval = f"{level} {effect.ci_low:.2f} to {effect.ci_high:.2f}"
    printed = f"{effect.measure} {effect.estimate:.2f}, {interval}"
    yield _finding(document.n, intervention, comparator, outcome, (estimate, low, high), printed)


def _sides(document: EvidenceCandidate, result: OutcomeResult) -> tuple[str, tuple[str, str]]:
    """The outcome, and the names of experimental and control arm: of the result, of its name, or of the trial."""
    if match := _COMPARED_IN_OUTCOME.search(result.outcome):
        outcome = (result.outcome[: match.start()] + result.outcome[match.end() :]).strip(" ,")
        return outcome, (match.group(1), match.group(2))
    if len(result.arms) == 2:
        return result.outcome, (result.arms[0].arm, result.arms[1].arm)
    if len(document.arms) == 2:
        return result.outcome, (document.arms[0].name, document.arms[1].name)
    return result.outcome, ("", "")


def _place(sides: tuple[str, str], arms: Sequence[Aspect], others: Sequence[Aspect]) -> tuple[str, str, bool] | None:
    """(intervention, comparator, whether the effect is told the other way round); `None` = not the question's."""
    for (one, other), is_reversed in ((sides, False), ((sides[1], sides[0]), True)):
        arm = next((a for a in arms if _names(one, a.ideas) and not _names(other, a.ideas)), None)
        if arm is not None:
            comparator = _comparator(other, others)
            if comparator:
                return arm.term, comparator, is_reversed
    return None


def _names(side: str, ideas: Sequence[Idea]) -> bool:
    return bool(side) and all(speaks_of(side, idea) for idea in ideas)


def _comparator(side: str, others: Sequence[Aspect]) -> str:
    """The question's own word for it, "control" for anything inactive, else the drug's name."""
    for aspect in others:
        if _names(side, aspect.ideas):
            return aspect.term
    if _INACTIVE.search(side):
        return "control"
    return next(iter(sorted(names_in(side))), "")


def _from_sentence(n: int, sentence: str, arms: Sequence[Aspect], others: Sequence[Aspect]) -> Iterator[Finding]:
    """A ratio with its interval, both printed right after the one effect that the sentence states."""
    effects = [e for e in find_effects(sentence) if e.certainty is Certainty.ASSERTED]
    ratio = _only_ratio(sentence)
    if not effects or ratio is None or len({e.direction for e in effects}) > 1:
        return
    outcome = _OUTCOME_BEFORE_VERB.search(sentence)
    if outcome is None:
        return
    sides = _sides_of_sentence(sentence)
    placed = _place(sides, arms, others) if sides else None
    if placed is None:
        return
    intervention, comparator, is_reversed = placed
    estimate, low, high, printed = ratio
    # "More bleeding with rivaroxaban (HR 1.69)" is 1/1.69 as seen from apixaban.
    if is_reversed:
        estimate, low, high = 1 / estimate, 1 / high, 1 / low
    yield _finding(n, intervention, comparator, outcome[1].lower(), (estimate, low, high), printed)


_OUTCOME_BEFORE_VERB = re.compile(r"(?:^|,\s+|\bthat\s+)([A-Za-z][\w\s-]{3,80}?)\s+(?:was|were|occurred|did)\b")
_SIDES = re.compile(
    r"\b(?:with|on|given|for)\s+(?P<one>[\w\s,-]{3,60}?)\s+(?:than|versus|vs\.?|compared\s+(?:with|to)|and)\s+"
    r"(?:with\s+|on\s+|for\s+)?(?P<other>[\w\s,-]{3,60}?)(?=[(.;,]|\s+(?:in|among|over|during)\b|$)",
    re.IGNORECASE,
)


def _sides_of_sentence(sentence: str) -> tuple[str, str] | None:
    match = _SIDES.search(sentence)
    return (match["one"], match["other"]) if match else None


def _only_ratio(sentence: str) -> tuple[float, float, float, str] | None:
    """The one ratio with its interval that a sentence gives; `None` when there are several or none."""
    quantities = find_quantities(sentence)
    ratios = [q for q in quantities if q.kind is QuantityKind.EFFECT and (q.measure or "") in RATIOS]
    intervals = [q for q in quantities if q.kind is QuantityKind.INTERVAL and q.high is not None]
    if len(ratios) != 1 or len(intervals) != 1 or intervals[0].start < ratios[0].start:
        return None
    ratio, interval = ratios[0], intervals[0]
    if ratio.value <= 0 or interval.low <= 0 or interval.high is None:
        return None
    printed = sentence[ratio.start : interval.end]
    return float(ratio.value), float(interval.low), float(interval.high), printed


def _finding(
    n: int, intervention: str, comparator: str, outcome: str, ratio: tuple[float, float, float], printed: str
) -> Finding:
    estimate, low, high = ratio
    direction = Direction.LOWER if high < 1 else Direction.HIGHER if low > 1 else Direction.NO_DIFFERENCE
    told = {Direction.LOWER: "less", Direction.HIGHER: "more"}.get(direction, "no clear difference in")
    tokens = idea_tokens(outcome) - COMMON_TOKENS - _OUTCOME_NOISE
    stated = f"{told} {outcome} ({printed})"
    return Finding(n, intervention, comparator, tokens, outcome, estimate, low, high, direction, stated)


def _same_question(a: Finding, b: Finding, thresholds: GapThresholds) -> bool:
    if (a.intervention, a.comparator) != (b.intervention, b.comparator) or not a.outcome or not b.outcome:
        return False
    is_composite = min(len(a.outcome), len(b.outcome)) >= thresholds.composite_words
    if not is_composite and (a.outcome & _QUALIFIERS) != (b.outcome & _QUALIFIERS):
        return False
    return len(a.outcome & b.outcome) / len(a.outcome | b.outcome) >= thresholds.same_outcome


def _oppose(a: Finding, b: Finding) -> bool:
    """Opposite signs; or a sign against none, each interval shutting out the other's estimate.

    A wide interval across 1 does not contradict an effect: absence of evidence (10.1136/bmj.311.7003.485).
    """
    if a.direction is b.direction:
        return False
    if Direction.NO_DIFFERENCE not in {a.direction, b.direction}:
        return True
    if a.estimate is None or b.estimate is None or None in (a.low, a.high, b.low, b.high):
        return False
    return not _within(a.estimate, b) and not _within(b.estimate, a)


def _within(estimate: float, finding: Finding) -> bool:
    return finding.low is not None and finding.high is not None and finding.low <= estimate <= finding.high


def _distance(a: Finding, b: Finding) -> float:
    return abs(math.log(a.estimate) - math.log(b.estimate)) if a.estimate and b.estimate else 0.0


def _contradiction(a: Finding, b: Finding) -> Contradiction:
    outcome = min((a.outcome_text, b.outcome_text), key=len)
    return Contradiction(
        first=a.n,
        second=b.n,
        comparison=f"{a.intervention} versus {a.comparator}",
        outcome=outcome,
        summary=f"[{a.n}] reports {a.words}, while [{b.n}] reports {b.words}.",
    )
