"""The baseline to beat: plain BM25 over lower-case words, nothing else.

Source: Robertson S, Zaragoza H. The probabilistic relevance framework: BM25 and beyond. 2009. DOI 10.1561/1500000019.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

K1 = 1.2
B = 0.75
_WORD = re.compile(r"\w+")


def plain_words(text: str) -> list[str]:
    """Lower-case words; no stemming, no stop words."""
    return _WORD.findall(text.lower())


class PlainBm25:
    """BM25 with k1 1.2 and b 0.75 over a fixed collection; no boosts."""

    def __init__(self, texts: Sequence[str], tokenise: Callable[[str], list[str]] = plain_words) -> None:
        self._tokenise = tokenise
        counts = [Counter(tokenise(text)) for text in texts]
        lengths = [sum(c.values()) for c in counts]
        mean = (sum(lengths) / len(lengths) if lengths else 0.0) or 1.0
        self.n_texts = len(texts)
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for i, count in enumerate(counts):
            norm = K1 * (1 - B + B * lengths[i] / mean)
            for word, frequency in count.items():
                self._postings.setdefault(word, []).append((i, frequency * (K1 + 1) / (frequency + norm)))

    def scores(self, question: str) -> list[float]:
        """BM25 of each text, in the order of the collection."""
        scores = [0.0] * self.n_texts
        for word in set(self._tokenise(question)):
            postings = self._postings.get(word, [])
            idf = math.log(1 + (self.n_texts - len(postings) + 0.5) / (len(postings) + 0.5))
            for i, weight in postings:
                scores[i] += idf * weight
        return scores
