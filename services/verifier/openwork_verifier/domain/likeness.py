"""How a claim and the supporting sentences are alike, as a dozen plain figures: the input of `entailment`.

Words are weighed by how rare they are (`frequencies`), names count under any of their names, and effects are compared
only where they are of the same outcome. Nothing here decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from functools import lru_cache
from itertools import pairwise

from openwork_language.effects.find import Certainty, find_effects, stance_of
from openwork_language.terms import Term, class_members, find_terms
from openwork_language.tokens import tokenise

from openwork_verifier.domain.alignment import agreement
from openwork_verifier.domain.frequencies import rarity
from openwork_verifier.domain.passages import Passage, PassageSentence
from openwork_verifier.domain.polarity import denied, turned_words
from openwork_verifier.domain.support import Support
from openwork_language.wording import concept_of, concepts, content, near_match

_WINDOW = 3
"""Sentences that together may bear out a claim."""
_CANDIDATES = 12
"""Sentences looked at for the window, best first."""
_NEAR_CREDIT = 0.8
"""Credit for a word of the same beginning and another ending."""
_MOST_MEMBERS = 60
"""Drugs of a class that are looked for; wider classes than that say little."""
_POLAR = frozenset({"no", "not"})
"""Polarity is a feature of its own."""
_RESERVED = frozenset({Certainty.HEDGED, Certainty.OPEN})


@dataclass(frozen=True, slots=True)
class Likeness:
    """Shares are of the claim's content, weighed by rarity, in [0, 1]; flags are 0 or 1."""

    best: float
    """Held by the one sentence that holds most."""
    whole: float
    """Held anywhere in the cited passages and their titles."""
    rarest: float
    """Held by the window of the claim's three rarest words: usually its subject and its outcome."""
    pairs: float
    """Pairs of neighbouring content words of the claim that stand in one sentence of the window."""
    about: float
    """Share of the best sentence that the claim repeats: low where the sentence says much else."""
    agreeing: float
    """Likeness in outcome and arm of the nearest effect that goes the claim's way, in [0, 1]."""
    opposing: float
    """The same of the nearest effect that goes the other way."""
    denial_differs: float
    """Of what claim or best sentence deny and both speak of: the share that only one of them denies; times `best`."""
    turned: float
    """`best`, where the best sentence holds the opposite of a word of the claim."""
    plain: float
    """1 for a claim that states no effect."""
    surer: float
    """`best`, where the claim asserts and the best sentence only raises a possibility or a question."""
    hedged: float
    """1 for a claim that itself says "may"."""
    length: float
    """Content words of the claim in tens, at most 3."""


FEATURES: tuple[str, ...] = tuple(f.name for f in fields(Likeness))


def values_of(likeness: Likeness) -> tuple[float, ...]:
    """The figures in the order of `FEATURES`."""
    return astuple(likeness)


def likeness_of(text: str, support: Support, passages: Sequence[Passage]) -> Likeness:
    """Compare a claim with its cited passages. A claim without content words is like nothing."""
    words = _ordered(text)
    weights = {word: rarity(word) for word in words}
    total = sum(weights.values())
    sentences = [scored.sentence for scored in support.ranked[:_CANDIDATES]]
    if not total or not sentences:
        return Likeness(*(0.0,) * len(FEATURES))
    names = _names(text)
    per_sentence = [_credit_of(weights, sentence.words, names) for sentence in sentences]
    chosen = _window(per_sentence, weights)
    best = per_sentence[chosen[0]]
    window = _merged([per_sentence[i] for i in chosen])
    whole = _merged([window, _credit_of(weights, frozenset().union(*(p.words for p in passages)), names)])
    best_share = _share(best, weights, words)
    agreeing, opposing = agreement(text, [(sentences[i], _share(per_sentence[i], weights, words)) for i in chosen])
    sentence = sentences[chosen[0]]
    stance = stance_of(text)
    return Likeness(
        best=best_share,
        whole=_share(whole, weights, words),
        rarest=_share(window, weights, sorted(weights, key=lambda w: (-weights[w], w))[:3]),
        pairs=_pairs(words, [per_sentence[i] for i in chosen]),
        about=_about(sentence, best),
        agreeing=agreeing,
        opposing=opposing,
        denial_differs=best_share * _denial(text, sentence, weights),
        turned=best_share * bool(turned_words(text, sentence.text)),
        plain=float(not find_effects(text)),
        surer=best_share * (stance.certainty is Certainty.ASSERTED and sentence.stance.certainty in _RESERVED),
        hedged=float(stance.certainty in _RESERVED),
        length=min(3.0, len(words) / 10),
    )


def _ordered(text: str) -> tuple[str, ...]:
    """The content words of a claim in order, each once."""
    stated = content(text) - _POLAR
    in_order = dict.fromkeys(w for w in map(concept_of, tokenise(text)) if w in stated)
    return (*in_order, *sorted(stated - in_order.keys()))


@lru_cache(maxsize=4096)
def _names(text: str) -> tuple[tuple[frozenset[str], tuple[frozenset[str], ...]], ...]:
    """Each drug, disease or procedure of a claim: its words, and the words of each of its other names and members."""
    return tuple((concepts(term.text), _other_names(term)) for term in find_terms(text))


def _other_names(term: Term) -> tuple[frozenset[str], ...]:
    members = class_members(term.name)[:_MOST_MEMBERS] if term.is_class else ()
    return tuple({form for name in (term.name, *term.synonyms, *members) if (form := concepts(name))})


def _credit_of(
    weights: Iterable[str],
    pool: frozenset[str],
    names: Iterable[tuple[frozenset[str], tuple[frozenset[str], ...]]],
) -> dict[str, float]:
    """The words that a sentence holds, with the credit for each."""
    found = dict.fromkeys((word for word in weights if word in pool), 1.0)
    for words, others in names:
        if not words <= found.keys() and any(form <= pool for form in others):
            found.update(dict.fromkeys(words, 1.0))
    for word in weights:
        if word not in found and near_match(word, pool):
            found[word] = _NEAR_CREDIT
    return found


def _window(per_sentence: Sequence[dict[str, float]], weights: dict[str, float]) -> list[int]:
    """Places of up to three sentences, the best first, each the one that adds most."""
    chosen: list[int] = []
    have: dict[str, float] = {}
    while len(chosen) < min(_WINDOW, len(per_sentence)):
        gains = [
            (sum(weights[w] * max(0.0, c - have.get(w, 0.0)) for w, c in credit.items() if w in weights), -i)
            for i, credit in enumerate(per_sentence)
            if i not in chosen
        ]
        gain, place = max(gains)
        if chosen and gain <= 0:
            break
        chosen.append(-place)
        have = _merged([have, per_sentence[-place]])
    return chosen


def _merged(parts: Iterable[dict[str, float]]) -> dict[str, float]:
    merged: dict[str, float] = {}
    for part in parts:
        for word, credit in part.items():
            merged[word] = max(credit, merged.get(word, 0.0))
    return merged


def _share(credit: dict[str, float], weights: dict[str, float], words: Iterable[str]) -> float:
    total = got = 0.0
    for word in words:
        total += weights[word]
        got += weights[word] * credit.get(word, 0.0)
    return got / total if total else 0.0


def _pairs(words: Sequence[str], per_sentence: Sequence[dict[str, float]]) -> float:
    pairs = list(pairwise(words))
    if not pairs:
        return float(any(words[0] in sentence for sentence in per_sentence))
    return sum(any(a in sentence and b in sentence for sentence in per_sentence) for a, b in pairs) / len(pairs)


def _about(sentence: PassageSentence, credit: dict[str, float]) -> float:
    total = sum(rarity(word) for word in sentence.words)
    return sum(rarity(word) for word in credit if word in sentence.words) / total if total else 0.0


def _denial(text: str, sentence: PassageSentence, weights: dict[str, float]) -> float:
    """Of the words that both hold and one of them denies: the share that the other does not deny."""
    mine, theirs = denied(text) & sentence.words, denied(sentence.text) & weights.keys()
    either = sum(rarity(word) for word in mine | theirs)
    return sum(rarity(word) for word in mine ^ theirs) / either if either else 0.0
