"""The built-in scorer: BM25 over the candidates with what biomedical questions need on top. No model, no key.

BM25 after Robertson and Zaragoza 2009, DOI 10.1561/1500000019, with weighted title occurrences (BM25F, section 3.6
there). To the BM25 sum of the question's tokens are added, in shares of the sum's own scale:

- lead: question tokens in the title or the first words of the text, where definitions and topic sentences stand;
- window: the densest stretch of the text, so that one good paragraph of a long text counts;
- proximity: neighbouring words of the question that stand close together in the text;
- named things: an entity of the question under any of its names, and a loss for each that is missing;
- aspect: words in which texts answer what is asked (`aspects.py`);
- comparison: the language of results, when the question compares.

The weights are `LexicalWeights`; `tests/eval/ranking/run.py` prints the figures beside plain BM25.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openwork_language.tokens import COMMON_TOKENS, tokenise

from openwork_reranker.domain.aspects import RESULT_TOKENS
from openwork_reranker.domain.focus import NamedThing, QuestionFocus
from openwork_reranker.domain.scoring import ScorableText, ScorerIdentity
from openwork_reranker.domain.weights import LEXICAL_WEIGHTS, LexicalWeights

_GAP = 20
"""Tokens imagined between title and text, more than any proximity spans."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """Where the watched tokens stand in one text."""

    positions: dict[str, list[int]]
    title: dict[str, int]
    """Occurrences in the title, per token; they are in `positions` too."""
    body_start: int
    n_tokens: int


class LexicalScorer:
    """Scores by shared words. Deterministic; the same candidates in another order get the same scores."""

    identity = ScorerIdentity("lexical", version="1", is_lexical=True)

    def __init__(self, weights: LexicalWeights = LEXICAL_WEIGHTS) -> None:
        self._weights = weights

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """As `Scorer.score`; never fails."""
        return self.score_now(focus, texts)

    def score_now(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """Relevance of each text, in [0, 1]: r / (1 + r), where r is the text's sum over the question's own weight.

        r is 0 when nothing of the question occurs and about 1 when a text of usual length holds each of its words once,
        so 0.5 reads "says it all once". The squashing is strictly increasing and keeps every order.
        """
        own = self._weights
        readings = [_with_members(_read(text, _watched(focus)), focus.things) for text in texts]
        weights = _rarity(focus, readings, own)
        total = sum(weights[t] for t in focus.tokens)
        if not readings or total <= 0:
            return [0.0] * len(readings)
        mean_length = sum(r.n_tokens for r in readings) / len(readings) or 1.0
        things = _things(focus.things, readings, own)
        scores = []
        for reading, (of_things, missing) in zip(readings, things, strict=True):
            norm = own.k1 * (1 - own.b + own.b * reading.n_tokens / mean_length)
            raw = _bm25(focus.tokens, reading, weights, norm, own) + _places(focus.tokens, reading, weights, own)
            raw += own.thing_share * of_things
            raw += total * _language(focus, reading, weights, norm, own)
            raw *= 1 - own.missing_share * missing
            scores.append(raw / (raw + total))
        return scores


def _watched(focus: QuestionFocus) -> frozenset[str]:
    forms = {token for thing in focus.things for form in thing.forms for token in form}
    return frozenset({*focus.tokens, *forms, *focus.aspects, *(RESULT_TOKENS if focus.comparative else ())})


def _read(text: ScorableText, watched: frozenset[str]) -> _Reading:
    """Only watched tokens are kept: the rest of a text matters by its length alone."""
    title, body = tokenise(text.title), tokenise(text.body)
    body_start = len(title) + _GAP if title else 0
    positions: dict[str, list[int]] = {}
    in_title: dict[str, int] = {}
    for i, token in enumerate(title):
        if token in watched:
            positions.setdefault(token, []).append(i)
            in_title[token] = in_title.get(token, 0) + 1
    for i, token in enumerate(body, body_start):
        if token in watched:
            positions.setdefault(token, []).append(i)
    return _Reading(positions, in_title, body_start, len(title) + len(body))


def _with_members(reading: _Reading, things: Sequence[NamedThing]) -> _Reading:
    """A text that names a member of a class that the question names says the class's words there too."""
    for thing in things:
        for member in thing.members:
            for start in _starts(member, reading.positions):
                for place, token in enumerate(thing.forms[0], start):
                    reading.positions.setdefault(token, []).append(place)
                    if start < reading.body_start:
                        reading.title[token] = reading.title.get(token, 0) + 1
        if thing.members:
            for token in thing.forms[0]:
                reading.positions.get(token, []).sort()
    return reading


def _idf(n_with: float, n_texts: float) -> float:
    return math.log(1 + (n_texts - n_with + 0.5) / (n_with + 0.5))


def _rarity(focus: QuestionFocus, readings: Sequence[_Reading], own: LexicalWeights) -> dict[str, float]:
    """Inverse document frequency over the candidates and the imagined texts."""
    n_texts = len(readings) + own.prior_texts
    weights = {}
    for token in {*focus.tokens, *focus.aspects}:
        prior = own.prior_texts * (own.prior_common if token in COMMON_TOKENS else own.prior_rare)
        weights[token] = _idf(sum(token in r.positions for r in readings) + prior, n_texts)
    return weights


def _saturated(frequency: float, norm: float, k1: float) -> float:
    return frequency * (k1 + 1) / (frequency + norm)


def _bm25(
    tokens: Iterable[str], reading: _Reading, weights: dict[str, float], norm: float, own: LexicalWeights
) -> float:
    total = 0.0
    k1, further_title = own.k1, own.title - 1
    for token in tokens:
        places = reading.positions.get(token)
        if places:
            frequency = len(places) + further_title * reading.title.get(token, 0)
            total += weights[token] * _saturated(frequency, norm, k1)
    return total


def _places(tokens: tuple[str, ...], reading: _Reading, weights: dict[str, float], own: LexicalWeights) -> float:
    """What lead, window and proximity add."""
    lead_end = reading.body_start + own.lead_tokens
    lead = sum(weights[t] for t in tokens if t in reading.positions and reading.positions[t][0] < lead_end)
    window = _densest_window(tokens, reading, weights, own.window_tokens)
    near = _proximity(tokens, reading, weights, own.proximity_tokens)
    return own.lead_share * lead + own.window_share * window + own.proximity_share * near


def _densest_window(tokens: Iterable[str], reading: _Reading, weights: dict[str, float], window_tokens: int) -> float:
    """Largest weight of distinct question tokens within so many tokens of text."""
    places = sorted((i, token) for token in tokens for i in reading.positions.get(token, ()))
    inside: dict[str, int] = {}
    best = weight = 0.0
    first = 0
    for i, token in places:
        inside[token] = inside.get(token, 0) + 1
        if inside[token] == 1:
            weight += weights[token]
        while places[first][0] <= i - window_tokens:
            left = places[first][1]
            inside[left] -= 1
            if not inside[left]:
                weight -= weights[left]
            first += 1
        best = max(best, weight)
    return best


def _proximity(tokens: tuple[str, ...], reading: _Reading, weights: dict[str, float], most_tokens: int) -> float:
    total = 0.0
    for step in (1, 2):
        for one, other in zip(tokens, tokens[step:], strict=False):
            here, there = reading.positions.get(one), reading.positions.get(other)
            if here and there:
                distance = _distance(here, there)
                if distance <= most_tokens:
                    total += min(weights[one], weights[other]) / distance
    return total


def _distance(here: Sequence[int], there: Sequence[int]) -> int:
    """Smallest distance between two sorted lists of places, at least 1: the words of a class and those of the text may
    share a place."""
    i = j = 0
    best = abs(here[0] - there[0])
    while best > 1 and i < len(here) and j < len(there):
        best = min(best, abs(here[i] - there[j]))
        if here[i] < there[j]:
            i += 1
        else:
            j += 1
    return max(1, best)


def _occurrences(form: tuple[str, ...], positions: dict[str, list[int]]) -> int:
    """How often the tokens of a name stand one behind the other."""
    return len(_starts(form, positions))


def _starts(form: tuple[str, ...], positions: dict[str, list[int]]) -> list[int]:
    """Where the tokens of a name stand one behind the other."""
    starts = positions.get(form[0], [])
    if len(form) == 1:
        return list(starts)
    rest = [set(positions.get(token, ())) for token in form[1:]]
    if not all(rest):
        return []
    return [start for start in starts if all(start + k in places for k, places in enumerate(rest, 1))]


def _things(
    things: Sequence[NamedThing], readings: Sequence[_Reading], own: LexicalWeights
) -> list[tuple[float, float]]:
    """Per text, what the question's entities add under any of their names, and the share of them that it lacks."""
    totals = [0.0] * len(readings)
    missing = [0] * len(readings)
    for thing in things:
        counts = [sum(_occurrences(form, r.positions) for form in thing.forms) for r in readings]
        weight = _idf(sum(c > 0 for c in counts) + own.prior_texts * own.prior_rare, len(readings) + own.prior_texts)
        for i, count in enumerate(counts):
            totals[i] += weight * _saturated(count, own.k1, own.k1)
            missing[i] += not count
    n_things = len(things) or 1
    return [(total, n / n_things) for total, n in zip(totals, missing, strict=True)]


def _language(
    focus: QuestionFocus, reading: _Reading, weights: dict[str, float], norm: float, own: LexicalWeights
) -> float:
    """What aspect and comparison add, as a share of the question's weight."""
    share = 0.0
    if focus.aspects:
        full = sum(sorted((weights[t] for t in focus.aspects), reverse=True)[: own.aspect_tokens])
        share += own.aspect_share * min(1.0, _bm25(focus.aspects, reading, weights, norm, own) / full)
    if focus.comparative:
        n_words = sum(token in reading.positions for token in RESULT_TOKENS)
        share += own.comparison_share * min(1.0, n_words / own.comparison_tokens)
    return share
