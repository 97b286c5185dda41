"""The sentences of a passage that tell results: what a judgement of coverage and contradictions needs of it."""

from __future__ import annotations

from openwork_language.effects.find import find_effects
from openwork_language.quantities.compare import find_quantities
from openwork_language.quantities.quantity import QuantityKind
from openwork_language.sentences import split_sentences

_EFFECTS = frozenset({QuantityKind.EFFECT, QuantityKind.INTERVAL})
_FIGURES = frozenset({QuantityKind.PERCENT, QuantityKind.FRACTION, QuantityKind.RATE, QuantityKind.P_VALUE})


def result_sentences(text: str, max_chars: int) -> str:
    """The sentences with effects and intervals, then those with other figures, then effects in words; in their order.

    A passage that tells no result is given by its beginning, up to the end of a sentence where one fits.

    Args:
        max_chars: most characters; a sentence that does not fit is left out whole.
    """
    sentences = [sentence.text.strip() for sentence in split_sentences(text)]
    weights = [_weight(sentence) for sentence in sentences]
    if not any(weights):
        return _whole(sentences, range(len(sentences)), max_chars) or text[:max_chars]
    telling = [i for i, weight in enumerate(weights) if weight]
    return _whole(sentences, sorted(telling, key=lambda i: -weights[i]), max_chars)


def _weight(sentence: str) -> int:
    """3 for an effect or interval, 2 for other figures of arms, 1 for an effect in words, 0 for none of them."""
    kinds = {quantity.kind for quantity in find_quantities(sentence)}
    if kinds & _EFFECTS:
        return 3
    if kinds & _FIGURES:
        return 2
    return 1 if find_effects(sentence) else 0


def _whole(sentences: list[str], order: range | list[int], max_chars: int) -> str:
    """As many whole sentences as fit, taken in an order of preference, given in their own."""
    chosen: list[int] = []
    left = max_chars
    for i in order:
        if len(sentences[i]) < left:
            chosen.append(i)
            left -= len(sentences[i]) + 1
    return "\n".join(sentences[i] for i in sorted(chosen))
