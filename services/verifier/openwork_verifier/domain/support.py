"""Which sentences of the cited passages a claim rests on, and how much of the claim they bear out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import fsum

from openwork_language.effects.find import Certainty
from openwork_language.quantities.compare import Quantity, find_quantities, matches
from openwork_language.terms import find_terms
from openwork_language.wording import concepts, content, is_common, looks_like_name, near_match

from openwork_verifier.domain.naming import is_named_in
from openwork_verifier.domain.passages import Passage, PassageSentence
from openwork_verifier.domain.thresholds import THRESHOLDS, GateThresholds

# Sentences looked at closely, best first; further down none has enough of the claim to matter.
_HEAD = 8
_CANDIDATES = 40


@dataclass(frozen=True, slots=True)
class Scored:
    """One sentence of a cited passage against a claim."""

    passage: Passage
    sentence: PassageSentence
    share: float
    """Share of the claim's content weight that stands in it."""
    score: float
    """Share plus the bonus for the claim's numbers."""


@dataclass(frozen=True, slots=True)
class Support:
    """What of a claim stands in the cited passages."""

    words: frozenset[str]
    """What the claim asserts, as concepts."""
    sentences: tuple[Scored, ...]
    """The supporting sentences, the best first."""
    ranked: tuple[Scored, ...]
    """All sentences with any share, the best first."""
    share: float
    """Borne out by the supporting sentences, with part credit for the remainder of the passages."""
    missing: tuple[str, ...]
    """Content words that no cited passage holds."""


def weight(token: str, thresholds: GateThresholds = THRESHOLDS) -> float:
    """How much a word says."""
    if looks_like_name(token):
        return thresholds.name_weight
    return thresholds.common_weight if is_common(token) else 1.0


def find_support(text: str, passages: Sequence[Passage], thresholds: GateThresholds = THRESHOLDS) -> Support:
    """Align a claim with the sentences of its cited passages."""
    words = content(text)
    weights = {word: weight(word, thresholds) for word in words}
    total = fsum(weights.values()) or 1.0
    quantities = find_quantities(text)
    scored = [
        _score(passage, sentence, weights, total, quantities, thresholds)
        for passage in passages
        for sentence in passage.sentences
    ]
    ranked = _ranked(scored, thresholds)
    chosen = _choose(ranked, weights, total, thresholds)
    near = frozenset().union(*(s.sentence.words for s in chosen)) if chosen else frozenset()
    everywhere = frozenset().union(*(p.words for p in passages)) if passages else frozenset()
    share = 0.0
    missing = []
    other_names = _other_names(text, words - everywhere, passages)
    for word, value in weights.items():
        if word in near:
            share += value
        elif near_match(word, near):
            share += 0.9 * value
        elif word in other_names:
            share += value
        elif word in everywhere or near_match(word, everywhere):
            share += thresholds.context_weight * value
        else:
            missing.append(word)
    return Support(words, chosen, ranked, share / total, tuple(sorted(missing)))


def _other_names(text: str, unseen: frozenset[str], passages: Sequence[Passage]) -> frozenset[str]:
    """Words of drugs' and diseases' names that the passages hold under another name."""
    if not unseen:
        return frozenset()
    named: set[str] = set()
    for term in find_terms(text):
        words = concepts(term.text)
        if words & unseen and is_named_in(term, passages):
            named |= words
    return frozenset(named)


def _ranked(scored: list[Scored], thresholds: GateThresholds) -> tuple[Scored, ...]:
    """Best first; in the head of the list, questions and aims step back behind what is stated just as well."""
    ranked = sorted((s for s in scored if s.score > 0), key=lambda s: -s.score)
    head = [
        replace(s, score=s.score * thresholds.open_discount)
        if s.share < thresholds.verbatim_share and s.sentence.stance.certainty is Certainty.OPEN
        else s
        for s in ranked[:_HEAD]
    ]
    head.sort(key=lambda s: (-s.score, s.sentence.stance.certainty is Certainty.OPEN))
    return (*head, *ranked[_HEAD:])


def _score(
    passage: Passage,
    sentence: PassageSentence,
    weights: dict[str, float],
    total: float,
    quantities: tuple[Quantity, ...],
    thresholds: GateThresholds,
) -> Scored:
    share = fsum([value for word, value in weights.items() if word in sentence.words]) / total
    bonus = 0.0
    if quantities and sentence.quantities:
        matched = sum(1 for q in quantities if any(matches(q, s) for s in sentence.quantities))
        bonus = thresholds.number_bonus * matched / len(quantities)
    return Scored(passage, sentence, share, share + bonus)


def _choose(
    ranked: tuple[Scored, ...], weights: dict[str, float], total: float, thresholds: GateThresholds
) -> tuple[Scored, ...]:
    """The best sentence, and further ones while each adds enough of the claim."""
    if not ranked:
        return ()
    chosen = [ranked[0]]
    covered = set(ranked[0].sentence.words)
    while len(chosen) < thresholds.max_supporting_sentences:
        best = max(
            (s for s in ranked[:_CANDIDATES] if s not in chosen),
            key=lambda s: _gain(s.sentence.words, covered, weights),
            default=None,
        )
        if best is None or _gain(best.sentence.words, covered, weights) / total < thresholds.gain_share:
            break
        chosen.append(best)
        covered |= best.sentence.words
    return tuple(chosen)


def _gain(words: Iterable[str], covered: set[str], weights: dict[str, float]) -> float:
    return fsum(weights[w] for w in words if w in weights and w not in covered)
