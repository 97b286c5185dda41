"""Stage 2: from passages to the evidence pack, with its citation numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice

from openwork_answers.as_asked import MOST_CLOSE
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.ranking import RankedPassage, ScoreStatistics, TrialFit
from openwork_evidence.findable import is_findable
from openwork_knowledge.statuses import is_void
from openwork_language.tokens import token_set

from openwork_reranker.domain.figures import lacking
from openwork_reranker.domain.jaccard import jaccard
from openwork_reranker.domain.passages import Passage
from openwork_reranker.domain.scoring import ScorableText, score_statistics

N_PASSAGES = 10
"""Passages of an answer's evidence pack."""
MAX_PER_DOCUMENT = 2
"""Most passages of one work, so that one long paper does not fill the pack."""
PASSAGE_SHARE = 0.6
"""Share of the passage's own score in the blend; the rest is its document's."""
DIVERSITY = 0.3
"""Weight of dissimilarity in maximal marginal relevance: repeated findings lose their place, better ones do not."""
POOL_FACTOR = 6
"""Passages looked at per place: further down none is picked, however different."""
MOST_THAT_ANSWER = 3
"""Works beyond those, which answer: each is read by a model too, and paid for."""
Answers = Callable[[EvidenceCandidate, RankedPassage], int]
"""How close a result of a work, of which a passage may be read, comes to what is asked; 0 = it has none of that."""


@dataclass(frozen=True, slots=True)
class PassageRanking:
    """What stage 2 decided."""

    passages: tuple[RankedPassage, ...]
    """Best first; then those of works that nobody could look up, and of discredited works last."""
    documents: tuple[EvidenceCandidate, ...]
    """The n-th (from 1) has citation number n."""
    statistics: ScoreStatistics | None
    """Of the passages' own scores."""


class _Standing(IntEnum):
    """What a work's passages come after, however well they fit."""

    SOUND = 0
    UNFINDABLE = 1
    """No identifier and no address: it may be listed, and is never the first that an answer rests on."""
    DISCREDITED = 2


@dataclass(frozen=True, slots=True)
class _Blended:
    passage: Passage
    passage_score: float
    document_score: float
    score: float
    standing: _Standing


def passage_texts(passages: Sequence[Passage], candidates: Mapping[str, EvidenceCandidate]) -> tuple[ScorableText, ...]:
    """What a scorer reads: the passage under its work's title, which says what "the treatment group" was given."""
    return tuple(ScorableText(candidates[p.candidate_id].title, p.text) for p in passages)


def rank_passages(
    passages: Sequence[Passage],
    scores: Sequence[float],
    document_scores: Mapping[str, float],
    candidates: Mapping[str, EvidenceCandidate],
    *,
    fits: Mapping[str, TrialFit] | None = None,
    outcomes: Sequence[str] = (),
    answers: Answers | None = None,
    limit: int = N_PASSAGES,
    max_per_document: int = MAX_PER_DOCUMENT,
    diversity: float = DIVERSITY,
    passage_share: float = PASSAGE_SHARE,
) -> PassageRanking:
    """The evidence pack of one track's round.

    Score = passage_share of the passage's own, the rest its document's. Which passages go in is decided by maximal
    marginal relevance (Carbonell and Goldstein 1998, DOI 10.1145/290941.291025) over their token sets; they are then
    ordered by score and their works numbered in order of first appearance. Equal scores keep the order of the passages.

    Args:
        passages: n passages.
        scores: shape (n,), in [0, 1], of the same passages.
        document_scores: stage 1, per candidate id; a work that is missing counts as 0.
        candidates: per candidate id, every work that a passage comes from.
        fits: per candidate id, see `trial_fit`; missing = fits.
        outcomes: asked for, in the asker's words. Beyond `limit`, the passages of a cited work are added in which the
            figures of its results on them stand.
        answers: where others that fit answer more closely than any work chosen, the best passages of up to
            `MOST_THAT_ANSWER` of the closest are added: a trial in kidney disease does not stand for one of everybody.
            `None` = of none.
    """
    fits = fits or {}
    blended = _blend(passages, scores, document_scores, candidates, passage_share)
    chosen = _choose(blended, limit, max_per_document, diversity)
    if answers is not None:
        added = islice(_that_answer(chosen, blended, candidates, fits, answers), MOST_THAT_ANSWER)
        chosen = sorted([*chosen, *added], key=_order)
    numbers: dict[str, int] = {}
    ranked = []
    for b in chosen:
        numbers.setdefault(b.passage.candidate_id, len(numbers) + 1)
    for b in sorted([*chosen, *_with_figures(chosen, blended, candidates, outcomes)], key=_order):
        n = numbers[b.passage.candidate_id]
        ranked.append(_ranked(b, n, fits.get(b.passage.candidate_id, TrialFit())))
    return PassageRanking(tuple(ranked), tuple(candidates[c] for c in numbers), score_statistics(scores))


def _that_answer(
    chosen: Sequence[_Blended],
    blended: Sequence[_Blended],
    candidates: Mapping[str, EvidenceCandidate],
    fits: Mapping[str, TrialFit],
    answers: Answers,
) -> Iterator[_Blended]:
    """The best passages of the sound works that answer most closely, where no chosen one does so as well."""

    def closeness(b: _Blended) -> int:
        work = b.passage.candidate_id
        fit = fits.get(work, TrialFit())
        is_fit = b.standing is _Standing.SOUND and not fit.misfit
        return answers(candidates[work], _ranked(b, 1, fit)) if is_fit else 0

    closest = 0
    for b in chosen:
        closest = max(closest, closeness(b))
        if closest == MOST_CLOSE:
            return
    seen = {b.passage.candidate_id for b in chosen}
    first: dict[str, _Blended] = {}
    for b in blended:
        if b.passage.candidate_id not in seen:
            first.setdefault(b.passage.candidate_id, b)
    others = [(closeness(b), b) for b in first.values()]
    best = max((close for close, _ in others), default=0)
    yield from (b for close, b in others if close == best > closest)


def _with_figures(
    chosen: Sequence[_Blended],
    blended: Sequence[_Blended],
    candidates: Mapping[str, EvidenceCandidate],
    outcomes: Sequence[str],
) -> Iterator[_Blended]:
    """Further passages of the cited works, in which the figures stand that an answer may tell of them."""
    for work in dict.fromkeys(b.passage.candidate_id for b in chosen):
        own = [b.passage.text for b in chosen if b.passage.candidate_id == work]
        taken = {b.passage.passage_id for b in chosen}
        others = [b for b in blended if b.passage.candidate_id == work and b.passage.passage_id not in taken]
        for place in lacking(candidates[work], outcomes, own, [b.passage.text for b in others]):
            yield others[place]


def _ranked(blended: _Blended, n: int, fit: TrialFit) -> RankedPassage:
    passage = blended.passage
    return RankedPassage(
        n=n,
        passage_id=passage.passage_id,
        candidate_id=passage.candidate_id,
        section=passage.section,
        section_kind=passage.kind,
        start=passage.start,
        end=passage.end,
        text=passage.text,
        text_origin=passage.text_origin,
        score=blended.score,
        passage_score=blended.passage_score,
        document_score=blended.document_score,
        fit=fit,
    )


def _blend(
    passages: Sequence[Passage],
    scores: Sequence[float],
    document_scores: Mapping[str, float],
    candidates: Mapping[str, EvidenceCandidate],
    passage_share: float,
) -> list[_Blended]:
    blended = []
    for passage, score in zip(passages, scores, strict=True):
        document = document_scores.get(passage.candidate_id, 0.0)
        total = passage_share * score + (1 - passage_share) * document
        blended.append(_Blended(passage, score, document, total, _standing(candidates[passage.candidate_id])))
    return sorted(blended, key=_order)


def _standing(candidate: EvidenceCandidate) -> _Standing:
    if is_void(candidate.status):
        return _Standing.DISCREDITED
    return _Standing.SOUND if is_findable(candidate.identifiers) else _Standing.UNFINDABLE


def _order(blended: _Blended) -> tuple[_Standing, float]:
    return blended.standing, -blended.score


def _choose(blended: Sequence[_Blended], limit: int, max_per_document: int, diversity: float) -> list[_Blended]:
    """Maximal marginal relevance, greedily; sound works are asked first, the others fill what is left."""
    chosen: list[_Blended] = []
    chosen_ids: Counter[str] = Counter()
    for group in _Standing:
        pool = [b for b in blended if b.standing is group][: limit * POOL_FACTOR]
        sets = [token_set(b.passage.text) for b in pool]
        nearest = [0.0] * len(pool)
        left = list(range(len(pool)))
        while left and len(chosen) < limit:
            best = max(left, key=lambda i: ((1 - diversity) * pool[i].score - diversity * nearest[i], -i))
            left.remove(best)
            candidate_id = pool[best].passage.candidate_id
            chosen.append(pool[best])
            chosen_ids[candidate_id] += 1
            if chosen_ids[candidate_id] >= max_per_document:
                left = [i for i in left if pool[i].passage.candidate_id != candidate_id]
            for i in left:
                nearest[i] = max(nearest[i], jaccard(sets[i], sets[best]))
    return sorted(chosen, key=_order)
