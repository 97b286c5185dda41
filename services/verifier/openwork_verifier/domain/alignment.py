"""Effects of a claim beside effects of its source: which are of the same outcome, and do they go the same way?"""

from __future__ import annotations

from collections.abc import Iterable

from openwork_knowledge.tables import words
from openwork_language.effects.find import Certainty, Direction, EffectStatement, conflict, find_effects, reverse

from openwork_verifier.domain.passages import PassageSentence
from openwork_language.wording import concept_of, near_match

_D = Direction
_SIGNED = frozenset({_D.LOWER, _D.HIGHER, _D.BETTER, _D.WORSE})
_MOST_AFFINITY = 1.3
_AXES = ({_D.LOWER, _D.HIGHER}, {_D.BETTER, _D.WORSE}, {_D.NO_DIFFERENCE, _D.NON_INFERIOR}, {_D.DIFFERENT})
_GENERIC = frozenset(concept_of(word) for word in words("empty-words", "outcome"))


def meanings(tokens: frozenset[str]) -> frozenset[str]:
    """Concepts of tokens, without those that fit every outcome."""
    return frozenset(concept_of(t) for t in tokens) - _GENERIC


def comparable(a: Direction, b: Direction) -> bool:
    """Whether two directions say the same sort of thing, so that one bears out the other."""
    if a is _D.DIFFERENT:
        return b is _D.DIFFERENT or b in _SIGNED
    return any(a in axis and b in axis for axis in _AXES)


def affinity(claim: EffectStatement, source: EffectStatement) -> float:
    """How far two effects are about the same outcome, in [0, 1.3]; the same arm before the cue adds a little."""
    mine, theirs = meanings(claim.outcome), meanings(source.outcome)
    if not mine or not theirs:
        return 0.0
    shared = sum(1 for word in mine if word in theirs or near_match(word, theirs))
    outcome = shared / min(len(mine), len(theirs)) * (0.5 + 0.5 * shared / max(len(mine), len(theirs)))
    subject = meanings(claim.intervention)
    same_subject = len(subject & meanings(source.intervention)) / len(subject) if subject else 0.0
    return outcome + 0.3 * same_subject if outcome else 0.0


def swapped(claim: EffectStatement, source: EffectStatement) -> bool:
    """Whether the claim's comparator is what the source compares with its own, and the reverse."""
    if not claim.comparator or not source.comparator:
        return False
    mine, theirs = meanings(claim.comparator), meanings(source.comparator)
    if mine & theirs:
        mine, theirs = mine - theirs, theirs - mine
    claim_others = meanings(claim.intervention | claim.outcome) - mine
    source_others = meanings(source.intervention | source.outcome) - theirs
    return bool(mine & source_others) and bool(theirs & claim_others)


def net_as_claimed(claim: EffectStatement, source: EffectStatement) -> tuple[Direction, bool]:
    """The source's direction seen from the claim's arm, and whether the arms stand the other way round."""
    turned = swapped(claim, source)
    return (reverse(source.net) if turned != (claim.inverted != source.inverted) else source.net), turned


def agreement(text: str, sentences: Iterable[tuple[PassageSentence, float]]) -> tuple[float, float]:
    """How near the nearest effect with the claim's direction is, and the nearest against it; each in [0, 1].

    Args:
        sentences: each with the share of the claim that it holds; an effect in a sentence about something else is far.
    """
    claims = find_effects(text)
    agreeing = opposing = 0.0
    if not claims:
        return agreeing, opposing
    for sentence, share in sentences:
        for source in sentence.effects:
            if source.certainty is Certainty.OPEN:
                continue
            for claim in claims:
                net, _ = net_as_claimed(claim, source)
                near = share * min(1.0, affinity(claim, source) / _MOST_AFFINITY)
                if comparable(claim.net, net) and not conflict(claim.net, net):
                    agreeing = max(agreeing, near)
                elif conflict(claim.net, net):
                    opposing = max(opposing, near)
    return agreeing, opposing
