"""Stage 1: from everything that was found to a shortlist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.ranking import DocumentScore, ScoreStatistics
from openwork_evidence.text import abstract_text
from openwork_knowledge.statuses import is_void

from openwork_reranker.domain.policies import SourcePolicies
from openwork_reranker.domain.scoring import score_statistics

SHORTLIST_LENGTH = 20
"""Documents of a rapid answer; a review sets its own."""
SHORTLIST_TITLES = 10
"""Works without an abstract whose full text is looked for, beside the shortlist. Each costs up to three requests."""
RECENT_YEARS = 2
"""Evidence of this year and so many before it is not dropped by a minimum score: new findings have new words."""


@dataclass(frozen=True, slots=True)
class DocumentRanking:
    """What stage 1 decided."""

    shortlist: tuple[DocumentScore, ...]
    """Best first. Discredited works come last, with at most the score of the last sound one."""
    below_threshold: int
    """Candidates that were scored and not shortlisted."""
    statistics: ScoreStatistics | None
    """Of all scores given, before anything was cut."""


def split_readable(
    candidates: Sequence[EvidenceCandidate],
) -> tuple[tuple[EvidenceCandidate, ...], tuple[EvidenceCandidate, ...]]:
    """(with text, without): a work whose abstract is empty has nothing to cite until its full text is read."""
    readable: list[EvidenceCandidate] = []
    bare: list[EvidenceCandidate] = []
    for candidate in candidates:
        (readable if candidate.title.strip() and abstract_text(candidate) else bare).append(candidate)
    return tuple(readable), tuple(bare)


def rank_documents(
    candidates: Sequence[EvidenceCandidate],
    scores: Sequence[float],
    *,
    policies: SourcePolicies,
    current_year: int,
    given: Sequence[float] | None = None,
    limit: int = SHORTLIST_LENGTH,
    recent_years: int | None = RECENT_YEARS,
) -> DocumentRanking:
    """The shortlist of one track's round.

    A candidate goes on when it reaches its source's minimum score or is recent, one of its sources still has a place
    for it or its class, and the shortlist is not full. Between equal scores the better trust tier comes first, then the
    candidates' order.

    Args:
        candidates: n candidates with text, see `split_readable`.
        scores: shape (n,), in [0, 1], of the same candidates; they order.
        current_year: the run's year; decides what is recent.
        given: shape (n,), as the scorer gave them, before words were blended in; the minimum is theirs. A model that
            finds nothing relevant scores all alike, and words would lift all of them over it. `None` = `scores`.
        recent_years: `None` = being recent is no excuse for a low score.
    """
    paired = list(zip(candidates, scores, scores if given is None else given, strict=True))
    order = sorted(paired, key=lambda p: (is_void(p[0].status), -p[1], policies.trust_tier_of(p[0])))
    places: Counter[str] = Counter()
    shortlist: list[DocumentScore] = []
    ceiling = 1.0
    for candidate, score, as_given in order:
        if len(shortlist) == limit:
            break
        recent = (
            recent_years is not None and candidate.year is not None and candidate.year >= current_year - recent_years
        )
        if as_given < policies.minimum_of(candidate) and not recent:
            continue
        place = next((name for name, top_k in policies.places_of(candidate) if places[name] < top_k), None)
        if place is None:
            continue
        places[place] += 1
        score = min(score, ceiling) if is_void(candidate.status) else score
        shortlist.append(DocumentScore(candidate_id=candidate.candidate_id, score=score))
        ceiling = score
    return DocumentRanking(tuple(shortlist), len(paired) - len(shortlist), score_statistics(scores))
