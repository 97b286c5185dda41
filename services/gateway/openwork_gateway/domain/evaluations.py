"""What a run is worth, in figures: of its document alone, so that the same run always gives the same.

Labels say on which side of a goal a figure lies; the goals are those of the alerts and of docs/evaluation.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from openwork_bus.annotations import Evaluation
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.record import CandidateRecord

MOST_UNSUPPORTED = 0.05
"""Share of a draft's claims; more is an alert when it goes on."""
MOST_LATENCY_S = 15.0
MOST_COST_USD = 0.02
NDCG_DEPTH = 10
_LEAST_WORKS = 2
"""Of a source whose order is judged: one work has only one order."""


def evaluations_of(document: AnswerDocument) -> tuple[Evaluation, ...]:
    """Grounding, citation coverage, unsupported share, retrieval, latency and cost; what does not apply is left out."""
    return (*_of_claims(document), *_of_retrieval(document), *_of_effort(document))


def _of_claims(document: AnswerDocument) -> Iterator[Evaluation]:
    """Of the last draft, what was taken out of it included."""
    scores = document.verification
    if scores.claims == 0:
        return
    share = scores.unsupported / scores.claims
    is_well = share <= MOST_UNSUPPORTED
    told = f"{scores.supported} of {scores.claims} claims are borne out by what they cite"
    yield Evaluation("grounding", scores.grounding_score, "grounded" if is_well else "partly grounded", told)
    label = "complete" if scores.citation_coverage == 1 else "incomplete"
    yield Evaluation("citation_coverage", scores.citation_coverage, label, "claims with a citation / claims")
    told = f"{scores.unsupported} of {scores.claims} claims did not pass; {len(document.withheld)} are withheld"
    yield Evaluation("unsupported_share", round(share, 4), "few" if is_well else "many", told)


def _of_retrieval(document: AnswerDocument) -> Iterator[Evaluation]:
    by_source = retrieval_ndcg(document.record.candidates if document.record else ())
    if not by_source:
        return
    mean = round(fmean(by_source.values()), 4)
    told = ", ".join(f"{source} {score:.3f}" for source, score in sorted(by_source.items()))
    label = f"{len(by_source)} source{'s' if len(by_source) > 1 else ''}"
    yield Evaluation(
        "retrieval_ndcg", mean, label, f"order of each source beside the ranker's, at {NDCG_DEPTH}: {told}"
    )


def _of_effort(document: AnswerDocument) -> Iterator[Evaluation]:
    total_s, cost = document.timings.total_s, document.usage.cost_usd
    label = "in time" if total_s <= MOST_LATENCY_S else "slow"
    yield Evaluation("latency_s", round(total_s, 4), label, f"seconds to the end of the run; goal {MOST_LATENCY_S:g}")
    label = "within goal" if cost <= MOST_COST_USD else "dear"
    told = f"US dollars at our price table, {document.usage.model_calls} calls of models; goal {MOST_COST_USD:g}"
    yield Evaluation("cost_usd", cost, label, told)


def retrieval_ndcg(candidates: Sequence[CandidateRecord]) -> dict[str, float]:
    """How well each source's own order agrees with the ranker's, in [0, 1].

    nDCG at `NDCG_DEPTH` with linear gains: a work's gain is its score of stage 1, 0 where it was not shortlisted, and
    the ideal order is that of the gains of what this source gave. Sources with fewer than two works, or with none that
    was shortlisted, are left out. A work of several places in a source (further rounds) stands at its first.

    Source: Järvelin and Kekäläinen 2002, doi:10.1145/582415.582418.
    """
    places: dict[str, dict[str, tuple[int, float]]] = {}
    for candidate in candidates:
        for origin in candidate.provenance:
            here = places.setdefault(origin.source, {})
            first = min(origin.rank, here[candidate.candidate_id][0] if candidate.candidate_id in here else origin.rank)
            here[candidate.candidate_id] = (first, candidate.document_score or 0.0)
    return {source: _ndcg(works) for source, works in places.items() if _is_judged(works)}


def _is_judged(works: Mapping[str, tuple[int, float]]) -> bool:
    return len(works) >= _LEAST_WORKS and any(gain > 0 for _, gain in works.values())


def _ndcg(works: Mapping[str, tuple[int, float]]) -> float:
    gains = [gain for _, gain in sorted(works.values(), key=lambda work: work[0])]
    return _dcg(gains) / _dcg(sorted(gains, reverse=True))


def _dcg(gains: Sequence[float]) -> float:
    """Discounted cumulative gain of the first `NDCG_DEPTH`."""
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains[:NDCG_DEPTH], 1))
