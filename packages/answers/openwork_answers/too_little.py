"""What a run holds that ends as too little evidence: it stands nearest, and no verdict follows."""

from __future__ import annotations

from collections.abc import Sequence

from openwork_contracts.conclusion import Conclusion, ConclusionVerdict
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.question import QuestionAnalysis
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.strategy import SearchStrategy

from openwork_answers.closest_rows import with_rows_beside
from openwork_answers.closest_sentences import closest_sentences
from openwork_answers.nearest import as_nearest
from openwork_answers.outcomes import NEAR
from openwork_answers.pack import pack_of


def too_little(
    conclusion: Conclusion,
    analysis: QuestionAnalysis,
    strategy: SearchStrategy,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
) -> Conclusion:
    """The answer object of a run that is to end as too little evidence, with what it holds as what stands nearest.

    Args:
        conclusion: what `conclude.conclude` made of the rest.
    """
    pack = pack_of(analysis, strategy, tuple(passages), tuple(documents))
    found = as_nearest(conclusion)
    if not conclusion.nearest:  # else its rows stand there already
        found = with_rows_beside(found, pack.question, documents, passages)
    if found.lead is not None or any(r.outcome_fit in NEAR for r in found.nearest):
        return found
    sentences = closest_sentences(pack)
    if not sentences:
        return found
    return found.model_copy(
        update={"verdict": ConclusionVerdict.NOT_FOUND, "nearest_sentences": sentences, "about": (), "others": ()}
    )
