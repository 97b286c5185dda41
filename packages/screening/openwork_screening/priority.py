"""The order in which records are worth reading, learned from what was decided so far.

Rocchio's relevance feedback: a record is scored by how much nearer it lies to the mean of the included records than to
the mean of the excluded ones. It needs no model, learns from the first pair, and its weights can be read.

Source: Rocchio 1971, "Relevance feedback in information retrieval" (Salton, The SMART Retrieval System); Manning,
Introduction to Information Retrieval, 9.1.1. Tf-idf with logarithmic frequencies and unit length.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from openwork_language.tokens import tokenise

TITLE_COUNT = 4
"""A word of the title counts as often as this: what a title says a record is about."""
HEADING_COUNT = 2
EXCLUDED_WEIGHT = 0.85
"""Of the mean of the excluded beside that of the included: these are many kinds of things, those are one."""
LEAST_RECORDS = 2
"""A word that one record alone has tells nothing of any other."""


@dataclass(frozen=True, slots=True)
class Readable:
    """What of a record is read: all of it may be empty but one."""

    title: str
    abstract: str = ""
    headings: tuple[str, ...] = ()


class Priorities:
    """Records of one review as vectors; made once, asked after every batch of decisions."""

    def __init__(self, records: Sequence[Readable]) -> None:
        counted = [_features(record) for record in records]
        spread = Counter(feature for features in counted for feature in features)
        places: dict[str, int] = {}
        self._vectors = [_vector(features, spread, len(records), places) for features in counted]
        self._n_features = len(places)

    def __len__(self) -> int:
        return len(self._vectors)

    def order(self, decided: Mapping[int, bool], first: Sequence[float] = ()) -> list[int]:
        """Records that are not decided, the one most worth reading first; equal ones in the order they were given.

        Args:
            decided: place of a record -> whether it was included.
            first: how relevant each record seems without any decision, higher is better: the order while nothing was
                included or nothing excluded yet. Empty = the order in which they were given.
        """
        left = [place for place in range(len(self)) if place not in decided]
        scores = self.scores(decided)
        if scores is not None:
            return sorted(left, key=lambda place: -scores[place])
        return sorted(left, key=lambda place: -first[place]) if first else left

    def scores(self, decided: Mapping[int, bool]) -> list[float] | None:
        """How much nearer each record lies to the included than to the excluded, in [-2, 2]; `None` without both."""
        groups = [[place for place, included in decided.items() if included is wanted] for wanted in (True, False)]
        if not all(groups):
            return None
        direction = [0.0] * self._n_features
        for group, weight_of_group in zip(groups, (1.0, -EXCLUDED_WEIGHT), strict=True):
            share = weight_of_group / len(group)
            for place in group:
                for feature, weight in self._vectors[place]:
                    direction[feature] += share * weight
        return [sum(direction[feature] * weight for feature, weight in vector) for vector in self._vectors]


def _features(record: Readable) -> Counter[str]:
    """Words, pairs of neighbouring words, headings; how often each stands there."""
    counts: Counter[str] = Counter()
    for text, count in ((record.title, TITLE_COUNT), (record.abstract, 1)):
        tokens = tokenise(text)
        for token in tokens:
            counts[token] += count
        counts.update(f"{one} {other}" for one, other in pairwise(tokens))
    for heading in record.headings:
        counts[f"heading: {heading.casefold()}"] += HEADING_COUNT
    return counts


def _vector(
    features: Counter[str], spread: Mapping[str, int], n_records: int, places: dict[str, int]
) -> list[tuple[int, float]]:
    """(place of the feature, weight), of unit length."""
    weights = {
        feature: (1 + math.log(count)) * math.log(n_records / spread[feature])
        for feature, count in features.items()
        if LEAST_RECORDS <= spread[feature] < n_records
    }
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return [(places.setdefault(feature, len(places)), weight / length) for feature, weight in weights.items()]


def work_saved(order: Iterable[bool], recall: float = 0.95) -> float:
    """Work saved over sampling: the share of records unread when `recall` of the included are found, less 1 - recall.

    Args:
        order: whether each record was to be included, in the order in which they were read.
        recall: wanted, in (0, 1].
    Returns:
        In [-(1 - recall), recall). 0 is reading at random.
    Raises:
        ValueError: nothing was to be included.
    Source: Cohen 2006, DOI 10.1197/jamia.M1929.
    """
    labels = list(order)
    places = [read for read, included in enumerate(labels, 1) if included]
    if not places:
        raise ValueError("no record was to be included: nothing to find, and no work to save")
    read = places[math.ceil(recall * len(places)) - 1]
    return (len(labels) - read) / len(labels) - (1 - recall)
